"""Several drivers as one: what each hears and gives, what becomes of one that fails, and their life together."""

import math
import time

import numpy as np
import pytest

from firmware_bridge.driver import COMMAND, READINGS, DriverError, Note, complaints
from firmware_bridge.mixed.driver import MixedDriver, resolve
from firmware_bridge.registry import exchange_of
from hilctl import rig
from hilctl.signals import SENSORS, Status
from tests.unit.mixed.scripted import Scripted

AT = "tests.unit.mixed.scripted"
MS = 1_000_000


@pytest.fixture(scope="module")
def facts():
    return rig.load("table-500", twin=True).facts()


class Bench:
    """A fast part and a slow one, and exchanges with both."""

    def __init__(self, facts, **changes):
        parts = {
            "transducers": {"name": f"{AT}:Slow", **changes.pop("transducers", {})},
            "amplifier": {"name": f"{AT}:Scripted", **changes.pop("amplifier", {})},
            **changes,
        }
        Scripted.calls.clear()
        self.driver = MixedDriver(resolve({"parts": parts}, facts), facts)
        self.command, self.readings = np.zeros(1, COMMAND)[0], np.zeros(1, READINGS)[0]

    def open(self):
        self.driver.open()
        self.amplifier, self.transducers = (self.driver.parts[n].script for n in ("amplifier", "transducers"))
        return self

    def tick(self, valve=0.0, enable=1, supply=2, periods=1, wait_ms=500):
        self.command.valve, self.command.enable, self.command.supply = valve, enable, supply
        self.command.periods, self.command.tick = periods, self.command.tick + periods
        self.command.deadline_ns = time.monotonic_ns() + wait_ms * MS
        return exchange_of(self.driver)(self.driver.state, self.command, self.readings)


@pytest.fixture
def bench(facts):
    return Bench(facts).open()


def test_only_the_part_that_takes_the_valve_hears_of_it(bench):
    assert bench.tick(0.25) == Status.OK
    heard, other = bench.amplifier.heard, bench.transducers.heard
    assert (heard.valve, heard.enable, heard.supply, heard.tick) == (0.25, 1, 2, 1)
    assert (other.valve, other.enable, other.supply, other.tick) == (0.0, 0, 0, 1)


def test_every_reading_is_that_of_the_part_that_gives_it_with_its_age(bench):
    for script, value in ((bench.amplifier, 1.0), (bench.transducers, 2.0)):
        script.says.displacement_m = script.says.pressure_a_pa = script.says.spool = value
        script.says.age_ns[:] = int(value) * MS
        script.says.device_tick = 10 * value
    bench.tick()
    assert (bench.readings.displacement_m, bench.readings.pressure_a_pa, bench.readings.spool) == (1.0, 2.0, 1.0)
    ages = dict(zip(SENSORS, bench.readings.age_ns, strict=True))
    assert (ages["displacement"], ages["spool"], ages["pressure_a"], ages["pressure_b"]) == (MS, MS, 2 * MS, 2 * MS)
    assert bench.readings.device_tick == 10


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.OK])
def test_the_status_is_that_of_the_part_with_the_valve(bench, status):
    bench.amplifier.status = status
    assert bench.tick() == status


def test_another_part_that_fails_shows_in_the_ages_of_what_it_gave(bench):
    bench.transducers.says.pressure_a_pa = 7.0
    bench.tick()
    bench.transducers.status = Status.CLOSED
    for periods in (1, 1, 3):
        assert bench.tick(periods=periods) == Status.OK
    period_ns = round(1e9 / bench.driver.parts["amplifier"].rig.rate_hz)
    assert bench.readings.pressure_a_pa == 7.0
    assert bench.readings.age_ns[SENSORS.index("pressure_a")] == 5 * period_ns
    assert bench.readings.age_ns[SENSORS.index("displacement")] == 0
    bench.transducers.status = Status.OK
    bench.tick()
    assert bench.readings.age_ns[SENSORS.index("pressure_a")] == 0
    assert bench.driver.health()["transducers"]["outcomes"] == {"ok": 2, "closed": 3}


