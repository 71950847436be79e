"""The linear servo's frequency response in closed form: from its transfer functions, not from its matrices.

With Z = m s^2 + B s + KL, N = Kc + Ctc + Vt s/(4 beta), forward gain G from du to flow and feedback F from x7 to uf:

    x4 = G (ui - F x7)        pL = (Z x7 + Fd) / A        x4 = A s x7 + N pL
    (A^2 s + N Z + A G F) x7 = A G ui - N Fd
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hilctl.params import BadValues, Problem
from hilctl.servo.equations import STATES, State
from hilctl.servo.params import Servo, checked


def frequency_response(
    servo: Servo,
    hz: npt.ArrayLike,
    *,
    source: Literal["ui", "Fd"] = "ui",
    outputs: Sequence[State] = (State.displacement,),
) -> npt.NDArray[np.complex128]:
    """The complex gain from an input to each output at each frequency, in SI units: one column an output."""
    p = checked(servo)
    f = np.asarray(hz, np.float64)
    if f.ndim != 1 or not np.isfinite(f).all() or (f < 0).any():
        raise BadValues([Problem("hz", hz, "must be a series of frequencies, finite and not negative")])
    if source not in ("ui", "Fd"):
        raise BadValues([Problem("source", source, "must be ui or Fd")])
    return np.asarray(_states(p, 2j * np.pi * f, source)[:, [State(each) for each in outputs]])


def _states(p: Servo, s: Any, source: str) -> Any:
    """All nine states for a unit of one input."""
    ui, Fd = (1.0, 0.0) if source == "ui" else (0.0, 1.0)
    below = p.T5**2 * s**2 + 2 * p.xi4 * p.T5 * s + 1
    ce2 = (p.T3 * s + 1) / (p.T4 * s + 1)
    ce3 = (p.T5**2 * s**2 + 2 * p.xi3 * p.T5 * s + 1) / below
    valve = 1 / (s**2 / p.ws**2 + 2 * p.xis * s / p.ws + 1)
    G, F = ce2 * ce3 * p.Ki * p.Kiq * valve, p.Kd * (p.T1 * s + 1) / (p.T2 * s + 1)
    Z, N = p.m * s**2 + p.B * s + p.KL, p.Kc + p.Ctc + p.Vt * s / (4 * p.beta)
    x = np.empty((len(s), STATES), np.complex128)
    x7 = (p.A * G * ui - N * Fd) / (p.A**2 * s + N * Z + p.A * G * F)
    du = ui - F * x7
    x[:, State.lead] = (1 - p.T3 / p.T4) / (p.T4 * s + 1) * du
    x[:, State.notch] = ce2 * du / below
    x[:, State.notch_rate] = s * x[:, State.notch]
    x[:, State.flow] = G * du
    x[:, State.flow_rate] = s * x[:, State.flow]
    x[:, State.load_pressure] = (Z * x7 + Fd) / p.A
    x[:, State.displacement] = x7
    x[:, State.velocity] = s * x7
    x[:, State.feedback] = (1 - p.T1 / p.T2) / (p.T2 * s + 1) * p.Kd * x7
    return x
