"""From the options of a study to its motions, each short enough that a pause comes soon.

They ride on a carrier where the friction model of the rig file holds a table at rest.
"""

from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from hilctl.experiment.facts import Facts
from hilctl.friction import Friction
from hilctl.identify.frequency.excite_carrier import carrier_for
from hilctl.identify.frequency.excite_multisine import Multisine, multisine
from hilctl.identify.frequency.excite_shape import Riding, Shape, room_of, smooth
from hilctl.identify.frequency.excite_stepped import Planned, SteppedSine, planned, stepped_sine
from hilctl.identify.frequency.excite_sweep import Sweep, sweep
from hilctl.identify.frequency.record import Kind, Role
from hilctl.identify.plant.plan import CHANNELS
from hilctl.params import BadValues, Problem, check, nearest
from hilctl.signals import NAMES

Excitation = Literal["multisine", "sweep", "stepped", "plant"]
EXCITATIONS: tuple[Excitation, ...] = get_args(Excitation)
FASTEST = 20.0  # m/s, of a carrier
MOST_STARTS = 1000


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asks for; 0 and empty leave the choice to the kind of rig."""

    excitations: tuple[Excitation, ...] = ()
    start_hz: float = 0.0
    end_hz: float = 0.0
    amplitude_m: float = 0.0  # upper limit; the limits of the rig may reduce it further
    input: str = ""
    output: str = ""
    load_pressure: bool = False
    carrier_m_s: float | None = None  # under sines too slow to slide alone; 0: none; None: from the friction model
    fixed: dict[str, float] = {}  # known parameters of the grey box
    free: dict[str, tuple[float, float] | None] = {}  # searched, between bounds; None: the default bounds
    tied: dict[str, tuple[float, dict[str, float]]] = {}  # a factor times powers of other parameters
    starts: int = 0  # random starts, in addition to the rig file's values
    checks: bool = True  # also drive motions that models are only validated on

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels fetched for each motion."""
        more = ("load_pressure_pa", "velocity_m_s", "xr_m", self.input, self.output)
        return (*CHANNELS, *dict.fromkeys(name for name in more if name and name not in CHANNELS))


def check_asked(asked: Asked) -> None:
    """BadValues for options that contradict themselves or each other."""
    problems = [
        Problem("excitation", name, f"must be one of {', '.join(EXCITATIONS)}", nearest(name, EXCITATIONS))
        for name in asked.excitations if name not in EXCITATIONS
    ]  # fmt: skip
    problems += [
        Problem(key, name, "no such channel", nearest(name, NAMES))
        for key, name in (("input", asked.input), ("output", asked.output)) if name and name not in NAMES
    ]  # fmt: skip
    if asked.input and asked.input == asked.output:
        problems.append(Problem("output", asked.output, "must differ from the input"))
    if asked.start_hz < 0 or (asked.end_hz and asked.end_hz <= max(asked.start_hz, 0.0)):
        band = f"{asked.start_hz:g} to {asked.end_hz:g} Hz"
        problems.append(Problem("band", band, "must start above 0 Hz and end above its start"))
    if asked.amplitude_m < 0:
        problems.append(Problem("amplitude", asked.amplitude_m, "must be above 0 m"))
    if asked.carrier_m_s is not None and not 0 <= asked.carrier_m_s <= FASTEST:
        problems.append(Problem("carrier", asked.carrier_m_s, f"must be from 0 (none) to {FASTEST:g} m/s"))
    if not 0 <= asked.starts <= MOST_STARTS:
        problems.append(Problem("starts", asked.starts, f"must be 0 to {MOST_STARTS} searches"))
    if problems:
        raise BadValues(problems)


BEYOND = 3.0  # times the Stribeck speed: there friction has fallen to its sliding level
LEAST = 1.5  # times the Stribeck speed: a slower carrier stays in the range it is meant to avoid


def sticks(friction: Friction) -> bool:
    """Whether the friction model holds a table at rest, fully or in pre-sliding."""
    return friction.params.jump > 0 or friction.params.reach > 0


def falls_over_m_s(friction: Friction) -> float:
    """The Stribeck speed, of both directions the greater; 0 for a friction model without one."""
    of = (friction.params, getattr(friction.params, "negative", None))
    return max(float(getattr(each, "vs", None) or 0.0) for each in of)


