"""The two-link pendulum on the table: Lagrange's equations of the first kind, friction coupled to the normal forces.

Each link i has its own coordinates x_i, y_i (centre of mass; x along the table's axis, y up) and θ_i, which is zero
hanging and grows counter-clockwise. With e = (sin θ, -cos θ) down the link, n = de/dθ = (cos θ, sin θ), and the upper
joint at the distance a, the lower end at b from the centre of mass, the joints close when

    Φ1 = p1 - a1 e1 - (0, h) = 0                      p_i = (x_i, y_i) relative to the table, h the pivot's height
    Φ2 = p2 - a2 e2 - p1 - b1 e1 = 0

λ1 is what the table gives to link 1, λ2 what link 1 gives to link 2. M_i = Mi sin(w_i t) are couples from outside, and
T_j = -w_j |λ_j| is friction on the outer link of joint j (`joint.py`):

    m1 p1'' = λ1 - λ2 - (0, m1 g)                     J1 θ1'' = M1 + T1 - T2 - a1 n1·λ1 - b1 n1·λ2
    m2 p2'' = λ2 - (0, m2 g)                          J2 θ2'' = M2 + T2 - a2 n2·λ2
    mt x''  = F - λ1x                                 the table: F is everything else that acts on it

Put into the second derivatives of Φ this is a system of four equations for λ, linear but for |λ1| and |λ2|:

    R1 = p1'' - a1 (n1 θ1'' - e1 θ1'^2) - (x'', 0) = 0
    R2 = p2'' - a2 (n2 θ2'' - e2 θ2'^2) - p1'' - b1 (n1 θ1'' - e1 θ1'^2) = 0

It is solved by a quasi-Newton method: the Jacobian at the last solution, factored once and kept while the residual is
driven out. Where a table is held, x'' = 0 takes the place of its row. The solution is unique while friction's arms are
short against the links (`rt_coupling`), which the declaration checks for every pose.
"""

import math
from typing import Any

from hilctl.rt.jit import jit
from sim.specimens.blocks import rt_factor, rt_solve, rt_turn
from sim.specimens.joint import rt_arm, rt_deflect_pin
from sim.specimens.near import rt_sin_cos
from sim.specimens.record import (
    BRISTLE1,
    BRISTLE2,
    DRIVE_WORK,
    LOSS,
    TABLE_WORK,
    TIME,
    TURN1,
    TURN2,
    VX1,
    VX2,
    VY1,
    VY2,
    W1,
    W2,
    X1,
    X2,
    Y1,
    Y2,
)

_ROUNDS = 30  # of the quasi-Newton method; two are usual, without friction one
_NEAR = 1 / 64  # relative: a force that moves farther than this is a new place to start from
_CLOSE = 1e-13  # relative: where the next correction would be smaller than this, there is none


