"""The causes that the changes allow, each with its remedy: a list of rules, each of which explains some changes.

A rule sees only what no earlier one has explained. So a pressure sensor whose scale is off, which shows as more mass
and more friction in the same proportion, is not also reported as payload and as wear.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from hilctl.results.verified import Cause, Compared
from hilctl.verify.friction import CONSTANT_FORCE, NAMES, Shift

WARMER_K = 5.0  # of the oil: moves its viscosity by a fifth
ALIKE = 0.02  # beyond their intervals: shares of which one cause makes both
OFFSETS = ("sensors.pressure_a.offset", "sensors.pressure_b.offset")
SUPPLY = "supply_pressure"
_MACHINE = ("plant", "compensation")
_FRICTION = ("friction", "reversals", "compensation")
_DRY = {"fs": "static friction", "fc": "Coulomb friction"}


class Again(Protocol):
    """The command that commissions these parts again."""

    def __call__(self, *parts: str) -> str:
        """As a person types it."""
        ...


class Seen(NamedTuple):
    """What a verification has found."""

    compared: Mapping[str, Compared]
    shifts: Mapping[str, Shift]
    again: Again
    oil_k: float | None = None  # by which the oil is warmer than it was; None: not measured
    vertical: bool = False


def causes_of(seen: Seen) -> list[Cause]:
    """The most specific first."""
    left = _Left(seen)
    found: list[Cause] = []
    for rule in _RULES:
        for cause in rule(left):
            found.append(cause)
            left.keys -= set(cause.because)
    return found


class _Left:
    """What has changed, and is not explained yet."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        self.changed = frozenset(key for key, one in seen.compared.items() if one.verdict == "changed")
        self.keys = set(self.changed)

    def of(self, *keys: str) -> list[str]:
        """Those of these keys that are not explained."""
        return [key for key in keys if key in self.keys]

    def change(self, key: str) -> float:
        one = self.seen.compared.get(key)
        return (one.change or 0.0) if one is not None else 0.0

    def said(self, keys: "list[str]") -> str:
        return ", ".join(change_text(key, self.seen.compared[key]) for key in keys)

    def shift(self, name: str) -> float:
        """By what a parameter of the friction model has changed; 0 where it has not."""
        found = self.seen.shifts.get(name)
        return found.change if found is not None and found.is_one else 0.0

    def again(self, *parts: str) -> str:
        return f"`{self.seen.again(*parts)}`"


def change_text(key: str, one: Compared) -> str:
    """In percent, or of full opening, or in the quantity's own unit."""
    change = one.change or 0.0
    if one.stored is None or key == "null" or "overlap" in one.name or one.name == "hysteresis":
        return f"{one.name} {100 * change:+.2g} % of full opening"
    if one.stored.unit == "s":
        return f"{one.name} {1e3 * change:+.2g} ms"
    if key == CONSTANT_FORCE:
        return f"{one.name} {change:+.3g} N"
    if key in OFFSETS:
        return f"{one.name} {change / 1e3:+.3g} kPa"
    return f"{one.name} {100 * (one.share or 0.0):+.3g} %"


def _with_interval(value: float, half: float) -> str:
    """With as many digits as are known."""
    digits = max(0, -math.floor(math.log10(half))) if half > 0 else 0
    return f"{value:.{digits}f} ± {half:.2g}"


def _drift(left: _Left) -> Iterator[Cause]:
    keys = left.of(*OFFSETS)
    if keys:
        yield Cause(
            "sensor_drift", f"a pressure sensor has drifted: {left.said(keys)}", keys,
            "zero the pressures with the chambers vented (`hilctl zero pressure_a`, `hilctl zero pressure_b`), and "
            "replace a sensor that drifts again",
        )  # fmt: skip


