"""The link to the device as the loop sees it: open or lost, and what its exchanges came to.

While off, a link that is closed, has given no answer for a while, or is to be opened again, is lost. From then on the
loop leaves the driver alone: its state belongs to the keeper (keeper.py), which reconnects, until the link is open
again. Meanwhile the status of every tick is CLOSED, there are no readings, and the ages of the last ones go on.
"""

import math
from typing import Any

from hilctl.law.arming import rt_arming_unknown
from hilctl.loop.layout import DEVICE_LINK, RELINK
from hilctl.rt.atomics import load_acquire, store_release
from hilctl.rt.jit import jit
from hilctl.rt.records import words_of
from hilctl.signals import SENSORS, Mode, Status

OPEN, LOST = 0, 1
SECOND_NS = 1_000_000_000
_COUNT = len(SENSORS)
_LAST_STATUS = len(Status) - 1


@jit()
def rt_link_open(words: Any, loop: Any) -> bool:
    """Whether an exchange may be called."""
    health = loop.health
    if health.lost == 0:
        return True
    if rt_still_lost(words):
        return False
    health.lost = health.failing = 0
    health.since_ns = loop.status.time_ns
    for k in range(_COUNT):
        loop.readings.age_ns[k] = 0  # as at the start: a driver may have none to tell
    loop.changed = 1
    return True


@jit()
def rt_still_lost(words: Any) -> bool:
    """Whether nobody has opened the link again."""
    return bool(load_acquire(words, DEVICE_LINK) == LOST)


@jit()
def rt_without_link(loop: Any, period_ns: int) -> int:
    """A tick without an exchange: its status."""
    for k in range(_COUNT):
        loop.readings.age_ns[k] += (1 + loop.skipped) * period_ns
    return Status.CLOSED.value


@jit()
def rt_count_outcome(loop: Any, outcome: int) -> None:
    """Counts what an exchange came to. What answers, if only by refusing, is not silent."""
    health = loop.health
    health.outcomes[min(max(outcome, 0), _LAST_STATUS)] += 1
    if outcome == Status.OK or outcome == Status.LATE or outcome == Status.OVERWRITTEN:
        health.failing = 0
        return
    health.errors += 1
    health.failing = 0 if outcome == Status.EXCEPTION else health.failing + 1 + loop.skipped


@jit()
def rt_follow_link(words: Any, loop: Any, options: Any, state: Any, outcome: int) -> bool:
    """After the law: loses a link that is gone, while off. The law starts again with the first readings after it.
    Whether it was because somebody asked."""
    health = loop.health
    health.last = outcome
    rt_follow_ages(loop)
    if health.lost != 0 or state.mode != Mode.OFF or loop.status.ending != 0:
        return False
    asked = load_acquire(words, RELINK) != 0
    if asked:
        store_release(words, RELINK, 0)
    elif options.lost_periods == 0 or (outcome != Status.CLOSED and health.failing < options.lost_periods):
        return False
    health.lost, health.cause, health.since_ns = 1, outcome, loop.status.time_ns
    values = words_of(loop.readings)
    for k in range(_COUNT):
        values[k] = math.nan
    state.started = 0
    rt_arming_unknown(state.now.law.valve.null_bias, state.arm)  # who knows what will be behind the plug
    loop.changed = 1
    store_release(words, DEVICE_LINK, LOST)
    return bool(asked)


@jit()
def rt_follow_ages(loop: Any) -> None:
    """The age of each reading, and its greatest over a second."""
    health, second = loop.health, loop.status.time_ns // SECOND_NS
    fresh = second != health.second
    for k in range(_COUNT):
        age_ns = loop.readings.age_ns[k]
        if fresh:
            health.oldest_ns[k] = health.oldest_yet_ns[k]
            health.oldest_yet_ns[k] = age_ns
        else:
            health.oldest_yet_ns[k] = max(health.oldest_yet_ns[k], age_ns)
        health.age_ns[k] = age_ns
    health.second = second