@jit()
def rt_accelerate_pendulum(
    spec: Any, y: Any, dy: Any, v_table: float, force_on_table: float, held: bool
) -> tuple[float, float]:
    """The table's acceleration and the pendulum's force on it; fills dy. Starts from, and keeps, spec.force."""
    link1, link2, force = spec.link1, spec.link2, spec.force
    a1, b1, p1, i1 = link1.a, link1.b, link1.per_m, link1.per_J
    a2, p2, i2 = link2.a, link2.per_m, link2.per_J
    pt = 0.0 if held else spec.per_table
    w1, w2 = y[W1], y[W2]
    s1, c1 = rt_sin_cos(link1.turn, y[TURN1])
    s2, c2 = rt_sin_cos(link2.turn, y[TURN2])
    couple1 = link1.couple * rt_sin_cos(link1.drive, link1.w * y[TIME])[0] if link1.couple != 0.0 else 0.0
    couple2 = link2.couple * rt_sin_cos(link2.drive, link2.w * y[TIME])[0] if link2.couple != 0.0 else 0.0
    arm1, share1 = rt_arm(spec.joint1, y[BRISTLE1], w1)
    arm2, share2 = rt_arm(spec.joint2, y[BRISTLE2], w2 - w1)

    # what does not depend on λ; e = (s, -c)
    n1x, n1y, o1x, o1y, n2x, n2y = a1 * c1, a1 * s1, b1 * c1, b1 * s1, a2 * c2, a2 * s2
    spin1, spin2 = w1 * w1, w2 * w2
    k1x = n1y * spin1 - pt * force_on_table
    k1y = -n1x * spin1 - spec.gravity
    k2x = n2y * spin2 + o1y * spin1
    k2y = -n2x * spin2 - o1x * spin1

    f1x, f1y, f2x, f2y = force[0], force[1], force[2], force[3]
    turn1, turn2, smooth = 0.0, 0.0, arm1 == 0.0 and arm2 == 0.0
    rounds, done = 0, False
    while not done and rounds < _ROUNDS:
        size1, size2 = math.sqrt(f1x * f1x + f1y * f1y), math.sqrt(f2x * f2x + f2y * f2y)
        over1, over2 = 1.0 / size1 if size1 > 0.0 else 0.0, 1.0 / size2 if size2 > 0.0 else 0.0
        u1x, u1y, u2x, u2y = f1x * over1, f1y * over1, f2x * over2, f2y * over2
        # dθ1''/dλ1 = -i1 q11, dθ1''/dλ2 = -i1 q12, dθ2''/dλ2 = -i2 q22
        rows = (
            n1x + arm1 * u1x, n1y + arm1 * u1y, o1x - arm2 * u2x, o1y - arm2 * u2y, n2x + arm2 * u2x, n2y + arm2 * u2y
        )  # fmt: skip
        factors = rt_factor(link1, link2, pt, c1, s1, c2, s2, rows)
        turn1 = i1 * (couple1 - arm1 * size1 + arm2 * size2 - (n1x * f1x + n1y * f1y) - (o1x * f2x + o1y * f2y))
        turn2 = i2 * (couple2 - arm2 * size2 - (n2x * f2x + n2y * f2y))
        r1x = p1 * (f1x - f2x) + pt * f1x - n1x * turn1 + k1x
        r1y = p1 * (f1y - f2y) - n1y * turn1 + k1y
        r2x = p2 * f2x - p1 * (f1x - f2x) - n2x * turn2 - o1x * turn1 + k2x
        r2y = p2 * f2y - p1 * (f1y - f2y) - n2y * turn2 - o1y * turn1 + k2y
        (d1x, d1y, d2x, d2y), (t1, t2) = rt_solve(factors, rows, r1x, r1y, r2x, r2y)
        f1x, f1y, f2x, f2y, turn1, turn2 = f1x - d1x, f1y - d1y, f2x - d2x, f2y - d2y, turn1 + t1, turn2 + t2
        rounds += 1
        moved1, moved2 = abs(d1x) + abs(d1y), abs(d2x) + abs(d2y)
        change, limit = moved1 + moved2, _CLOSE * (size1 + size2)
        done = change <= limit or (smooth and change < math.inf)
        if moved1 <= _NEAR * size1 and moved2 <= _NEAR * size2:
            g1x = g1y = g2x = g2y = t1 = t2 = bent1 = bent2 = 0.0
            while not done and rounds < _ROUNDS:
                h1x, h1y, h2x, h2y = d1x + g1x, d1y + g1y, d2x + g2x, d2y + g2y
                along1, across1 = size1 - (u1x * h1x + u1y * h1y), u1x * h1y - u1y * h1x
                along2, across2 = size2 - (u2x * h2x + u2y * h2y), u2x * h2y - u2y * h2x
                bent1 = across1 * across1 / (2.0 * along1 + bent1)
                bent2 = across2 * across2 / (2.0 * along2 + bent2)
                (h1x, h1y, h2x, h2y), (t1, t2) = rt_turn(factors, arm1 * bent1 - arm2 * bent2, arm2 * bent2)
                before, change = change, abs(h1x - g1x) + abs(h1y - g1y) + abs(h2x - g2x) + abs(h2y - g2y)
                g1x, g1y, g2x, g2y = h1x, h1y, h2x, h2y
                rounds += 1
                # corrections shrink by a nearly constant factor, so the last two tell the next
                done = change <= limit or change * change <= limit * before
            f1x, f1y, f2x, f2y, turn1, turn2 = f1x - g1x, f1y - g1y, f2x - g2x, f2y - g2y, turn1 - t1, turn2 - t2
    size1, size2 = math.sqrt(f1x * f1x + f1y * f1y), math.sqrt(f2x * f2x + f2y * f2y)
    spec.solves += 1
    spec.rounds += rounds
    if not done:
        spec.failures += 1
        _rt_forget(spec)  # a force that is no number must not be where the next solution starts
    else:
        force[0], force[1], force[2], force[3] = f1x, f1y, f2x, f2y
    spec.normal[0], spec.normal[1] = share1 * size1, share2 * size2
    spec.torque[0], spec.torque[1] = -arm1 * size1, -arm2 * size2

    acceleration = pt * (force_on_table - f1x)
    dy[X1], dy[Y1], dy[TURN1] = y[VX1] - v_table, y[VY1], w1
    dy[X2], dy[Y2], dy[TURN2] = y[VX2] - v_table, y[VY2], w2
    dy[VX1], dy[VY1], dy[W1] = p1 * (f1x - f2x), p1 * (f1y - f2y) - spec.gravity, turn1
    dy[VX2], dy[VY2], dy[W2] = p2 * f2x, p2 * f2y - spec.gravity, turn2
    dy[TIME] = 1.0
    dy[DRIVE_WORK] = couple1 * w1 + couple2 * w2
    dy[TABLE_WORK] = f1x * v_table
    dy[LOSS] = arm1 * size1 * w1 + arm2 * size2 * (w2 - w1)
    return acceleration, -f1x


@jit()
def _rt_forget(spec: Any) -> None:
    """The guess that needs no past: the links hang still."""
    spec.force[0] = spec.force[2] = 0.0
    spec.force[3] = spec.link2.m * spec.gravity
    spec.force[1] = spec.link1.m * spec.gravity + spec.force[3]


@jit()
def rt_relax_pendulum(spec: Any, y: Any, dt: float) -> None:
    """The bristles after dt at the present speeds."""
    y[BRISTLE1] = rt_deflect_pin(spec.joint1, y[BRISTLE1], y[W1], dt)
    y[BRISTLE2] = rt_deflect_pin(spec.joint2, y[BRISTLE2], y[W2] - y[W1], dt)


@jit()
def rt_gap_pendulum(spec: Any, y: Any) -> float:
    """How far the joints have come apart: the greatest component of Φ."""
    link1, link2 = spec.link1, spec.link2
    c1, s1, c2, s2 = math.cos(y[TURN1]), math.sin(y[TURN1]), math.cos(y[TURN2]), math.sin(y[TURN2])
    first: float = max(abs(y[X1] - link1.a * s1), abs(y[Y1] + link1.a * c1 - spec.pivot))
    dx, dy = y[X2] - y[X1] - link2.a * s2 - link1.b * s1, y[Y2] - y[Y1] + link2.a * c2 + link1.b * c1
    second: float = max(abs(dx), abs(dy))
    return max(first, second)