def carrier_of(asked: Asked, facts: Facts, amplitude_m: float) -> float:
    """The carrier's speed in m/s: as asked, else from static friction; 0 without it, or without room for a carrier."""
    shape = Shape(amplitude_m, room_of(facts))
    if asked.carrier_m_s is not None:
        made = carrier_for(asked.carrier_m_s, shape)
        return made.speed_m_s if made else 0.0
    if "friction.model" not in facts.values or not sticks(facts.friction) or not room_of(facts).acceleration_m_s2:
        return 0.0
    slow = falls_over_m_s(facts.friction)
    made = carrier_for(BEYOND * slow or FASTEST, shape)
    return made.speed_m_s if made and made.speed_m_s >= LEAST * slow else 0.0


START_HZ, END_HZ = 1.0, 100.0
HIGHEST = 0.1  # of the loop's rate
REALISATIONS = 4  # of a multisine: their scatter measures distortion by friction, and noise
RIDING_REALISATIONS = 6  # on a carrier: the lines are smaller, and the carrier's reversals disturb them
PART_S = 12.0  # longest motion of a stepped sine, which is cut into parts
SWEEP_S, CHECK_S = 15.0, 10.0
CHECK_SHARE = 0.6  # of the amplitude of the records that models are fitted to
STEP_SHARE, STEP_S, STEP_STILL_S, STEP_REST_S = 0.1, 0.08, 0.5, 1.5  # of the position; rise; rest before and after
RISE_FASTEST, RISE_STEEPEST = 2.19, 7.52  # of a smooth step: speed by size and rise, acceleration by the rise's square
_SIGNALS: dict[str, Any] = {"multisine": multisine, "sweep": sweep, "stepped": stepped_sine}
_TABLES: dict[str, Any] = {"multisine": Multisine, "sweep": Sweep, "stepped": SteppedSine}


class Leg(msgspec.Struct, frozen=True, kw_only=True):
    """One planned motion."""

    name: str
    group: str  # motions of one group make one response
    kind: Kind
    role: Role
    settings: dict[str, Any]  # of the excitation; for a motion of the service: kind and parameters
    band_hz: tuple[float, float]
    amplitude_m: float  # upper limit
    seconds: float  # estimate


class Signal(msgspec.Struct, frozen=True):
    """The signal of a motion."""

    values: Any  # displacement from the centre, in m
    made: Any  # Tones, Swept, Stepped; None for a step
    closed: bool  # it ends where it starts


def legs_of(asked: Asked, facts: Facts) -> list[Leg]:
    """The motions of a study."""
    legs = [leg for kind in asked.excitations if kind != "plant" for leg in _MAKERS[kind](asked, facts)]
    return [*legs, *_checks(asked, facts)] if asked.checks else legs


def band_of(asked: Asked, facts: Facts) -> tuple[float, float]:
    """Lowest and highest frequency in Hz."""
    start = asked.start_hz or START_HZ
    return start, min(asked.end_hz or END_HZ, HIGHEST * facts.rate_hz)


def amplitude_of(asked: Asked, facts: Facts) -> float:
    """The largest displacement from the centre."""
    room = float(room_of(facts).position_m)
    return min(asked.amplitude_m, room) if asked.amplitude_m else room


def signal_of(leg: Leg, facts: Facts, share: float = 1.0) -> Signal:
    """The samples of a motion, at the rate of the loop."""
    if leg.kind == "step":
        return Signal(share * _step(leg, facts.rate_hz), None, False)
    table = check(_TABLES[leg.kind], leg.settings, leg.name)
    shape = (Riding if leg.kind == "multisine" else Shape)(leg.amplitude_m, room_of(facts))
    made = _SIGNALS[leg.kind](table, shape)
    values = made.values
    if leg.role == "check":
        ride = getattr(made, "ride", 0.0)  # the carrier keeps its speed; the sine above it shrinks
        values = ride + CHECK_SHARE * (values - ride)
    made = made._replace(values=share * values)
    return Signal(made.values, made, True)


def _leg(
    name: str, kind: Kind, settings: dict[str, Any], seconds: float, asked: Asked, facts: Facts, **other: Any
) -> Leg:
    """A motion that is a group of its own, for the fit, as large as it may be; unless `other` says otherwise."""
    own = {"group": name, "role": "fit", "band_hz": (settings.get("start_hz"), settings.get("end_hz")),
           "amplitude_m": amplitude_of(asked, facts), **other}  # fmt: skip
    return Leg(name=name, kind=kind, settings=settings, seconds=seconds, **own)


