"""What a bus can carry, as a sum that a person can check."""


import pytest

from firmware_bridge.driver import DriverError
from firmware_bridge.modbus.budget import exchange_s, gap_s, read_back_every, refusals
from firmware_bridge.modbus.driver import ModbusDriver, resolve
from firmware_bridge.modbus.plan import Request, buses
from firmware_bridge.modbus.settings import Config, Device
from hilctl.params import BadValues, check
from tests.unit.modbus.modbus_maps import facts, table

LINE = {"transport": "rtu", "serial": "/dev/x", "baud": 115200, "fc23": True}
# Function 23 that writes 3 registers and reads 15: 54 bytes there and back.
FIFTY_FOUR = {"amplifier": LINE, "output__heartbeat": {}}


def test_fifty_four_bytes_at_115200_are_116_hz_by_the_specifications_gaps():
    (bus,) = buses(check(Config, table(**FIFTY_FOUR)))
    (request,) = bus.fast
    seconds = exchange_s(Device(**LINE), request)
    assert request.asked + request.answered + 6 == 54
    assert seconds == pytest.approx(54 * 11 / 115200 + 2 * 1.75e-3)
    assert round(1 / seconds) == 116


def test_a_rate_that_the_line_cannot_carry_is_refused_with_the_sum():
    with pytest.raises(BadValues) as bad:
        resolve(table(**FIFTY_FOUR), facts(1000.0))
    said = str(bad.value)
    assert "loop.rate_hz: 1000.0 refused" in said
    assert "116 Hz" in said
    assert "54 bytes of 11 bits at 115200 Bd 5.16 ms + 2 gaps 3.5 ms = 8.66 ms" in said


def test_the_same_is_refused_when_the_driver_opens():
    config = check(Config, table(**FIFTY_FOUR))
    with pytest.raises(DriverError, match="116 Hz"):
        ModbusDriver(config, facts(1000.0)).open()


def test_a_rate_that_it_can_carry_is_taken():
    assert not list(refusals(check(Config, table(**FIFTY_FOUR)), 115.0, 0.8))
    assert list(refusals(check(Config, table(**FIFTY_FOUR)), 117.0, 0.8))


def test_an_exchange_that_fills_the_period_but_not_the_share_that_it_may_take_is_refused():
    config = check(Config, table(amplifier={"transport": "tcp", "host": "h", "answer_s": 0.9e-3, "fc23": True}))
    assert [p.key for p in refusals(config, 1000.0, 0.8)] == ["loop.rate_hz"]
    assert not list(refusals(config, 800.0, 0.8))


@pytest.mark.parametrize(
    ("settings", "seconds"),
    [
        ({"baud": 9600, "parity": "even"}, 3.5 * 11 / 9600),
        ({"baud": 9600, "parity": "none"}, 3.5 * 10 / 9600),
        ({"baud": 19200, "parity": "none", "stop_bits": 2}, 3.5 * 11 / 19200),
        ({"baud": 38400}, 1.75e-3),
        ({"baud": 38400, "gap_s": 1e-4}, 1e-4),
    ],
)
def test_the_gap_is_three_and_a_half_characters_and_fixed_above_19200(settings, seconds):
    assert gap_s(Device(transport="rtu", serial="/dev/x", **settings)) == pytest.approx(seconds)


def test_tcp_costs_what_the_device_takes_to_answer():
    assert exchange_s(Device(transport="tcp", host="h", answer_s=1e-4), Request("amplifier", 3, 1)) == 1e-4
    config = check(Config, table())
    assert not list(refusals(config, 20_000.0, 0.8))


def test_a_slow_group_that_does_not_fit_beside_the_fast_one_is_refused():
    slow = {**FIFTY_FOUR, "amplifier__read_across": 1, "reading__oil_temperature__every": 10}
    (problem,) = refusals(check(Config, table(**slow)), 90.0, 0.8)
    assert "every 10 ticks does not fit" in problem.limit
    assert not list(refusals(check(Config, table(**slow)), 60.0, 0.8))


def test_slow_groups_on_a_line_of_their_own_take_several_ticks_and_are_refused_when_they_overlap():
    own_line = {
        "transducers": {"transport": "rtu", "serial": "/dev/y", "baud": 115200},
        "reading__oil_temperature__device": "transducers",
    }
    # 8 + 7 bytes and two gaps take 4.9 ms: five ticks at 1 kHz
    assert not list(refusals(check(Config, table(**own_line, reading__oil_temperature__every=5)), 1000.0, 0.8))
    (problem,) = refusals(check(Config, table(**own_line, reading__oil_temperature__every=4)), 1000.0, 0.8)
    assert "oil_temperature" in problem.key
    assert "1.25 times" in problem.limit


def quick_line(**changes):
    """As table-500-rtu: 921 600 Bd, without parity, gaps of 0.3 ms."""
    line = {"transport": "rtu", "serial": "/dev/x", "baud": 921600, "parity": "none", "gap_s": 3e-4, "fc23": True}
    return check(Config, table(amplifier=line, **changes))


def test_outputs_are_read_back_as_often_as_takes_their_share_of_the_time():
    config = quick_line()
    (bus,) = buses(config)
    seconds = exchange_s(config.amplifier, bus.back[0])
    every = read_back_every(config, 400.0, 0.9)
    assert seconds * 400 / every <= 1 / 25 < seconds * 400 / (every - 1)
    assert read_back_every(check(Config, table()), 1000.0, 0.8) == 2  # TCP, whose answer takes 0.25 ms unless stated
    assert read_back_every(quick_line(read_back_every=7), 400.0, 0.9) == 7


def test_where_no_tick_has_time_for_it_outputs_are_not_read_back_and_asking_for_it_is_refused():
    assert read_back_every(check(Config, table(**FIFTY_FOUR)), 115.0, 0.8) == 0
    asked = check(Config, table(**FIFTY_FOUR, read_back_every=10))
    (problem,) = refusals(asked, 115.0, 0.8)
    assert problem.key == "driver.read_back_every"
    assert "Hz together" in str(problem) and "set 0" in str(problem)


def test_read_backs_leave_the_slow_signals_their_ticks():
    slow = {"reading__fault__every": 2, "reading__emergency_stop__every": 3}  # five of six ticks
    assert read_back_every(check(Config, table(**slow)), 1000.0, 0.8) == 6
    assert read_back_every(check(Config, table(**slow, reading__spool__every=6)), 1000.0, 0.8) == 0
