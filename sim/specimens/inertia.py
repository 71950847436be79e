"""What the joints' forces move: the masses that hang on either joint, and the levers by which a turning link loads it.

With v1 = (a1 n1, b1 n1), v2 = (0, a2 n2), and r the accelerations at which the joints' gaps open, Newton's law for the
centres of mass and for the table, whose mass is 1/pt, or infinite where it is held, is

    P λ = r + v1 θ1'' + v2 θ2'' + …           P = | p1  -p1   | and pt more for λ1x,   p = 1/m
                                                  | -p1 p1+p2 |

Its inverse has masses only, and nothing in it is subtracted, so whatever the masses, nothing is lost:

    along y   | m1+m2  m2 |        along x   | m1+m2  m2             | / (1 + pt (m1+m2))
              | m2     m2 |                  | m2     m2 (1 + pt m1) |

U = P⁻¹ (v1 v2): of n1 θ1'', h1 goes to λ1 and k1 to λ2, and of n2 θ2'', h2 and k2.
"""

from typing import Any

import numpy as np

from hilctl.params import record_of

INERTIA: "np.dtype[Any]" = record_of(
    [(name, np.float64) for name in ("m11", "m12", "m22", "h1", "k1", "h2", "k2")]  # P⁻¹ and U along one axis
)


def fill_inertia(out: Any, link1: Any, link2: Any, pt: float) -> None:
    """Along x on a table that is free, and, with pt = 0, on a table that is held; along y, too."""
    m1, m2, over = link1.m, link2.m, 1 / (1 + pt * (link1.m + link2.m))
    out.m11, out.m12, out.m22 = over * (m1 + m2), over * m2, over * (1 + pt * m1) * m2
    out.h1, out.k1 = out.m11 * link1.a + out.m12 * link1.b, out.m12 * link1.a + out.m22 * link1.b
    out.h2, out.k2 = out.m12 * link2.a, out.m22 * link2.a
