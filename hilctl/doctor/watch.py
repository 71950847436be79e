"""The loop's own wait, and nothing else: what it wakes like before an exchange or a controller adds to it."""

from typing import Any

from hilctl.loop.clock import rt_sleep
from hilctl.rt.jit import jit
from hilctl.rt.libc import monotonic_ns


@jit(lambda: "int64(int64, int64, int64, int64[::1])", cached=True)
def rt_watch(period_ns: int, spin_ns: int, due: int, late_ns: Any) -> int:
    """Waits for `due` deadlines as `rt_await` does; how late each tick woke that ran. Returns how many ran."""
    due_ns, tick, ran = monotonic_ns(), -1, 0
    while tick < due - 1:
        due_ns += period_ns
        late = rt_sleep(due_ns, spin_ns) - due_ns
        skipped = late // period_ns
        late_ns[ran] = late
        ran += 1
        due_ns += skipped * period_ns
        tick += 1 + skipped
    return ran
