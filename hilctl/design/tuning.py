"""Gains for three-variable control: pole placement for a start, then as much position gain as margin and quiet allow.

The search moves Kd, Kv, Ka, Kp (Nelder-Mead, from several starts and corners of the pressure's high-pass) to the
largest Kd under two conditions: the sensitivity peaks at no more than 2 over the whole family of plants, and the
sensors' noise moves the table at no more than RIPPLE_M_S where friction does not damp it. The integral follows as 2 pi
INTEGRAL_HZ Kd. It is deterministic: the same machine gives the same gains.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.design.loop import (
    MARGIN,
    Loop,
    Margins,
    Matrix,
    Plant,
    family,
    frequencies,
    is_stable,
    margins,
    open_loop,
    placed,
    ripple,
    with_mode,
)
from hilctl.design.stability import Stability
from hilctl.friction import Friction
from hilctl.law.settings import Controller
from hilctl.machine import hydraulic_frequency, velocity_gain
from hilctl.params import BadValues, Problem, assign

INTEGRAL_HZ = 3.0  # slower, a reversal leaves the valve's change of gain with load standing as an error
PID_INTEGRAL_HZ = 0.2  # without feed-forward a faster integral stores the lag of a ramp and overshoots at its end
RIPPLE_M_S = 9.5e-5  # rms: within a tenth of 1 mm/s, the slowest speed at which friction is measured
_ROOM = 0.97  # for the rounding of gains in a rig file
_SHORT = 3  # starts that are followed to the end: those that the first steps brought furthest
_FEW = 12  # plants: more of them are not all asked whether they are stable, in each step
_UNSTABLE = 1000.0  # the objective of what is not stable; larger than any other
_WITHOUT_PRESSURE = np.array([1.0, 1.0, 1.0, 1.0, 0.0])  # as while its term is faded out: the nominal plant stands
_BEYOND = 1.01  # times the gains: the best ones lie at the edge, and are rounded
_CORNERS = (0.1, 0.2, 0.3, 0.5)  # of the high-pass, as shares of the hydraulic frequency
_STARTS = ((10.0, 0.7, 0.05), (20.0, 0.8, 0.1), (20.0, 0.8, 0.2))  # p in 1/s, wc/wh, zc


class Tuned(NamedTuple):
    """A set of gains, as dotted keys of the rig file, and what it is worth."""

    values: dict[str, float]
    position_gain_per_s: float
    margins: Margins


class Demand(NamedTuple):
    """What a search is held to besides the peak of the sensitivity, and over which plants."""

    family: list[Plant]
    also: list[Plant]  # on which `short` is judged
    short: Callable[[npt.NDArray[np.complex128]], float]  # of the loops' transfers, (plants, frequencies); 0: nothing
    peak: float = MARGIN
    integral_hz: float = INTEGRAL_HZ
    begin: Mapping[str, float] | None = None  # values found before: the search goes on from there alone
    w: Matrix | None = None  # rad/s; few plants need many frequencies to show their peaks

    def lines(self, plant: Plant, dt: float) -> Matrix:
        """The frequencies at which one of the family is looked at."""
        return with_mode(frequencies(dt) if self.w is None else self.w, plant, dt)


def tune(controller: Controller, friction: Friction, dt: float, feedback: str = "three_state",
         demand: Demand | None = None) -> Tuned:
    """The gains with most position gain that keep the margin; BadValues when there are none."""
    if feedback == "pid":
        return _tune_pid(controller, friction, dt)
    demand = demand or Demand(family(controller.machine, friction), [], lambda loops: 0.0)
    candidates = [
        (problem, start) for problem in _problems(controller, friction, dt, demand) for start in problem.starts
    ]
    tried = [(*_glance(problem.objective, start), k, problem) for k, (problem, start) in enumerate(candidates)]
    best: tuple[float, float, Matrix] | None = None
    for start, _, _, problem in sorted(tried, key=lambda one: one[1:3])[:_SHORT]:
        found, cost = _descend(problem.objective, start)
        if best is None or cost < best[0]:
            best = (cost, problem.corner_hz, problem.gains(found))
    assert best is not None
    kd, ki, kv, ka, kp = best[2]
    values = {"kd_per_m": kd, "ki_per_m_s": ki, "kv_s_per_m": kv, "ka_s2_per_m": ka, "kp_per_mpa": kp * 1e6,
              "high_pass_hz": best[1]}
    return _judged(controller, friction, dt, "three_state", values, demand)


def _glance(objective: Callable[[Matrix], float], start: Matrix) -> tuple[Matrix, float]:
    from scipy.optimize import minimize

    simplex = start + np.vstack([np.zeros(4), np.diag([0.2, 0.2, 0.2, 0.5])])
    found = minimize(objective, start, method="Nelder-Mead", options={"maxfev": 120, "initial_simplex": simplex})
    return found.x, float(found.fun)


def _descend(objective: Callable[[Matrix], float], start: Matrix) -> tuple[Matrix, float]:
    from scipy.optimize import minimize

    simplex = start + np.vstack([np.zeros(4), np.diag([0.2, 0.2, 0.2, 0.5])])
    first = minimize(objective, start, method="Nelder-Mead", options={"maxfev": 400, "initial_simplex": simplex})
    again = first.x + np.vstack([np.zeros(4), np.diag([0.1, 0.1, 0.1, 0.2])])
    last = minimize(objective, first.x, method="Nelder-Mead", options={"maxfev": 300, "initial_simplex": again})
    return last.x, float(last.fun)


class _Problem(NamedTuple):
    """Of one corner of the pressure's high-pass."""

    corner_hz: float
    objective: Callable[[Matrix], float]
    gains: Callable[[Matrix], Matrix]
    starts: list[Matrix]