def _pressure_scale(left: _Left) -> Iterator[Cause]:
    """All forces have changed in one proportion, or a force is there that does not turn with the motion."""
    forces = ["m", *NAMES] if _in_proportion(left) else []
    constant = [] if left.seen.vertical and not forces else left.of(CONSTANT_FORCE)
    if not forces and not constant:
        return
    which = "one of the pressure sensors" if constant else "both pressure sensors"
    shown = [f"all forces changed by {100 * _middle(left, forces):+.2g} %"] if forces else []
    shown += [left.said(constant)] if constant else []
    other = "" if constant else "; less likely payload and friction in one proportion"
    yield Cause(
        "pressure_scale", f"{', '.join(shown)}: the scale of {which}{other}",
        [*forces, *constant, *(left.of("beta", "Ctc") if forces else [])],
        "check the sensors' scales against a gauge (sensors.pressure_a.gain, sensors.pressure_b.gain)",
    )  # fmt: skip


def _in_proportion(left: _Left) -> bool:
    keys = ["m", *NAMES]
    if left.of(*keys) != keys:
        return False
    middle = _middle(left, keys)
    ones = [left.seen.compared[key] for key in keys]
    reaches = [(one.interval or 0.0) * abs((one.share or 0.0) / (one.change or 1.0)) for one in ones]
    return all(abs((one.share or 0.0) - middle) <= reach + ALIKE for one, reach in zip(ones, reaches, strict=True))


def _middle(left: _Left, keys: "list[str]") -> float:
    return sum(left.seen.compared[key].share or 0.0 for key in keys) / len(keys)


def _oil(left: _Left) -> Iterator[Cause]:
    """Viscous friction has changed, and with it leakage the other way, or the oil's temperature."""
    friction, thicker, warmer = left.of(*NAMES), left.shift("sigma"), left.seen.oil_k
    if not friction or not thicker:
        return
    leaks = [key for key in left.of("Ctc") if left.change(key) * thicker < 0]
    warmed = warmer is not None and abs(warmer) >= WARMER_K and warmer * thicker < 0
    if not leaks and not warmed:
        return
    kind = "thicker" if thicker > 0 else "thinner"
    shown = f"viscous friction is {'more' if thicker > 0 else 'less'}"
    shown += f", leakage {'less' if thicker > 0 else 'more'}" if leaks else ""
    shown += "; static or Coulomb friction changed, too" if left.shift("fs") or left.shift("fc") else ""
    shown += f": {left.said([*friction, *leaks])}"
    again = left.again(*_FRICTION)
    if warmer is not None and not warmed:
        yield Cause(
            "oil_viscosity", f"the oil is {kind}, and its sensor shows the same temperature ({warmer:+.0f} K): another "
            f"oil, or not the temperature in the cylinder; {shown}", [*friction, *leaks],
            f"check which oil is in it and where its temperature is measured; to work with it: {again}",
        )  # fmt: skip
        return
    seen = f" by {abs(warmer):.0f} K" if warmer is not None else ""
    yield Cause(
        "oil_temperature", f"the oil is {'colder' if thicker > 0 else 'hotter'}{seen} than when the rig was "
        f"commissioned: {shown}", [*friction, *leaks],
        f"bring the oil to that temperature and verify again; to work at this one: {again}",
    )  # fmt: skip


def _payload(left: _Left) -> Iterator[Cause]:
    for key in left.of("m"):
        change = left.change(key)
        loads = left.of(*NAMES) if left.shift("fc") * change > 0 and not left.shift("sigma") else []
        guides = ", whose weight also loads the guides" if loads else ""
        loads += left.of(CONSTANT_FORCE) if left.seen.vertical and left.change(CONSTANT_FORCE) * change > 0 else []
        parts = ("plant", *_FRICTION) if guides else _MACHINE
        yield Cause(
            "payload", f"the payload is {'heavier' if change > 0 else 'lighter'} by "
            f"{_with_interval(abs(change), left.seen.compared[key].interval or 0.0)} kg{guides}: "
            f"{left.said([key, *loads])}", [key, *loads],
            f"restore the payload, or commission for this one: {left.again(*parts)}",
        )  # fmt: skip


