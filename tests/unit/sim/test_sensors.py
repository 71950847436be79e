"""Sensors: their delay to the microsecond, their bandwidth, their errors and their noise."""

import numpy as np
import pytest

from hilctl.signals import REQUIRED, SENSORS
from sim.sensors import TRANSDUCER, filter_delay_s, rt_pick, rt_show, set_transducer

SUBSTEP_S, SUBSTEPS = 50e-6, 20
PERIOD_S = SUBSTEP_S * SUBSTEPS


def shown(signal, periods, **given):
    """What arrives at the end of each period, before noise and errors, of a signal of time."""
    settings = {"bandwidth_hz": 0.0, "delay_s": 0.0, "gain_error": 0.0, "bias": 0.0, "noise": 0.0, "quantum": 0.0}
    transducer = np.zeros(1, TRANSDUCER)[0]
    set_transducer(transducer, SUBSTEP_S, SUBSTEPS, **{**settings, **given}, truth=float(signal(0.0)))
    out = []
    for k in range(periods):
        t = k * PERIOD_S + np.arange(SUBSTEPS + 1) * SUBSTEP_S
        out.append(rt_pick(transducer, np.ascontiguousarray(signal(t)), SUBSTEPS))
    return np.array(out)


@pytest.mark.parametrize("delay_s", [0.0, 20e-6, 0.37e-3, 0.5e-3, 0.999e-3, 1e-3, 1.234e-3, 4.71e-3])
@pytest.mark.parametrize("bandwidth_hz", [0.0, 400.0, 3000.0])
def test_a_ramp_is_late_by_delay_and_filter_to_a_nanosecond(delay_s, bandwidth_hz):
    arrived = shown(lambda t: 0.5 * t, 60, delay_s=delay_s, bandwidth_hz=bandwidth_hz)
    now = 60 * PERIOD_S
    assert now - arrived[-1] / 0.5 == pytest.approx(delay_s + filter_delay_s(bandwidth_hz), abs=1e-9)


def test_the_accelerometer_of_the_reference_rig_is_half_a_millisecond_late():
    assert filter_delay_s(400.0) == pytest.approx(0.51e-3, abs=0.005e-3)
    assert filter_delay_s(0.0) == 0.0


@pytest.mark.parametrize(("frequency", "gain"), [(20.0, 0.9990), (400.0, 0.7071)])
def test_at_its_bandwidth_it_passes_half_the_power(frequency, gain):
    arrived = shown(lambda t: np.sin(2 * np.pi * frequency * t), 3000, bandwidth_hz=400.0, delay_s=0.3e-3)[500:]
    t = np.arange(501, 3001) * PERIOD_S
    basis = np.column_stack([np.sin(2 * np.pi * frequency * t), np.cos(2 * np.pi * frequency * t)])
    (one, two), *_ = np.linalg.lstsq(basis, arrived, rcond=None)
    assert np.hypot(one, two) == pytest.approx(gain, abs=0.004)


def test_a_quick_motion_is_seen_between_substeps():
    slow = shown(lambda t: np.sin(2 * np.pi * 5 * t), 400, delay_s=0.333e-3)
    t = np.arange(1, 401) * PERIOD_S - 0.333e-3
    assert slow[5:] == pytest.approx(np.sin(2 * np.pi * 5 * t)[5:], abs=1e-6)


def test_before_the_beginning_it_showed_what_was():
    arrived = shown(lambda t: 7.0 + 0 * t, 20, delay_s=5e-3, bandwidth_hz=200.0)
    assert arrived == pytest.approx(7.0, rel=1e-12)


def test_errors_come_in_their_order():
    transducer = np.zeros(1, TRANSDUCER)[0]
    set_transducer(transducer, SUBSTEP_S, SUBSTEPS, 0.0, 0.0, 0.01, 0.2, 0.5, 0.25, 0.0)
    assert rt_show(transducer, 10.0, 0.0) == 10.25  # 10 * 1.01 + 0.2 = 10.3
    assert rt_show(transducer, 10.0, 1.0) == 10.75  # 10.8
    transducer.quantum = 0.0
    assert rt_show(transducer, 10.0, 1.0) == pytest.approx(10.8)


