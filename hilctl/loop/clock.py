"""The real clock: absolute deadlines that keep their phase.

Tick k is due at start + k·period. A tick that wakes less than a period after its deadline runs, late; whole periods
that went by are missed: counted, blamed on the stage that used up the time, and skipped. The tick's index goes on by
1 + skipped.

With `spin` the loop sleeps short of the deadline and watches the clock for the rest: at most half a period, for the
kernel takes the processor from real-time threads that never sleep.
"""

from typing import Any

from hilctl.loop.layout import STAGES
from hilctl.rt.jit import jit
from hilctl.rt.libc import monotonic_ns, sleep_until_ns

WAKE, EXCHANGE, LAW = range(len(STAGES))


@jit()
def rt_start_clock(loop: Any) -> None:
    """The first tick is due one period from now."""
    loop.status.tick = -1
    loop.begun_ns = loop.deadline_ns = loop.finished_ns = monotonic_ns()


@jit()
def rt_await(loop: Any, period_ns: int, spin_ns: int) -> None:
    """Waits for the next deadline; notes how late it woke and what was missed."""
    due_ns = loop.deadline_ns + period_ns
    now_ns = rt_sleep(due_ns, spin_ns)
    late_ns = now_ns - due_ns
    skipped = late_ns // period_ns
    rt_miss(loop, skipped, rt_blame(loop, due_ns, now_ns) if skipped > 0 else WAKE)
    loop.skipped = skipped
    loop.spent_ns[WAKE] = late_ns
    loop.deadline_ns = due_ns + skipped * period_ns
    loop.status.tick += 1 + skipped
    loop.status.time_ns = now_ns


@jit()
def rt_miss(loop: Any, skipped: int, stage: int) -> None:
    """Counts the periods that were missed before this tick; none ends the row."""
    status = loop.status
    if skipped > 0:
        status.missed += skipped
        status.blamed[stage] += skipped
        status.late_in_a_row += skipped
        status.late_in_a_row_most = max(status.late_in_a_row_most, status.late_in_a_row)
    else:
        status.late_in_a_row = 0


@jit()
def rt_sleep(due_ns: int, spin_ns: int) -> int:
    """Sleeps, then spins if so wished, until the instant; returns when it woke."""
    sleep_until_ns(due_ns - spin_ns)
    now_ns = monotonic_ns()
    while now_ns < due_ns:
        if spin_ns == 0:
            sleep_until_ns(due_ns)
        now_ns = monotonic_ns()
    return now_ns


@jit()
def rt_blame(loop: Any, due_ns: int, now_ns: int) -> int:
    """The stage that used up the time: this wake-up, or the longest stage of the tick before."""
    overslept_ns = now_ns - max(due_ns, loop.finished_ns)
    wake_ns = max(overslept_ns, loop.spent_ns[WAKE])
    exchange_ns, law_ns = loop.spent_ns[EXCHANGE], loop.spent_ns[LAW]
    if wake_ns >= exchange_ns and wake_ns >= law_ns:
        return WAKE
    return EXCHANGE if exchange_ns >= law_ns else LAW
