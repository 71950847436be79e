"""The driver `serial_text`: opens and checks devices on serial lines, and hands their descriptors to the exchange."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from firmware_bridge.described.fixed_watchdog import Device as Watched
from firmware_bridge.described.fixed_watchdog import measure, unmeasured
from firmware_bridge.described.signals import READINGS
from firmware_bridge.driver import OUTPUTS, DriverError, Has, Note, RigFacts
from firmware_bridge.serial_text import checking
from firmware_bridge.serial_text.desk import Desk
from firmware_bridge.serial_text.diagnosis import diagnosed
from firmware_bridge.serial_text.exchange import rt_text_exchange
from firmware_bridge.serial_text.fill import health
from firmware_bridge.serial_text.link import Heard, Link
from firmware_bridge.serial_text.record import SIZE, head
from firmware_bridge.serial_text.rules import against_the_rig, problems
from firmware_bridge.serial_text.settings import (
    MOST_DEVICES,
    MOST_MESSAGES,
    TIME_TO_LIVE,
    Described,
    Device,
    General,
    Message,
    OutputTable,
    ReadingTable,
    SerialTextConfig,
    Told,
    Watchdog,
    config_of,
    described,
    read_messages,
)
from hilctl.params import BadValues, Params, Problem, check, nearest
from hilctl.rt.libc import monotonic_ns
from hilctl.signals import SENSORS

_TABLES = {"reading": ReadingTable, "output": OutputTable, "watchdog": Watchdog}


def resolve(table: Mapping[str, Any], rig: RigFacts, at: str = "driver") -> SerialTextConfig:
    """The rig file's table, checked: also what its lines cannot carry, and sensors that stand in no answer."""
    config = _checked(table, at)
    found = list(against_the_rig(described(config), rig, at))
    if found:
        raise BadValues(found)
    return config


def has(table: Mapping[str, Any], at: str = "driver") -> Has:
    """What its messages have."""
    own = described(_checked(table, at))
    return Has(readings=tuple(s for s in SENSORS if own.read_in(s)),
               outputs=tuple(o for o in OUTPUTS if own.sent_in(o)),
               waits=any(own.waits(told) for told in own.of_tick()))  # fmt: skip


def _checked(table: Mapping[str, Any], at: str) -> SerialTextConfig:
    """By itself: every table by its declaration, every template read."""
    found: list[Problem] = []
    devices: dict[str, Any] = _each(table, "devices", Device, MOST_DEVICES, at, found)
    messages: dict[str, Any] = _each(table, "messages", Message, MOST_MESSAGES, at, found)
    known = ("devices", "messages", *_TABLES, *General.__struct_fields__)
    strange = [key for key in table if key not in known]
    found += [Problem(f"{at}.{key}", table[key], "no such key", nearest(key, known)) for key in strange]
    rest = {key: _collected(kind, table.get(key, {}), f"{at}.{key}", found) for key, kind in _TABLES.items()}
    given = {key: table[key] for key in General.__struct_fields__ if key in table}
    general = _collected(General, given, at, found)
    read_messages(devices, messages, at, found)
    if found:
        raise BadValues(found)
    config = config_of(devices, messages, rest, general)
    found = list(problems(described(config), at))
    if found:
        raise BadValues(found)
    return config


def _each(table: Mapping[str, Any], key: str, kind: Any, most: int, at: str, found: list[Problem]) -> dict[str, Any]:
    """Tables under names of a person's own."""
    given = table.get(key, {})
    if not isinstance(given, Mapping) or not 1 <= len(given) <= most:
        found.append(Problem(f"{at}.{key}", given, f"must hold 1 to {most} tables", f"such as [{at}.{key}.NAME]"))
        return {}
    strange = [name for name in given if not name.isidentifier()]
    found += [Problem(f"{at}.{key}.{name}", name, "must be a name of letters, digits and _") for name in strange]
    made = {name: _collected(kind, own, f"{at}.{key}.{name}", found)
            for name, own in given.items() if name not in strange}  # fmt: skip
    return {name: own for name, own in made.items() if own is not None}


def _collected(kind: Any, given: Any, at: str, found: list[Problem]) -> Any:
    try:
        return check(kind, given, at)
    except BadValues as bad:
        found.extend(bad.problems)
        return None


