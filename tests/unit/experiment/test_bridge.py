"""Lost readings in a record: what stands there is what the sensor would have said, as far as the others can tell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from hilctl.experiment.bridge import bridged
from hilctl.experiment.policy import BRIDGED
from hilctl.experiment.record import runs

N, TENTH = 4000, 0.1
APART = 120  # ticks between gaps
AT = np.arange(N)


def swept(phase=0.0, noise=0.0, seed=0):
    """A wave whose frequency rises to a tenth of the rate, and what a sensor shows of it."""
    turn = 0.01 * AT + (TENTH - 0.01) * AT**2 / (2 * N)
    wave = np.sin(2 * np.pi * turn + phase)
    return wave, wave + noise * np.random.default_rng(seed).standard_normal(N)


def gaps_of(length, first=100):
    return [slice(at, at + length) for at in range(first, N - 100, APART)]


def without(values, gaps):
    gone = np.zeros(N, bool)
    for gap in gaps:
        gone[gap] = True
    return np.where(gone, np.nan, values), gone


def rms(values):
    return float(np.sqrt(np.mean(values**2)))


@pytest.mark.parametrize(("length", "share", "spline_share"), [(3, 0.0005, 0.015), (BRIDGED, 0.002, 0.06)])
@pytest.mark.parametrize("phase", np.linspace(0, np.pi, 4))
def test_a_sweep_to_a_tenth_of_the_rate_is_bridged_where_a_spline_is_far_off(length, share, spline_share, phase):
    wave, shown = swept(phase, noise=1e-4)
    lost, gone = without(shown, gaps_of(length))
    made = bridged(lost, gone, gaps_of(length))
    assert rms((made - wave)[gone]) < share
    assert rms((CubicSpline(AT[~gone], shown[~gone])(AT) - wave)[gone]) > spline_share


@pytest.mark.parametrize("noise", [1e-3, 1e-2])
def test_what_is_bridged_is_little_worse_than_a_reading(noise):
    wave, shown = swept(noise=noise)
    lost, gone = without(shown, gaps_of(3))
    assert rms((bridged(lost, gone, gaps_of(3)) - wave)[gone]) < 2 * noise


@given(st.lists(st.tuples(st.integers(0, N - 1), st.integers(1, 40)), max_size=30), st.sampled_from([0.0, 1e-3, 10.0]))
def test_readings_stay_as_they_came_and_every_gap_has_a_number(places, size):
    gone = np.zeros(N, bool)
    for at, length in places:
        gone[at : at + length] = True
    shown = 3.0 + size * swept(noise=1e-3)[1]
    made = bridged(np.where(gone, np.nan, shown), gone, runs(gone))
    assert (made[~gone] == shown[~gone]).all()
    assert np.isfinite(made).all() and np.abs(made - 3.0).max() < 10 * size + 1e-9


def test_gaps_beside_each_other_do_not_spoil_each_other():
    wave, shown = swept(noise=1e-4)
    gaps = sorted((*gaps_of(3), *gaps_of(3, 109)), key=lambda gap: gap.start)
    lost, gone = without(shown, gaps)
    assert rms((bridged(lost, gone, gaps) - wave)[gone]) < 0.01


def test_where_most_readings_are_repeated_ones_the_spline_stays():
    wave = np.sin(2 * np.pi * AT / 1000)
    gone = AT % 4 != 0
    gone[-1] = False
    made = bridged(np.where(gone, np.nan, wave), gone, runs(gone))
    assert np.abs(made - CubicSpline(AT[~gone], wave[~gone])(AT)).max() < 1e-12
