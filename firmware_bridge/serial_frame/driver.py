"""The driver `serial`: our own firmware on a serial line (firmware_bridge/PROTOCOL.md)."""

import contextlib
import time
from collections.abc import Mapping
from typing import Any, ClassVar

from firmware_bridge.driver import TRIES, DriverError, RigFacts
from firmware_bridge.serial_frame.checking import implausible, problems, refusals
from firmware_bridge.serial_frame.exchange import rt_serial_exchange
from firmware_bridge.serial_frame.line import Line, NoAnswer
from firmware_bridge.serial_frame.messages import (
    SCALED,
    SCHEMA,
    VERSION,
    Fault,
    Identity,
    Message,
    State,
    Type,
)
from firmware_bridge.serial_frame.settings import SerialConfig
from firmware_bridge.serial_frame.state import COUNTERS, new_state, record
from hilctl.params import BadValues, Params, check

_STRANGER = "the device does not know the session: it has rebooted, or another host has started a session"
_AT_NULL_S = 2.0  # longest wait for a safe action that is still under way


def resolve(table: Mapping[str, Any], rig: RigFacts, at: str = "driver") -> SerialConfig:
    """The rig file's table, checked; with a rate that its line cannot carry."""
    config = check(SerialConfig, table, at)
    refused = list(refusals(config.baud, rig.rate_hz, rig.exchange_share, at))
    if refused:
        raise BadValues(refused)
    return config


class SerialDriver:
    """Talks to the device outside the tick; then leaves the port to the exchange."""

    Config: ClassVar[type[Params]] = SerialConfig
    resolve = staticmethod(resolve)

    def __init__(self, config: SerialConfig, rig: RigFacts) -> None:
        self._config, self._rig = config, rig
        self._line: Line | None = None
        self._identity: Identity | None = None
        self.state = new_state()
        self.exchange = rt_serial_exchange

    def open(self) -> None:
        """Opens the port and begins a session; refuses firmware of another version."""
        self.close()
        self._line = Line(self._config.port, self._config.baud)
        try:
            self._begin(self._line)
        except DriverError:
            self.close()
            raise

    def _begin(self, line: Line) -> None:
        answer = line.hello(VERSION, SCHEMA, self._config.handshake_s)
        version, schema = answer.values[:2]
        if (version, schema) != (VERSION, SCHEMA):
            raise DriverError(
                f"{self._config.port}: the firmware speaks version {version}, schema {schema:08x}; this program "
                f"version {VERSION}, schema {SCHEMA:08x}: install the firmware of this version"
            )
        self._identity = Identity.of(answer.values)
        self._fill(line, self._identity, answer)

    def _fill(self, line: Line, identity: Identity, answer: Message) -> None:
        fresh = new_state()
        own = record(fresh)
        own.timeout_ns, own.tick_ns = round(1e9 * self._config.timeout_s), 1_000_000_000 // max(identity.tick_hz, 1)
        own.session, own.sequence, own.boot = line.session, line.sequence, identity.boot
        own.time_to_live_us = round(1e6 * self._rig.tables["loop"].time_to_live_s)
        own.scale[:], own.inputs = identity.scales, identity.inputs
        own.sees_emergency = int(self._rig.tables["sensors"].emergency_stop.present)
        own.device_state, own.device_trip = answer.state, answer.trip
        self.state[:] = fresh  # always the same memory, and closed until all of it is written
        record(self.state).fd = line.fd

    def check(self) -> list[str]:
        """The device's bounds, ends, sensors and line rate against the rig file; and one reading."""
        line, identity = self._reached()
        found = list(problems(identity, self._rig, self._config.baud))
        answer = self._ask(line, Type.CYCLIC, 0, 0)
        if answer.type != Type.CYCLIC:
            return [*found, f"the device refuses CYCLIC: {_why(answer)}"]
        values = [count * scale for count, scale in zip(answer.values[: len(SCALED)], identity.scales, strict=True)]
        return found + list(implausible(values, self._rig))

    def arm(self) -> None:
        """Sets the time-to-live. A device that has tripped stays so until a person arms the rig."""
        line, identity = self._reached()
        own, give_up_s, tries_left = record(self.state), time.monotonic() + _AT_NULL_S, TRIES
        while own.device_state != State.TRIPPED:
            try:
                answer = self._ask_once(line, Type.ARM, identity.boot, int(own.time_to_live_us))
            except NoAnswer:
                tries_left -= 1
                if tries_left == 0:
                    raise
                self._ask(line, Type.DISARM)  # it may be armed, and is armed from ready alone
                continue
            if answer.type == Type.ARM:
                return
            if answer.values[0] != Fault.WRONG_STATE or time.monotonic() > give_up_s:
                raise DriverError(f"{self._config.port}: the device cannot be armed: {_why(answer)}")
            time.sleep(0.005)

    def disarm(self) -> None:
        """Null and not enabled. A device that misses it does so itself at its time-to-live."""
        if self._line is None or record(self.state).fd < 0:
            return
        try:
            self._ask(self._line, Type.DISARM)
        except DriverError:
            pass  # its time-to-live acts

    def close(self) -> None:
        """Releases the port."""
        record(self.state).fd = -1
        if self._line is not None:
            self._line.close()
        self._line = None

    def health(self) -> dict[str, Any]:
        """The counters of this session, and the reason if it has ended."""
        own = record(self.state)
        found: dict[str, Any] = {name: int(own[name]) for name in COUNTERS}
        if own.fd < 0:
            unknown = own.fault == Fault.NO_SESSION
            found["reason"] = f"{self._config.port}: " + (_STRANGER if unknown else "the port is closed")
        return found

    def _reached(self) -> tuple[Line, Identity]:
        if self._line is None or self._identity is None:
            raise DriverError(f"{self._config.port}: not open")
        return self._line, self._identity

    def _ask(self, line: Line, kind: Type, *values: int) -> Message:
        """A question outside the tick that may be heard twice."""
        for _ in range(TRIES - 1):
            with contextlib.suppress(NoAnswer):
                return self._ask_once(line, kind, *values)
        return self._ask_once(line, kind, *values)

    def _ask_once(self, line: Line, kind: Type, *values: int) -> Message:
        """The session's sequence goes on where the exchange left it."""
        own: Any = record(self.state)
        line.sequence = int(own.sequence)
        try:
            answer = line.ask(kind, *values)
        finally:
            own.sequence = line.sequence
        own.device_state, own.device_trip = answer.state, answer.trip
        return answer


def _why(answer: Message) -> str:
    name = Fault(answer.values[0]).name if answer.values[0] in list(Fault) else f"code {answer.values[0]}"
    trip = f", tripped by {answer.trip.name}" if answer.trip else ""
    return f"{name.lower().replace('_', ' ')} (it is {answer.state.name.lower()}{trip})"
