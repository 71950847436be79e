"""The tick's blocks, one at a time, over and over on a few states: what each costs."""

import math
from typing import Any

import numpy as np

from firmware_bridge.driver import COMMAND, READINGS
from hilctl.bench.tick_course import ROWS
from hilctl.law.inverse import rt_inverse_advance, rt_inverse_command, rt_inverse_opening, rt_inverse_side
from hilctl.law.modes import rt_motion_done
from hilctl.law.sample import rt_fill_sample
from hilctl.law.state import STATE
from hilctl.law.tick import (
    rt_advance_reference,
    rt_blend,
    rt_command,
    rt_opening,
    rt_read,
    rt_watch,
)
from hilctl.law.tick_feed import rt_feed_forward
from hilctl.law.tick_output import rt_output
from hilctl.loop.layout import BANK
from hilctl.rt.jit import jit, record_type
from hilctl.rt.records import as_record, words_of
from hilctl.signals import SAMPLE

# The order of the numbers below; 0 is the loop alone.
BLOCKS = (
    "command", "blend", "read", "reference", "guard", "motion_done", "feed_forward", "feedback", "output", "sample",
    "inverse",
)  # fmt: skip


def _signature() -> Any:
    law, command, readings, samples = map(record_type, (STATE, COMMAND, READINGS, SAMPLE))
    byte, whole, real = (record_type(np.dtype(kind)) for kind in (np.uint8, np.int64, np.float64))
    return real(whole, law[::1], command, readings[::1], samples[::1], byte[::1], whole)


@jit(_signature, cached=True)
def rt_repeat(
    block: int, states: Any, command: Any, readings: Any, samples: Any, bank: Any, repeats: int
) -> float:
    """One block, on the states in turn."""
    knots = words_of(as_record(bank, BANK))
    total = 0.0
    for k in range(repeats):
        s = states[k % len(states)]
        if block == 1:
            rt_command(s, command, s.tick, 0, 0)
        elif block == 2:
            rt_blend(s)
        elif block == 3:
            rt_read(s, readings[k % len(readings)], 0)
        elif block == 4:
            rt_advance_reference(s, knots)
        elif block == 5:
            rt_watch(s, 0)
        elif block == 6:
            rt_motion_done(s, s.tick)
        elif block == 7:
            rt_feed_forward(s)
        elif block == 8:
            total += rt_opening(s)
        elif block == 9:
            rt_output(s, s.u_law)
        elif block == 10:
            rt_fill_sample(s, readings[k % len(readings)], 0, samples[k & (ROWS - 1)])
        elif block == 11:  # not part of the tick that is compared: it is off there
            s.inverse.done -= s.inverse.steps
            rt_inverse_advance(s.now.machine, s.now.friction, s.now.machine.Ps, math.nan, s.now.law.feed.smooth_s,
                               s.now.law.feed.cross_s, s.history, s.head_tick, s.tick, s.now.dt_s, s.inverse)
            total += rt_inverse_command(s.tick, 0.0, s.now.dt_s, s.inverse)
            total += rt_inverse_side(s.tick, 0.0, s.now.dt_s, s.inverse)
            total += rt_inverse_opening(s.tick, 0.0, s.now.dt_s, s.inverse)
        else:
            total += s.u_law
    return total
