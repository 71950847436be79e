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

It is solved by a quasi-Newton method, the Jacobian at the last solution being factored once. With v1 = (a1 n1, b1 n1),
v2 = (0, a2 n2), and P⁻¹ and U = P⁻¹ (v1 v2) as in `inertia.py`, the four come down to two, for t, what is added to θ'':

    δ = r + U t,   r = -P⁻¹ R                         what is added to λ
    (diag(J) + (q1 q2)ᵀ U) t = -(q1·r, q2·r)          q1, q2: v1, v2 and what friction's arms add along λ

δ goes along the last λj by `along` and across it by `across`. Then |λj| is longer than it was by `along` and by

    bent = across² / (new |λj| + last |λj| + along)

which is all that is not linear: the torques z that friction has of it are what the next rounds correct. Nothing but R
is a difference of large numbers, so the solution is as good as R.

Where a table is held, x'' = 0 takes the place of its row. The solution is unique while friction's arms are short
against the links (`geometry.py`), which the declaration checks for every pose.
"""

import math
from typing import Any

from hilctl.rt.jit import jit
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

    # v1 = (ax ay bx by), v2 = (0 0 cx cy), and of -R what depends on neither λ nor θ''; e = (s, -c)
    ax, ay, bx, by, cx, cy = a1 * c1, a1 * s1, b1 * c1, b1 * s1, a2 * c2, a2 * s2
    spin1, spin2 = w1 * w1, w2 * w2
    o1x, o1y = pt * force_on_table - ay * spin1, spec.gravity + ax * spin1
    o2x, o2y = -(cy * spin2 + by * spin1), cx * spin2 + bx * spin1
    # P⁻¹, U by rows, and diag(J) + (v1 v2)ᵀ U
    along_x, along_y = spec.free, spec.firm
    if held:
        along_x = spec.firm
    m11, m12, m22, n11, n12 = along_x.m11, along_x.m12, along_x.m22, along_y.m11, along_y.m12
    u11, u12, u13, u14 = along_x.h1 * c1, along_x.h2 * c2, along_y.h1 * s1, along_y.h2 * s2
    u21, u22, u23, u24 = along_x.k1 * c1, along_x.k2 * c2, along_y.k1 * s1, u14
    j11 = link1.J + ((ax * u11 + ay * u13) + (bx * u21 + by * u23))
    j12, j22 = cx * u21 + cy * u23, link2.J + (cx * u22 + cy * u24)

    f1x, f1y, f2x, f2y = force[0], force[1], force[2], force[3]
    felt1 = felt2 = 0.0
    turn1, turn2, smooth = 0.0, 0.0, arm1 == 0.0 and arm2 == 0.0
    rounds, done = 0, False
    while not done and rounds < _ROUNDS:
        size1, size2 = math.sqrt(f1x * f1x + f1y * f1y), math.sqrt(f2x * f2x + f2y * f2y)
        over1, over2 = 1.0 / size1 if size1 > 0.0 else 0.0, 1.0 / size2 if size2 > 0.0 else 0.0
        d1x, d1y = f1x * over1 if size1 > 0.0 else 1.0, f1y * over1
        d2x, d2y = f2x * over2 if size2 > 0.0 else 1.0, f2y * over2
        # what t adds along λ and across
        p11, p12, q11, q12 = d1x * u11 + d1y * u13, d1x * u12 + d1y * u14, d1x * u13 - d1y * u11, d1x * u14 - d1y * u12
        p21, p22, q21, q22 = d2x * u21 + d2y * u23, d2x * u22 + d2y * u24, d2x * u23 - d2y * u21, d2x * u24 - d2y * u22
        e11, e12 = j11 + (arm1 * p11 - arm2 * p21), j12 + (arm1 * p12 - arm2 * p22)
        e21, e22 = j12 + arm2 * p21, j22 + arm2 * p22
        over = 1.0 / (e11 * e22 - e12 * e21)
        turn1 = i1 * (couple1 - arm1 * size1 + arm2 * size2 - (ax * f1x + ay * f1y) - (bx * f2x + by * f2y))
        turn2 = i2 * (couple2 - arm2 * size2 - (cx * f2x + cy * f2y))
        # -R
        l1x, l1y = ax * turn1 + o1x - p1 * (f1x - f2x) - pt * f1x, ay * turn1 + o1y - p1 * (f1y - f2y)
        l2x = cx * turn2 + bx * turn1 + o2x - p2 * f2x + p1 * (f1x - f2x)
        l2y = cy * turn2 + by * turn1 + o2y - p2 * f2y + p1 * (f1y - f2y)
        r1x, r1y, r2x, r2y = m11 * l1x + m12 * l2x, n11 * l1y + n12 * l2y, m12 * l1x + m22 * l2x, n12 * (l1y + l2y)
        g1, g2, g3, g4 = d1x * r1x + d1y * r1y, d1x * r1y - d1y * r1x, d2x * r2x + d2y * r2y, d2x * r2y - d2y * r2x
        z1 = (ax * r1x + ay * r1y) + (bx * r2x + by * r2y) + (arm1 * g1 - arm2 * g3)
        z2 = (cx * r2x + cy * r2y) + arm2 * g3
        first1, first2 = over * (e12 * z2 - e22 * z1), over * (e21 * z1 - e11 * z2)
        t1, t2 = first1, first2
        along1, across1 = g1 + (p11 * t1 + p12 * t2), g2 + (q11 * t1 + q12 * t2)
        along2, across2 = g3 + (p21 * t1 + p22 * t2), g4 + (q21 * t1 + q22 * t2)
        moved1, moved2 = abs(along1) + abs(across1), abs(along2) + abs(across2)
        change, limit = moved1 + moved2, _CLOSE * (size1 + size2)
        rounds += 1
        done = change <= limit or (smooth and change < math.inf)
        bent1 = bent2 = 0.0
        if moved1 < _NEAR * size1 and moved2 < _NEAR * size2:
            while not done and rounds < _ROUNDS:
                bent1 = across1 * across1 / (2.0 * (size1 + along1) + bent1)
                bent2 = across2 * across2 / (2.0 * (size2 + along2) + bent2)
                z1, z2 = arm1 * bent1 - arm2 * bent2, arm2 * bent2
                n1, n2 = first1 - over * (e22 * z1 - e12 * z2), first2 - over * (e11 * z2 - e21 * z1)
                t1, t2, n1, n2 = n1, n2, n1 - t1, n2 - t2
                n1, n2, n3, n4 = p11 * n1 + p12 * n2, q11 * n1 + q12 * n2, p21 * n1 + p22 * n2, q21 * n1 + q22 * n2
                along1, across1, along2, across2 = along1 + n1, across1 + n2, along2 + n3, across2 + n4
                before, change = change, abs(n1) + abs(n2) + abs(n3) + abs(n4)
                rounds += 1
                # corrections shrink by a nearly constant factor, so the last two tell the next
                done = change <= limit or change * change <= limit * before
        felt1, felt2 = size1 + (along1 + bent1), size2 + (along2 + bent2)
        turn1, turn2 = turn1 + t1, turn2 + t2
        f1x, f1y = f1x + (r1x + (u11 * t1 + u12 * t2)), f1y + (r1y + (u13 * t1 + u14 * t2))
        f2x, f2y = f2x + (r2x + (u21 * t1 + u22 * t2)), f2y + (r2y + (u23 * t1 + u24 * t2))
    size1, size2 = math.sqrt(f1x * f1x + f1y * f1y), math.sqrt(f2x * f2x + f2y * f2y)
    spec.solves += 1
    spec.rounds += rounds
    if not done:
        spec.failures += 1
        _rt_forget(spec)  # a force that is no number must not be where the next solution starts
    else:
        force[0], force[1], force[2], force[3] = f1x, f1y, f2x, f2y
    spec.normal[0], spec.normal[1] = share1 * size1, share2 * size2
    # |λ| as the links' turning was reckoned with: of another, if ever so little, energy would go uncounted
    spec.torque[0], spec.torque[1] = -arm1 * felt1, -arm2 * felt2

    acceleration = pt * (force_on_table - f1x)
    dy[X1], dy[Y1], dy[TURN1] = y[VX1] - v_table, y[VY1], w1
    dy[X2], dy[Y2], dy[TURN2] = y[VX2] - v_table, y[VY2], w2
    dy[VX1], dy[VY1], dy[W1] = p1 * (f1x - f2x), p1 * (f1y - f2y) - spec.gravity, turn1
    dy[VX2], dy[VY2], dy[W2] = p2 * f2x, p2 * f2y - spec.gravity, turn2
    dy[TIME] = 1.0
    dy[DRIVE_WORK] = couple1 * w1 + couple2 * w2
    dy[TABLE_WORK] = f1x * v_table
    dy[LOSS] = arm1 * felt1 * w1 + arm2 * felt2 * (w2 - w1)
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
