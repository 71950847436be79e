"""The virtual clock: paced by nothing, and standing still while nothing is going on.

Time passes while an accepted request is taking effect, until the tick that the service asks for, and while the run is
being ended. A full ring, or rows that somebody still wants to fetch, make it wait. So a slow client changes nothing.

A stall of the host can be asked for (`Link.stall`): the clock skips that many periods at once, and counts and blames
them as the real clock does when it wakes up late.
"""

from typing import Any

from hilctl.law.catch_up import rt_awaits_points
from hilctl.law.tick import rt_busy
from hilctl.loop.clock import WAKE, rt_miss
from hilctl.loop.layout import FREE, HELD, ROWS, RUN_UNTIL, STALL
from hilctl.loop.lost import rt_still_lost
from hilctl.loop.ring import READ, WRITTEN
from hilctl.rt.atomics import exchange, load_acquire
from hilctl.rt.jit import jit
from hilctl.rt.libc import monotonic_ns, sleep_until_ns

FOREVER_NS = 2**62
_POLLS = 200  # before the first nap: about 10 µs
_NAP_NS = 20_000
_LONGEST_NAP_NS = 1_000_000


@jit()
def rt_idle(loop: Any, words: Any, state: Any, knots: Any) -> bool:
    """Nothing is going on that time would have to pass for."""
    if loop.status.tick < 0 or loop.status.ending != 0:
        return False
    if loop.health.lost != 0 and not rt_still_lost(words):  # the first readings of a link that is back
        return False
    if loop.status.tick < load_acquire(words, RUN_UNTIL):
        return False
    return bool(not rt_busy(state) or rt_awaits_points(state, knots))


@jit()
def rt_room(loop: Any, options: Any, words: Any) -> bool:
    """The next row would overwrite none that is still wanted. At the end of the run rows are not waited for."""
    if loop.status.ending != 0:
        return True
    written = words[ROWS + WRITTEN]
    if written - load_acquire(words, ROWS + READ) >= loop.row_slots:
        return False
    held = load_acquire(words, HELD)
    return bool(held == FREE or written - held < options.hold_rows)


@jit()
def rt_nap(rounds: int) -> None:
    """Looks again at once for a while, then after ever longer naps."""
    if rounds < _POLLS:
        return
    doublings = min((rounds - _POLLS) // 4, 10)
    sleep_until_ns(monotonic_ns() + min(_NAP_NS << doublings, _LONGEST_NAP_NS))


@jit()
def rt_pass(loop: Any, words: Any, period_ns: int) -> None:
    """One virtual period goes by, and with it those that the host is to miss."""
    skipped = exchange(words, STALL, 0) if load_acquire(words, STALL) > 0 else 0
    rt_miss(loop, skipped, WAKE)
    loop.skipped = skipped
    loop.status.standing = 0
    loop.status.tick += 1 + skipped
    loop.status.time_ns = loop.deadline_ns = loop.status.tick * period_ns
