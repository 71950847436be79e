"""The linear servo's exact simulation against `scipy.signal.lsim`, on the same record.

100 000 samples of noise through nine states to the displacement, both exact for an input that goes straight between
samples. They are timed in alternating rounds, by the processor time of this thread; `lsim` is the median of the rounds'
ratios. What lsim does to find derivatives is a run more for each parameter: `jacobian` compares that with ours.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from hilctl.errors import HilctlError
from hilctl.rt.jit import jit
from hilctl.servo import (
    BOUNDS,
    SERVO_STATE,
    State,
    discretise,
    matrices,
    paper_servo,
    rt_servo_begin,
    rt_servo_step,
    sensitivities,
    servo_record,
    simulate,
)

SAMPLES = 100_000
RATES_HZ = (1_000.0, 10_000.0)
AGREE = 1e-9  # of the displacement's range


def run(quick: bool) -> dict[str, Any]:
    """`lsim`: how many times faster a response is; `jacobian`: its derivatives by the paper's eight parameters."""
    samples, rounds = (20_000, 3) if quick else (SAMPLES, 9)
    u = np.random.default_rng(1).standard_normal(samples)
    servo, free = paper_servo(), list(BOUNDS)
    dt_s = 1 / RATES_HZ[0]
    differences = [_difference(servo, u, 1 / rate) for rate in RATES_HZ]
    if not max(differences) < AGREE:
        raise HilctlError(f"lsim's displacement differs from ours by {max(differences):.2g} of its range")
    loop = _Loop(servo, u, dt_s)
    sensitivities(servo, free, u[:2], dt_s)  # compiled before it is timed
    timed: list[tuple[float, float, float, float]] = [
        (
            _seconds(lambda: simulate(servo, u, dt_s)),
            _seconds(lambda: _lsim(servo, u, dt_s)),
            _seconds(lambda: sensitivities(servo, free, u, dt_s)),
            _seconds(loop.run),
        )
        for _ in range(rounds)
    ]
    ours, theirs, jacobian, step = (statistics.median(each) for each in zip(*timed, strict=True))
    return {
        "bench": "servo",
        "figures": {
            "samples": samples,
            "simulate_ms": ours * 1e3,
            "sample_ns": ours / samples * 1e9,
            "lsim_ms": theirs * 1e3,
            "parameters": len(free),
            "jacobian_ms": jacobian * 1e3,
            "step_ns": step / samples * 1e9,
            "difference_from_lsim": {f"{rate:.0f}": d for rate, d in zip(RATES_HZ, differences, strict=True)},
        },
        "ratio": {
            "lsim": statistics.median(each[1] / each[0] for each in timed),
            "jacobian": statistics.median((len(free) + 1) * each[1] / each[2] for each in timed),
        },
    }


class _Loop:
    """The servo stepped once a sample, as in a loop."""

    def __init__(self, servo: Any, u: Any, dt_s: float) -> None:
        self.record, self.u = servo_record(discretise(servo, dt_s)), u
        self.run()

    def run(self) -> None:
        rt_record(self.record, np.zeros(1, SERVO_STATE)[0], self.u)


@jit()
def rt_record(c: Any, s: Any, u: Any) -> None:
    """A step for each sample."""
    rt_servo_begin(c, s, u[0], 0.0)
    for k in range(1, len(u)):
        rt_servo_step(c, s, u[k], 0.0)


def _lsim(servo: Any, u: Any, dt_s: float) -> Any:
    from scipy.signal import lsim

    a, b = matrices(servo)
    out = np.zeros((1, len(a)))
    out[0, State.displacement] = 1.0
    return lsim((a, b[:, :1], out, np.zeros((1, 1))), u, np.arange(len(u)) * dt_s)[1]


def _difference(servo: Any, u: Any, dt_s: float) -> float:
    ours, theirs = simulate(servo, u, dt_s)[:, 0], _lsim(servo, u, dt_s)
    return float(np.abs(ours - theirs).max() / np.ptp(theirs))


def _seconds(action: Callable[[], object]) -> float:
    begin = time.thread_time()
    action()
    return time.thread_time() - begin