@pytest.mark.parametrize("sensor", ["displacement", "acceleration"])
def test_a_failure_of_the_part_that_gives_the_motion_is_the_rigs_for_old_values_are_no_readings(facts, sensor):
    bench = Bench(facts, other={"name": f"{AT}:Scripted", "gives": [sensor], "takes": []}).open()
    other = bench.driver.parts["other"].script
    assert bench.tick() == Status.OK
    for status in (Status.TIMEOUT, Status.LATE, Status.BAD_CHECKSUM):
        other.status = status
        assert bench.tick() == status
    bench.amplifier.status = Status.EXCEPTION
    assert bench.tick() == Status.EXCEPTION


def test_while_nothing_is_enabled_a_part_that_fails_is_the_rigs_failure(bench):
    bench.transducers.status = Status.CLOSED
    assert bench.tick(enable=1) == Status.OK
    assert bench.tick(enable=0) == Status.CLOSED
    bench.transducers.status = Status.LATE
    assert bench.tick(enable=0) == Status.OK


def test_outputs_that_another_master_overwrote_on_any_part_are_the_rigs_matter(bench):
    bench.transducers.status = Status.OVERWRITTEN
    assert [bench.tick(enable=enable) for enable in (1, 0)] == [Status.OVERWRITTEN, Status.OVERWRITTEN]
    assert bench.readings.age_ns[SENSORS.index("pressure_a")] == 0  # its readings are good
    bench.amplifier.status = Status.TIMEOUT
    assert bench.tick() == Status.TIMEOUT


def test_what_no_part_has_ever_given_is_no_number(bench):
    bench.transducers.status = Status.TIMEOUT
    bench.tick()
    assert math.isnan(bench.readings.pressure_a_pa)
    assert bench.readings.age_ns[SENSORS.index("pressure_a")] > 0


def test_a_part_that_waits_for_the_whole_of_its_share_leaves_the_next_one_its_own(facts):
    other = {"name": f"{AT}:Scripted", "gives": ["spool"], "takes": []}
    bench = Bench(facts, other=other).open()
    bench.amplifier.wait = 1
    bench.tick(wait_ms=200)
    begun, other = bench.amplifier.called_ns, bench.driver.parts["other"].script
    deadline_ns = bench.command.deadline_ns
    assert bench.amplifier.heard.deadline_ns <= (begun + deadline_ns) / 2
    assert begun < bench.amplifier.heard.deadline_ns < other.called_ns
    assert other.heard.deadline_ns == deadline_ns
    assert bench.transducers.heard.deadline_ns == deadline_ns


def test_a_part_that_cannot_be_opened_is_named_and_none_stays_open(facts):
    bench = Bench(facts, transducers={"refuses": "open"})
    with pytest.raises(DriverError, match=r"^transducers: it does not open"):
        bench.driver.open()
    assert Scripted.calls == ["amplifier open", "transducers open", "amplifier close", "transducers close"]
    assert exchange_of(bench.driver)(bench.driver.state, bench.command, bench.readings) == Status.CLOSED


def test_the_part_with_the_valve_is_armed_last_and_disarmed_first_whatever_fails(facts):
    bench = Bench(facts, amplifier={"refuses": "disarm"}).open()
    bench.driver.arm()
    with pytest.raises(DriverError, match="does not disarm"):
        bench.driver.disarm()
    assert Scripted.calls[2:] == ["transducers arm", "amplifier arm", "amplifier disarm", "transducers disarm"]


def test_what_a_part_says_at_check_bears_its_name_and_its_keys(facts):
    bench = Bench(facts, transducers={"gain": 9}).open()
    assert bench.driver.check() == ["transducers: driver.parts.transducers.gain = 9: too much"]
    bench.driver.parts["amplifier"].check = lambda: [Note("its watchdog was not measured")]
    assert complaints(bench.driver.check()) == ["transducers: driver.parts.transducers.gain = 9: too much"]
    assert "amplifier: its watchdog was not measured" in bench.driver.check()


def test_a_part_is_asked_only_for_what_it_gives(bench):
    sensors = bench.driver.parts["transducers"].rig.tables["sensors"]
    assert [s for s in SENSORS if getattr(sensors, s).present] == ["pressure_a", "pressure_b"]
