"""Which triangles: one a speed, in the least time, within a budget.

A straight begins with what does not count: friction travels through its pre-sliding, the corner rings. So

    lead    = max(v t, s)               s: settle distance, 8 fs/s0 of the softest bristles or of the active ones
                                        t: settle time
    straight = lead + v (W/n + e)       W: window time wanted for each direction, n: cycles; e: the sensors' delay
    A        = straight/2 + 13/42 v Tc  within the stroke and its margins; Tc: the corner, see the motion's own page

More cycles mean smaller strokes with shorter approaches, and more corners; the best n is found by trying. Slow speeds
so take short strokes by themselves. W is the largest that keeps the whole campaign within its budget; slow speeds get
a part of it. There are many of them and they say one thing, breakaway, while Coulomb's level is an extrapolation from a
few fast ones: with equal times its standard error is 0.76 %, this way 0.58 % (reference rig, 24 speeds, 150 s).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from hilctl.errors import HilctlError
from hilctl.experiment.facts import Facts
from hilctl.friction.gms import Gms
from hilctl.law.reference.smooth import PULSE_ACCELERATION
from hilctl.law.reference.triangle import CORNER_REACH

SLOWEST_M_S, FASTEST_M_S, SPEEDS = 0.001, 0.8, 24
BUDGET_S = 150.0  # of rig time
SETTLE_M = 1e-3  # 8 fs/s0 with fs = 3118 N and s0 = 3e7 N/m is 0.83 mm: the softest bristles thought of
SETTLE_REACHES = 8.0  # fs/s0: a bristle is there but for exp(-8)
SETTLE_YIELDS = 2.2  # yields of the softest element of GMS: it turns over within two
MODE_PERIODS = 3.0  # of the hydraulic mode, until a corner has rung out
SETTLE_S = 0.25  # where there is room: the loop's own settling
LEAST_CYCLES, MOST_CYCLES = 2, 60
LEAST_SAMPLES = 30  # of a window
USEFUL_S = 0.05  # of a window: speeds that nobody named go no further than what leaves so much of a straight
# Of limits.velocity: behind a corner the table is up to 12 % faster, with an overlap of 2 %; and a command that a link
# holds for 5 ms, with its dither, makes it faster by 0.03 m/s, which is 15 % where a link allows 0.2 m/s.
FASTEST_SHARE = 0.8
MARGIN = 0.9  # share of the way to the position limits that is used, where stopping there needs no more room
LONGEST_S = 45.0  # of one motion: a third of what a service remembers by default (service.history_s)
MOST_WINDOW_S = 40.0  # wanted for a direction: noise of 2 N in a force of 3000
# A move over D takes the longest of these (see the move's own page).
_MOVE_SPEED, _MOVE_ACCELERATION, _MOVE_LEAST_S = 2.1875, 7.513, 0.1
SLOW, FAST, SLOW_PART = 0.04, 0.4, 0.25  # shares of the fastest speed: below the first, the part; above the other, W
_HALVINGS = 24
_AROUND_S = 0.05  # coming to rest and asking for the next, in virtual time next to nothing


class CannotPlan(HilctlError, ValueError):
    """No campaign fits. The message says what does not, and what to change."""


class Leg(msgspec.Struct, frozen=True):
    """One speed: the triangle that measures it."""

    speed_m_s: float
    amplitude_m: float
    center_m: float
    cycles: int
    lead_m: float  # from a straight's begin to its window
    window_s: float  # of one straight
    seconds: float  # what it will take, approach and return included

    @property
    def name(self) -> str:
        """Of the leg, on the disk and in messages."""
        return f"at {self.speed_m_s:g} m/s"

    @property
    def parameters(self) -> dict[str, float]:
        """As `track triangle` takes them."""
        return {
            "speed_m_s": self.speed_m_s, "amplitude_m": self.amplitude_m, "center_m": self.center_m,
            "cycles": self.cycles,
        }  # fmt: skip


class Room(NamedTuple):
    """What a straight begins with at least, and how far it may go."""

    ringing_s: float  # of a corner
    settle_m: float  # of pre-sliding
    margin: float  # share of the way to the position limits that is used


class Plan(NamedTuple):
    """The legs in the order in which they are driven, and what they take in all."""

    legs: list[Leg]

    @property
    def seconds(self) -> float:
        """Rig time."""
        return sum(leg.seconds for leg in self.legs)


def log_spaced(slowest: float = SLOWEST_M_S, fastest: float = FASTEST_M_S, count: int = SPEEDS) -> list[float]:
    """Speeds in equal ratios, to four digits."""
    return [float(f"{v:.4g}") for v in np.geomspace(slowest, fastest, count)]


def plan(
    facts: Facts, speeds: Sequence[float] | None = None, budget_s: float = BUDGET_S, fastest_m_s: float = FASTEST_M_S,
    margin: float = MARGIN,
) -> Plan:  # fmt: skip
    """The campaign. CannotPlan where a speed or the budget does not fit.

    Without `speeds`, the usual ones, up to what stroke, limits and `fastest_m_s` leave room for.
    """
    room = room_of(facts, margin)
    wanted = sorted(set(_usual(facts, fastest_m_s, room) if speeds is None else speeds))
    _check_speeds(facts, wanted)
    low_s, high_s = LEAST_CYCLES * LEAST_SAMPLES * facts.dt_s, MOST_WINDOW_S
    part = {v: _part(v / wanted[-1]) for v in wanted}
    legs = [_needed(facts, v, part[v] * low_s, room) for v in wanted]
    if _seconds(legs) > budget_s:
        raise CannotPlan(
            f"a budget of {budget_s:g} s is too short for {len(wanted)} speeds from {wanted[0]:g} m/s on, which take "
            f"{_seconds(legs):.0f} s at least; give more time, fewer speeds, or begin at a higher one"
        )
    for _ in range(_HALVINGS):
        window_s = math.sqrt(low_s * high_s)
        # A slow speed that would take longer than one motion may keeps what it has.
        tried = [_best(facts, leg.speed_m_s, part[leg.speed_m_s] * window_s, room) or leg for leg in legs]
        if _seconds(tried) <= budget_s:
            low_s, legs = window_s, tried
        else:
            high_s = window_s
    return Plan(_ordered(legs))


def room_of(facts: Facts, margin: float = MARGIN) -> Room:
    """For the softest pre-sliding assumed, or that of the active friction parameters where it is softer still."""
    law = facts.friction.params
    metres = max(SETTLE_M, SETTLE_REACHES * law.reach)
    if isinstance(law, Gms):
        metres = max(metres, SETTLE_YIELDS * law.last_yield)
    return Room(MODE_PERIODS * 2 * math.pi / facts.mode_rad_s, metres, margin)


def _part(share: float) -> float:
    """Of W that a speed gets, by its share of the fastest."""
    return float(np.interp(math.log(share), [math.log(SLOW), math.log(FAST)], [SLOW_PART, 1.0]))


def _seconds(legs: Sequence[Leg]) -> float:
    return sum(leg.seconds for leg in legs)


def _usual(facts: Facts, fastest_m_s: float, room: Room) -> list[float]:
    """As many speeds as ever, up to the fastest that has room for a useful straight."""

    def fits(v: float) -> bool:
        return _leg(facts, v, LEAST_CYCLES, USEFUL_S, room) is not None

    low, high = 2 * SLOWEST_M_S, min(fastest_m_s, FASTEST_SHARE * float(facts["limits.velocity.max_m_s"]))
    if high > low and not fits(high):
        for _ in range(_HALVINGS):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if fits(middle) else (low, middle)
        high = 0.999 * low  # four digits of it fit, too
    return log_spaced(fastest=high)


def _check_speeds(facts: Facts, speeds: Sequence[float]) -> None:
    if not speeds:
        raise CannotPlan("no speeds are given")
    if not all(math.isfinite(v) and v > 0 for v in speeds):
        raise CannotPlan(f"speeds must be positive numbers, not {', '.join(f'{v:g}' for v in speeds)}")
    limit = float(facts["limits.velocity.max_m_s"])
    if speeds[-1] >= limit:
        raise CannotPlan(f"a speed of {speeds[-1]:g} m/s is not below limits.velocity.max_m_s = {limit:g} m/s")


def _best(facts: Facts, v: float, window_s: float, room: Room) -> Leg | None:
    """The quickest triangle with so much window time in each direction; None where none fits."""
    found: Leg | None = None
    for cycles in range(LEAST_CYCLES, MOST_CYCLES + 1):
        leg = _leg(facts, v, cycles, max(window_s / cycles, LEAST_SAMPLES * facts.dt_s), room)
        if leg is not None and (found is None or leg.seconds < found.seconds):
            found = leg
    return found


def _needed(facts: Facts, v: float, window_s: float, room: Room) -> Leg:
    found = _best(facts, v, window_s, room)
    if found is None:
        raise CannotPlan(
            f"{v:g} m/s does not fit between limits.position.min_m = {facts['limits.position.min_m']:g} m and max_m = "
            f"{facts['limits.position.max_m']:g} m: corners, and settling over {1e3 * room.settle_m:.2g} mm, leave "
            "no straight; leave it out, or raise limits.shaping.corner_acceleration_m_s2"
        )
    return found


def _leg(facts: Facts, v: float, cycles: int, window_s: float, room: Room) -> Leg | None:
    low, high = float(facts["limits.position.min_m"]), float(facts["limits.position.max_m"])
    corner_s = max(
        2 * v * PULSE_ACCELERATION / facts["limits.shaping.corner_acceleration_m_s2"], facts["limits.shaping.corner_s"]
    )
    corner_m, most_m = CORNER_REACH * v * corner_s, room.margin * 0.5 * (high - low)
    room_s = 2 * (most_m - corner_m) / v - window_s - facts.trail_s  # of the longest straight, without the window
    lead_m = max(v * max(min(SETTLE_S, room_s), room.ringing_s), room.settle_m)
    amplitude_m = 0.5 * (lead_m + v * (window_s + facts.trail_s)) + corner_m
    if amplitude_m > most_m * (1 + 1e-9):
        return None
    period_s = 2 * (lead_m / v + window_s + facts.trail_s + corner_s)
    seconds = cycles * period_s + 2 * _move_s(facts, amplitude_m) + _AROUND_S
    if seconds > LONGEST_S:
        return None
    return Leg(v, float(amplitude_m), 0.5 * (low + high), cycles, lead_m, window_s, seconds)


def _move_s(facts: Facts, distance_m: float) -> float:
    speed = float(facts["limits.shaping.approach_velocity_m_s"])
    acceleration = float(facts["limits.shaping.approach_acceleration_m_s2"])
    return max(
        _MOVE_SPEED * distance_m / speed, math.sqrt(_MOVE_ACCELERATION * distance_m / acceleration), _MOVE_LEAST_S
    )


_PROOF_M_S = 0.1  # about here friction, inertia and pressure are all seen: whatever is wired wrong shows at once


def _ordered(legs: list[Leg]) -> list[Leg]:
    """A middle speed first, which proves the sensors, then from slow to fast."""
    first = min(legs, key=lambda leg: abs(math.log(leg.speed_m_s / _PROOF_M_S)))
    return [first, *(leg for leg in legs if leg is not first)]
