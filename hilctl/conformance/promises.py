"""The promises, one a test. They need a fixture `bench` (hilctl.conformance.Bench)."""

import inspect
import math
import threading

import numpy as np
import pytest

from firmware_bridge.driver import Driver, complaints, exchange_signature
from firmware_bridge.registry import configured, exchange_of
from hilctl.conformance.bench import OPTIONAL, REQUIRED, Bench, Dialogue
from hilctl.params import Params, plain
from hilctl.rt.jit import PLAIN
from hilctl.signals import SENSORS, Status

STATUSES = [status.value for status in Status]
MOST_METHODS = 8
_SUPPLY_UP = 300  # ticks in which a supply comes up
_TRIES = 5


@pytest.fixture
def dialogue(bench: Bench) -> Dialogue:
    """With a driver that is armed."""
    return bench.dialogue()


def test_it_has_the_contracts_methods_and_at_most_eight(bench: Bench) -> None:
    assert isinstance(bench.fresh(armed=False), Driver)
    own = [n for n, m in inspect.getmembers(bench.kind, inspect.isfunction) if not n.startswith("_")]
    assert len(own) <= MOST_METHODS, own


def test_its_table_is_a_declaration_that_travels_to_the_core_as_plain_values(bench: Bench) -> None:
    bench.fresh(armed=False)
    assert issubclass(bench.kind.Config, Params)
    assert isinstance(bench.config, Params)
    values = plain(bench.config)
    assert plain(configured(bench.kind, values, bench.facts)) == values


def test_its_state_is_plain_memory_of_its_own(bench: Bench) -> None:
    first, second = bench.fresh(), bench.fresh()
    for driver in (first, second):
        assert driver.state.dtype == np.uint8
        assert driver.state.ndim == 1
        assert driver.state.flags.c_contiguous
        assert driver.state.flags.writeable
    assert not np.shares_memory(first.state, second.state)


@pytest.mark.skipif(PLAIN, reason="interpreted functions have no signature")
def test_its_exchange_has_exactly_the_contracts_signature(bench: Bench) -> None:
    signature = exchange_signature()
    compiled = exchange_of(bench.fresh())
    assert [(s.args, s.return_type) for s in compiled.nopython_signatures] == [(signature.args, signature.return_type)]


def test_an_exchange_returns_a_status_and_fills_the_readings(dialogue: Dialogue) -> None:
    for _ in range(20):
        assert dialogue.tick() in STATUSES
    for name in REQUIRED:
        assert math.isfinite(dialogue.readings[name])
    for name in OPTIONAL:
        assert not math.isinf(dialogue.readings[name])
    assert len(dialogue.readings.age_ns) == len(SENSORS)
    assert (dialogue.readings.age_ns >= 0).all()


def test_the_devices_counter_goes_on(bench: Bench) -> None:
    dialogue = bench.dialogue()
    dialogue.tick()
    for periods in (1, 1, 3, 1, 20):
        before = int(dialogue.readings.device_tick)
        dialogue.tick(periods=periods)
        passed = int(dialogue.readings.device_tick) - before
        assert passed > 0 if bench.real else passed == periods


@pytest.mark.parametrize("valve", [math.nan, math.inf, -math.inf, 1e300, -5.0])
def test_no_command_makes_it_raise_or_read_nonsense(dialogue: Dialogue, valve: float) -> None:
    for _ in range(5):
        dialogue.tick(enable=1, supply=2)
    for _ in range(50):
        assert dialogue.tick(valve, enable=1, supply=2) in STATUSES
    for name in REQUIRED:
        assert math.isfinite(dialogue.readings[name])


@pytest.mark.parametrize(("enable", "supply"), [(0, 7), (-3, -1), (2**40, 2**40)])
def test_outputs_out_of_their_range_are_survived(dialogue: Dialogue, enable: int, supply: int) -> None:
    for _ in range(20):
        assert dialogue.tick(0.0, enable, supply) in STATUSES


def test_the_command_is_left_as_it_was(dialogue: Dialogue) -> None:
    dialogue.tick(0.25, 1, 2)
    assert (dialogue.command.valve, dialogue.command.enable, dialogue.command.supply) == (0.25, 1, 2)
    assert dialogue.command.tick == 0


def test_it_can_be_closed_at_any_time_and_more_than_once(bench: Bench) -> None:
    unopened = bench.fresh(armed=False)
    unopened.close()
    unopened.close()
    driver = bench.fresh()
    driver.disarm()
    driver.close()
    driver.disarm()
    driver.close()


def test_it_can_be_opened_again_and_keeps_its_memory(bench: Bench) -> None:
    driver = bench.fresh()
    memory = driver.state
    driver.disarm()
    driver.close()
    driver.open()
    assert complaints(driver.check()) == []
    driver.arm()
    assert driver.state is memory
    assert bench.dialogue(driver).tick() in STATUSES


def test_after_disarming_it_is_safe_whatever_was_commanded_before(bench: Bench) -> None:
    driver = bench.fresh()
    dialogue = bench.dialogue(driver)
    for _ in range(50):
        dialogue.tick(0.02, enable=1, supply=2)
    driver.disarm()
    for _ in range(200):
        dialogue.tick()
    at_rest = dialogue.readings.displacement_m
    for _ in range(200):
        dialogue.tick()
    assert abs(dialogue.readings.displacement_m - at_rest) < 1e-4


def test_it_runs_on_a_thread_that_holds_no_interpreter(bench: Bench) -> None:
    dialogue = bench.dialogue()
    statuses: list[int] = []

    def run() -> None:
        statuses.extend(dialogue.tick() for _ in range(50))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert len(statuses) == 50


def _readings(bench: Bench) -> bytes:
    dialogue, out = bench.dialogue(), []
    for k in range(300):
        dialogue.tick(0.05 * math.sin(k / 20), enable=1, supply=2, periods=1 + (k == 150))
        out.append(dialogue.readings.tobytes())
    return b"".join(out)


def test_a_simulation_gives_the_same_readings_again(bench: Bench) -> None:
    if not bench.simulation:
        pytest.skip("a device has a life of its own")
    assert _readings(bench) == _readings(bench)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_positive_opening_moves_the_table_up_and_raises_pressure_a(bench: Bench, sign: int) -> None:
    if not bench.live:
        pytest.skip("this rig never moves")
    for _ in range(_TRIES):
        moved_m, rise_pa, tripped = _driven(bench, 0.1 * sign)
        if not (tripped and bench.real):  # a host that stalls longer than the time-to-live
            break
    assert sign * moved_m > 0.005
    assert sign * rise_pa > 0


def _driven(bench: Bench, valve: float) -> tuple[float, float, bool]:
    """How far the table went, the largest load pressure, and whether the device said no."""
    dialogue = bench.dialogue()
    statuses = [dialogue.tick(0.0, enable=1, supply=2) for _ in range(_SUPPLY_UP)]
    from_m = float(dialogue.readings.displacement_m)
    rise_pa: list[float] = []
    for _ in range(200):
        statuses.append(dialogue.tick(valve, enable=1, supply=2))
        rise_pa.append(float(dialogue.readings.pressure_a_pa - dialogue.readings.pressure_b_pa))
    return float(dialogue.readings.displacement_m) - from_m, max(rise_pa, key=abs), Status.EXCEPTION in statuses
