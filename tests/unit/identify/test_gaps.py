"""A few late ticks do not cost a motion; many do."""

import numpy as np
import pytest

from hilctl.identify.dynamics.judge import judge
from hilctl.identify.gaps import evened

TICKS = np.arange(7000, 13_000)
T = TICKS / 1000
WAVE = np.sin(2 * np.pi * 60 * T)


def late(*gone):
    """A record without these ticks, whose command steps and whose count grows."""
    kept = np.setdiff1d(np.arange(len(TICKS)), gone)
    samples = {"tick": TICKS, "displacement_m": WAVE, "u_applied": np.round(WAVE, 1), "rejected": TICKS // 1000}
    return {name: values[kept] for name, values in samples.items()}


def test_samples_that_are_missing_are_put_in_where_they_belong():
    made = evened(late(500, 2000, 2001, 2002, 5998))
    assert (made.put_in, made.places) == (5, 3)
    assert (made.samples["tick"] == TICKS).all()
    assert np.abs(made.samples["displacement_m"] - WAVE).max() < 0.02
    assert made.samples["u_applied"][2002] == np.round(WAVE, 1)[1999]
    assert made.samples["rejected"][[1999, 2002, 2003]].tolist() == [8, 8, 9]
    kept = np.setdiff1d(np.arange(6000), (500, 2000, 2001, 2002, 5998))
    assert (made.samples["displacement_m"][kept] == WAVE[kept]).all()


@pytest.mark.parametrize("gone", [(), tuple(range(100, 106)), tuple(range(0, 6000, 90))])
def test_nothing_is_put_in_where_nothing_or_too_much_is_missing(gone):
    given = late(*gone)
    made = evened(given)
    assert made.put_in == 0 and all(made.samples[name] is given[name] for name in given)
    found = judge(given["displacement_m"], {"y": given["u_applied"]}, 1000, times_s=given["tick"] / 1000, periodic=True)
    assert ("dropped samples" in [one.kind for one in found]) == bool(gone)
