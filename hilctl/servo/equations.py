"""The linear servo in nine states, in closed form: its matrices, their slopes by the parameters, its poles.

A valve-controlled cylinder under electronic position control, as Zhao and Wang (2013) model it. A voltage `ui` asks for
the displacement `x7`, a force `Fd` disturbs it:

    du = ui - uf;  u1 = du T3/T4 + x1;           x1' = (du (1 - T3/T4) - x1) / T4              lead-lag CE2
    x2' = x3;                                    x3' = (u1 - 2 xi4 T5 x3 - x2) / T5^2          second order CE3
    u2 = u1 + 2 (xi3 - xi4) T5 x3;               ia = Ki u2                                    amplifier
    x4' = x5;                                    x5' = ws^2 (Kiq ia - (2 xis/ws) x5 - x4)      valve
    QL = x4 - Kc x6;                             x6' = (4 beta/Vt)(QL - Ctc x6 - A x8)         load pressure
    x7' = x8;                                    x8' = (A x6 - B x8 - KL x7 - Fd) / m          piston and load
    ud = Kd x7;  uf = ud T1/T2 + x9;             x9' = (ud (1 - T1/T2) - x9) / T2              feedback lead-lag CE1

The paper prints x1' without `du`, and u1 as if it were u1'. Volts, pascals and metres side by side span fifteen
decades, so all numerics run on states in natural units (`scales`), powers of two: nothing is rounded by them.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]

STATES, INPUTS = 9, 2  # the inputs are ui in V and Fd in N

_TINY = 1e-30  # the imaginary step of `slopes`: its square vanishes beside any value, itself it never underflows


class State(IntEnum):
    """The nine states, x1 to x9, by what they are."""

    lead = 0  # V, of CE2
    notch = 1  # V, of CE3
    notch_rate = 2  # V/s
    flow = 3  # m³/s, no-load flow of the valve
    flow_rate = 4  # m³/s²
    load_pressure = 5  # Pa
    displacement = 6  # m
    velocity = 7  # m/s
    feedback = 8  # V, of CE1


def matrices(p: Any) -> tuple[Any, Any]:
    """x' = a x + b [ui, Fd]. Parameters that are arrays give stacks of matrices; complex ones are welcome."""
    shape, kind = np.shape(p.m), np.result_type(*vars(p).values()) if hasattr(p, "__dict__") else np.float64
    a, b = np.zeros((*shape, STATES, STATES), kind), np.zeros((*shape, STATES, INPUTS), kind)
    lead, back = p.T3 / p.T4, p.T1 / p.T2
    uf7 = back * p.Kd  # uf = uf7 x7 + x9
    gain, stiff = p.ws**2 * p.Ki * p.Kiq, 4 * p.beta / p.Vt
    entries = {
        (0, 0): -1 / p.T4, (0, 6): -(1 - lead) / p.T4 * uf7, (0, 8): -(1 - lead) / p.T4,
        (1, 2): 1.0,
        (2, 0): 1 / p.T5**2, (2, 1): -1 / p.T5**2, (2, 2): -2 * p.xi4 / p.T5,
        (2, 6): -lead * uf7 / p.T5**2, (2, 8): -lead / p.T5**2,
        (3, 4): 1.0,
        (4, 0): gain, (4, 2): gain * 2 * (p.xi3 - p.xi4) * p.T5, (4, 3): -(p.ws**2), (4, 4): -2 * p.xis * p.ws,
        (4, 6): -gain * lead * uf7, (4, 8): -gain * lead,
        (5, 3): stiff, (5, 5): -stiff * (p.Kc + p.Ctc), (5, 7): -stiff * p.A,
        (6, 7): 1.0,
        (7, 5): p.A / p.m, (7, 6): -p.KL / p.m, (7, 7): -p.B / p.m,
        (8, 6): p.Kd * (1 - back) / p.T2, (8, 8): -1 / p.T2,
    }  # fmt: skip
    for (i, j), value in entries.items():
        a[..., i, j] = value
    b[..., 0, 0], b[..., 2, 0], b[..., 4, 0] = (1 - lead) / p.T4, lead / p.T5**2, gain * lead
    b[..., 7, 1] = -1 / p.m
    return a, b


class _Stack:
    """One set of parameters for each free one, which there has an imaginary step."""

    def __init__(self, p: Any, free: Sequence[str]) -> None:
        for name in type(p).__struct_fields__:
            column = np.full(len(free), getattr(p, name), np.complex128)
            column += [1j * _TINY if name == each else 0.0 for each in free]
            setattr(self, name, column)


def slopes(p: Any, free: Sequence[str]) -> tuple[Any, Any]:
    """The derivatives of both matrices by each free parameter, to the last digit: d f = Im f(p + ih) / h."""
    a, b = matrices(_Stack(p, free))
    return a.imag / _TINY, b.imag / _TINY


def scales(p: Any) -> tuple[Reals, Reals]:
    """The natural units of states and inputs: what a volt at the input does to each, as powers of two."""
    flow = p.Ki * p.Kiq
    swing = np.sqrt((4 * p.beta * p.A**2 / p.Vt + p.KL) / p.m)  # rad/s: piston and load on oil and spring
    velocity = swing / p.Kd
    pressure = velocity * np.sqrt(4 * p.beta * p.m / p.Vt)
    states = [1.0, 1.0, 1 / p.T5, flow, flow * p.ws, pressure, 1 / p.Kd, velocity, 1.0]
    return _power_of_two(states), _power_of_two([1.0, p.A * pressure])


def _power_of_two(values: Any) -> Reals:
    return np.asarray(np.exp2(np.round(np.log2(np.asarray(values, np.float64)))))


def scaled(a: Any, b: Any, p: Any) -> tuple[Any, Any]:
    """Both matrices, or their slopes, in natural units."""
    states, inputs = scales(p)
    return a * states / states[:, None], b * inputs / states[:, None]


def poles(p: Any) -> npt.NDArray[np.complex128]:
    """The closed loop's poles in 1/s, the slowest first."""
    found = np.linalg.eigvals(scaled(*matrices(p), p)[0]).astype(np.complex128)
    return found[np.argsort(-found.real, kind="stable")]
