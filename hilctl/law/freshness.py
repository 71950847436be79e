"""How far the dynamic-pressure term may be trusted: it acts on pressures that are young, or not at all.

A pressure that is older than the hydraulic mode allows turns damping into excitation. From the tick on in which either
is older than `pressure_age_s` the term stands where it stood, and its share goes to zero over `pressure_fade_s`. Once
both have been young for RETURN_S, in which the high-pass settles, the term is computed again and fades in. While no
term acts, its share is at once what it should be.
"""

from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt.jit import jit

RETURN_S = 1.0  # also the longest fade: the term has gone before it comes back

FRESH = record_of(
    [
        ("fresh_s", np.float64),  # for how long both pressures have been young; 0 while they are not
        ("live", np.int64),  # the term is computed, not held
        ("share", np.float64),
    ]
)


@jit()
def rt_fresh_start(f: Any) -> None:
    """Nothing has been old yet."""
    f.fresh_s, f.live, f.share = RETURN_S, 1, 1.0


@jit()
def rt_pressure_share(most_s: float, fade_s: float, age_s: float, acts: bool, dt_s: float, periods: int,
                      f: Any) -> None:
    """One tick; `age_s` is that of the older pressure. A skipped period shows no pressure: it is not counted young."""
    if age_s > most_s:
        f.fresh_s, f.live = 0.0, 0
    elif f.live == 0:
        f.fresh_s += dt_s
        if f.fresh_s >= RETURN_S and (f.share <= 0.0 or not acts):
            f.live = 1
    aim = 1.0 if f.live != 0 else 0.0
    step = dt_s * periods / fade_s
    if not acts or abs(aim - f.share) <= step:
        f.share = aim
    else:
        f.share += step if aim > f.share else -step
