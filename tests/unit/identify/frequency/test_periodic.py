"""A multisine of which nothing is known but the record: its lines are found, and only they are told."""

import numpy as np
import pytest

from hilctl.identify.frequency.estimate import measured_of
from hilctl.identify.frequency.intake_record import Foreign, experiment_of
from hilctl.identify.frequency.judge import RecordFault
from hilctl.identify.frequency.prepare import prepare
from hilctl.identify.frequency.record import Pair
from hilctl.identify.frequency.response_lines import lines_response, period_of
from hilctl.identify.frequency.response_swept import sweep_response
from tests.unit.identify.frequency.measured import measured

RATE, LOW, HIGH = 1000.0, 1, 40


def repeated(line_hz, seconds, *, rest_s=0.0, noise=0.0, seed=1):
    """A multisine, and a first-order lag of 5 Hz behind it that began at rest; exact between samples."""
    random = np.random.default_rng(seed)
    t = np.arange(round(seconds * RATE)) / RATE
    w = 2 * np.pi * line_hz * np.arange(LOW, int(HIGH / line_hz) + 1)
    phase, pole = random.uniform(0, 2 * np.pi, len(w)), 2 * np.pi * 5
    on = np.maximum(t - rest_s, 0.0)
    u = np.where(t >= rest_s, np.imag(np.exp(1j * (np.outer(on, w) + phase))).sum(axis=1), 0.0)
    steady = pole / (pole + 1j * w) * np.exp(1j * phase)
    y = np.imag(np.exp(1j * np.outer(on, w)) @ steady) - np.exp(-pole * on) * np.imag(steady).sum()
    y = np.where(t >= rest_s, y, 0.0) + noise * y.std() * random.standard_normal(len(t))
    return u, y


def truth(hz):
    return 5 / (5 + 1j * hz)


@pytest.mark.parametrize(("line_hz", "seconds", "rest_s"), [(1.0, 12.0, 0.0), (1 / 1.1003, 14.3, 0.0), (2.0, 8.2, 1.3)])
def test_lines_are_found_and_their_gains_are_right(line_hz, seconds, rest_s):
    held = []
    for seed in range(4):
        u, y = repeated(line_hz, seconds, rest_s=rest_s, noise=0.01, seed=seed)
        period = period_of(u)
        assert period == pytest.approx(RATE / line_hz, rel=1e-4)
        found = lines_response(u, y, RATE, period, (LOW, HIGH))
        assert found.hz == pytest.approx(line_hz * np.arange(1, len(found.hz) + 1), rel=1e-4)
        assert abs(found.hz[-1] - HIGH) < 2 * line_hz
        assert np.median(np.abs(found.gain / truth(found.hz) - 1)) < 0.01
        held.append(np.mean(np.abs(np.abs(found.gain) - np.abs(truth(found.hz))) < found.radius()))
    assert np.mean(held) > 0.9


def test_what_does_not_repeat_has_no_period():
    random = np.random.default_rng(3)
    slow = np.convolve(random.standard_normal(20000), np.hanning(400), "same")
    for one in (random.standard_normal(20000), slow, measured("sweep").u, measured("stepped").u):
        assert period_of(one) == 0.0
    assert lines_response(*repeated(1.0, 3.0), RATE, 1000.0, (LOW, HIGH)) is None


def test_a_record_takes_the_way_that_suits_it():
    u, y = repeated(1.0, 20.0)
    one = experiment_of(Foreign("r", {"xd_m": u, "displacement_m": y}, RATE, None), "xd_m")
    pair = Pair("xd_m", "displacement_m")
    (made,), wrong = measured_of([one], {"r": prepare(one.channels, RATE)}, [pair])
    assert not wrong and np.abs(made.response.gain / truth(made.response.hz) - 1).max() < 0.01
    with pytest.raises(RecordFault, match=r"one or two lines.*multisine"):
        sweep_response(u, y, RATE, np.array([5.5, 6.3]))


def test_lines_at_which_the_input_is_but_a_transient_tell_nothing():
    """A blow has the same at every line, and looks there as its own transient would."""
    blow = np.zeros(10_000)
    blow[0] = 1.0
    assert lines_response(blow, 2 * blow, 1000.0, 1000.0, (1.0, 20.0)) is None
