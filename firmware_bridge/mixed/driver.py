"""The driver `mixed`: several drivers as one. Each stays what it is; this one shares out command and readings."""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import msgspec
import numpy as np

from firmware_bridge import registry
from firmware_bridge.driver import OUTPUTS, READINGS, DriverError, Has, RigFacts, exchange_signature
from firmware_bridge.mixed.exchange import rt_mixed_exchange
from firmware_bridge.mixed.settings import MOST_PARTS, MixedConfig, Part, config_of
from firmware_bridge.mixed.shares import Share, shares
from firmware_bridge.mixed.state import STATE, record
from hilctl.params import BadValues, Params, Problem, check, nearest, plain
from hilctl.rt.calls import address_of
from hilctl.rt.jit import PLAIN
from hilctl.signals import SENSORS, Status

_OWN = Part.__struct_fields__


def resolve(table: Mapping[str, Any], rig: RigFacts, at: str = "driver") -> MixedConfig:
    """The rig file's table, checked: every part by its own driver, and who gives and takes what."""
    problems: list[Problem] = []
    given = _tables(table, at, problems)
    below = f"{at}.parts"
    parts: dict[str, Part] = {}
    has: dict[str, Has | None] = {}
    for name, own in given.items():
        with _collecting(problems):
            part = check(Part, {key: own[key] for key in _OWN if key in own}, f"{below}.{name}")
            kind = _kind(part, f"{below}.{name}.name")
            has[name] = kind.has(_rest(own), f"{below}.{name}") if hasattr(kind, "has") else None
            parts[name] = part
    if problems:
        raise BadValues(problems)
    sensors = rig.tables["sensors"]
    present = tuple(s for s in SENSORS if getattr(sensors, s).present)
    found = shares(parts, has, present, below, problems)
    made: dict[str, tuple[Part, Params]] = {}
    for name, share in found.items():
        with _collecting(problems):
            part = Part(name=parts[name].name, gives=share.gives, takes=share.takes)
            facts = _facts(rig, share, f"{below}.{name}")
            made[name] = part, registry.configured(registry.find(part.name), _rest(given[name]), facts, facts.at)
    if problems:
        raise BadValues(problems)
    return config_of(made)


def _tables(table: Mapping[str, Any], at: str, problems: list[Problem]) -> dict[str, Mapping[str, Any]]:
    """The parts as they are given."""
    problems += [Problem(f"{at}.{key}", value, "no such key", nearest(key, ("parts",)))
                 for key, value in table.items() if key != "parts"]  # fmt: skip
    parts = table.get("parts", {})
    if not isinstance(parts, Mapping) or not 1 <= len(parts) <= MOST_PARTS:
        problems.append(Problem(f"{at}.parts", parts, f"must hold 1 to {MOST_PARTS} tables",
                                f"one for each part, such as [{at}.parts.amplifier]"))
        return {}
    strange = [name for name, own in parts.items() if not isinstance(own, Mapping) or not name.isidentifier()]
    problems += [Problem(f"{at}.parts.{name}", parts[name], "must be a table, its name made of letters, digits and _")
                 for name in strange]  # fmt: skip
    return {name: own for name, own in parts.items() if name not in strange}


def _kind(part: Part, key: str) -> Any:
    if part.name == "mixed":
        raise BadValues([Problem(key, part.name, "must not be mixed itself", "list its parts with the others")])
    try:
        return registry.find(part.name)
    except DriverError as error:
        raise BadValues([Problem(key, part.name, str(error))]) from None


def _rest(own: Mapping[str, Any]) -> dict[str, Any]:
    """What of a part's table is its driver's."""
    return {key: value for key, value in own.items() if key not in _OWN}


def _facts(rig: RigFacts, share: Share, at: str) -> RigFacts:
    """The rig as a part sees it: with those sensors only that it gives."""
    sensors = rig.tables["sensors"]
    absent = {s: msgspec.structs.replace(getattr(sensors, s), present=False) for s in SENSORS if s not in share.gives}
    tables = {**rig.tables, "sensors": msgspec.structs.replace(sensors, **absent)}
    return rig._replace(tables=tables, at=at, takes=share.takes)


