"""The paper's servo identified through the service."""

import json

import pytest

from hilctl.cli.main import main

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("servo")
    assert main(["identify", "dynamics", "servo-004", "--twin", "--out", str(folder)]) == 0
    return folder


def told(out, name):
    return json.loads((out / name).read_text(encoding="utf-8"))


def test_displacement_fixes_six_of_eight_and_the_fit_is_as_good_as_the_noise(out):
    study = told(out, "study.json")
    assert 85 < study["fit_percent"]["start"] < 90
    assert study["fit_percent"]["final"] > 99.8
    assert study["grey"]["fit"]["history_percent"][10] >= 99.8
    assert (study["rank"], study["free"]) == (6, 8)
    assert study["parameters"]["m"]["value"] is None
    assert all(one["stable"] for one in study["transfer_functions"].values())
    for one in study["responses"]:  # what the converter's hold adds is not the servo's
        assert one["hold_taken_out"] and one["minus_90_deg"]["value"] == pytest.approx(29.30, abs=0.1)
