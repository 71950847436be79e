"""The twin as a rig whose wiring, sensors, link and surroundings fail on demand, and which keeps a record of the truth.

`rt_exchange` goes through every period that has passed, those without a command too (the link was lost: after the
device's time to live its watchdog closes the valve and switches off), then spoils what the sensors show. The faults are
a record that the test writes while virtual time stands still, so that a fault begins in exactly that tick.
"""

from typing import Any, ClassVar

import numpy as np

from firmware_bridge.driver import READINGS, DriverError, RigFacts, exchange_signature
from hilctl.params import Params, record_of
from hilctl.rt.jit import jit
from hilctl.rt.records import as_record, record_at, words_of
from hilctl.signals import SENSORS, Status
from sim.driver import fill
from sim.settings import KarnoppTwin
from sim.specimens.record import Kind
from sim.twin import STATE as TWIN
from sim.twin import exchange_under

COUNT = len(SENSORS)
SLOTS = 1 << 15  # of the truth's ring, which is read before it comes round: half a minute without a link
FOREVER = 1 << 60
NO_EXCHANGE = -1  # instead of a status, for periods in which the loop had lost the link
TIME_TO_LIVE = 10  # periods without a command, after which the device makes itself safe

# What may be wrong with a sensor.
NAN, STUCK, STALE, ALTERNATING, SPIKE, OFFSET, DRIFT = range(1, 8)

TRUTH: "np.dtype[Any]" = record_of(
    [
        ("tick", np.int64),
        ("x", np.float64),
        ("v", np.float64),
        ("spool", np.float64),
        ("ps", np.float64),
        ("x_low", np.float64),  # over the periods since the exchange before, here and below
        ("x_high", np.float64),
        ("v_most", np.float64),
        ("a_most", np.float64),  # mean acceleration of a period
        ("valve", np.float64),  # the command that was sent
        ("enable", np.int64),
        ("supply", np.int64),
        ("status", np.int64),
    ]
)

