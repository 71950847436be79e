"""The grey box against scipy's `lsim` and CasADi, on the same record and with the same trust region.

The paper's sweep, 15.6 s at 2 kHz with 5 µm of noise, its eight parameters from its start. All three search with
`scipy.optimize.least_squares` (trf) under the same tolerances. `lsim` is exact as ours is, and scipy takes its
derivatives by differences. CasADi has its own: a step of Runge and Kutta a sample, as in its examples of
identification, accumulated over the record and differentiated by it; building that is not counted. Processor time of
this thread. CasADi is optional (extra `bench`); without it its ratio is missing.
"""

import importlib.util
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hilctl.errors import HilctlError
from hilctl.identify.grey_box.identify import identify
from hilctl.identify.grey_box.model import Record
from hilctl.identify.grey_box.parameters import Parameters
from hilctl.identify.grey_box.problem import Problem
from hilctl.identify.grey_box.search import TOLERANCE, search
from hilctl.papers.servo.setting import paper_choices, paper_model, paper_record
from hilctl.servo import Servo, State, matrices, paper_servo
from hilctl.servo.equations import scales

NOISE_M = 5e-6
QUICK_TRIALS = 2
ALIKE = {"lsim": 1e-6, "casadi": 1e-2}  # of the sum of squares: where the others may end


class Case(NamedTuple):
    """What everyone fits."""

    record: Record
    problem: Problem
    start: Any  # scaled
    trials: int | None  # None: to the end

    @property
    def measured(self) -> Any:
        """The displacement."""
        return self.record.measured()[:, 0]

    def servo(self, q: Any) -> Servo:
        """With scaled parameters."""
        return paper_servo({}, **self.problem.parameters.values(q * self.problem.parameters.scale))


def case(quick: bool) -> Case:
    """The paper's; only a few trials of it."""
    record = paper_record(1, noise=NOISE_M)
    parameters = Parameters(paper_model(), paper_choices())
    problem = Problem(paper_model(), (record,), parameters, {"displacement": 1.0})
    return Case(record, problem, parameters.start / parameters.scale, QUICK_TRIALS if quick else None)


def run(quick: bool) -> dict[str, Any]:
    """`greybox_s`: a search from the paper's start; `greybox_report_s`: with intervals, rank and invariants."""
    one = case(quick)
    whole = search(one.problem)
    ours, trials = min(_ours(one) for _ in range(3))
    figures: dict[str, Any] = {"greybox_s": ours, "greybox_trials": trials, "greybox_samples": one.record.samples}
    if not quick:
        begin = time.thread_time()
        identify(one.problem.model, one.problem.records, paper_choices())
        figures["greybox_report_s"] = time.thread_time() - begin
    ratio: dict[str, float] = {}
    for name, (solver, needs) in SOLVERS.items():
        if importlib.util.find_spec(needs) is None:
            continue
        taken, theirs, tried = solver(one)
        figures[f"greybox_{name}_s"], figures[f"greybox_{name}_trials"] = taken, tried
        if quick:
            _, theirs, _ = solver(one._replace(start=whole.x / one.problem.parameters.scale))
        if abs(theirs / whole.squares - 1) > ALIKE[name]:
            raise HilctlError(f"{name} ended at {theirs / whole.squares:.8f} times our sum of squares")
        ratio[name] = taken / tried / (ours / trials) if quick else taken / ours
    return {"figures": figures, "ratio": ratio}


def _ours(one: Case) -> tuple[float, int]:
    begin = time.thread_time()
    found = search(one.problem, trials=one.trials)
    return time.thread_time() - begin, found.trials


Solver = Callable[[Case], tuple[float, float, int]]


def _fit(one: Case, residuals: Any, jacobian: Any) -> tuple[float, float, int]:
    from scipy.optimize import least_squares

    p = one.problem.parameters
    begin = time.thread_time()
    found = least_squares(
        residuals, one.start, jac=jacobian, bounds=(p.low / p.scale, p.high / p.scale), x_scale="jac",
        method="trf", ftol=TOLERANCE, xtol=TOLERANCE, gtol=None, max_nfev=one.trials,
    )  # fmt: skip
    return time.thread_time() - begin, float(2 * found.cost), int(found.nfev)


