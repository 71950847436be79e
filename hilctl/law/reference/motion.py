"""One motion, whole, as the loop runs it: lead-in, body, lead-out, rest.

    0 .. lead            a move from where the table stands to where the body begins
    .. body_s            the body: sine, triangle, chirp, wave; nothing for a move
    .. out               a move to where the motion rests

Everything is a function of the time since the motion's start: no state is accumulated, so a skipped tick loses
nothing, and a point ahead costs what a point now costs. Nothing jumps at a seam, jerk included, because every part
joins rest there.
"""

from enum import IntEnum
from typing import Any

import numpy as np

from hilctl.law.reference.chirp import CHIRP, rt_chirp
from hilctl.law.reference.external import EXTERNAL, rt_external
from hilctl.law.reference.move import MOVE, rt_move
from hilctl.law.reference.point import rt_rest
from hilctl.law.reference.sine import SINE, rt_sine
from hilctl.law.reference.stop import STOP, rt_plan_stop, rt_stop
from hilctl.law.reference.triangle import TRIANGLE, rt_triangle
from hilctl.law.reference.wave import WAVE, rt_wave
from hilctl.params import record_of
from hilctl.rt import jit

ENDLESS_S = 1e12  # the body of a motion that runs until it is stopped: 32 000 years


class Kind(IntEnum):
    """What a motion is made of."""

    HOLD = 0
    STOP = 1
    MOVE = 2
    SINE = 3
    TRIANGLE = 4
    CHIRP = 5
    WAVEFORM = 6
    EXTERNAL = 7


MOTION: "np.dtype[Any]" = record_of(
    [
        ("id", np.int64),
        ("kind", np.int64),
        ("peak_m_s", np.float64),  # its greatest velocity,
        ("peak_m_s2", np.float64),  # its greatest acceleration, as checked before it started
        ("without_inverse", np.float64),  # share of the inverse model that it does without (motions/reach.py)
        ("lead", MOVE),
        ("body_s", np.float64),
        ("out", MOVE),  # of a hold and a stop only out.to_m counts: where it rests
        ("sine", SINE),
        ("triangle", TRIANGLE),
        ("chirp", CHIRP),
        ("wave", WAVE),
        ("stop", STOP),
        ("external", EXTERNAL),
    ]
)


def new_motion() -> Any:
    """A MOTION that holds at zero."""
    return np.zeros(1, MOTION)[0]


@jit()
def rt_reference(motion: Any, knots: Any, t_s: float, out: Any) -> int:
    """The reference at `t_s` since the motion's start: 0 while it runs, 1 when it rests at its end.

    `knots` are the bank of a waveform or of an external reference, read for these kinds only. Finite for every `t_s`.
    """
    if not t_s < ENDLESS_S:
        t_s = ENDLESS_S
    if motion.kind == Kind.STOP:
        return rt_stop(motion.stop, max(t_s, 0.0), out)
    if motion.kind == Kind.EXTERNAL:
        return rt_external(motion.external, knots, t_s, out)
    if t_s < motion.lead.duration_s:
        rt_move(motion.lead, t_s, out)
        return 0
    u = t_s - motion.lead.duration_s
    if u < motion.body_s:
        if motion.kind == Kind.SINE:
            rt_sine(motion.sine, motion.body_s, u, out)
        elif motion.kind == Kind.TRIANGLE:
            rt_triangle(motion.triangle, motion.body_s, u, out)
        elif motion.kind == Kind.CHIRP:
            rt_chirp(motion.chirp, motion.body_s, u, out)
        else:
            rt_wave(motion.wave, knots, u, out)
        return 0
    u -= motion.body_s
    if u < motion.out.duration_s:
        rt_move(motion.out, u, out)
        return 0
    rt_rest(out, motion.out.to_m)
    return 1


@jit()
def rt_hold_motion(x_m: float, motion_id: int, motion: Any) -> None:
    """Makes `motion` stand still at x. It is over from its start."""
    motion.id = motion_id
    motion.kind = Kind.HOLD
    motion.peak_m_s = motion.peak_m_s2 = 0.0
    motion.lead.duration_s = 0.0
    motion.body_s = 0.0
    motion.out.duration_s = 0.0
    motion.out.to_m = x_m


@jit()
def rt_stop_motion(point: Any, deceleration_m_s2: float, jerk_m_s3: float, motion_id: int, motion: Any) -> None:
    """Makes `motion` continue from a point of any motion to rest, within a deceleration and a jerk; see stop.py."""
    motion.id = motion_id
    motion.kind = Kind.STOP
    motion.peak_m_s, motion.peak_m_s2 = abs(point.v_m_s), deceleration_m_s2
    motion.lead.duration_s = 0.0
    rt_plan_stop(point, deceleration_m_s2, jerk_m_s3, motion.stop)
    motion.body_s = motion.stop.turn_s + motion.stop.plateau_s + motion.stop.release_s
    motion.out.duration_s = 0.0
    motion.out.to_m = motion.stop.rest_m