def still(make_rig, count=20_000, **sensors):
    """Readings of a table at rest at 50 mm, without supply."""
    rig = make_rig(sensors=sensors, cylinder={"position_m": 0.05})
    rig.command.enable = rig.command.supply = 0
    rows = []
    for _ in range(count):
        rig.driver.exchange(rig.driver.state, rig.command, rig.readings)
        rows.append(rig.readings.tolist()[: len(SENSORS)])
    return np.array(rows)


def test_noise_bias_and_gain_are_those_of_the_rig_file(make_rig):
    rows = still(
        make_rig,
        displacement={"bias_m": 1e-4, "gain_error": 0.01, "noise_m": 5e-6},
        acceleration={"bias_m_s2": 0.02, "noise_m_s2": 0.02},
        pressure_a={"bias_pa": 25e3, "noise_pa": 25e3},
    )
    x, a, pa, pb = rows[:, :4].T
    quantum = 0.2 / 65536
    assert np.mean(x) == pytest.approx(0.0506, abs=2e-7)
    assert np.std(x) == pytest.approx(np.hypot(5e-6, quantum / 12**0.5), rel=0.03)
    assert np.allclose(np.round(x / quantum), x / quantum, atol=1e-6)
    assert (np.mean(a), np.std(a)) == (pytest.approx(0.02, abs=1e-3), pytest.approx(0.02, rel=0.03))
    assert (np.mean(pa), np.std(pa)) == (pytest.approx(25e3, abs=1e3), pytest.approx(25e3, rel=0.03))
    for one, two in ((x, a), (a, pa), (pa, pb), (a[1:], a[:-1])):
        assert abs(np.corrcoef(one, two)[0, 1]) < 0.03


def test_the_noise_is_gaussian(make_rig):
    a = still(make_rig)[:, 1]
    a = (a - a.mean()) / a.std()
    for limit, share in ((1, 0.3173), (2, 0.0455), (3, 0.0027)):
        assert np.mean(np.abs(a) > limit) == pytest.approx(share, abs=0.012 if limit == 1 else 0.005)
    assert abs(np.mean(a**3)) < 0.1


def test_what_the_rig_does_not_have_shows_no_number(make_rig):
    names = [name for name in SENSORS if name not in REQUIRED]
    rows = still(make_rig, 3, **{name: {"present": False} for name in names})
    assert np.all(np.isnan(rows[:, 4:]))
    assert np.all(np.isfinite(rows[:, :4]))
    rows = still(make_rig, 3)
    assert np.all(np.isfinite(rows))


def test_an_accelerometer_of_specific_force_shows_the_weight_of_a_vertical_axis(make_rig):
    for shows, expected in ((True, 9.80665), (False, 0.0)):
        rig = make_rig(machine={"vertical": True}, sensors={"acceleration": {"specific_force": shows}}).ready()
        rig.run([-0.01] * 20)
        assert rig.readings.acceleration_m_s2 == pytest.approx(expected + 0.02, abs=0.15)


def test_a_sensor_that_takes_samples_now_and_then_shows_the_last_one_and_its_age(make_rig):
    slow = {"pressure_a": {"period_s": 0.025}, "oil_temperature": {"period_s": 0.1}}
    rig = make_rig(sensors=slow).ready()
    shown, ages = [], []
    for _ in range(200):
        rig.run([0.01])
        shown.append(rig.readings.tolist()[: len(SENSORS)])
        ages.append(rig.readings.age_ns.copy())
    ages, pressure = np.array(ages), np.array(shown)[:, 2]
    changed = np.flatnonzero(np.diff(pressure)) + 1
    assert (np.diff(changed) == 25).all() and len(changed) >= 7
    assert (ages[changed, 2] == 0).all()
    assert (ages[changed - 1, 2] == 24_000_000).all()
    assert ages[:, 6].max() == 99_000_000
    assert not ages[:, [0, 1, 3, 4, 5, 7, 8, 9]].any()
