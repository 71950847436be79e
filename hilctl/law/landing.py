"""Feedback while the reference rests: what lets a table that friction makes swing come to rest.

Friction that falls once the table moves lets go of it in jumps: the oil's spring throws it by twice the fall over its
stiffness, past the place that it was drawn to. Feedback draws it back, by the next jump, and so on for ever: an
integral does, and over a valve without overlap even the proportional part, for a valve's opening is a flow, which the
oil adds up to a force. No gain helps against it. What helps is to be content with the place on which it lands.

All of it is counted in openings, as feedback asks for them (its gain times the error).

    swing    from one change of the error's sign to the next, by more than SWING
    band     after SETTLED swings that do not decay (each peak LASTS of the last to that side at least): WIDER than the
             smallest of the last three peaks. It grows by what is seen only, up to `law.valve.rest`; a rig that does
             not swing has none. Where friction is known to jump, behind an overlap, which nothing brakes, it begins at
             FIRST (reference rig, overlap 3 %: 61 -> 0.1 µm without a swing)
    left     what feedback asks for and does not get: it follows within the band, PLAY behind
    null     the integral of a swing each way lies on either side of the opening that keeps the table where it is: their
             mean is it, and the integral goes there where the table has landed

Within the band the integral stands, but for one thing: a table that creeps has flow from an opening that is not quite
the null, so the integral changes by as much as what is left creeps. A jump is faster than CREEP_PER_S, and does little.
It counts where it ends beyond the band, too: did only the way back count, a table that swings about the band's edge
would keep the integral by which it swings.

Of 300 rigs whose valve and friction are chosen at random 64 went on swinging without, by 20 to 420 µm; with it 6 do,
whose mass is too small for the gains that all of them have (docs/models.md).
"""

from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt.jit import jit
from hilctl.rt.records import words_of

SWING, PLAY = 1.5e-4, 6e-5  # openings: 8 and 3 µm on the reference rig
FIRST = 7.5e-4  # of the band: 39 µm on the reference rig
SETTLED, LASTS, WIDER = 2, 0.8, 1.3
BLEND_S = 0.2  # from a reference that moves to one that rests, and back
CREEP_PER_S = 0.01  # openings a second
TO_NULL_S, LAG_S = 0.1, 0.02  # for how long the integral goes to the null, and with which lag
KEPT = 0.9  # of the band from one rest to the next

LANDING = record_of(
    [
        ("share", np.float64),  # 1 at rest, 0 while the reference moves
        ("band", np.float64),
        ("left", np.float64),
        ("left_m", np.float64),  # the same as an error
        ("crept", np.float64),  # in this tick
        # the swing that goes on, and the one before
        ("side", np.float64),  # of the error; 0: not yet known
        ("peak", np.float64),
        ("last", np.float64),  # the peak of the swing before,
        ("older", np.float64),  # and of the one before that, to the same side as now
        ("time_s", np.float64),
        ("area", np.float64),  # of the integral, over that time
        ("before", np.float64),  # the integral's mean then
        ("swings", np.int64),  # in this rest, that did not decay
        ("null", np.float64),
        ("to_null_s", np.float64),  # that are left
    ]
)


@jit()
def rt_landing(rests: bool, asked: float, integral: float, least: float, widest: float, dt_s: float, s: Any) -> float:
    """One step of feedback that asks for this opening; what of it is left out."""
    if rests:
        s.share = min(s.share + dt_s / BLEND_S, 1.0)
        _rt_swing(asked, integral, widest, dt_s, s)
    else:
        if s.swings > 0:
            s.band *= KEPT
        s.share = max(s.share - dt_s / BLEND_S, 0.0)
        s.side = s.peak = s.last = s.older = s.time_s = s.area = s.to_null_s = 0.0
        s.swings = 0
    s.band = max(s.band, least)
    reach, before = s.share * min(s.band, widest), s.left
    follows = min(max(s.left, asked - PLAY), asked + PLAY)
    s.left = min(max(follows, -reach), reach)
    creep = CREEP_PER_S * dt_s if rests else 0.0
    s.crept = min(max(s.left - before, -creep), creep)
    return float(s.left)


@jit()
def _rt_swing(asked: float, integral: float, widest: float, dt_s: float, s: Any) -> None:
    s.time_s += dt_s
    s.area += dt_s * integral
    if asked * s.side < 0.0 and abs(asked) > SWING:
        if s.peak < LASTS * s.older:
            s.swings = 0
        if s.swings >= SETTLED:
            s.band = min(max(s.band, WIDER * min(s.peak, s.last, s.older)), widest)
            s.null, s.to_null_s = 0.5 * (s.before + s.area / s.time_s), TO_NULL_S
        s.swings += 1
        s.before, s.older, s.last = s.area / s.time_s, s.last, s.peak
        s.side = s.peak = s.time_s = s.area = 0.0
    if s.side == 0.0 and abs(asked) > SWING:
        s.side = 1.0 if asked > 0.0 else -1.0
    s.peak = max(s.peak, abs(asked))


@jit()
def rt_landed(widest: float, s: Any) -> bool:
    """The table is left where it is: the integral of the error stands."""
    return bool(abs(s.left) < s.share * min(s.band, widest))


@jit()
def rt_landing_integral(landed: bool, integral: float, dt_s: float, s: Any) -> float:
    """The integral at rest, beside what it makes of the error that is not left."""
    integral += s.crept
    if landed and s.to_null_s > 0.0:
        s.to_null_s -= dt_s
        integral += min(dt_s / LAG_S, 1.0) * (s.null - integral)
    return float(integral)


@jit()
def rt_landing_shift(by: float, s: Any) -> None:
    """The integral is less by this from now on, for the null has taken it over."""
    s.area -= by * s.time_s
    s.before -= by
    s.null -= by


@jit()
def rt_landing_start(s: Any) -> None:
    """Nothing seen yet."""
    words = words_of(s)
    for i in range(words.size):
        words[i] = 0.0
