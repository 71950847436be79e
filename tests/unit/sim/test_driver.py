"""The twin as a driver: when commands act, what repeats, what can be made to fail."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

from firmware_bridge.driver import Driver, DriverError
from hilctl.signals import Status
from sim.driver import TwinDriver, truth

QUIET = {
    "displacement": {"noise_m": 0, "quantum_m": 0},
    "acceleration": {"noise_m_s2": 0, "bias_m_s2": 0, "gain_error": 0, "bandwidth_hz": 0},
    "pressure_a": {"noise_pa": 0, "bias_pa": 0, "gain_error": 0},
    "pressure_b": {"noise_pa": 0, "bias_pa": 0, "gain_error": 0},
    "supply_pressure": {"noise_pa": 0},
    "spool": {"noise": 0},
}
COURSE = 0.1 * np.sin(2 * np.pi * np.arange(300) / 100)


def collect(rig, commands):
    """The readings' bytes after each exchange."""
    rows = []
    for u in commands:
        rig.command.valve = u
        assert rig.driver.exchange(rig.driver.state, rig.command, rig.readings) == Status.OK
        rows.append(rig.readings.tobytes())
    return rows


def test_it_is_a_driver(make_rig):
    assert isinstance(make_rig().driver, Driver)


def test_a_command_acts_from_the_next_period_on(make_rig):
    rig = make_rig(sensors=QUIET, valve={"null_bias": 0}).ready()
    rig.run([0.0] * 5)
    assert rig.run([0.3], lambda own: own.plant.spool)[0] == 0.0
    assert rig.run([0.0], lambda own: own.plant.spool)[0] > 0.04
    assert rig.readings.spool == rig.plant.spool


def test_readings_are_those_of_the_end_of_the_period(make_rig):
    rig = make_rig(sensors=QUIET).ready()
    for u in COURSE:
        rig.run([u])
        true = truth(rig.driver.state)
        assert rig.readings.displacement_m == true["position_m"]
        assert rig.readings.acceleration_m_s2 == pytest.approx(true["acceleration_m_s2"], abs=1e-12)
        assert rig.readings.pressure_a_pa == true["pressure_a_pa"]
        assert rig.readings.pressure_b_pa == true["pressure_b_pa"]
        assert rig.readings.supply_pressure_pa == true["supply_pressure_pa"]


