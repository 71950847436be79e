"""What a rig has room for, from its limits and from what its file says of the machine, which may be off by a fifth."""

import numpy as np
import numpy.typing as npt

from hilctl.identify.campaign.facts import Facts
from hilctl.identify.dynamics.excitation import Room, Shape
from hilctl.params import check

POSITION, VELOCITY, ACCELERATION = 0.5, 0.6, 0.3  # of the limits
PUSH = 0.25  # of the supply's force
OPENING = 0.45  # of the valve: a machine that is off by a fifth still follows
OWN_LOOP = 0.9  # of each limit, where the rig closes its own loop: its reference is limited, and it follows less
LINE = 0.02  # of the acceleration, that a single line of a multisine may have


class Riding(Shape):
    """Lines of equal acceleration that ride on slow ones of much speed.

    Where the table slides on, fast lines meet no stiction; lines that fill the acceleration alone leave it sticking.
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
    """A share of the limits of position, velocity and acceleration, and of what valve and supply can do."""
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
