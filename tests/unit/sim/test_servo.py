"""The servo as a rig: what it does with a command is what the library computes; what it shows; what is refused."""

import math
import tomllib

import numpy as np
import pytest

from firmware_bridge.driver import COMMAND, READINGS
from firmware_bridge.registry import configured, exchange_of
from hilctl import rig as rigs
from hilctl import rig_file
from hilctl.params import BadValues
from hilctl.servo import Hold, State, paper_servo, simulate
from hilctl.signals import Status
from sim.servo import ServoDriver, record

PRESET = tomllib.loads(rig_file.presets()["servo-004"].read_text(encoding="utf-8"))
QUIET = {"noise_m": 0.0, "noise_m_s2": 0.0, "noise_pa": 0.0}
RATE_HZ = 2000.0


class Rig:
    """The driver, exchanged with by hand."""

    def __init__(self, **changes):
        facts = rigs.load("servo-004", twin=True).facts(virtual=True)
        table = {key: value for key, value in PRESET["driver"].items() if key != "name"} | changes
        self.driver = ServoDriver(configured(ServoDriver, table, facts), facts)
        self.driver.open()
        self.exchange = exchange_of(self.driver)
        self.command, self.readings = np.zeros(1, COMMAND)[0], np.zeros(1, READINGS)[0]

    def run(self, commands, enable=1, supply=2, periods=1):
        """The readings after each exchange: displacement, load pressure, acceleration."""
        rows = np.zeros((len(commands), 3))
        for k, u in enumerate(commands):
            c, r = self.command, self.readings
            c.valve, c.enable, c.supply, c.periods = u, enable, supply, periods
            assert self.exchange(self.driver.state, c, r) == Status.OK
            rows[k] = r.displacement_m, r.pressure_a_pa - r.pressure_b_pa, r.acceleration_m_s2
        return rows


COURSE = 0.03 * np.sin(2 * np.pi * 17 * np.arange(800) / RATE_HZ)


def test_a_command_is_a_reference_voltage_held_from_one_exchange_to_the_next():
    rig = Rig(**QUIET)
    seen = rig.run(COURSE)
    outputs = [State.displacement, State.load_pressure]
    exact = simulate(paper_servo(), 10.0 * COURSE, 1 / RATE_HZ, outputs=outputs, hold=Hold.zero)
    assert np.abs(seen[:, :2] - exact).max(0) == pytest.approx([0, 0], abs=1e-9 * np.abs(exact).max())
    assert np.abs(seen[1:, 0] - exact[:-1, 0]).max() > 1e-5  # no period earlier, nor later


def test_the_acceleration_is_that_of_the_piston():
    rig = Rig(**QUIET)
    seen = rig.run(COURSE)
    differences = np.gradient(np.gradient(seen[:, 0], 1 / RATE_HZ), 1 / RATE_HZ)
    assert np.abs(seen[50:-5, 2] - differences[50:-5]).max() < 0.02 * np.ptp(seen[:, 2])


def test_skipped_periods_pass():
    one, other = Rig(**QUIET), Rig(**QUIET)
    one.run([0.01] * 40)
    other.run([0.01])
    other.run([0.01], periods=39)
    assert other.readings.displacement_m == one.readings.displacement_m
    assert other.readings.device_tick == one.readings.device_tick


def test_noise_is_as_large_as_asked_and_the_same_again():
    rows = Rig(noise_m=2e-5, noise_pa=5e4, noise_m_s2=0.3).run([0.0] * 4000)
    assert rows.std(0) == pytest.approx([2e-5, 5e4, 0.3], rel=0.05)
    assert (Rig(noise_m=2e-5, noise_pa=5e4, noise_m_s2=0.3).run([0.0] * 100) == rows[:100]).all()


@pytest.mark.parametrize(("enable", "supply"), [(0, 2), (1, 0), (1, 7)])
def test_switched_off_the_spring_centres_it_and_no_command_moves_it(enable, supply):
    rig = Rig(**QUIET)
    rig.run([0.05] * 800)
    assert rig.readings.displacement_m > 0.009
    seen = rig.run([0.05] * 800, enable=enable, supply=supply)[:, 0]
    assert np.diff(seen).max() < 1e-4  # it does not go on
    assert abs(seen[-1]) < 1e-5
    assert np.abs(seen[100:]).max() < 2e-3  # damped
    assert abs(rig.run([0.05] * 2000)[-1, 0] - 0.00963) < 1e-4  # and back


def test_what_is_no_number_is_no_voltage():
    rig = Rig(**QUIET)
    rig.run([0.02] * 400)
    assert abs(rig.run([math.nan] * 2000)[-1, 0]) < 1e-6


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"law.feedback": "pid"}, "law.feedback"),
        ({"driver.reference_v": 5.0}, "law.rig.reach_m"),
        ({"law.rig.reach_m": 0.1, "driver.reference_v": 5.0}, "law.rig.reach_m"),
        ({"law.feed.inverse": 0.5}, "law.feed.inverse"),
        ({"driver.servo.Ki": 1.0}, "driver.servo.Ki"),
    ],
)
def test_what_does_not_go_together_is_refused_by_its_key(changes, key):
    with pytest.raises(BadValues) as bad:
        rigs.load("servo-004", changes=changes)
    assert key in [problem.key for problem in bad.value.problems]


def test_disarming_takes_the_current_away():
    rig = Rig(**QUIET)
    rig.run([0.03] * 200)
    rig.driver.disarm()
    assert record(rig.driver.state).on == 0
