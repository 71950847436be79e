"""From the truth over a period to what a transducer shows at its end.

    truth → bandwidth (two equal poles) → delay → gain error → bias → noise → resolution

The plant leaves a history: the truth at every substep. The filter runs over it, exactly for a signal that is straight
between substeps, so that its delay of 2/w is exact. A delay d is split into whole periods and a rest: what the sensor
will show is picked out of the history at its instant, between two substeps, and waits in a queue for the whole
periods.
"""

import math
from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt.jit import jit

QUEUE = 256  # periods that a reading may wait: 10 ms at 25 kHz

TRANSDUCER: "np.dtype[Any]" = record_of(
    [
        ("filtered", np.int64),
        ("keep", np.float64),  # exp(-w h)
        ("take_old", np.float64),  # weights of the input at the substep's two ends
        ("take_new", np.float64),
        ("pick", np.int64),  # the substep in which the reading is picked
        ("pick_share", np.float64),  # and how far in it
        ("wait", np.int64),  # whole periods
        ("gain", np.float64),
        ("bias", np.float64),
        ("noise", np.float64),
        ("quantum", np.float64),
        # state
        ("last", np.float64),
        ("first_pole", np.float64),
        ("second_pole", np.float64),
        ("at", np.int64),
        ("queue", np.float64, (QUEUE,)),
    ]
)

# Two equal poles at w pass half the power at sqrt(sqrt 2 - 1) w.
_CORNER = math.sqrt(math.sqrt(2.0) - 1.0)


def filter_delay_s(bandwidth_hz: float) -> float:
    """How late the filter is for slow signals: 2/w."""
    return 2 * _CORNER / (2 * math.pi * bandwidth_hz) if bandwidth_hz else 0.0


def set_transducer(
    out: Any, substep_s: float, substeps: int, bandwidth_hz: float, delay_s: float,
    gain_error: float, bias: float, noise: float, quantum: float, truth: float,
) -> None:  # fmt: skip
    """Fills a transducer's record; everything in it has been showing `truth` for long."""
    out.filtered = int(bandwidth_hz > 0)
    if bandwidth_hz > 0:
        step = 2 * math.pi * bandwidth_hz / _CORNER * substep_s
        out.keep = math.exp(-step)
        mean = -math.expm1(-step) / step  # of the decay over the substep
        out.take_old, out.take_new = mean - out.keep, 1 - mean
    late = delay_s / substep_s  # in substeps
    out.wait = int(late // substeps)
    place = substeps - (late - out.wait * substeps)  # 0 to substeps, in the period that is integrated
    out.pick = min(int(place), substeps - 1)
    out.pick_share = place - out.pick
    out.gain, out.bias, out.noise, out.quantum = 1 + gain_error, bias, noise, quantum
    out.last = out.first_pole = out.second_pole = truth
    out.at = 0
    out.queue[:] = truth


@jit()
def rt_pick(t: Any, history: Any, substeps: int) -> float:
    """What arrives at the end of this period, before errors: filtered and delayed."""
    if t.filtered == 0:
        before, after = history[t.pick], history[t.pick + 1]
        picked = before + (after - before) * t.pick_share
    else:
        first, second, picked = t.first_pole, t.second_pole, 0.0
        keep, take_old, take_new = t.keep, t.take_old, t.take_new
        for j in range(substeps):
            was_first, was_second = first, second
            first = keep * first + take_old * history[j] + take_new * history[j + 1]
            second = keep * second + take_old * was_first + take_new * first
            if j == t.pick:
                picked = was_second + (second - was_second) * t.pick_share
        t.first_pole, t.second_pole = first, second
    t.queue[t.at] = picked
    arrived: float = t.queue[(t.at - t.wait) & (QUEUE - 1)]
    t.at = (t.at + 1) & (QUEUE - 1)
    return arrived


@jit()
def rt_show(t: Any, arrived: float, normal: float) -> float:
    """The reading, with the sensor's errors; `normal` is a standard normal number."""
    shown: float = t.gain * arrived + t.bias + t.noise * normal
    if t.quantum > 0.0:
        shown = t.quantum * math.floor(shown / t.quantum + 0.5)
    return shown
