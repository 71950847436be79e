"""The options of a study.

The speed of the carrier of a study, from the friction model of the rig file.

From the options of a study to its motions, each short enough that a pause comes soon.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, get_args

import msgspec

from hilctl.experiment.facts import Facts
from hilctl.friction import Friction
from hilctl.identify.frequency.excite_carrier import carrier_for
from hilctl.identify.frequency.excite_multisine import Multisine, multisine
from hilctl.identify.frequency.excite_shape import Riding, Shape, room_of, smooth
from hilctl.identify.frequency.excite_stepped import Planned, SteppedSine, planned, stepped_sine
from hilctl.identify.frequency.excite_sweep import Sweep, sweep
from hilctl.identify.frequency.record import Kind, Role
from hilctl.identify.plant.record import CHANNELS
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


def legs_of(asked: Asked, facts: Facts, settings: Mapping[str, Mapping[str, Any]] | None = None) -> list[Leg]:
    """The motions of a study; `settings` override those of each excitation, by its kind."""
    over = settings or {}
    legs: list[Leg] = []
    for kind in asked.excitations:
        if kind != "plant":
            legs += _MAKERS[kind](asked, facts, over.get(kind, {}))
    if asked.checks:
        legs += _checks(asked, facts)
    return legs


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
    make: Any = _SIGNALS[leg.kind]
    made = make(table, shape)
    values = made.values
    if leg.role == "check":
        ride = getattr(made, "ride", 0.0)  # the carrier keeps its speed; the sine above it shrinks
        values = ride + CHECK_SHARE * (values - ride)
    made = made._replace(values=share * values)
    return Signal(made.values, made, True)


def _multisines(asked: Asked, facts: Facts, over: Mapping[str, Any]) -> Iterator[Leg]:
    start, end = band_of(asked, facts)
    rides = over.get("carrier_m_s", _carrier(asked, facts))
    given = {
        "start_hz": start, "end_hz": end, "period_s": _whole(1.0 / min(start, 1.0), facts),
        "periods": 4 if rides else 3, "settle_periods": 1, "soft_s": 0.5, "carrier_m_s": rides,
        "rate_hz": facts.rate_hz, "realisations": RIDING_REALISATIONS if rides else REALISATIONS, **over,
    }  # fmt: skip
    realisations = int(given.pop("realisations"))
    seconds = given["period_s"] * (given["periods"] + given["settle_periods"])
    for seed in range(1, realisations + 1):
        yield Leg(
            name=f"multisine {seed}", group="multisine", kind="multisine", role="fit",
            settings={**given, "seed": seed}, band_hz=(given["start_hz"], given["end_hz"]),
            amplitude_m=amplitude_of(asked, facts), seconds=seconds,
        )  # fmt: skip


def _sweep(asked: Asked, facts: Facts, over: Mapping[str, Any]) -> Iterator[Leg]:
    start, end = band_of(asked, facts)
    given = {
        "start_hz": start, "end_hz": end, "duration_s": max(SWEEP_S, 5 / start),
        "carrier_m_s": _carrier(asked, facts), "rate_hz": facts.rate_hz, **over,
    }  # fmt: skip
    yield Leg(
        name="sweep", group="sweep", kind="sweep", role="fit", settings=given,
        band_hz=(given["start_hz"], given["end_hz"]), amplitude_m=amplitude_of(asked, facts),
        seconds=given["duration_s"],
    )  # fmt: skip


def _stepped(asked: Asked, facts: Facts, over: Mapping[str, Any]) -> Iterator[Leg]:
    """Cut into parts where one motion would be too long; every part starts from rest."""
    start, end = band_of(asked, facts)
    given = {
        "start_hz": start, "end_hz": end, "step_hz": 1.0, "carrier_m_s": _carrier(asked, facts),
        "rate_hz": facts.rate_hz, **over,
    }  # fmt: skip
    table = check(SteppedSine, given, "stepped")
    shape = Shape(amplitude_of(asked, facts), room_of(facts))
    parts: list[list[Planned]] = [[]]
    for one in planned(table, shape):
        if parts[-1] and sum(each.seconds for each in parts[-1]) + one.seconds > PART_S:
            parts.append([])
        parts[-1].append(one)
    for number, part in enumerate(parts, 1):
        low, high = part[0].hz, part[-1].hz
        own = {**given, "start_hz": low, "end_hz": high}
        yield Leg(
            name=f"stepped {number}" if len(parts) > 1 else "stepped", group="stepped", kind="stepped", role="fit",
            settings=own, band_hz=(low, high), amplitude_m=amplitude_of(asked, facts),
            seconds=sum(each.seconds for each in planned(check(SteppedSine, own, "stepped"), shape)),
        )  # fmt: skip


def _checks(asked: Asked, facts: Facts) -> Iterator[Leg]:
    """A smaller sweep over a narrower band, and a step: models are only validated on them."""
    start, end = band_of(asked, facts)
    band = (1.3 * start, min(0.85 * end, 0.2 * facts.rate_hz))
    if band[1] > 1.5 * band[0]:
        given = {
            "start_hz": band[0], "end_hz": band[1], "duration_s": max(CHECK_S, 5 / start),
            "carrier_m_s": _carrier(asked, facts), "rate_hz": facts.rate_hz,
        }  # fmt: skip
        yield Leg(
            name="check sweep", group="check sweep", kind="sweep", role="check", settings=given, band_hz=band,
            amplitude_m=amplitude_of(asked, facts), seconds=given["duration_s"],
        )  # fmt: skip
    room = room_of(facts)
    speed = min(room.velocity_m_s, 0.8 * room.opening * room.no_load_speed_m_s)
    most = min(STEP_S / RISE_FASTEST * speed, STEP_S**2 / RISE_STEEPEST * room.acceleration_m_s2)
    yield Leg(
        name="check step", group="check step", kind="step", role="check", settings={"rise_s": STEP_S},
        band_hz=(1 / (STEP_STILL_S + STEP_REST_S), min(1 / STEP_S, end)),
        amplitude_m=min(STEP_SHARE * amplitude_of(asked, facts), most),
        seconds=STEP_STILL_S + STEP_S + STEP_REST_S,
    )  # fmt: skip


def _step(leg: Leg, rate_hz: float) -> Any:
    """A smooth step from rest to rest."""
    import numpy as np

    count = round((STEP_STILL_S + STEP_S + STEP_REST_S) * rate_hz)
    t = np.arange(count) / rate_hz - STEP_STILL_S
    return leg.amplitude_m * smooth(t / float(leg.settings["rise_s"]))


def _carrier(asked: Asked, facts: Facts) -> float:
    return carrier_of(asked, facts, amplitude_of(asked, facts))


def _whole(period_s: float, facts: Facts) -> float:
    """The nearest period of whole samples."""
    return round(period_s * facts.rate_hz) / facts.rate_hz


_Maker = Callable[[Asked, Facts, Mapping[str, Any]], Iterator[Leg]]
_MAKERS: dict[str, _Maker] = {"multisine": _multisines, "sweep": _sweep, "stepped": _stepped}
