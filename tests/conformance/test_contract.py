"""What every driver promises the loop. A new driver joins by a line in DRIVERS."""

import inspect
import math
import threading
from typing import Any

import numpy as np
import pytest

from firmware_bridge.driver import COMMAND, READINGS, Driver, exchange_signature
from firmware_bridge.registry import exchange_of, find
from hilctl import rig
from hilctl.params import Params, check
from hilctl.rt.jit import PLAIN
from hilctl.signals import SENSORS, Status

# Name, its table in the rig file, and what it is: a simulation reads the same again, a live one answers the valve.
DRIVERS = [
    ("null", {}, {"simulation"}),
    ("twin", {}, {"simulation", "live"}),
]
NUMBERS = ("displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa")
OPTIONAL = ("supply_pressure_pa", "spool", "oil_temperature_degc", "emergency_stop", "oil_level", "oil_filter")
RATE_HZ = 1000.0


class Bench:
    """A driver on the table: opened, armed, exchanged with by hand."""

    def __init__(self, name: str, table: dict[str, Any], traits: set[str]) -> None:
        self.name, self.traits = name, traits
        self.kind = find(name)
        self.facts = rig.load("table-500", twin=True).facts(virtual=True)._replace(rate_hz=RATE_HZ)
        resolve = getattr(self.kind, "resolve", None)
        self.config = resolve(table, self.facts) if resolve else check(self.kind.Config, table, "driver")
        self.made: list[Any] = []

    def fresh(self, *, armed: bool = True) -> Any:
        """A new driver, reached and armed."""
        driver = self.kind(self.config, self.facts)
        self.made.append(driver)
        if armed:
            driver.open()
            assert driver.check() == []
            driver.arm()
        return driver


class Dialogue:
    """Exchanges with one driver, tick by tick."""

    def __init__(self, driver: Any) -> None:
        self.driver, self.exchange = driver, exchange_of(driver)
        self.command: Any = np.zeros(1, COMMAND)[0]
        self.readings: Any = np.zeros(1, READINGS)[0]
        self.command.tick = -1
        for name in OPTIONAL:
            self.readings[name] = math.nan

    def tick(self, valve: float = 0.0, enable: int = 0, supply: int = 0, periods: int = 1) -> int:
        """One exchange, as the loop makes it."""
        self.command.valve, self.command.enable, self.command.supply = valve, enable, supply
        self.command.periods = periods
        self.command.tick += periods
        self.command.deadline_ns = 2**62
        return int(self.exchange(self.driver.state, self.command, self.readings))


@pytest.fixture(params=DRIVERS, ids=lambda row: row[0])
def bench(request):
    made = Bench(*request.param)
    yield made
    for driver in made.made:
        driver.disarm()
        driver.close()


@pytest.fixture
def dialogue(bench):
    return Dialogue(bench.fresh())


def test_it_has_the_contracts_methods_and_at_most_eight(bench):
    assert isinstance(bench.fresh(armed=False), Driver)
    own = [n for n, m in inspect.getmembers(bench.kind, inspect.isfunction) if not n.startswith("_")]
    assert len(own) <= 8, own


def test_its_table_is_a_declaration(bench):
    assert issubclass(bench.kind.Config, Params)
    assert isinstance(bench.config, Params)


def test_its_state_is_plain_memory_of_its_own(bench):
    first, second = bench.fresh(), bench.fresh()
    for driver in (first, second):
        assert driver.state.dtype == np.uint8
        assert driver.state.ndim == 1
        assert driver.state.flags.c_contiguous
        assert driver.state.flags.writeable
    assert not np.shares_memory(first.state, second.state)


@pytest.mark.skipif(PLAIN, reason="interpreted functions have no signature")
def test_its_exchange_has_exactly_the_contracts_signature(bench):
    signature = exchange_signature()
    compiled = exchange_of(bench.fresh())
    assert [(s.args, s.return_type) for s in compiled.nopython_signatures] == [(signature.args, signature.return_type)]


