"""The paper's experiment through the service: its tables beside ours, and the page."""

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


def test_the_tables_stand_beside_the_papers(out):
    paper = told(out, "paper.json")
    noisy, pressed = paper["cases"]["noise_3.8_percent"], paper["cases"]["with_load_pressure"]
    assert 85 < noisy["start_percent"]["displacement"] < 90
    assert noisy["fit_percent"]["displacement"] == pytest.approx(96.2, abs=0.1)
    assert pressed["rank"] == 7
    for line in paper["table"]:
        found = pressed["parameters"][line["name"]]
        if line["name"] in ("Kc", "Ctc"):
            assert found["value"] is None
        else:
            assert found["value"] == pytest.approx(line["identified"], rel=0.01)
    for one in paper["transfer_functions"]:
        assert one["ours_stable"]
        if one["order"] >= 5:
            assert one["ours"] > paper["transfer_functions_truth_percent"] - 0.1
    assert {one["order"] for one in paper["transfer_functions"] if one["paper"]} == {4, 5, 6, 7, 9}


def test_every_figure_of_the_paper_is_on_the_page(out):
    page = (out / "report.html").read_text(encoding="utf-8")
    for title in ("Figure 2:", "Figures 3 and 4:", "Figures 6 and 7:", "Figure 8:", "Figure 9:", "Figure 10:",
                  "Table 1:", "Table 2:"):  # fmt: skip
        at = page.index(title)
        assert "<svg" in page[at : at + 6000] or "<table" in page[at : at + 6000], title
