"""The chain's memory, a part of the specimen's: constants, joints, what sticks, and room for one solution.

Its state is the angles and angular speeds of the joints, relative to the link above: where a joint sticks its speed is
exactly nothing.
"""

from typing import Any

import numpy as np

from hilctl.friction import PARAMETERS, STATES
from hilctl.params import record_of

MOST = 4  # links
TURN, SPEED, TIME, DRIVE_WORK, TABLE_WORK, LOSS = 0, MOST, 2 * MOST, 2 * MOST + 1, 2 * MOST + 2, 2 * MOST + 3
CHAIN_WORDS = LOSS + 1
NO_LAW = -1

HINGE: "np.dtype[Any]" = record_of(
    [
        ("law", np.int64),  # the code of its friction model, or NO_LAW
        ("kind", np.int64),
        ("lever", np.float64),  # what makes the law's speed of the joint's, and the torque of the law's force
        ("radius", np.float64),  # of the pin
        ("per_load", np.float64),  # 1 / the normal force under which the law holds; 0: under any
        ("mode", np.float64),  # of a law that jumps: the direction of turning, 0 while it sticks
        ("p", np.float64, (PARAMETERS,)),
        ("z", np.float64, (STATES,)),
    ]
)

CHAIN: "np.dtype[Any]" = record_of(
    [
        # constants
        ("links", np.int64),
        ("jumps", np.int64),  # joints whose law jumps at rest
        ("mass", np.float64, (MOST,)),  # all that hangs on a joint
        ("load", np.float64, (MOST, MOST)),  # Σ m A of the links that hang on joint j, for the turning of link k
        ("inertia", np.float64, (MOST, MOST)),  # Σ m A A, and on the diagonal a link's own J too
        ("couple", np.float64, (MOST,)),
        ("drive", np.float64, (MOST,)),
        ("hinge", HINGE, (MOST,)),
        # one solution
        ("push", np.float64),  # the force on the table that it was made for
        ("held", np.int64),  # and whether that stood still
        ("sin", np.float64, (MOST,)),
        ("cos", np.float64, (MOST,)),
        ("turning", np.float64, (MOST,)),  # of a link, from the ground
        ("system", np.float64, (MOST + 1, MOST + 1)),  # of the joints' accelerations and the table's
        ("right", np.float64, (MOST + 1,)),
        ("work", np.float64, (MOST + 1, MOST + 2)),
        ("answer", np.float64, (MOST + 1,)),  # the last solution: the next one starts from it
        ("rest", np.float64, (MOST, 2)),  # of a joint's force, what does not depend on the accelerations
        ("lean", np.float64, (MOST, 2, MOST + 1)),  # and the rest of it
        ("force", np.float64, (MOST,)),  # the joint's resultant
        ("arm", np.float64, (MOST,)),
        ("fixed", np.float64, (MOST,)),
        ("torque", np.float64, (MOST,)),  # of friction, on the joint's outer link
        ("solves", np.int64),
        ("rounds", np.int64),
        ("failures", np.int64),
    ]
)
