"""What a reference says at one instant: displacement, and its first three derivatives.

Inside the references the same four numbers travel as a tuple (a *jet*), so that envelopes and carriers multiply by the
product rule and nothing is allocated.
"""

from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt import jit

POINT: "np.dtype[Any]" = record_of(
    [("x_m", np.float64), ("v_m_s", np.float64), ("a_m_s2", np.float64), ("j_m_s3", np.float64)]
)

Jet = tuple[float, float, float, float]


@jit()
def rt_put(out: Any, jet: Jet) -> None:
    """Writes a jet into a POINT."""
    out.x_m = jet[0]
    out.v_m_s = jet[1]
    out.a_m_s2 = jet[2]
    out.j_m_s3 = jet[3]


@jit()
def rt_rest(out: Any, x_m: float) -> None:
    """A POINT that stands still."""
    out.x_m = x_m
    out.v_m_s = 0.0
    out.a_m_s2 = 0.0
    out.j_m_s3 = 0.0


@jit()
def rt_product(f: Jet, g: Jet) -> Jet:
    """The jet of a product, by Leibniz."""
    return (
        f[0] * g[0],
        f[1] * g[0] + f[0] * g[1],
        f[2] * g[0] + 2.0 * f[1] * g[1] + f[0] * g[2],
        f[3] * g[0] + 3.0 * (f[2] * g[1] + f[1] * g[2]) + f[0] * g[3],
    )


@jit()
def rt_reciprocal(q: Jet) -> Jet:
    """The jet of 1/q, from the derivatives of q · (1/q) = 1."""
    h0 = 1.0 / q[0]
    h1 = -h0 * (q[1] * h0)
    h2 = -h0 * (q[2] * h0 + 2.0 * q[1] * h1)
    h3 = -h0 * (q[3] * h0 + 3.0 * (q[2] * h1 + q[1] * h2))
    return h0, h1, h2, h3


def new_point() -> Any:
    """A POINT at rest at zero."""
    return np.zeros(1, POINT)[0]
