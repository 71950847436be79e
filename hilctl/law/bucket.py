"""Leaky buckets: what comes and goes, and is never in a row.

A bucket leaks `share` of a period each period, and what is bad pours a whole one in. It holds `share` of a second. So
what is bad for a steady fraction f > share of the time fills it in share / (f - share) seconds, and what is bad for
less never does. Events that are counted leak one a second instead.
"""

from hilctl.rt.jit import jit


@jit()
def rt_leak(level: float, bad: bool, share: float, dt_s: float, periods: int) -> float:
    """The level after some periods, all good or all bad; a second's worth at the most."""
    poured = periods - share * periods if bad else -share * periods
    return float(min(max(level + poured, 0.0), 1.0 / dt_s))


@jit()
def rt_full(level: float, share: float, dt_s: float) -> bool:
    """More than the share of a second is in it."""
    return bool(level * dt_s > share)


@jit()
def rt_events(level: float, happened: bool, dt_s: float, periods: int) -> float:
    """The level of a bucket of events: n within a second leave n - 1 in it, or more."""
    return max(level - dt_s * periods, 0.0) + (1.0 if happened else 0.0)