def test_an_exchange_returns_a_status_and_fills_the_readings(dialogue):
    for _ in range(20):
        assert dialogue.tick() in [s.value for s in Status]
    for name in NUMBERS:
        assert math.isfinite(dialogue.readings[name])
    for name in OPTIONAL:
        assert not math.isinf(dialogue.readings[name])
    assert len(dialogue.readings.age_ns) == len(SENSORS)
    assert (dialogue.readings.age_ns >= 0).all()


def test_the_devices_counter_goes_on_by_the_periods_that_passed(dialogue):
    dialogue.tick()
    for periods in (1, 1, 3, 1, 20):
        before = int(dialogue.readings.device_tick)
        dialogue.tick(periods=periods)
        assert dialogue.readings.device_tick - before == periods


@pytest.mark.parametrize("valve", [math.nan, math.inf, -math.inf, 1e300, -5.0])
def test_no_command_makes_it_raise_or_read_nonsense(dialogue, valve):
    for _ in range(5):
        dialogue.tick(enable=1, supply=2)
    for _ in range(50):
        assert dialogue.tick(valve, enable=1, supply=2) in [s.value for s in Status]
    for name in NUMBERS:
        assert math.isfinite(dialogue.readings[name])


@pytest.mark.parametrize(("enable", "supply"), [(0, 7), (-3, -1), (2**40, 2**40)])
def test_outputs_out_of_their_range_are_survived(dialogue, enable, supply):
    for _ in range(20):
        assert dialogue.tick(0.0, enable, supply) in [s.value for s in Status]


def test_the_command_is_left_as_it_was(dialogue):
    dialogue.tick(0.25, 1, 2)
    assert (dialogue.command.valve, dialogue.command.enable, dialogue.command.supply) == (0.25, 1, 2)
    assert dialogue.command.tick == 0


def test_it_can_be_closed_at_any_time_and_more_than_once(bench):
    unopened = bench.fresh(armed=False)
    unopened.close()
    unopened.close()
    driver = bench.fresh()
    driver.disarm()
    driver.close()
    driver.disarm()
    driver.close()


def test_after_disarming_it_is_safe_whatever_was_commanded_before(bench):
    driver = bench.fresh()
    dialogue = Dialogue(driver)
    for _ in range(50):
        dialogue.tick(0.02, enable=1, supply=2)
    driver.disarm()
    for _ in range(200):
        dialogue.tick()
    at_rest = dialogue.readings.displacement_m
    for _ in range(200):
        dialogue.tick()
    assert abs(dialogue.readings.displacement_m - at_rest) < 1e-4


def test_it_runs_on_a_thread_that_holds_no_interpreter(bench):
    dialogue = Dialogue(bench.fresh())
    statuses: list[int] = []

    def run() -> None:
        statuses.extend(dialogue.tick() for _ in range(50))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert len(statuses) == 50


def _readings(bench: Bench) -> bytes:
    dialogue, out = Dialogue(bench.fresh()), []
    for k in range(300):
        dialogue.tick(0.05 * math.sin(k / 20), enable=1, supply=2, periods=1 + (k == 150))
        out.append(dialogue.readings.tobytes())
    return b"".join(out)


def test_a_simulation_gives_the_same_readings_again(bench):
    if "simulation" not in bench.traits:
        pytest.skip("a device has a life of its own")
    assert _readings(bench) == _readings(bench)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_positive_opening_moves_the_table_up_and_raises_pressure_a(bench, sign):
    if "live" not in bench.traits:
        pytest.skip("this rig never moves")
    dialogue = Dialogue(bench.fresh())
    for _ in range(2000):
        dialogue.tick(0.0, enable=1, supply=2)
    from_m = dialogue.readings.displacement_m
    rise_pa = []
    for _ in range(200):
        dialogue.tick(sign * 0.1, enable=1, supply=2)
        rise_pa.append(dialogue.readings.pressure_a_pa - dialogue.readings.pressure_b_pa)
    assert sign * (dialogue.readings.displacement_m - from_m) > 0.005
    assert sign * max(rise_pa, key=abs) > 0
