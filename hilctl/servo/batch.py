"""A whole record of the linear servo at once: its response, and how that depends on the parameters."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.params import BadValues, Problem
from hilctl.rt.jit import jit
from hilctl.servo.discrete import Discrete, Hold, derive, discretise
from hilctl.servo.equations import STATES, Reals, State
from hilctl.servo.params import Servo
from hilctl.servo.step import rt_advance

_DISPLACEMENT = (State.displacement,)


def simulate(
    servo: Servo,
    ui: npt.ArrayLike,
    dt_s: float,
    *,
    Fd: npt.ArrayLike | None = None,
    outputs: Sequence[State] = _DISPLACEMENT,
    hold: Hold = Hold.first,
    initial: npt.ArrayLike | None = None,
) -> Reals:
    """The outputs at each sample, one column each, in SI units. `initial`: the nine states at the first; else at rest.

    BadValues names what is refused: parameters, an unstable servo, a period, an input that is not finite.
    """
    u, force, rows = _inputs(ui, Fd, outputs)
    step = discretise(servo, dt_s, hold)
    values = np.empty((len(u), len(rows)))
    _simulate(*step, _begin(step, initial), u, force, rows, values)
    return values


def sensitivities(
    servo: Servo,
    free: Sequence[str],
    ui: npt.ArrayLike,
    dt_s: float,
    *,
    Fd: npt.ArrayLike | None = None,
    outputs: Sequence[State] = _DISPLACEMENT,
    hold: Hold = Hold.first,
    initial: npt.ArrayLike | None = None,
) -> tuple[Reals, Reals]:
    """The outputs as from `simulate`, and their exact derivatives: [sample, output, free parameter], in SI units."""
    u, force, rows = _inputs(ui, Fd, outputs)
    step, slopes = derive(servo, free, dt_s, hold)
    values, jacobian = np.empty((len(u), len(rows))), np.empty((len(u), len(rows), len(free)))
    across = len(free) * STATES  # parameters and states as one long axis: the compiler's vectors fill
    d_phi = np.ascontiguousarray(slopes.phi.transpose(2, 0, 1).reshape(STATES, across))
    d_gamma, d_direct = (np.ascontiguousarray(each.reshape(across, -1).T) for each in (slopes.gamma, slopes.direct))
    begin = _begin(step, initial)
    _differentiate(*step, begin, d_phi, d_gamma, d_direct, u, force, rows, values, jacobian)
    return values, jacobian


def _inputs(ui: npt.ArrayLike, Fd: npt.ArrayLike | None, outputs: Sequence[State]) -> tuple[Reals, Reals, Any]:
    """Contiguous, finite, of one length; no force is an empty array."""
    u = _series("ui", ui)
    force = np.zeros(0) if Fd is None else _series("Fd", Fd)
    if Fd is not None and len(force) != len(u):
        raise BadValues([Problem("Fd", f"{len(force)} samples", f"must be as long as ui, {len(u)}")])
    rows = np.array([State(each) for each in outputs], np.int64)
    if not len(rows):
        raise BadValues([Problem("outputs", list(outputs), "must name at least one state")])
    return u, force, rows


def _series(key: str, given: npt.ArrayLike) -> Reals:
    series = np.ascontiguousarray(given, np.float64)
    if series.ndim != 1 or not len(series):
        raise BadValues([Problem(key, f"shape {series.shape}", "must be a series of samples")])
    _check_finite(key, series)
    return series


def _check_finite(key: str, series: Reals) -> None:
    if not np.isfinite(series).all():
        first = int(np.argmin(np.isfinite(series)))
        raise BadValues([Problem(f"{key}[{first}]", float(series[first]), "must be finite")])


def _begin(step: Discrete, initial: npt.ArrayLike | None) -> Reals:
    """The states at the first sample, in natural units."""
    if initial is None:
        return np.zeros(STATES)
    begin = np.array(initial, np.float64)
    if begin.shape != (STATES,):
        raise BadValues([Problem("initial", f"shape {begin.shape}", f"must be the {STATES} states")])
    _check_finite("initial", begin)
    return np.asarray(begin / step.scale)


def _simulate_signature() -> str:
    matrix, vector = "float64[:, ::1]", "float64[::1]"
    return f"void({matrix}, {matrix}, {matrix}, {vector}, {vector}, {vector}, {vector}, int64[::1], {matrix})"


@jit(_simulate_signature, cached=True)
def _simulate(
    phi: Any, gamma: Any, direct: Any, scale: Any, begin: Any, ui: Any, force: Any, rows: Any, values: Any
) -> None:
    """Fills `values`; `begin` is used up."""
    w, new = begin, np.empty(STATES)
    pushed = force.size > 0
    Fd = force[0] if pushed else 0.0
    for i in range(STATES):
        w[i] -= direct[i, 0] * ui[0] + direct[i, 1] * Fd
    for k in range(ui.size):
        Fd = force[k] if pushed else 0.0
        for out in range(rows.size):
            i = rows[out]
            values[k, out] = scale[i] * (w[i] + (direct[i, 0] * ui[k] + direct[i, 1] * Fd))
        rt_advance(phi, gamma, w, ui[k], Fd, new)
        for i in range(STATES):
            w[i] = new[i]


def _differentiate_signature() -> str:
    matrix, vector = "float64[:, ::1]", "float64[::1]"
    step = f"{matrix}, {matrix}, {matrix}, {vector}, {vector}, {matrix}, {matrix}, {matrix}"
    return f"void({step}, {vector}, {vector}, int64[::1], {matrix}, float64[:, :, ::1])"


@jit(_differentiate_signature, cached=True)
def _differentiate(
    phi: Any,
    gamma: Any,
    direct: Any,
    scale: Any,
    begin: Any,
    d_phi: Any,
    d_gamma: Any,
    d_direct: Any,
    ui: Any,
    force: Any,
    rows: Any,
    values: Any,
    jacobian: Any,
) -> None:
    """Fills `values` and `jacobian`; `begin` is used up. dw/dp is d[k+1] = phi d[k] + d_phi w[k] + d_gamma u[k]."""
    w, new = begin, np.empty(STATES)
    across = d_gamma.shape[1]
    free = across // STATES
    d, forced = np.zeros(across), np.empty(across)
    pushed = force.size > 0
    Fd = force[0] if pushed else 0.0
    for i in range(STATES):
        w[i] -= direct[i, 0] * ui[0] + direct[i, 1] * Fd
    for q in range(across):
        d[q] = -(d_direct[0, q] * ui[0] + d_direct[1, q] * Fd)
    for k in range(ui.size):
        u = ui[k]
        Fd = force[k] if pushed else 0.0
        for out in range(rows.size):
            i = rows[out]
            values[k, out] = scale[i] * (w[i] + (direct[i, 0] * u + direct[i, 1] * Fd))
            for n in range(free):
                q = n * STATES + i
                jacobian[k, out, n] = scale[i] * (d[q] + (d_direct[0, q] * u + d_direct[1, q] * Fd))
        for q in range(across):
            forced[q] = (
                (d_gamma[0, q] * u + d_gamma[1, q] * Fd + d_phi[0, q] * w[0])
                + (d_phi[1, q] * w[1] + d_phi[2, q] * w[2] + d_phi[3, q] * w[3] + d_phi[4, q] * w[4])
                + (d_phi[5, q] * w[5] + d_phi[6, q] * w[6] + d_phi[7, q] * w[7] + d_phi[8, q] * w[8])
            )
        for n in range(free):
            for i in range(STATES):
                total = forced[n * STATES + i]
                for j in range(STATES):
                    total += phi[i, j] * d[n * STATES + j]
                forced[n * STATES + i] = total
        for q in range(across):
            d[q] = forced[q]
        rt_advance(phi, gamma, w, u, Fd, new)
        for i in range(STATES):
            w[i] = new[i]
