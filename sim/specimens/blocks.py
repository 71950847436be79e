"""The 4×4 systems of a two-link chain, in blocks of two: factored once, solved as often as one likes.

With n⊗q the dyad of a link's normal and any vector, the matrix is

    K11 = (p1 + diag(pt, 0)) + α1 n1⊗q11          K12 = -p1 + α1 n1⊗q12
    K21 = -p1 + β1 n1⊗q11                         K22 = p1 + p2 + β1 n1⊗q12 + α2 n2⊗q22

p: one over a mass; α, β: a/J and b/J. Without friction q11 = a1 n1, q12 = b1 n1, q22 = a2 n2, and K is Φq M⁻¹ Φqᵀ,
symmetric and positive definite. K11 is inverted, then its Schur complement S = K22 - K21 K11⁻¹ K12.
"""

from hilctl.rt.jit import jit

# K11⁻¹, K12, K21, S⁻¹, each by rows
Factors = tuple[
    float, float, float, float, float, float, float, float,
    float, float, float, float, float, float, float, float,
]  # fmt: skip


@jit()
def rt_factor(
    p1: float, p2: float, pt: float, alpha1: float, beta1: float, alpha2: float,
    c1: float, s1: float, c2: float, s2: float,
    q11x: float, q11y: float, q12x: float, q12y: float, q22x: float, q22y: float,
) -> Factors:  # fmt: skip
    """The factors, for n1 = (c1, s1) and n2 = (c2, s2)."""
    n1x, n1y, o1x, o1y, n2x, n2y = alpha1 * c1, alpha1 * s1, beta1 * c1, beta1 * s1, alpha2 * c2, alpha2 * s2
    a, b = p1 + pt + n1x * q11x, n1x * q11y
    c, d = n1y * q11x, p1 + n1y * q11y
    over = 1.0 / (a * d - b * c)
    ia, ib, ic, id_ = d * over, -b * over, -c * over, a * over
    e, f, g, h = -p1 + n1x * q12x, n1x * q12y, n1y * q12x, -p1 + n1y * q12y
    j, k, m, n = -p1 + o1x * q11x, o1x * q11y, o1y * q11x, -p1 + o1y * q11y
    # K11⁻¹ K12
    ta, tb, tc, td = ia * e + ib * g, ia * f + ib * h, ic * e + id_ * g, ic * f + id_ * h
    sa = p1 + p2 + o1x * q12x + n2x * q22x - (j * ta + k * tc)
    sb = o1x * q12y + n2x * q22y - (j * tb + k * td)
    sc = o1y * q12x + n2y * q22x - (m * ta + n * tc)
    sd = p1 + p2 + o1y * q12y + n2y * q22y - (m * tb + n * td)
    over = 1.0 / (sa * sd - sb * sc)
    return ia, ib, ic, id_, e, f, g, h, j, k, m, n, sd * over, -sb * over, -sc * over, sa * over


@jit()
def rt_solve(factors: Factors, r1x: float, r1y: float, r2x: float, r2y: float) -> tuple[float, float, float, float]:
    """K⁻¹ r."""
    ia, ib, ic, id_, e, f, g, h, j, k, m, n, sa, sb, sc, sd = factors
    ux, uy = ia * r1x + ib * r1y, ic * r1x + id_ * r1y
    vx, vy = r2x - (j * ux + k * uy), r2y - (m * ux + n * uy)
    d2x, d2y = sa * vx + sb * vy, sc * vx + sd * vy
    tx, ty = r1x - (e * d2x + f * d2y), r1y - (g * d2x + h * d2y)
    return ia * tx + ib * ty, ic * tx + id_ * ty, d2x, d2y
