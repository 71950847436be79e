"""A step of every friction law against the same in C.

A step is what one substep of the twin asks of a law: four forces, as the Runge–Kutta step of the mass asks for them,
each at the speed that the last one leads to; half an advance before and behind them where the law has a state; and how
much it would hold, where it jumps. Both run one course, a slow speed that reverses and lingers there, and must find the
same forces. They are timed in alternating rounds, by the processor time of this thread; a ratio is the median of the
rounds' ratios.

A law that has no C here (another package's) is timed by itself.
"""

import ctypes
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from hilctl.bench.yardstick import build
from hilctl.errors import HilctlError
from hilctl.friction import MODELS, PARAMETERS, STATES, Kind, Model, check_friction
from hilctl.friction.model import Advance, Force, Hold, Slip
from hilctl.params import record_of
from hilctl.rt.jit import jit

STEPS = 20_000  # one period of the course
SUBSTEP_S = 50e-6
SPEED_M_S = 0.15  # beyond the falling branch
PER_MASS = 1 / 500  # the reference rig's
AGREE = 1e-12  # of the greatest force
# Besides every law with its typical parameters: some that take other ways through it.
OTHERS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "stribeck with delta 1.5": ("stribeck", {"delta": 1.5}),
    "viscous with dv 0.5": ("viscous", {"dv": 0.5}),
    "armstrong with tauL 0": ("armstrong", {"tauL": 0}),
    "dahl with alpha 0.5": ("dahl", {"alpha": 0.5}),
    "gms with 10 elements": ("gms", {"elements": 10}),
    "lugre with two sides": ("lugre", {"negative": {"fs": 2700.0, "s0": 1.6e8, "s1": 6e4}}),
    "gms with two sides": ("gms", {"negative": {"fs": 2700.0, "s0": 1.6e8}}),
    "dahl with two sides": ("dahl", {"negative": {"fc": 250.0, "s0": 1.6e7, "alpha": 1.5}}),
}
Course = Callable[[Any, Any, float, float, Any], None]
# As in the twin's plant: what is no array of its own is passed on without counting references.
OWN = record_of([("p", np.float64, (PARAMETERS,)), ("z", np.float64, (STATES,))])


def jumping(slip: Slip, hold: Hold) -> Course:
    """The course of a law that jumps; the sign of what it leaves says whether it would hold."""

    @jit()
    def rt_course(own: Any, speeds: Any, dt: float, per_mass: float, out: Any) -> None:
        p, half = own.p, 0.5 * dt
        for k in range(out.size):
            v, a = speeds[k], (speeds[k + 1] - speeds[k]) / dt
            direction = math.copysign(1.0, v)
            f1 = slip(p, direction, v)
            f2 = slip(p, direction, v + half * (a - f1 * per_mass))
            f3 = slip(p, direction, v + half * (a - f2 * per_mass))
            f4 = slip(p, direction, v + dt * (a - f3 * per_mass))
            force = (f1 + 2.0 * (f2 + f3) + f4) / 6.0
            out[k] = force if abs(a) > hold(p, a) * per_mass else -force

    return rt_course


def smooth(slip: Slip) -> Course:
    """The course of a law that is a continuous function of the speed."""

    @jit()
    def rt_course(own: Any, speeds: Any, dt: float, per_mass: float, out: Any) -> None:
        p, half = own.p, 0.5 * dt
        for k in range(out.size):
            v, a = speeds[k], (speeds[k + 1] - speeds[k]) / dt
            f1 = slip(p, 0.0, v)
            f2 = slip(p, 0.0, v + half * (a - f1 * per_mass))
            f3 = slip(p, 0.0, v + half * (a - f2 * per_mass))
            f4 = slip(p, 0.0, v + dt * (a - f3 * per_mass))
            out[k] = (f1 + 2.0 * (f2 + f3) + f4) / 6.0

    return rt_course


