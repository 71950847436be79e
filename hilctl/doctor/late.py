"""What a loop of this rig would have made of the wake-ups that were seen: late ticks, and what they lead to.

Counted as the loop counts (`rt_miss`, `rt_watch_lateness`): a wake-up later than a period misses the periods that went
by; so many in a row trip, so does a share of a second, so do several stalls one upon the other. A device that hears
nothing for `loop.time_to_live_s` trips by itself.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from hilctl.doctor.finding import Finding, Wish
from hilctl.law.bucket import rt_events, rt_full, rt_leak
from hilctl.loop.core import _STALL_S, _STALLS

HOW = "the findings beside this one first; then firmware (SMI: hwlatdetect) and drivers; or lower loop.rate_hz"
_SHORT = 0.01  # of the ticks: a reading that comes too late now and then is predicted


class Outcome(NamedTuple):
    """Of one course of wake-ups."""

    due: int  # ticks
    missed: int  # of these
    in_a_row: int  # missed, at most
    silence_us: float  # the longest time between two exchanges
    short: int  # exchanges that would have had too little time left
    tripped: str = ""  # why the rig would have tripped; empty where it would not
    ended: int = 0  # motions that would have ended with a stop, `limits.late.rejoin_s`


def outcome(late_ns: Any, wish: Wish) -> Outcome:
    """`late_ns`: of each tick that ran, how late it woke after the deadline that it waited for."""
    period_ns = round(1e9 / wish.rate_hz)
    skipped = late_ns // period_ns
    rest_ns = late_ns - skipped * period_ns
    # Between two exchanges: the periods from one deadline to the next that ran, and the difference of their latenesses.
    silence_ns = (1 + skipped[1:]) * period_ns + rest_ns[1:] - rest_ns[:-1]
    silence_us = float(silence_ns.max(initial=0)) / 1000
    left_ns = wish.exchange_share * period_ns - rest_ns
    short = int(np.count_nonzero(left_ns < wish.exchange_s * 1e9)) if wish.exchange_s else 0
    in_a_row, tripped = _tripped(skipped, wish)
    if not tripped and wish.driver and silence_us > 1e6 * wish.time_to_live_s:
        tripped = f"its device, after {1e3 * wish.time_to_live_s:g} ms without a command (loop.time_to_live_s)"
    ended = int(np.count_nonzero((skipped > 0) & (skipped * period_ns > 1e9 * wish.rejoin_s)))
    return Outcome(len(late_ns) + int(skipped.sum()), int(skipped.sum()), in_a_row, silence_us, short, tripped, ended)


def _tripped(skipped: Any, wish: Wish) -> tuple[int, str]:
    """The longest row of missed ticks, and the first reason why the loop would have tripped."""
    leak, full, events = _plain(rt_leak), _plain(rt_full), _plain(rt_events)
    dt_s, level, stalls, row, most, before, why = 1 / wish.rate_hz, 0.0, 0.0, 0, 0, -1, ""
    for k in np.flatnonzero(skipped).tolist():
        gone, on_time = int(skipped[k]), k - before - 1
        row = gone if on_time else row + gone
        most = max(most, row)
        level = leak(level, False, wish.late_share, dt_s, on_time)
        stalls = max(0.0, stalls - on_time * dt_s / _STALL_S)
        stalls = events(stalls, 1 + gone > math.ceil(wish.preview_ticks), dt_s / _STALL_S, 1 + gone)
        level = leak(leak(level, True, wish.late_share, dt_s, gone), False, wish.late_share, dt_s, 1)
        before = k
        if why or wish.late_action == "warn":
            continue
        if row >= wish.late_ticks:
            why = f"the loop, {row} late ticks in a row (limits.late.ticks = {wish.late_ticks})"
        elif stalls > _STALLS:
            why = "the loop, several stalls one upon the other"
        elif full(level, wish.late_share, dt_s):
            why = f"the loop, {100 * level * dt_s:.0f} % of a second late (limits.late.share = {wish.late_share:g})"
    return most, why


def _plain(function: Any) -> Any:
    return getattr(function, "plain", function)


def judged(courses: dict[str, Outcome], wish: Wish) -> Finding:
    """By this rig's limits."""
    wanted = f"none at {wish.rate_hz:g} Hz; {wish.late_ticks} in a row trip (limits.late.ticks)"
    told, tripped = [], ""
    for name, seen in courses.items():
        text = f"{name}: {seen.missed} of {seen.due}"
        if seen.missed:
            text += f", {seen.in_a_row} in a row, {seen.silence_us / 1000:.3g} ms without an exchange"
        if seen.short:
            text += f", {seen.short} too late for the device's answer"
        if seen.ended:
            text += f", {seen.ended} would end a motion"
        told.append(text)
        tripped = tripped or seen.tripped
    found = "; ".join(told)
    if tripped:
        return Finding("late ticks", "bad", f"{found}; would have tripped: {tripped}", wanted, HOW)
    if any(seen.ended or seen.short > _SHORT * seen.due for seen in courses.values()):
        return Finding("late ticks", "bad", found, wanted, HOW)
    if any(seen.missed or seen.short for seen in courses.values()):
        return Finding("late ticks", "better", found, wanted, HOW)
    return Finding("late ticks", "good", found, wanted)