def _problems(controller: Controller, friction: Friction, dt: float, demand: Demand) -> Iterator[_Problem]:
    machine = controller.machine
    wh, speed = hydraulic_frequency(machine), velocity_gain(machine)
    viscous = friction.params.viscous
    unit = np.array([0.5, 0.5 / wh, machine.A / (machine.m * wh)]) / speed  # the size of Kv, Ka and Kp

    def gains(x: Matrix) -> Matrix:
        kd = float(np.exp(x[0]))
        return np.array([kd, 2 * np.pi * demand.integral_hz * kd, *(x[1:] * unit)])

    begin = demand.begin
    corners_hz = [share * wh / (2 * np.pi) for share in _CORNERS]
    for corner_hz in corners_hz if begin is None else [begin["law.three_state.high_pass_hz"]]:
        trial = assign(controller, {"law.three_state.high_pass_hz": corner_hz})
        loops = [open_loop(plant, trial, dt, "three_state", demand.lines(plant, dt)) for plant in demand.family]
        also = [open_loop(plant, trial, dt, "three_state", demand.w) for plant in demand.also]
        undamped = open_loop(Plant(machine, 0.0, 0.0), trial, dt, "three_state")
        bare = open_loop(Plant(machine, viscous, 0.0), trial, dt, "three_state")
        starts = []
        if begin is not None:
            kd, kv, ka, kp = (begin[f"law.three_state.{key}"] for key in
                              ("kd_per_m", "kv_s_per_m", "ka_s2_per_m", "kp_per_mpa"))  # fmt: skip
            starts.append(np.array([np.log(kd), kv / unit[0], ka / unit[1], 1e-6 * kp / unit[2]]))
        for p, ratio, zc in _STARTS if begin is None else ():
            k = placed(machine, viscous, p, ratio * wh, zc)
            starts += [np.array([np.log(k[0]), k[2] / unit[0], k[3] / unit[1], pressure]) for pressure in (0.0, 1.0)]
        yield _Problem(corner_hz, _objective(loops, also, undamped, bare, gains, demand), gains, starts)


def _objective(loops: list[Loop], also: list[Loop], undamped: Loop, bare: Loop, gains: Callable[[Matrix], Matrix],
               demand: Demand) -> Callable[[Matrix], float]:  # fmt: skip
    features = np.stack([loop.features for loop in loops])
    others = np.stack([loop.features for loop in also]) if also else None
    each = 5 if len(loops) > _FEW else 1
    some = Stability(loops[::each])
    target = _ROOM * demand.peak

    def objective(x: Matrix) -> float:
        k = gains(x)
        returns = 1 - features @ k
        # Without pressure the mode is hardly damped, and no line near enough to count its turn: its poles are asked.
        if not some.holds(k, returns[::each]) or not is_stable(bare, _BEYOND * k * _WITHOUT_PRESSURE):
            return _UNSTABLE + float(np.sum(x**2))  # the peak means nothing there; down is where gains are small
        peak = 1 / np.sqrt((returns.real**2 + returns.imag**2).min())
        cost = -float(x[0]) + 8 * max(0.0, float(np.log(peak / target)))
        if others is not None:
            cost += 8 * demand.short(-(others @ k))
        return cost + 4 * max(0.0, float(np.log(max(ripple(undamped, k), 1e-12) / RIPPLE_M_S)))

    return objective


def _tune_pid(controller: Controller, friction: Friction, dt: float) -> Tuned:
    """Proportional gain up to the margin on the nominal plant; the falling branch of friction is beyond a PID."""
    for kp in np.geomspace(200 / velocity_gain(controller.machine), 0.1 / velocity_gain(controller.machine), 60):
        values = {"kp_per_m": float(kp), "ki_per_m_s": float(2 * np.pi * PID_INTEGRAL_HZ * kp), "kd_s_per_m": 0.0}
        trial = assign(controller, {f"law.pid.{k}": v for k, v in values.items()})
        found = margins(trial, friction, dt, "pid", nominal_only=True)
        if found.stable and found.peak <= _ROOM * MARGIN:
            return _judged(controller, friction, dt, "pid", values)
    raise BadValues([Problem("law.pid.kp_per_m", None, "no gain keeps the margin on the nominal plant")])


def _judged(controller: Controller, friction: Friction, dt: float, law: str, values: dict[str, float],
            demand: Demand | None = None) -> Tuned:  # fmt: skip
    rounded = {f"law.{law}.{k}": float(f"{v:.5g}") for k, v in values.items()}
    trial = assign(controller, rounded)
    found = margins(trial, friction, dt, law, plants=demand.family if demand else None, nominal_only=law == "pid")
    if not found.stable or found.peak > 1.02 * (demand.peak if demand else MARGIN):
        raise BadValues([Problem(f"law.{law}", "the best gains found", f"peak at {found.peak:.3g} for {found.worst}",
                                 "raise loop.rate_hz, or check machine and sensor delays")])
    kd = rounded[f"law.{law}.kp_per_m" if law == "pid" else f"law.{law}.kd_per_m"]
    return Tuned(rounded, kd * velocity_gain(controller.machine), found)