def bristles(advance: Advance, force: Force) -> Course:
    """The course of a law with a state."""

    @jit()
    def rt_course(own: Any, speeds: Any, dt: float, per_mass: float, out: Any) -> None:
        p, z, half = own.p, own.z, 0.5 * dt
        for k in range(out.size):
            v, a = speeds[k], (speeds[k + 1] - speeds[k]) / dt
            advance(p, z, v, half)
            f1 = force(p, z, v)
            f2 = force(p, z, v + half * (a - f1 * per_mass))
            f3 = force(p, z, v + half * (a - f2 * per_mass))
            f4 = force(p, z, v + dt * (a - f3 * per_mass))
            advance(p, z, speeds[k + 1], half)
            out[k] = (f1 + 2.0 * (f2 + f3) + f4) / 6.0

    return rt_course


def course_of(model: Model) -> Course:
    """The course of a law, by its kind."""
    if model.kind == Kind.JUMPS and model.hold is not None:
        return jumping(model.slip, model.hold)
    if model.advance is not None and model.force is not None:
        return bristles(model.advance, model.force)
    return smooth(model.slip)


class Law(NamedTuple):
    """A law on its course, ours and in C."""

    course: Course
    in_c: Any  # None where there is none
    own: Any
    speeds: Any
    out: Any

    def ours(self) -> float:
        """Seconds for the course, from rest."""
        self.own.z[:] = 0.0
        begin = time.thread_time()
        self.course(self.own, self.speeds, SUBSTEP_S, PER_MASS, self.out)
        return time.thread_time() - begin

    def theirs(self) -> float:
        """The same in C."""
        self.own.z[:] = 0.0
        p, z, speeds, out = (array.ctypes.data for array in (self.own.p, self.own.z, self.speeds, self.out))
        begin = time.thread_time()
        self.in_c(p, z, speeds, len(self.out), SUBSTEP_S, PER_MASS, out)
        return time.thread_time() - begin

    def difference(self) -> float:
        """The greatest difference between the two's forces, relative to the greatest force."""
        self.ours()
        found = self.out.copy()
        self.theirs()
        return float(np.max(np.abs(found - self.out)) / np.max(np.abs(found)))


def law(name: str, changes: Mapping[str, Any], library: Any) -> Law:
    """The law of that name, with its typical parameters but for these."""
    model = MODELS[name]
    own = np.zeros(1, OWN)[0]
    own.p[:] = check_friction({"model": name, **model.typical, **changes}, joint=True).packed()
    in_c = getattr(library, f"friction_{name.replace('-', '_')}", None)
    if in_c is not None:
        pointer, real = ctypes.c_void_p, ctypes.c_double
        in_c.argtypes, in_c.restype = [pointer, pointer, pointer, ctypes.c_int64, real, real, pointer], None
    speeds = SPEED_M_S * np.sin(2 * np.pi * (np.arange(STEPS + 1) + 0.5) / STEPS) ** 3
    return Law(course_of(model), in_c, own, speeds, np.zeros(STEPS))


def cases() -> dict[str, tuple[str, Mapping[str, Any]]]:
    """What is timed: a law and what changes in its typical parameters, by the name of its figures."""
    return {**{name: (name, {}) for name in MODELS}, **OTHERS}


def run(quick: bool) -> dict[str, Any]:
    """Nanoseconds a step, and how many times C's."""
    rounds = 11 if quick else 101
    ours: dict[str, float] = {}
    in_c: dict[str, float] = {}
    differences: dict[str, float] = {}
    ratio: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        library = build("friction.c", folder)
        for case, (name, changes) in cases().items():
            timed = law(name, changes, library)
            timed.ours()  # compiled before it is timed
            if timed.in_c is None:
                ours[case] = statistics.median(timed.ours() for _ in range(rounds)) / STEPS * 1e9
                continue
            differences[case] = timed.difference()
            if not differences[case] < AGREE:
                raise HilctlError(f"friction.c: {case} differs from ours by {differences[case]:.2g} of its force")
            pairs = [(timed.ours(), timed.theirs()) for _ in range(rounds)]
            ours[case] = statistics.median(p[0] for p in pairs) / STEPS * 1e9
            in_c[case] = statistics.median(p[1] for p in pairs) / STEPS * 1e9
            ratio[case] = statistics.median(p[0] / p[1] for p in pairs)
    figures = {"step_ns": ours, "step_in_c_ns": in_c, "difference_from_c": differences}
    return {"bench": "friction", "figures": figures, "ratio": {"step_ns": ratio}}