FAULTS: "np.dtype[Any]" = record_of(
    [
        ("period_s", np.float64),
        ("tick", np.int64),  # of the last exchange
        ("silent", np.int64),  # periods since a command got through
        ("unplugged", np.int64),
        ("status", np.int64),  # instead of OK, ...
        ("status_until", np.int64),
        ("status_every", np.int64),  # ... in every so manieth tick
        ("mute", np.int64),  # what fails by this status does not reach the device either
        ("kind", np.int64, (COUNT,)),  # of a sensor's fault
        ("begun", np.int64, (COUNT,)),
        ("until", np.int64, (COUNT,)),
        ("value", np.float64, (COUNT,)),  # of a spike, an offset; how fast it drifts; where it is stuck
        ("scratch", READINGS),
        ("written", np.int64),
        ("truth", TRUTH, (SLOTS,)),
    ]
)
_AT = -(-TWIN.itemsize // 128) * 128


@jit()
def _rt_begin(own: Any, twin: Any) -> Any:
    """A new entry of the truth."""
    truth = own.truth[own.written & (SLOTS - 1)]
    truth.x_low, truth.x_high, truth.v_most, truth.a_most = twin.plant.x, twin.plant.x, 0.0, 0.0
    truth.valve, truth.enable, truth.supply, truth.status = 0.0, 0, 0, NO_EXCHANGE
    return truth


@jit()
def _rt_period(own: Any, twin: Any, state: Any, command: Any, truth: Any) -> None:
    """One period under the command in force."""
    if own.silent > TIME_TO_LIVE:
        twin.valve_command, twin.enable, twin.supply = 0.0, 0, 0
    command.valve, command.enable, command.supply = twin.valve_command, twin.enable, twin.supply
    before = twin.plant.v
    rt_twin(state, command, own.scratch)
    own.tick += 1
    x, v = twin.plant.x, twin.plant.v
    truth.x_low, truth.x_high = min(truth.x_low, x), max(truth.x_high, x)
    truth.v_most = max(truth.v_most, abs(v))
    truth.a_most = max(truth.a_most, abs(v - before) / own.period_s)
    truth.tick, truth.x, truth.v = own.tick, x, v
    truth.spool, truth.ps = twin.plant.spool, twin.plant.ps


@jit()
def _rt_spoil(own: Any, shown: float, k: int, periods: int, now: int, readings: Any) -> float:
    """What one sensor shows."""
    kind = own.kind[k]
    if kind == 0:
        return shown
    if now >= own.until[k]:
        own.kind[k] = 0
        return shown
    if kind == NAN or (kind == ALTERNATING and now & 1 == 1):
        return np.nan
    if kind in (STUCK, STALE):
        if np.isnan(own.value[k]):
            own.value[k] = shown
        if kind == STALE:
            readings.age_ns[k] += np.int64(periods * own.period_s * 1e9)
        return float(own.value[k])
    if kind == SPIKE:
        own.kind[k] = 0
    if kind in (SPIKE, OFFSET):
        return float(shown + own.value[k])
    if kind == DRIFT:
        return float(shown + own.value[k] * own.period_s * (now - own.begun[k]))
    return shown


@jit()
def _rt_show(own: Any, periods: int, now: int, readings: Any) -> None:
    """The readings of this tick, with the sensors' faults."""
    shown = own.scratch
    for k in range(COUNT):
        if own.kind[k] != STALE:
            readings.age_ns[k] = shown.age_ns[k]
    true, words = words_of(shown), words_of(readings)
    for k in range(COUNT):
        words[k] = _rt_spoil(own, true[k], k, periods, now, readings)
    readings.device_tick = shown.device_tick


rt_twin = exchange_under("karnopp", Kind.NONE)


@jit(exchange_signature, cached=True)
def rt_exchange(state: Any, command: Any, readings: Any) -> int:
    """Every period since the exchange before, the truth of them, and what the sensors show."""
    twin, own = as_record(state, TWIN), record_at(state, _AT, FAULTS)
    now, periods, valve = command.tick, command.periods, command.valve
    enable, supply = command.enable, command.supply
    passed = now - own.tick
    command.periods = 1
    for _k in range(passed - periods):  # the loop had lost the link
        own.silent += 1
        _rt_period(own, twin, state, command, _rt_begin(own, twin))
        own.written += 1
    truth = _rt_begin(own, twin)
    for _k in range(periods):
        own.silent += own.unplugged
        _rt_period(own, twin, state, command, truth)
    command.periods, command.valve, command.enable, command.supply = periods, valve, enable, supply
    status: int = Status.OK.value
    if own.unplugged != 0:
        status = Status.CLOSED.value
    elif now < own.status_until and now % own.status_every == 0:
        status = own.status
    if own.mute != 0 and status != Status.OK.value:
        own.silent += periods
    elif own.unplugged == 0:
        twin.valve_command, twin.enable, twin.supply = valve, enable, supply
        own.silent = 0
    if status == Status.OK.value or status == Status.OVERWRITTEN.value:
        _rt_show(own, passed, now, readings)
    truth.valve, truth.enable, truth.supply, truth.status = valve, enable, supply, status
    own.written += 1
    return status


class FaultyTwin:
    """The driver. What happens to the rig is written into `faults` and `twin`."""

    Config: ClassVar[type[Params]] = KarnoppTwin
    simulation: ClassVar[bool] = True

    def __init__(self, config: KarnoppTwin, rig: RigFacts) -> None:
        self.exchange = rt_exchange
        self.state = np.zeros(_AT + FAULTS.itemsize, np.uint8)
        self.twin: Any = self.state[: TWIN.itemsize].view(TWIN)[0]
        self.faults: Any = self.state[_AT:].view(FAULTS)[0]
        fill(self.state[: TWIN.itemsize], config, 1 / rig.rate_hz)
        self.faults.period_s, self.faults.status_every, self.faults.tick = 1 / rig.rate_hz, 1, -1
        self._read = 0

    def open(self) -> None:
        """Reaches it where it is plugged in."""
        if self.faults.unplugged:
            raise DriverError("the device is unplugged")

    def check(self) -> list[str]:
        """It is what it was."""
        return []

    def arm(self) -> None:
        """Its watchdog acts always."""

    def disarm(self) -> None:
        """Its watchdog does that, in the rig's time: this comes whenever the keeper has its turn."""

    def close(self) -> None:
        """Nothing to give back."""

    def truth(self) -> Any:
        """What really was, since the last call; while time stands still."""
        end = int(self.faults.written)
        assert end - self._read <= SLOTS
        at = np.arange(self._read, end) % SLOTS
        self._read = end
        return self.faults.truth[at]
