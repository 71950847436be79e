"""A plan: a motion ready for the loop, with what is known about it beforehand."""

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.law.motions.limits import MotionLimits
from hilctl.law.reference.motion import ENDLESS_S, new_motion
from hilctl.law.reference.point import POINT
from hilctl.law.reference.scan import rt_table
from hilctl.law.reference.smooth import step_duration

Reals = npt.NDArray[np.float64]

# The shortest lead-in over any distance: a hundredth of a millimetre in a tick would be a step of jerk.
SHORTEST_MOVE_S = 0.1
_PER_MOVE = 200  # instants at which a check looks at a move


class Stretch(NamedTuple):
    """A part of a motion that a check looks at, and how finely."""

    first_s: float
    last_s: float
    step_s: float


@dataclass(slots=True)
class Plan:
    """A motion, its spline if it has one, and what it is in words and numbers."""

    kind: str
    motion: Any
    knots: Reals = field(default_factory=lambda: np.zeros(0))
    text: str = ""
    facts: dict[str, float] = field(default_factory=dict)  # figures of the motion, units in their names
    warnings: list[str] = field(default_factory=list)  # what the rig will not do as it is asked
    stretches: list[Stretch] = field(default_factory=list)

    @property
    def duration_s(self) -> float:
        """From start to rest; infinite for a motion that runs until it is stopped."""
        return math.inf if self.motion.body_s >= ENDLESS_S else whole_s(self.motion)

    def points(self, times_s: npt.ArrayLike) -> npt.NDArray[Any]:
        """The reference at instants since the motion's start, as an array of POINT."""
        times = np.ascontiguousarray(times_s, np.float64)
        out = np.zeros(len(times), POINT)
        rt_table(self.motion, self.knots, times, out)
        return out


def whole_s(motion: Any) -> float:
    """Lead-in, body and lead-out."""
    return float(motion.lead.duration_s + motion.body_s + motion.out.duration_s)


def new_plan(kind: str, code: int, motion_id: int) -> Plan:
    """A plan whose motion does nothing yet."""
    motion = new_motion()
    motion.id, motion.kind = motion_id, code
    return Plan(kind, motion)


def approach(move: Any, from_m: float, to_m: float, limits: MotionLimits) -> None:
    """Fills a MOVE between two places at the rig's approach speed and acceleration."""
    shaping = limits.shaping
    move.from_m, move.to_m = from_m, to_m
    move.duration_s = 0.0
    if from_m != to_m:
        shortest_s = step_duration(
            abs(to_m - from_m),
            min(shaping.approach_velocity_m_s, limits.velocity_m_s),
            min(shaping.approach_acceleration_m_s2, limits.acceleration_m_s2),
        )
        move.duration_s = max(shortest_s, SHORTEST_MOVE_S)


def frame(plan: Plan, limits: MotionLimits, places_m: tuple[float, float, float, float], body_s: float) -> None:
    """Sets lead-in and lead-out about a body: places are start, body's begin, body's end, rest."""
    motion = plan.motion
    start_m, begin_m, end_m, rest_m = places_m
    approach(motion.lead, start_m, begin_m, limits)
    motion.body_s = body_s
    approach(motion.out, end_m, rest_m, limits)
    lead_s = float(motion.lead.duration_s)
    add_move_stretch(plan, 0.0, lead_s)
    if body_s < ENDLESS_S:
        add_move_stretch(plan, lead_s + body_s, float(motion.out.duration_s))
    plan.facts["lead_s"] = lead_s


def add_move_stretch(plan: Plan, first_s: float, duration_s: float) -> None:
    """Has a check look at a move; of one over no distance, at its place."""
    plan.stretches.append(Stretch(first_s, first_s + duration_s, max(duration_s, SHORTEST_MOVE_S) / _PER_MOVE))


def stretch(plan: Plan, first_s: float, last_s: float, step_s: float) -> None:
    """Adds a part of the body to what a check looks at; times are of the body, clipped to it."""
    lead_s, body_s = float(plan.motion.lead.duration_s), float(plan.motion.body_s)
    first_s, last_s = max(first_s, 0.0), min(last_s, body_s)
    if last_s > first_s:
        plan.stretches.append(Stretch(lead_s + first_s, lead_s + last_s, step_s))


def length_text(duration_s: float) -> str:
    """How long, for a person."""
    return "until stopped" if math.isinf(duration_s) else f"{duration_s:.4g} s in all"
