"""A specimen's memory: its constants, its state as one array of words, and the room that a Runge–Kutta step needs.

The state y is laid out by kind. Its first `words` words are integrated; the two bristles behind them are stiff and
solved by themselves (`rt_relax`). Positions along the axis are relative to the table, speeds are absolute: so nothing
depends on where the table is, and what is large never hides what is small.

    structure   deflection, speed of the mass; work done by the table, loss
    pendulum    x y θ of either link, their speeds; time; work done by the drives and by the table, loss; bristles
    chain       as in `chain/record.py`

y is what has been accepted, `trial` a stage of a step, `end` its end, which `rt_commit` accepts. A caller that looks
for an instant inside a step may therefore take it as often as it likes.
"""

from enum import IntEnum
from typing import Any

import numpy as np

from hilctl.params import record_of
from sim.specimens.chain.record import CHAIN
from sim.specimens.inertia import INERTIA
from sim.specimens.near import NEAR

SIZE = 18  # words of the state, the longest

# structure
DEFLECTION, MASS_SPEED, STRUCTURE_WORK, STRUCTURE_LOSS = range(4)
STRUCTURE_WORDS = 4

# pendulum
X1, Y1, TURN1, X2, Y2, TURN2, VX1, VY1, W1, VX2, VY2, W2, TIME, DRIVE_WORK, TABLE_WORK, LOSS = range(16)
PENDULUM_WORDS = 16
BRISTLE1, BRISTLE2 = 16, 17


class Kind(IntEnum):
    """What stands on the table; the order of `kind` in the rig file."""

    NONE = 0
    RIGID = 1
    STRUCTURE = 2
    PENDULUM = 3
    CHAIN = 4


LINK: "np.dtype[Any]" = record_of(
    [
        ("m", np.float64),
        ("J", np.float64),  # about its centre of mass
        ("per_m", np.float64),
        ("per_J", np.float64),
        ("a", np.float64),  # from its upper joint to its centre of mass
        ("b", np.float64),  # from there to its lower end
        ("couple", np.float64),  # amplitude of the driving couple
        ("w", np.float64),  # its angular frequency
        ("turn", NEAR),  # θ
        ("drive", NEAR),  # the couple's phase
    ]
)

JOINT: "np.dtype[Any]" = record_of(
    [
        ("r", np.float64),  # radius of the pin
        ("rough", np.int64),  # it has friction
        ("mu_c", np.float64),
        ("rise", np.float64),  # mu_s - mu_c
        ("per_vs", np.float64),
        ("delta", np.float64),
        ("sigma", np.float64),
        ("s0", np.float64),
        ("s1", np.float64),
        ("per_vd", np.float64),
        # of the last speed that its bristles were bent at, and for how long
        ("turning", np.float64),
        ("dt", np.float64),
        ("level", np.float64),  # g
        ("settled", np.float64),  # where they would come to
        ("fade", np.float64),  # how much of the way, times -1
    ]
)

SPECIMEN: "np.dtype[Any]" = record_of(
    [
        # constants
        ("kind", np.int64),
        ("words", np.int64),  # of y that are integrated
        ("per_table", np.float64),  # 1 / mass of the bare table
        ("gravity", np.float64),
        ("mass", np.float64),  # rigid, structure
        ("per_total", np.float64),  # rigid: 1 / (table and mass)
        ("weight", np.float64),  # rigid, structure: along the axis, 0 on a horizontal one
        ("stiffness", np.float64),
        ("damping", np.float64),
        ("per_mass", np.float64),
        ("pivot", np.float64),  # pendulum: height of the upper joint
        ("link1", LINK),
        ("link2", LINK),
        ("firm", INERTIA),  # of both links: on a table that is held
        ("free", INERTIA),  # and on one that is not
        ("joint1", JOINT),
        ("joint2", JOINT),
        ("chain", CHAIN),
        # state
        ("y", np.float64, (SIZE,)),
        ("trial", np.float64, (SIZE,)),
        ("end", np.float64, (SIZE,)),
        ("rates", np.float64, (4, SIZE)),
        # what the last solution was: the next one starts from it
        ("force", np.float64, (4,)),  # multipliers: λ1x λ1y λ2x λ2y
        ("normal", np.float64, (2,)),
        ("torque", np.float64, (2,)),  # of friction, on the outer link of either joint
        ("solves", np.int64),
        ("rounds", np.int64),  # of the quasi-Newton method, in all
        ("failures", np.int64),  # solves that did not converge
    ]
)