class SerialTextDriver:
    """Amplifiers and transducers on serial lines."""

    Config: ClassVar[type[Params]] = SerialTextConfig
    resolve = staticmethod(resolve)
    has = staticmethod(has)

    def __init__(self, config: SerialTextConfig, rig: RigFacts) -> None:
        self._own: Described = described(config)
        self._rig = rig
        self.state = np.zeros(SIZE, np.uint8)
        self._desk = Desk(self._own, self.state)
        self.links = [Link(line, self._desk) for line in self._desk.tables.lines]
        self.exchange = rt_text_exchange

    def open(self) -> None:
        """Opens every line, identifies its devices, and sets them up."""
        found = list(against_the_rig(self._own, self._rig, self._rig.at))
        if found:
            raise DriverError("; ".join(str(problem) for problem in found))
        self._desk.clear()
        try:
            for link in self.links:
                link.open()
            for told in self._own.at("open"):
                self._said(told, {})
        except DriverError:
            self.close()
            raise

    def check(self) -> list[str]:
        """Every message that only asks, with what its fields are; what is wrong with one, by its cause."""
        told, found = checking.everything(self._own, self.links, self._desk, self._rig)
        if self._own.sent_in("enable") is not None and not self._own.shows_reboots:
            told.append(Note("driver.messages: nothing shows when the amplifier has rebooted, and {enable} would be "
                             "sent to it again; put {device_tick}, {enable} or {time_to_live} into an answer"))
        fixed_s = self._own.watchdog.fixed_s
        if why := self._unmeasured():
            told.append(Note(f"driver.watchdog.fixed_s = {fixed_s:g} s is assumed, not measured: {why} that shows and "
                             "clears its trip"))  # fmt: skip
        if self._own.sent_in(TIME_TO_LIVE) is None and fixed_s is not None and fixed_s > self._time_to_live_s:
            told.append(f"driver.watchdog.fixed_s = {fixed_s:g} s is longer than loop.time_to_live_s = "
                        f"{self._time_to_live_s:g} s")  # fmt: skip
        self._desk.clear({READINGS.index(name): value for name, value in found.items()})
        return told

    def arm(self) -> None:
        """Null, and the time-to-live, confirmed; then the descriptors are the tick's."""
        fixed_s, takes = self._own.watchdog.fixed_s, self._own.sent_in(TIME_TO_LIVE)
        if fixed_s is not None and takes is None and not self._unmeasured():
            measure(Watched(self._feed, self._fault), fixed_s)
        self._null({})
        for told in self._own.at("arm"):
            self._said(told, {TIME_TO_LIVE: self._time_to_live_s})
        own, values = head(self.state), self._values()
        self._desk.clear(values)
        for row, link in zip(own.bus, self.links, strict=False):
            row.fd = link.descriptor()
        self._begin_now()

    def disarm(self) -> None:
        """Null, not enabled; over a port that is opened again where the old one is lost."""
        own = head(self.state)
        lost = [bool(row.fd < 0) for row, _ in zip(own.bus, self.links, strict=False)]
        own.bus["fd"] = -1
        for link, gone in zip(self.links, lost, strict=True):
            if not gone:
                try:
                    self._safe(link)
                    continue
                except DriverError:
                    pass
            self._safe_again(link)

    def close(self) -> None:
        """Gives the ports back."""
        head(self.state).bus["fd"] = -1
        for link in self.links:
            link.close()

    def health(self) -> dict[str, Any]:
        """The counters of every line since it was opened."""
        return health(self.state, [link.name for link in self.links])

    @property
    def _time_to_live_s(self) -> float:
        return float(self._rig.tables["loop"].time_to_live_s)

    def _values(self) -> dict[int, float]:
        return {k: float(value) for k, value in enumerate(head(self.state).value)}

    def _begin_now(self) -> None:
        """Ages and silences count from here."""
        own, now_ns = head(self.state), monotonic_ns()
        takes = self._own.sent_in(TIME_TO_LIVE)
        if takes is not None:
            own.time_to_live = self._time_to_live_s / self._own.watchdog.scale
        own.rest_ns = round(1e9 * (1 - self._rig.exchange_share) / self._rig.rate_hz)
        own.bus["pulled_ns"] = own.bus["heard_ns"] = now_ns

    def _link(self, told: Told) -> Link:
        return next(link for link in self.links if told.own.device in link.line.devices)

    def _said(self, told: Told, values: dict[str, float]) -> Heard:
        """Says a message outside the tick, and wants its answer."""
        link = self._link(told)
        heard = link.asked(told, values)
        if not heard.good:
            why = diagnosed(self._own, link, told, heard)
            raise DriverError(f"driver.messages.{told.name}: {why}")
        if TIME_TO_LIVE in told.answer.names:
            keeps_s = self._own.watchdog.scale * self._desk.number(told.name, TIME_TO_LIVE)
            if abs(keeps_s - self._time_to_live_s) > 1.01 * self._own.watchdog.scale or keeps_s <= 0:
                raise DriverError(f"driver.messages.{told.name}: the device keeps {keeps_s:g} s instead of "
                                  f"loop.time_to_live_s = {self._time_to_live_s:g} s; check which times it allows, and "
                                  "driver.watchdog.scale")  # fmt: skip
        return heard

    def _null(self, values: dict[str, float], only: Link | None = None) -> None:
        """Everything that has outputs, at null."""
        for told in self._own.of_tick():
            wanted = values.get("reset") if told.own.when == "reset" else told.outputs
            if wanted and only in (None, self._link(told)):
                self._said(told, values)

    def _safe(self, link: Link) -> None:
        self._null({}, link)
        for told in self._own.at("disarm"):
            if self._link(told) is link:
                self._said(told, {})

    def _safe_again(self, link: Link) -> None:
        """The last try: the device's own watchdog acts in any case."""
        try:
            link.open()
            self._safe(link)
        except DriverError:
            link.close()

    def _unmeasured(self) -> str:
        """Why the fixed time of its watchdog cannot be measured; empty where it can, or where there is none."""
        if self._own.watchdog.fixed_s is None or self._own.sent_in(TIME_TO_LIVE) is not None:
            return ""
        return unmeasured(self._own.read_in("fault") is not None, self._own.sent_in("reset") is not None)

    def _feed(self, heartbeat: int, reset: int) -> None:
        self._null({"heartbeat": heartbeat, "reset": reset})

    def _fault(self) -> float:
        place = self._own.read_in("fault")
        if place is None:
            return 0.0
        told, field = place
        if told.streams:
            self._link(told).drain()
            self._link(told).listen(told)
        elif not told.outputs:
            self._said(told, {})
        else:  # it shows the fault in the answer to a command: null is what it may hear meanwhile
            raise DriverError(f"driver.messages.{told.name}: {{fault}} stands in the answer to a command, which feeds "
                              "the watchdog; read it by a message without outputs")  # fmt: skip
        return self._desk.value("fault", self._desk.number(told.name, field))