def _lsim(one: Case) -> tuple[float, float, int]:
    """Exact, too; derivatives by differences."""
    from scipy.signal import lsim

    u, measured = one.record.inputs["ui"], one.measured
    t = np.arange(len(u)) * one.record.dt_s
    out = np.zeros((1, len(State)))
    out[0, State.displacement] = 1.0

    def residuals(q: Any) -> Any:
        a, b = matrices(one.servo(q))
        return lsim((a, b[:, :1], out, np.zeros((1, 1))), u, t)[1] - measured

    return _fit(one, residuals, "2-point")


def _casadi(one: Case) -> tuple[float, float, int]:
    """Runge and Kutta with the paper's equations, in natural units; derivatives by CasADi."""
    import casadi as ca

    p, u = one.problem.parameters, one.record.inputs["ui"]
    begin = one.servo(p.start / p.scale)
    unit = scales(begin)[0]
    q, x, ends = ca.SX.sym("q", len(p.free)), ca.SX.sym("x", len(State)), ca.SX.sym("u", 2)
    values = {name: getattr(begin, name) for name in Servo.__struct_fields__}
    values |= {name: q[i] * p.scale[i] for i, name in enumerate(p.free)}
    step = ca.Function("step", [x, ends, q], [_runge_kutta(values, x, ends, one.record.dt_s, unit)])
    searched = ca.MX.sym("q", len(p.free))
    inputs = ca.DM(np.stack([u[:-1], u[1:]]))
    states = step.mapaccum("states", len(u) - 1)(ca.DM.zeros(len(State)), inputs, ca.repmat(searched, 1, len(u) - 1))
    response = ca.vertcat(0.0, states[int(State.displacement), :].T * unit[State.displacement])
    simulated = ca.Function("simulated", [searched], [response])
    slopes = ca.Function("slopes", [searched], [ca.jacobian(response, searched)])
    return _fit(
        one, lambda q: np.asarray(simulated(q))[:, 0] - one.measured, lambda q: np.asarray(slopes(q).full())
    )  # fmt: skip


def _runge_kutta(p: dict[str, Any], x: Any, ends: Any, dt_s: float, unit: Any) -> Any:
    import casadi as ca

    def rates(scaled: Any, ui: Any) -> Any:
        x1, x2, x3, x4, x5, x6, x7, x8, x9 = (scaled[i] * unit[i] for i in range(len(State)))
        du = ui - p["Kd"] * x7 * p["T1"] / p["T2"] - x9
        u1 = du * p["T3"] / p["T4"] + x1
        ia = p["Ki"] * (u1 + 2 * (p["xi3"] - p["xi4"]) * p["T5"] * x3)
        out = [
            (du * (1 - p["T3"] / p["T4"]) - x1) / p["T4"],
            x3,
            (u1 - 2 * p["xi4"] * p["T5"] * x3 - x2) / p["T5"] ** 2,
            x5,
            p["ws"] ** 2 * (p["Kiq"] * ia - 2 * p["xis"] / p["ws"] * x5 - x4),
            4 * p["beta"] / p["Vt"] * (x4 - (p["Kc"] + p["Ctc"]) * x6 - p["A"] * x8),
            x8,
            (p["A"] * x6 - p["B"] * x8 - p["KL"] * x7) / p["m"],
            (p["Kd"] * x7 * (1 - p["T1"] / p["T2"]) - x9) / p["T2"],
        ]
        return ca.vertcat(*(each / size for each, size in zip(out, unit, strict=True)))

    middle = 0.5 * (ends[0] + ends[1])
    k1 = rates(x, ends[0])
    k2 = rates(x + dt_s / 2 * k1, middle)
    k3 = rates(x + dt_s / 2 * k2, middle)
    k4 = rates(x + dt_s * k3, ends[1])
    return x + dt_s / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


SOLVERS: dict[str, tuple[Solver, str]] = {"lsim": (_lsim, "scipy"), "casadi": (_casadi, "casadi")}