@pytest.mark.parametrize("model", ["karnopp", "lugre"])
def test_the_truth_balances_its_forces_and_integrates_to_itself(make_rig, model):
    curve = {"fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}
    bristles = {"s0": 1e8, "s1": 1e5} if model == "lugre" else {}
    rig = make_rig({"model": model, **curve, **bristles}, rate_hz=10_000).ready()
    rows = []
    for u in np.repeat(COURSE[:100], 10):
        rig.run([u])
        rows.append(truth(rig.driver.state))
    column = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    drive = 3e-3 * (column["pressure_a_pa"] - column["pressure_b_pa"])
    assert column["friction_n"] == pytest.approx(drive - 500 * column["acceleration_m_s2"], abs=1e-6)
    moved = np.cumsum(column["velocity_m_s"]) * 1e-4
    assert np.ptp(column["position_m"] - moved) < 0.02 * np.ptp(moved)
    gained = np.cumsum(column["acceleration_m_s2"]) * 1e-4
    assert np.ptp(column["velocity_m_s"] - gained) < 0.05 * np.ptp(gained)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(make_rig):
    first, second = make_rig(seed=7), make_rig(seed=7)
    assert collect(first, COURSE) == collect(second, COURSE)
    assert np.array_equal(first.driver.state, second.driver.state)
    third = collect(make_rig(seed=8), COURSE)
    assert third != collect(make_rig(seed=7), COURSE)


def test_opening_again_begins_again(make_rig):
    rig = make_rig()
    first = collect(rig, COURSE)
    rig.driver.open()
    assert collect(rig, COURSE) == first


def test_skipped_periods_are_made_up_under_the_command_that_was_in_force(make_rig):
    one, other = make_rig().ready(), make_rig().ready()
    collect(one, [0.2, 0.2, 0.2, 0.2, 0.1])
    collect(other, [0.2])
    other.command.periods = 4
    rows = collect(other, [0.1])
    assert np.array_equal(one.driver.state, other.driver.state)
    assert rows[-1] == one.readings.tobytes()
    assert other.readings.device_tick == 5


def test_the_supply_follows_its_switch_with_its_time_constants(make_rig):
    rig = make_rig(supply={"rise_s": 0.2, "fall_s": 0.4}, sensors=QUIET)
    pressures = {}
    for name, setting, count in (("low", 1, 2000), ("high", 2, 2000), ("off", 0, 400)):
        rig.command.supply = setting
        collect(rig, [0.0] * (count + 1))
        pressures[name] = rig.readings.supply_pressure_pa
    assert pressures["low"] == pytest.approx(5e6, rel=1e-3)
    assert pressures["high"] == pytest.approx(21e6, rel=1e-3)
    assert pressures["off"] == pytest.approx(21e6 * np.exp(-1), rel=0.01)


def test_disarming_takes_command_and_enable_away(make_rig):
    rig = make_rig().ready()
    collect(rig, [0.5] * 30)
    rig.driver.disarm()
    assert (rig.own.valve_command, rig.own.enable) == (0.0, 0)


@pytest.mark.parametrize(
    ("sensor", "word"),
    [("displacement", 0), ("acceleration", 1), ("pressure_a", 2), ("pressure_b", 3)],
)
def test_a_sensor_can_fail(make_rig, sensor, word):
    for fault in ("sensor_nan_after_s", "sensor_stuck_after_s"):
        rig = make_rig(faults={"sensor": sensor, fault: 0.1}).ready()
        rows = np.array([np.frombuffer(row)[:4] for row in collect(rig, COURSE)])
        assert np.all(np.isfinite(rows[:98]))
        others = [k for k in range(4) if k != word]
        assert np.all(np.ptp(rows[101:, others], axis=0) > 0)
        if fault == "sensor_nan_after_s":
            assert np.all(np.isnan(rows[101:, word]))
        else:
            assert np.ptp(rows[:99, word]) > 0
            assert np.ptp(rows[101:, word]) == 0


READ = ("displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa")


def readings_under(make_rig, **faults):
    """What the four transducers show of an opening of 20 %, and where the table is."""
    rig = make_rig(faults=faults).ready()
    rig.run([0.2] * 60)
    return np.array([float(getattr(rig.readings, name)) for name in READ]), truth(rig.driver.state)["position_m"]


@pytest.mark.parametrize(("k", "sensor"), [*enumerate(("displacement", "acceleration", "pressure_a", "pressure_b"))])
@pytest.mark.parametrize(("fault", "factor"), [("sensor_reversed", -1.0), ("sensor_dead", 0.0)])
def test_a_sensor_can_be_reversed_or_dead_while_the_plant_is_the_same(make_rig, k, sensor, fault, factor):
    true, at_m = readings_under(make_rig)
    seen, also_m = readings_under(make_rig, **{fault: [sensor]})
    assert at_m == also_m
    assert np.array_equal(np.delete(seen, k), np.delete(true, k))
    assert seen[k] == pytest.approx(factor * true[k], abs=0.1 * abs(true[k]))


def test_exchanged_pressures_are_those_of_the_other_chamber(make_rig):
    true, at_m = readings_under(make_rig)
    seen, also_m = readings_under(make_rig, pressures_exchanged=True)
    assert at_m == also_m and abs(true[2] - true[3]) > 1e5
    assert seen[[3, 2]] == pytest.approx(true[2:], rel=0.05)


def test_a_dead_valve_stays_at_its_null_bias_whatever_is_commanded(make_rig):
    rig = make_rig(faults={"valve_dead": True}, valve={"null_bias": 0.004}).ready()
    assert rig.run([1.0] * 300, lambda own: own.plant.spool)[-1] == pytest.approx(0.004, abs=1e-6)


def test_the_supply_can_fail(make_rig):
    rig = make_rig(faults={"supply_lost_after_s": 0.05}, supply={"fall_s": 0.05}).ready()
    collect(rig, [0.0] * 500)
    assert rig.plant.ps < 1e4


def test_an_emergency_stop_takes_enable_and_supply_whatever_is_commanded(make_rig):
    rig = make_rig(faults={"emergency_stop_after_s": 0.1}).ready()
    rows = [np.frombuffer(row) for row in collect(rig, [0.3] * 300)]
    assert [row[7] for row in rows] == [0.0] * 99 + [1.0] * 201
    assert abs(rig.plant.spool) < 1e-6
    assert rig.plant.ps < 21e6 * np.exp(-0.6)


def test_exchange_can_answer_with_a_fault_for_a_while(make_rig):
    rig = make_rig(faults={"status_after_s": 0.01, "status_until_s": 0.02, "status": int(Status.BAD_CHECKSUM)})
    got = [rig.driver.exchange(rig.driver.state, rig.command, rig.readings) for _ in range(30)]
    assert got == [Status.OK] * 9 + [Status.BAD_CHECKSUM] * 10 + [Status.OK] * 11


@pytest.mark.parametrize(("lost", "ticks"), [(0.01, 1), (0.05, 3), (0.3, 3), (1.0, 3)])
def test_a_link_loses_its_share_of_the_exchanges_as_many_in_a_row_as_it_takes_to_give_one_up(make_rig, lost, ticks):
    rig = make_rig(link={"lost": lost, "lost_ticks": ticks})
    gone = np.array([rig.driver.exchange(rig.driver.state, rig.command, rig.readings) for _ in range(30_000)]) != 0
    assert gone.mean() == pytest.approx(lost, rel=0.15)
    ends = np.flatnonzero(np.diff(np.concatenate(([0], gone, [0]))))
    lengths = np.diff(ends.reshape(-1, 2), axis=1)[:-1, 0]
    assert (lengths % ticks == 0).all() and (lost == 1.0 or lengths.min() == ticks)


def test_what_is_lost_moves_no_valve_shows_no_reading_and_changes_no_noise(make_rig):
    lossy, whole = (make_rig(link={"lost": lost}).ready() for lost in (0.2, 0.0))
    command, shown = 0.0, 0
    for turn in range(500):
        for rig in (lossy, whole):
            rig.command.valve = 1e-3 * turn
        before = lossy.readings.tobytes()
        status = lossy.driver.exchange(lossy.driver.state, lossy.command, lossy.readings)
        if status == Status.TIMEOUT:
            assert lossy.readings.tobytes() == before
        else:
            command, shown = 1e-3 * turn, shown + 1
        assert lossy.own.valve_command == command
        whole.driver.exchange(whole.driver.state, whole.command, whole.readings)
        assert lossy.own.random.tolist() == whole.own.random.tolist()
    assert 300 < shown < 450


def test_a_late_command_acts_within_its_period_but_not_from_its_beginning(make_rig):
    late, punctual = (make_rig(link={"late": share, "late_s": 3e-4}).ready() for share in (0.5, 0.0))
    waited = []
    for turn in range(400):
        valve = 0.2 if turn % 2 else -0.2
        for rig in (late, punctual):
            collect(rig, [valve] * 2)
        waited.append(late.plant.turns_at)
        assert punctual.plant.turns_at == 0
        behind = math.copysign(1.0, valve) * (punctual.plant.spool - late.plant.spool)
        assert behind > 1e-4 if waited[-1] else behind == pytest.approx(0.0, abs=1e-6)
        for rig in (late, punctual):
            collect(rig, [valve] * 20)
        assert late.plant.spool == pytest.approx(punctual.plant.spool, abs=1e-6)
    assert max(waited) == round(3e-4 / late.plant.substep_s)
    n = max(waited)
    assert np.mean(np.array(waited) > 0) == pytest.approx(0.5 * n / (n + 1), abs=0.06)


def test_a_rate_that_needs_too_many_substeps_is_refused_at_opening(make_rig):
    with pytest.raises(DriverError, match=r"twin\.substep_s: 20000 substeps"):
        make_rig(rate_hz=10, substep_s=5e-6)


def test_a_delay_of_more_periods_than_can_wait_is_refused_at_opening(make_rig):
    with pytest.raises(DriverError, match=r"twin\.sensors\.displacement\.delay_s"):
        make_rig(rate_hz=20_000, sensors={"displacement": {"delay_s": 0.02}})


def test_the_driver_shows_its_own_table():
    assert TwinDriver.Config.__name__ == "KarnoppTwin"
    assert callable(TwinDriver.resolve)


PLAIN = """
import sys, numpy as np
from tests.unit.sim import conftest
for model in ({karnopp!r}, {lugre!r}):
    rig = conftest.Rig(model, sensors={{"acceleration": {{"delay_s": 3e-4}}}}).ready()
    rig.run(0.1 * np.sin(2 * np.pi * np.arange(80) / 40), lambda own: sys.stdout.write(rig.readings.tobytes().hex()))
    sys.stdout.write(rig.driver.state.tobytes().hex())
"""


def test_as_plain_python_it_gives_the_numbers_that_compiled_code_gives(make_rig):
    curve = {"fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}
    code = PLAIN.format(
        karnopp={"model": "karnopp", **curve},
        lugre={"model": "lugre", **curve, "s0": 1e8, "s1": 1e5},
    )
    path = os.pathsep.join(p for p in sys.path if p)
    said = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code], env=environment, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        said.append(done.stdout)
    compiled, plain = (np.frombuffer(bytes.fromhex(text.decode()), np.float64) for text in said)
    assert len(compiled) > 1000
    np.testing.assert_allclose(plain, compiled, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("state", ["v", "pa"])
def test_a_plant_that_is_no_number_any_more_answers_with_a_status(make_rig, state):
    rig = make_rig().ready()
    assert rig.driver.exchange(rig.driver.state, rig.command, rig.readings) == Status.OK
    rig.plant.direction, rig.plant[state] = 1.0, np.nan  # it slides
    assert rig.driver.exchange(rig.driver.state, rig.command, rig.readings) == Status.EXCEPTION
