"""The linear servo in a loop: one exact period a call, no allocation."""

import math
from enum import IntEnum
from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt.jit import jit
from hilctl.servo.discrete import Discrete
from hilctl.servo.equations import INPUTS, STATES

SERVO: "np.dtype[Any]" = record_of(
    [
        ("phi", np.float64, (STATES, STATES)),  # of hilctl.servo.discrete
        ("gamma", np.float64, (STATES, INPUTS)),
        ("direct", np.float64, (STATES, INPUTS)),
        ("scale", np.float64, (STATES,)),
    ]
)

SERVO_STATE: "np.dtype[Any]" = record_of(
    [
        ("x", np.float64, (STATES,)),  # the states in SI units, in the order of State
        ("w", np.float64, (STATES,)),  # in natural units, without the direct part
        ("next_w", np.float64, (STATES,)),
        ("ui", np.float64),  # the inputs of the last call
        ("Fd", np.float64),
    ]
)


class ServoStatus(IntEnum):
    """What a step answers."""

    ok = 0
    not_finite = 1  # an input was no number; nothing has moved


def servo_record(step: Discrete) -> Any:
    """The constants of `rt_servo_step`."""
    out = np.zeros(1, SERVO)[0]
    out.phi[:], out.gamma[:], out.direct[:], out.scale[:] = step
    return out


@jit()
def rt_servo_begin(c: Any, s: Any, ui: float, Fd: float) -> int:
    """Begins at the states that stand in `s.x`, with these inputs."""
    if not (math.isfinite(ui) and math.isfinite(Fd)):
        return ServoStatus.not_finite.value
    for i in range(STATES):
        s.w[i] = s.x[i] / c.scale[i] - (c.direct[i, 0] * ui + c.direct[i, 1] * Fd)
    s.ui, s.Fd = ui, Fd
    return ServoStatus.ok.value


@jit()
def rt_servo_step(c: Any, s: Any, ui: float, Fd: float) -> int:
    """One period later, when the inputs are these; `s.x` are the states at that instant."""
    if not (math.isfinite(ui) and math.isfinite(Fd)):
        return ServoStatus.not_finite.value
    rt_advance(c.phi, c.gamma, s.w, s.ui, s.Fd, s.next_w)
    for i in range(STATES):
        s.w[i] = s.next_w[i]
        s.x[i] = c.scale[i] * (s.w[i] + (c.direct[i, 0] * ui + c.direct[i, 1] * Fd))
    s.ui, s.Fd = ui, Fd
    return ServoStatus.ok.value


@jit()
def rt_advance(phi: Any, gamma: Any, w: Any, ui: float, Fd: float, out: Any) -> None:
    """out = phi w + gamma [ui, Fd]."""
    for i in range(STATES):
        total = gamma[i, 0] * ui + gamma[i, 1] * Fd
        for j in range(STATES):
            total += phi[i, j] * w[j]
        out[i] = total
