"""How large a motion may be: from the limits and the nominal machine, whose values may be off by a fifth."""

import numpy as np
import numpy.typing as npt

from hilctl.experiment.facts import Facts
from hilctl.identify.dynamics.excitation import Room, Shape
from hilctl.params import check

POSITION, VELOCITY, ACCELERATION = 0.5, 0.6, 0.3  # of the limits
PUSH = 0.25  # of the supply's force
OPENING = 0.45  # of the valve: the table still follows if the machine is off by a fifth
OWN_LOOP = 0.9  # of each limit, if the rig closes its own loop: the limits apply to its reference
LINE = 0.02  # of the acceleration, for a single line of a multisine


class Riding(Shape):
    """Lines of equal acceleration on top of slow lines with high speed.

    While the table keeps sliding, fast lines meet no static friction; fast lines alone would leave it stuck.
    """

    def __call__(self, hz: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The amplitude of each line."""
        assert self.room is not None
        w = 2 * np.pi * np.atleast_1d(np.asarray(hz, np.float64))
        return np.asarray(np.minimum(super().__call__(hz), LINE * self.room.acceleration_m_s2 / w**2))


def centre_of(facts: Facts) -> float:
    """The middle between the limits of position."""
    return 0.5 * float(facts["limits.position.min_m"] + facts["limits.position.max_m"])


def room_of(facts: Facts) -> Room:
    """A share of the limits of position, velocity and acceleration, and of valve flow and supply force."""
    own = facts.values.get("law.feedback") == "rig"
    fast, hard, push_share, opening = (OWN_LOOP,) * 4 if own else (VELOCITY, ACCELERATION, PUSH, OPENING)
    low, high = float(facts["limits.position.min_m"]), float(facts["limits.position.max_m"])
    push = facts["machine.A"] * facts["machine.Ps"] / facts["machine.m"]
    travel = min(0.5 * (high - low), 0.95 * float(facts["machine.stroke_m"]) - abs(centre_of(facts)))
    return check(
        Room,
        {
            "position_m": POSITION * travel,
            "velocity_m_s": fast * float(facts["limits.velocity.max_m_s"]),
            "acceleration_m_s2": min(hard * float(facts["limits.acceleration.max_m_s2"]), push_share * push),
            "no_load_speed_m_s": float(facts["machine.Qn"] / facts["machine.A"]),
            "force_per_mass_m_s2": float(push),
            "opening": opening * (1.0 if own else float(facts["limits.command.opening"])),
        },
        "room",
    )
