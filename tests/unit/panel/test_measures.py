"""What the cursors read, against what was put in."""

import numpy as np
import pytest

from hilctl.panel.measures import between, fundamental, spectrum
from hilctl.panel.samples import Samples
from hilctl.results.distortion import distortion_of


def of(values, rate_hz=1000.0):
    samples = Samples(["x"], rate_hz)
    samples.put({"tick": np.arange(len(values)), "x": np.asarray(values, float)})
    return samples


def test_between_two_cursors():
    found = between(of([0.0, 1.0, 2.0, 3.0, 4.0]), "x", 1, 3)
    assert found == pytest.approx(
        {"at_first": 1.0, "at_last": 3.0, "change": 2.0, "mean": 2.0, "rms": np.sqrt(14 / 3), "peak_to_peak": 2.0,
         "slope": 1000.0}
    )  # fmt: skip


def test_a_gap_at_a_cursor_is_unknown_and_the_rest_is_not():
    found = between(of([0.0, np.nan, 2.0, 3.0]), "x", 1, 3)
    assert (found["at_first"], found["change"], found["mean"]) == (None, None, 2.5)


def test_nothing_there_is_nothing_known():
    assert set(between(of([1.0]), "x", 5, 9).values()) == {None}


@pytest.mark.parametrize("hz", [0.73, 1.0, 2.31, 17.77])
def test_the_fundamental_is_found_between_the_lines(hz):
    t = np.arange(8000) / 1000
    assert fundamental(np.sin(2 * np.pi * hz * t + 0.3), 1000.0) == pytest.approx(hz, rel=2e-3)


def test_distortion_is_the_programs_own():
    t = np.arange(8000) / 1000
    values = np.sin(2 * np.pi * t) + 0.1 * np.sin(6 * np.pi * t + 1.0)
    found = spectrum(of(values), "x", 0, 7999)
    assert found["thd_percent"] == pytest.approx(distortion_of(values, 8, 1.0).percent, rel=0.02)
    assert found["thd_percent"] == pytest.approx(10.0, rel=0.02)


def test_a_line_has_the_amplitude_of_its_sine():
    t = np.arange(4000) / 1000
    found = spectrum(of(3.0 * np.sin(2 * np.pi * 50 * t)), "x", 0, 3999)
    assert max(found["amplitude"]) == pytest.approx(3.0, rel=1e-3)
    assert found["hz"][int(np.argmax(found["amplitude"]))] == pytest.approx(50.0, abs=0.3)


def test_what_is_too_short_or_full_of_gaps_says_so():
    assert "too few samples" in spectrum(of(np.full(500, np.nan)), "x", 0, 499)["why"]
    assert "whole cycles" in spectrum(of(np.sin(np.arange(100) / 100)), "x", 0, 99)["why"]
