"""The motions that the paper shows, and the yardsticks that it does not have."""

import math
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from hilctl.papers.declaration import Tell
from sim.specimens import Chain, Hinge, Link, Motion, Pendulum, SpecimenConfig, Swing, simulate, swing
from sim.specimens.yardstick import yardstick

COUPLE_N_M = 6.0
DRIVE_RAD_S = 1.0
PERIOD_S = 2 * math.pi / DRIVE_RAD_S
PERIODS = 40
REST_S = 50.0
ROWS = 3000  # a period
LAWS = ("lugre", "coulomb")


class Yard(NamedTuple):
    """How far a motion is off scipy's."""

    links: int
    law: str
    start: str
    angles_rad: float
    speeds_rad_s: float


class Study(NamedTuple):
    """Everything that was computed."""

    free: dict[str, Swing]
    driven: dict[str, Swing]
    first_kind: Motion  # the paper's own form, LuGre, released
    energy: dict[int, float]  # links: error in a minute, of the greatest energy
    yards: tuple[Yard, ...]


def chain(links: int, law: str, angle: float = math.pi / 2, couple: float = 0.0) -> Chain:
    """Alike rods."""
    own = Link(angle_rad=angle, couple_n_m=couple, drive_rad_s=DRIVE_RAD_S)
    hinge = Hinge(law=law)  # type: ignore[arg-type]  # a name of the declaration
    return replace(Chain(), links=links, link1=own, link2=own, link3=own, link4=own,
                   joint1=hinge, joint2=hinge, joint3=hinge, joint4=hinge)  # fmt: skip


def studied(tell: Tell) -> Study:
    """All of it."""
    step = PERIOD_S / ROWS / 20
    tell("released from level")
    free = {law: swing(chain(2, law), REST_S) for law in LAWS}
    first_kind = simulate(SpecimenConfig(kind="pendulum", pendulum=Pendulum()), REST_S)
    tell("driven")
    driven = {
        law: swing(chain(2, law, couple=COUPLE_N_M), PERIODS * PERIOD_S, step_s=step, every=20) for law in LAWS
    }
    tell("energy over a minute")
    energy = {}
    for links in (1, 2, 3, 4):
        motion = swing(chain(links, "none"), 60.0)
        energy[links] = float(np.abs(motion.imbalance_j).max() / motion.greatest_j)
    tell("scipy's solver")
    yards = [yard(links, "none", *start) for links in (1, 2, 3, 4) for start in ((math.pi / 2, 1.0), (0.1, 5.0))]
    yards += [yard(2, "coulomb", 0.9, 2.0), yard(4, "coulomb", 0.5, 1.0), yard(2, "stribeck", 0.9, 1.0)]
    yards += [yard(2, "lugre", 0.9, 0.7, step) for step in (1e-4, 2e-5)]
    return Study(free, driven, first_kind, energy, tuple(yards))


def yard(links: int, law: str, angle: float, seconds: float, step_s: float = 1e-4) -> Yard:
    """A motion beside scipy's."""
    own, count = chain(links, law, angle), 50
    true = yardstick(own, seconds, count)
    motion = swing(own, seconds, step_s=step_s, every=round(seconds / count / step_s))
    level = "level" if angle == math.pi / 2 else f"{angle:g} rad"
    return Yard(links, law, f"{seconds:g} s from {level}, steps of {1e6 * step_s:g} µs",
                float(np.abs(motion.angles_rad - true.angles_rad).max()),
                float(np.abs(motion.speeds_rad_s - true.speeds_rad_s).max()))  # fmt: skip


def repeats(column: np.ndarray) -> float:
    """How far the last two periods differ."""
    return float(np.abs(column[-ROWS:] - column[-2 * ROWS : -ROWS]).max())


class Jump(NamedTuple):
    """The greatest change of joint 2's normal force within two rows, 4 ms, of the last period."""

    change_n: float
    usual_n: float  # the median change
    speed: float  # of joint 2 there, over its greatest


def jump(motion: Swing) -> Jump:
    """Where the normal force changes most."""
    turning, normal = np.diff(motion.speeds_rad_s[-ROWS:], axis=1)[:, 0], motion.normal_n[-ROWS:, 1]
    change = np.abs(normal[2:] - normal[:-2])
    at = int(change.argmax())
    least = np.abs(turning[at : at + 3]).min()
    return Jump(float(change[at]), float(np.median(change)), float(least / np.abs(turning).max()))
