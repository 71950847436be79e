"""Excitations: their lines, their limits, and what the service makes of them."""

import numpy as np
import pytest

from hilctl.identify.frequency.drive import history_of
from hilctl.identify.frequency.excite_multisine import Multisine, multisine
from hilctl.identify.frequency.excite_shape import Room, Shape, scale_into, sine_room
from hilctl.identify.frequency.excite_stepped import SteppedSine, stepped_sine
from hilctl.identify.frequency.excite_sweep import Sweep, sweep
from hilctl.identify.frequency.plan import Signal
from hilctl.law.limits import Shaping
from hilctl.law.motions import MotionLimits, plan
from hilctl.params import BadValues, check
from tests.unit.identify.frequency.measured import UNIT

ROOM = check(
    Room,
    {
        "position_m": 0.05, "velocity_m_s": 0.5, "acceleration_m_s2": 10.0, "no_load_speed_m_s": 1.54,
        "force_per_mass_m_s2": 126.0,
    },
)  # fmt: skip


def peaks(values, rate):
    return [np.abs(np.diff(values, n) * rate**n).max() for n in range(3)]


def test_a_blended_step_is_a_pure_sine_while_it_is_measured_and_smooth_between():
    made = stepped_sine(check(SteppedSine, {"start_hz": 2, "end_hz": 9, "settle_periods": 2}), Shape(0.05, ROOM))
    for step in made.steps:
        t = np.arange(step.first, step.first + step.length) / 1000
        basis = np.stack([np.cos(2 * np.pi * step.hz * t), np.sin(2 * np.pi * step.hz * t)], 1)
        part = made.values[step.first :][: step.length]
        found = np.linalg.lstsq(basis, part, rcond=None)[0]
        assert np.hypot(*found) == pytest.approx(step.amplitude, rel=1e-9)
        assert np.abs(basis @ found - part).max() < 1e-9 * step.amplitude
        assert step.length == pytest.approx(3 / step.hz * 1000, abs=1)
    assert made.steps[1].first - made.steps[0].first >= 1500 + 660
    x, v, a = peaks(made.values, 1000)
    assert x <= 0.05 and v <= 0.5 * 1.001 and 9.0 < a <= 10.0 * 1.001
    assert abs(made.values[0]) < 1e-12 and abs(made.values[-1]) < 1e-9


def test_a_sine_fills_its_room_and_nothing_more():
    hz = np.array([0.3, 1.0, 3.0, 8.0, 30.0, 100.0])
    for room in (ROOM, check(Room, {"no_load_speed_m_s": 1.54, "force_per_mass_m_s2": 126.0})):
        for f, x in zip(hz, sine_room(room, hz), strict=True):
            w, angle = 2 * np.pi * f, np.linspace(0, 2 * np.pi, 100_001)
            motion = (x * np.sin(angle), x * w * np.cos(angle), -x * w**2 * np.sin(angle))
            assert scale_into(room, *motion) == pytest.approx(1.0, abs=1e-6)


def test_a_sweep_keeps_its_limits_and_passes_its_band():
    made = sweep(check(Sweep, {}), Shape(0.05, ROOM))
    x, v, a = peaks(made.values, 1000)
    assert x <= 0.05 and v <= 0.5 * 1.001 and a <= 10.0 * 1.001
    assert max(x / 0.05, v / 0.5, a / 10) > 0.95
    power = np.abs(np.fft.rfft(sweep(check(Sweep, {"soft_s": 0.1}), UNIT).values)) ** 2
    hz = np.fft.rfftfreq(len(made.values), 1e-3)
    assert power[(hz >= 0.9) & (hz <= 105)].sum() > 0.98 * power.sum()
    # equal times for equal ratios: as much power from 1 to 10 as from 10 to 100 Hz
    assert power[(hz >= 1) & (hz < 10)].sum() == pytest.approx(power[(hz >= 10) & (hz < 100)].sum(), rel=0.05)


def test_a_multisine_drives_its_lines_only():
    made = multisine(check(Multisine, {"periods": 2}), UNIT)
    one = made.values[made.first : made.first + made.period]
    spectrum = np.abs(np.fft.rfft(one)) / (made.period / 2)
    driven = np.flatnonzero(spectrum > 1e-12)
    assert list(driven) == list(made.lines) == list(range(1, 101))
    assert np.ptp(spectrum[driven]) < 1e-12
    assert np.abs(one).max() < 1.75 * np.sqrt(np.mean(one**2))  # random phases: 3.5
    assert np.abs(made.values).max() <= 1.0
    assert len(made.values) == 3 * made.period


def test_a_multisine_fills_its_room():
    made = multisine(check(Multisine, {}), Shape(0.05, ROOM))
    one = made.values[: made.period]
    jw = 2j * np.pi * np.fft.rfftfreq(made.period, 1e-3)
    fine = [np.fft.irfft(np.fft.rfft(one) * jw**n, 16384) * 16384 / made.period for n in range(3)]
    assert scale_into(ROOM, *fine) == pytest.approx(1.0, abs=1e-3)


def test_the_same_seed_makes_the_same_samples():
    one, same, other = (multisine(check(Multisine, {"seed": s}), UNIT).values for s in (3, 3, 4))
    assert np.array_equal(one, same) and not np.allclose(one, other)


@pytest.mark.parametrize(
    ("table", "values", "key"),
    [
        (Multisine, {"period_s": 0.0123}, "period_s"),
        (Multisine, {"start_hz": 5, "end_hz": 5.5}, "end_hz"),
        (Multisine, {"end_hz": 300}, "end_hz"),
        (Multisine, {"soft_s": 2.0}, "soft_s"),
        (SteppedSine, {"start_hz": 20, "end_hz": 10}, "end_hz"),
        (SteppedSine, {"settle_periods": 0}, "settle_periods"),
        (Sweep, {"duration_s": 1.5}, "duration_s"),
        (Sweep, {"soft_s": 8}, "soft_s"),
        (Room, {}, "position_m"),
        (Room, {"no_load_speed_m_s": 1}, "force_per_mass_m_s2"),
    ],
)
def test_what_cannot_be_is_refused_by_key(table, values, key):
    with pytest.raises(BadValues, match=key):
        check(table, values, "asked")


def test_the_service_tracks_it_as_it_was_designed():
    made = multisine(
        check(Multisine, {"soft_s": 0.5, "periods": 2, "end_hz": 40, "seed": 2}), Shape(0.02, ROOM)
    )  # fmt: skip
    history, begins = history_of(Signal(made.values, made, True), made.rate_hz)
    limits = MotionLimits(x_min_m=-0.1, x_max_m=0.1, velocity_m_s=0.6, acceleration_m_s2=12.0, shaping=Shaping())
    planned = plan("waveform", {"upload": "sines"}, limits, 0.0, 1, history)
    c = planned.knots
    on_knots = (c[:-4] + c[4:] + 26 * (c[1:-3] + c[3:-1]) + 66 * c[2:-2]) / 120  # as hilctl.law.reference.wave has it
    first = (planned.facts["first_sample_s"] - planned.motion.lead.duration_s) * 1000 + begins + made.first
    assert first == pytest.approx(round(first), abs=1e-6)
    went = on_knots[round(first) : round(first) + made.period]
    wanted = made.values[made.first : made.first + made.period]
    assert np.abs(went - wanted).max() < 1e-3 * np.abs(wanted).max()