def _friction(left: _Left) -> Iterator[Cause]:
    """What no earlier rule explains of it."""
    keys, viscous = left.of(*NAMES), left.shift("sigma")
    if not keys:
        return
    dry = {name: left.shift(name) for name in _DRY if left.shift(name)}
    said, again = left.said(keys), left.again(*_FRICTION)
    if dry and not viscous:
        rose = sum(dry.values()) > 0
        what = "seals or guides are dry, tight or misaligned" if rose else "seals or guides are worn, or have run in"
        named = " and ".join(_DRY[name] for name in dry)
        yield Cause("wear", f"{named} {'rose' if rose else 'fell'}, viscous friction did not: {what}; {said}", keys,
                    f"check seals and guides; to work with it: {again}")  # fmt: skip
    elif viscous and not dry:
        warmer = left.seen.oil_k
        same = f" and the oil's temperature ({warmer:+.0f} K) are" if warmer is not None else " is"
        what = "lubrication of guides and seals" if warmer is not None else "their temperature or lubrication"
        yield Cause("viscous", f"viscous friction changed, while leakage{same} as before: {what}; {said}", keys,
                    f"check guides and seals; to work with it: {again}")  # fmt: skip
    else:
        what = "dry and viscous friction changed: seals or guides and what lubricates them" if dry else (
            "friction changed, and three speeds do not tell in which of its parts")  # fmt: skip
        yield Cause("friction", f"{what}; {said}", keys, f"check seals and guides; to work with it: {again}")


def _null(left: _Left) -> Iterator[Cause]:
    for key in left.of("null"):
        drifted = bool(left.changed & set(OFFSETS))
        what = "the valve's adjustment, or the pressure sensor that has drifted" if drifted else (
            "the valve's adjustment, or its amplifier's offset; the pressure sensors have not drifted")  # fmt: skip
        yield Cause("valve_null", f"{left.said([key])}: {what}", [key],
                    "arming finds the null by itself (`hilctl off`, `hilctl arm`); adjust a valve that moves on",
        )  # fmt: skip


def _supply(left: _Left) -> Iterator[Cause]:
    for key in left.of(SUPPLY):
        yield Cause("supply", f"{left.said([key])} against machine.Ps", [key],
                    "check pump, accumulator and filters, or correct machine.Ps")  # fmt: skip


def _gain(left: _Left) -> Iterator[Cause]:
    for key in left.of("Qn"):
        measured = SUPPLY in left.seen.compared
        what = "the valve or its amplifier's gain; the measured supply pressure is taken into account"
        if not measured:
            what = "the supply pressure, which is not measured, or the valve or its amplifier's gain"
        yield Cause(
            "valve_gain", f"{left.said([key])}: {what}", [key],
            f"check {'the supply, ' if not measured else ''}the amplifier and the valve; to work with it: "
            f"{left.again(*_MACHINE)}",
        )  # fmt: skip


_SINGLE = (  # keys, code, what their change alone allows, what to check
    (("overlap_a", "overlap_b"), "valve_edges", "the edges of the spool are worn, or another valve",
     "check the valve"),
    (("hysteresis",), "valve_hysteresis", "the spool sticks (dirt in the oil), or its dither is off",
     "check the filters and the amplifier's dither"),
    (("wv", "zv"), "valve_dynamics", "the valve's pilot pressure, or its amplifier",
     "check the pilot supply and the amplifier"),
    (("law.feed.extra_preview_s",), "delay", "the link to the amplifier, or the amplifier itself",
     "check the link (`hilctl status`)"),
    ((CONSTANT_FORCE,), "constant_force", "what carries the weight, or the zero or scale of a pressure sensor",
     "check the counterbalance and the pressure sensors"),
    (("Ctc",), "leakage", "the piston's seal, the valve's edges, or the oil's viscosity", "check seal and oil"),
    (("beta",), "oil_stiffness", "air in the oil, or other hoses", "bleed the cylinder"),
    (("sensors.acceleration.gain",), "accelerometer", "the accelerometer's scale or mounting, or displacement's scale",
     "check both sensors"),
)  # fmt: skip


def _single(left: _Left) -> Iterator[Cause]:
    for keys, code, what, check in _SINGLE:
        own = left.of(*keys)
        if own:
            yield Cause(code, f"{left.said(own)}: {what}", own,
                        f"{check}; to work with it: {left.again(*_MACHINE)}")  # fmt: skip


_RULES: tuple[Callable[[_Left], Iterator[Cause]], ...] = (
    _drift, _pressure_scale, _oil, _payload, _friction, _null, _supply, _gain, _single,
)  # fmt: skip
