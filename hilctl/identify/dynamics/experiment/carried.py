"""The speed of the carrier of a study, from the friction model of the rig file."""

from hilctl.experiment.facts import Facts
from hilctl.friction import Friction
from hilctl.identify.dynamics.excitation import Shape
from hilctl.identify.dynamics.excitation.carrier import carrier_for
from hilctl.identify.dynamics.experiment.asked import FASTEST, Asked
from hilctl.identify.dynamics.experiment.room import room_of

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