@contextlib.contextmanager
def _collecting(problems: list[Problem]) -> Any:
    try:
        yield
    except BadValues as bad:
        problems.extend(bad.problems)


class MixedDriver:
    """Parts with drivers of their own, the one with the valve first, then those that wait, then the others."""

    Config: ClassVar[type[Params]] = MixedConfig
    resolve = staticmethod(resolve)

    def __init__(self, config: MixedConfig, rig: RigFacts) -> None:
        self.parts: dict[str, Any] = {}
        self._shares: dict[str, Share] = {}
        self._waits: dict[str, bool] = {}
        for name, table in plain(config)["parts"].items():
            share, kind = Share(table["gives"], table["takes"]), registry.find(table["name"])
            facts = _facts(rig, share, f"{rig.at}.parts.{name}")
            self.parts[name] = kind(registry.configured(kind, _rest(table), facts, facts.at), facts)
            self._shares[name] = share
            self._waits[name] = kind.has(_rest(table), facts.at).waits if hasattr(kind, "has") else True
        self._order = sorted(self.parts, key=lambda n: ("valve" not in self._shares[n].takes, not self._waits[n]))
        self._period_ns = round(1e9 / rig.rate_hz)
        self._called: list[Any] = []
        self.state = np.zeros(STATE.itemsize, np.uint8)
        self.exchange = rt_mixed_exchange

    def open(self) -> None:
        """Opens every part; none stays open if one cannot be reached."""
        record(self.state).parts = 0
        try:
            for name in self._order:
                with _named(name):
                    self.parts[name].open()
            self._fill()
        except BaseException:
            self.close()
            raise

    def _fill(self) -> None:
        """Where each part's exchange and memory are: its own, which it may have replaced while it opened."""
        self.state[:] = 0
        own = record(self.state)
        own.period_ns, own.waiting = self._period_ns, sum(self._waits.values())
        self._called = [registry.exchange_of(self.parts[name]) for name in self._order]
        signature = None if PLAIN else exchange_signature()
        for row, name, called in zip(own.part, self._order, self._called, strict=False):
            memory, share = self.parts[name].state, self._shares[name]
            row.exchange_at = address_of(called, signature)
            row.memory_at, row.memory_bytes = memory.ctypes.data, memory.size
            row.waits = int(self._waits[name])
            row.takes[:] = [output in share.takes for output in OUTPUTS]
            row.gives[:] = [sensor in share.gives for sensor in SENSORS]
            for k in range(len(SENSORS)):
                row.readings[(READINGS.names or ())[k]] = np.nan
        own.parts = len(self._order)

    def check(self) -> list[str]:
        """What every part says, by its name."""
        return [type(text)(f"{name}: {text}") for name in self._order for text in self.parts[name].check()]

    def arm(self) -> None:
        """Every part; the one with the valve last, for from then on its watchdog waits for commands."""
        for name in reversed(self._order):
            with _named(name):
                self.parts[name].arm()

    def disarm(self) -> None:
        """Every part, the one with the valve first, also when another one fails."""
        self._every("disarm")

    def close(self) -> None:
        """Every part, likewise."""
        self._every("close")

    def health(self) -> dict[str, Any]:
        """Of every part: how its exchanges went, and what its driver counts."""
        rows = record(self.state).part
        return {
            name: {
                "outcomes": {s.name.lower(): int(row.outcomes[s]) for s in Status if row.outcomes[s]},
                **(self.parts[name].health() if hasattr(self.parts[name], "health") else {}),
            }
            for name, row in zip(self._order, rows, strict=False)
        }

    def _every(self, step: str) -> None:
        failed: Exception | None = None
        for name in self._order:
            try:
                call: Callable[[], None] = getattr(self.parts[name], step)
                call()
            except Exception as error:  # a driver's code may raise anything, and the others must be made safe too
                failed = failed or error
        if failed is not None:
            raise failed


@contextlib.contextmanager
def _named(name: str) -> Any:
    """A part's error, with its name."""
    try:
        yield
    except DriverError as error:
        raise DriverError(f"{name}: {error}") from error