def _band(asked: Asked, facts: Facts) -> dict[str, Any]:
    start, end = band_of(asked, facts)
    carrier_m_s = carrier_of(asked, facts, amplitude_of(asked, facts))
    return {"start_hz": start, "end_hz": end, "carrier_m_s": carrier_m_s, "rate_hz": facts.rate_hz}


def _multisines(asked: Asked, facts: Facts) -> Iterator[Leg]:
    band = _band(asked, facts)
    rides = band["carrier_m_s"]
    period_s = round(1.0 / min(band["start_hz"], 1.0) * facts.rate_hz) / facts.rate_hz  # of whole samples
    given = {**band, "period_s": period_s, "periods": 4 if rides else 3, "settle_periods": 1, "soft_s": 0.5}
    for seed in range(1, 1 + (RIDING_REALISATIONS if rides else REALISATIONS)):
        seconds = period_s * (given["periods"] + 1)
        yield _leg(f"multisine {seed}", "multisine", {**given, "seed": seed}, seconds, asked, facts, group="multisine")


def _sweep(asked: Asked, facts: Facts) -> Iterator[Leg]:
    band = _band(asked, facts)
    seconds = max(SWEEP_S, 5 / band["start_hz"])
    yield _leg("sweep", "sweep", {**band, "duration_s": seconds}, seconds, asked, facts)


def _stepped(asked: Asked, facts: Facts) -> Iterator[Leg]:
    """Cut into parts where one motion would be too long; every part starts from rest."""
    given = {**_band(asked, facts), "step_hz": 1.0}
    shape = Shape(amplitude_of(asked, facts), room_of(facts))
    parts: list[list[Planned]] = [[]]
    for one in planned(check(SteppedSine, given, "stepped"), shape):
        if parts[-1] and sum(each.seconds for each in parts[-1]) + one.seconds > PART_S:
            parts.append([])
        parts[-1].append(one)
    for number, part in enumerate(parts, 1):
        own = {**given, "start_hz": part[0].hz, "end_hz": part[-1].hz}
        seconds = sum(each.seconds for each in planned(check(SteppedSine, own, "stepped"), shape))
        name = f"stepped {number}" if len(parts) > 1 else "stepped"
        yield _leg(name, "stepped", own, seconds, asked, facts, group="stepped")


def _checks(asked: Asked, facts: Facts) -> Iterator[Leg]:
    """A smaller sweep over a narrower band, and a step: models are only validated on them."""
    start, end = band_of(asked, facts)
    low, high = 1.3 * start, min(0.85 * end, 0.2 * facts.rate_hz)
    if high > 1.5 * low:
        seconds = max(CHECK_S, 5 / start)
        given = {**_band(asked, facts), "start_hz": low, "end_hz": high, "duration_s": seconds}
        yield _leg("check sweep", "sweep", given, seconds, asked, facts, role="check")
    room = room_of(facts)
    speed = min(room.velocity_m_s, 0.8 * room.opening * room.no_load_speed_m_s)
    most = min(STEP_S / RISE_FASTEST * speed, STEP_S**2 / RISE_STEEPEST * room.acceleration_m_s2)
    yield _leg(
        "check step", "step", {"rise_s": STEP_S}, STEP_STILL_S + STEP_S + STEP_REST_S, asked, facts, role="check",
        band_hz=(1 / (STEP_STILL_S + STEP_REST_S), min(1 / STEP_S, end)),
        amplitude_m=min(STEP_SHARE * amplitude_of(asked, facts), most),
    )  # fmt: skip


def _step(leg: Leg, rate_hz: float) -> Any:
    """A smooth step from rest to rest."""
    count = round((STEP_STILL_S + STEP_S + STEP_REST_S) * rate_hz)
    t = np.arange(count) / rate_hz - STEP_STILL_S
    return leg.amplitude_m * smooth(t / float(leg.settings["rise_s"]))


_MAKERS: dict[str, Callable[[Asked, Facts], Iterator[Leg]]] = {
    "multisine": _multisines, "sweep": _sweep, "stepped": _stepped,
}  # fmt: skip
