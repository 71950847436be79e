"""Drivers by name. The loop learns of them here and nowhere else, so that nothing on the rig's side imports a
simulation.

A name is one of the built-in ones, an entry point of the group `hilctl.drivers` that some package declares, or, for a
driver under construction, `module:Class`.
"""

import difflib
import importlib
from collections.abc import Mapping
from typing import Any

from firmware_bridge.driver import DriverError, RigFacts, exchange_signature
from hilctl.params import BadValues, Params, Problem, check
from hilctl.rt.jit import PLAIN

BUILT_IN: dict[str, str] = {
    "null": "firmware_bridge.driver:NullDriver",
    "twin": "sim.driver:TwinDriver",
    "servo": "sim.servo:ServoDriver",
    "serial": "firmware_bridge.serial_frame.driver:SerialDriver",
    "modbus": "firmware_bridge.modbus.driver:ModbusDriver",
    "serial_text": "firmware_bridge.serial_text.driver:SerialTextDriver",
    "mixed": "firmware_bridge.mixed.driver:MixedDriver",
}
GROUP = "hilctl.drivers"

_METHODS = ("open", "check", "arm", "disarm", "close")


def names() -> tuple[str, ...]:
    """Every driver that can be named on this machine."""
    from importlib.metadata import entry_points

    return tuple(sorted({*BUILT_IN, *(point.name for point in entry_points(group=GROUP))}))


def find(name: str) -> Any:
    """The driver's class. DriverError when there is none of that name, or it is not a driver."""
    place = BUILT_IN.get(name) or (name if ":" in name else _installed(name))
    module, _, attribute = place.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise DriverError(f"driver {name!r}: {place} cannot be loaded: {error}") from error
    missing = [part for part in (*_METHODS, "Config") if not hasattr(found, part)]
    if missing:
        raise DriverError(f"driver {name!r}: {place} lacks {', '.join(missing)}")
    return found


def configured(kind: Any, table: Mapping[str, Any], rig: RigFacts, at: str = "driver") -> Params:
    """A driver's own table of the rig file, checked; by its `resolve`, where it has one. BadValues tells every problem.

    `resolve(table, rig, at)` sees what the rest of the rig file says, and so can refuse what the device or its line
    cannot do before anything is opened.
    """
    resolve = getattr(kind, "resolve", None)
    try:
        made: Params = resolve(table, rig, at) if resolve else check(kind.Config, table, at)
    except DriverError as error:
        raise BadValues([Problem(at, "the table", str(error))]) from None
    return made


def _installed(name: str) -> str:
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        if point.name == name:
            return point.value
    known = names()
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
    raise DriverError(f"no driver {name!r}; {hint}")


def exchange_of(driver: Any) -> Any:
    """The driver's exchange, compiled and with exactly the contract's signature; DriverError otherwise.

    A function that is compiled lazily would be typed by what it happens to return, and a float taken for a status.
    """
    exchange = driver.exchange
    if PLAIN:
        return exchange
    compiled = getattr(exchange, "dispatcher", exchange)
    signatures = getattr(compiled, "nopython_signatures", None)
    who = f"{type(driver).__module__}:{type(driver).__name__}"
    if signatures is None:
        raise DriverError(f"{who}: exchange is not a compiled function: use @jit(exchange_signature, cached=True)")
    wanted = exchange_signature()
    if [(s.args, s.return_type) for s in signatures] != [(wanted.args, wanted.return_type)]:
        given = "; ".join(str(s) for s in signatures) or "none, it is compiled lazily"
        raise DriverError(f"{who}: exchange must have the signature {wanted}, not {given}")
    return compiled
