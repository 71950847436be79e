"""How fast the carrier of a study is: from what the rig file says of friction."""

from hilctl.friction import Friction
from hilctl.identify.campaign.facts import Facts
from hilctl.identify.dynamics.excitation import Shape
from hilctl.identify.dynamics.excitation.carrier import carrier_for
from hilctl.identify.dynamics.experiment.asked import FASTEST, Asked
from hilctl.identify.dynamics.experiment.room import room_of

BEYOND = 3.0  # times the speed over which friction falls: there it has fallen
LEAST = 1.5  # times it: a slower carrier meets what it is to avoid


def sticks(friction: Friction) -> bool:
    """Whether it holds a table that rests, or nearly."""
    return friction.params.jump > 0 or friction.params.reach > 0


def falls_over_m_s(friction: Friction) -> float:
    """The speed over which it falls from rest to sliding, of both directions the greater; 0 where it does not."""
    of = (friction.params, getattr(friction.params, "negative", None))
    return max(float(getattr(each, "vs", None) or 0.0) for each in of)


def carrier_of(asked: Asked, facts: Facts, amplitude_m: float) -> float:
    """Its speed in m/s: as asked, else what friction that sticks needs; 0 where it does not stick, or has no room."""
    shape = Shape(amplitude_m, room_of(facts))
    if asked.carrier_m_s is not None:
        made = carrier_for(asked.carrier_m_s, shape)
        return made.speed_m_s if made else 0.0
    if "friction.model" not in facts.values or not sticks(facts.friction) or not room_of(facts).acceleration_m_s2:
        return 0.0
    slow = falls_over_m_s(facts.friction)
    made = carrier_for(BEYOND * slow or FASTEST, shape)
    return made.speed_m_s if made and made.speed_m_s >= LEAST * slow else 0.0
