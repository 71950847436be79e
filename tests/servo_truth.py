"""The linear servo a second time: its equations line by line as the papers write them, solved in long double.

Nothing here is shared with hilctl.servo: no matrix, no scaling, no exponential. Between two samples the states are
Taylor series of the equations themselves; as these are linear, a period is found once, for each unit state and input.
"""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from hilctl.params import plain

_TERMS = 28  # 1/28! is below the last digit of a long double, for substeps that no time constant outlasts


def numbers(servo: Any, kind: Any = np.longdouble, **changes: Any) -> Any:
    """The servo's parameters in another precision."""
    return SimpleNamespace(**{name: kind(value) for name, value in {**plain(servo), **changes}.items()})


def rates(p: Any, x: Any, ui: Any, Fd: Any, *, printed: bool = False) -> list[Any]:
    """x' for the states x1 to x9. `printed`: with the misprint of x1', which lacks du."""
    x1, x2, x3, x4, x5, x6, x7, x8, x9 = x
    ud = p.Kd * x7
    uf = ud * p.T1 / p.T2 + x9
    du = ui - uf
    u1 = du * p.T3 / p.T4 + x1
    u2 = u1 + 2 * (p.xi3 - p.xi4) * p.T5 * x3
    ia = p.Ki * u2
    load_flow = x4 - p.Kc * x6
    return [
        ((1 if printed else du) * (1 - p.T3 / p.T4) - x1) / p.T4,
        x3,
        (u1 - 2 * p.xi4 * p.T5 * x3 - x2) / p.T5**2,
        x5,
        p.ws**2 * (p.Kiq * ia - (2 * p.xis / p.ws) * x5 - x4),
        4 * p.beta / p.Vt * (load_flow - p.Ctc * x6 - p.A * x8),
        x8,
        (p.A * x6 - p.B * x8 - p.KL * x7 - Fd) / p.m,
        (ud * (1 - p.T1 / p.T2) - x9) / p.T2,
    ]


def period(p: Any, dt_s: float) -> tuple[Any, Any, Any]:
    """x one period later = a x + b u + c u_next, for inputs that go straight from u to u_next."""
    kind = type(p.m)
    fastest = abs(p.ws + 1 / p.T2 + 1 / p.T4 + 1 / p.T5 + ((4 * p.beta * p.A**2 / p.Vt + p.KL) / p.m) ** 0.5)
    substeps = max(4, math.ceil(fastest * dt_s))
    span = kind(dt_s) / substeps
    columns = 9 + 4
    x, u, ahead = np.zeros((9, columns), kind), np.zeros((2, columns), kind), np.zeros((2, columns), kind)
    for i in range(9):
        x[i, i] = 1
    for i in range(2):
        u[i, 9 + i] = ahead[i, 11 + i] = 1
    slope = (ahead - u) / kind(dt_s)
    for step in range(substeps):
        now = u + slope * span * step
        term, factor, out = x, kind(1), x.copy()
        drive = [now, slope] + [np.zeros_like(u)] * _TERMS
        for n in range(_TERMS):
            term = np.array(rates(p, term, *drive[n]))
            factor = factor * span / (n + 1)
            out = out + term * factor
        x = out
    return x[:, :9], x[:, 9:11], x[:, 11:]


def response(p: Any, dt_s: float, inputs: Any, *, held: bool = False, initial: Any = None) -> Any:
    """All nine states at each sample; `inputs` are (samples, 2)."""
    a, b, c = period(p, dt_s)
    if held:
        b, c = b + c, np.zeros_like(c)
    u = np.asarray(inputs).astype(type(p.m))
    push = u[:-1] @ b.T + u[1:] @ c.T
    out = np.zeros((len(u), 9), type(p.m))
    if initial is not None:
        out[0] = initial
    for k in range(len(u) - 1):
        out[k + 1] = a @ out[k] + push[k]
    return out
