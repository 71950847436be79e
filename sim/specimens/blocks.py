"""The 4×4 systems of a two-link chain, reduced to 2×2: factored once, solved as often as one likes.

They say what the gaps' second derivatives are, given the joints' forces. With v1 = (a1 n1, b1 n1) and v2 = (0, a2 n2),
n a link's normal, and q1, q2 vectors that are v1, v2 where there is no friction, the matrix is

    K = P + v1⊗q1 / J1 + v2⊗q2 / J2          P = | p1  -p1   | ⊗ 1  + diag(pt, 0, 0, 0),   p: one over a mass
                                                 | -p1 p1+p2 |

K d = r asks which forces d make these accelerations r. P⁻¹ is known: if the links only moved, and did not turn, the
forces would be ρ = P⁻¹ r, sums of masses times accelerations. They turn by τ, which is the solution of the pendulum in
reduced coordinates:

    d = ρ - U τ                                     U = P⁻¹ (v1 v2)
    (diag(J1, J2) + (q1 q2)ᵀ U) τ = (q1·ρ, q2·ρ)    the matrix of inertia, E
"""

from typing import Any

from hilctl.rt.jit import jit

Pair = tuple[float, float]
Four = tuple[float, float, float, float]
# P⁻¹ along x (three) and y (two), U by columns (eight), E⁻¹ by rows (four)
Factors = tuple[
    float, float, float, float, float,
    float, float, float, float, float, float, float, float,
    float, float, float, float,
]  # fmt: skip
# q1, and of q2 what is not 0
Rows = tuple[float, float, float, float, float, float]


@jit()
def rt_factor(link1: Any, link2: Any, pt: float, c1: float, s1: float, c2: float, s2: float, rows: Rows) -> Factors:
    """The factors, for n1 = (c1, s1) and n2 = (c2, s2)."""
    m2, a1, b1, a2 = link2.m, link1.a, link1.b, link2.a
    both = link1.m + m2
    over = 1.0 / (1.0 + pt * both)
    x11, x12, x22 = over * both, over * m2, over * (m2 + pt * link1.m * m2)
    u11, u13 = (x11 * a1 + x12 * b1) * c1, (x12 * a1 + x22 * b1) * c1
    u12, u14 = (both * a1 + m2 * b1) * s1, m2 * (a1 + b1) * s1
    u21, u23, u22 = x12 * a2 * c2, x22 * a2 * c2, m2 * a2 * s2
    q11, q12, q13, q14, q23, q24 = rows
    ea = link1.J + ((q11 * u11 + q12 * u12) + (q13 * u13 + q14 * u14))
    eb = (q11 * u21 + q12 * u22) + (q13 * u23 + q14 * u22)
    ec = q23 * u13 + q24 * u14
    ed = link2.J + (q23 * u23 + q24 * u22)
    over = 1.0 / (ea * ed - eb * ec)
    return (
        x11, x12, x22, both, m2,
        u11, u12, u13, u14, u21, u22, u23, u22,
        ed * over, -eb * over, -ec * over, ea * over,
    )  # fmt: skip


@jit()
def rt_solve(factors: Factors, rows: Rows, r1: float, r2: float, r3: float, r4: float) -> tuple[Four, Pair]:
    """d = K⁻¹ r, and τ: what forces less by d add to the links' angular accelerations."""
    x11, x12, x22, both, m2, u11, u12, u13, u14, u21, u22, u23, u24, ia, ib, ic, id_ = factors
    q11, q12, q13, q14, q23, q24 = rows
    d1, d2, d3, d4 = x11 * r1 + x12 * r3, both * r2 + m2 * r4, x12 * r1 + x22 * r3, m2 * (r2 + r4)
    z1, z2 = (q11 * d1 + q12 * d2) + (q13 * d3 + q14 * d4), q23 * d3 + q24 * d4
    t1, t2 = ia * z1 + ib * z2, ic * z1 + id_ * z2
    return (
        (
            d1 - (u11 * t1 + u21 * t2),
            d2 - (u12 * t1 + u22 * t2),
            d3 - (u13 * t1 + u23 * t2),
            d4 - (u14 * t1 + u24 * t2),
        ),
        (t1, t2),
    )


@jit()
def rt_turn(factors: Factors, z1: float, z2: float) -> tuple[Four, Pair]:
    """d where torques z brake the links, r = v1 z1/J1 + v2 z2/J2, and what they then turn less: τ = E⁻¹ z, d = U τ."""
    _, _, _, _, _, u11, u12, u13, u14, u21, u22, u23, u24, ia, ib, ic, id_ = factors
    t1, t2 = ia * z1 + ib * z2, ic * z1 + id_ * z2
    return (u11 * t1 + u21 * t2, u12 * t1 + u22 * t2, u13 * t1 + u23 * t2, u14 * t1 + u24 * t2), (t1, t2)
