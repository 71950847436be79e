"""What the valve does while exchanges fail, and what the commands that were lost owe the table.

An exchange that fails may have delivered its command or not: the request was lost, or its answer. Until the next one
succeeds three courses are possible, and the valve's command is held in each:

    none    nothing arrived since the first that failed; what acted before is held
    first   the first command arrived, and is held: the link waited for its answer meanwhile
    all     every command arrived, and only the answers were lost

The spool's model follows each, and its reading says which was true. The guard of the spool judges by the nearest.

A command that is held for three ticks in the middle of the pulse with which the inverse model turns friction round
moves oil that nobody asked for: at 1 kHz, on the reference rig, it threw the table to 0.2 m/s beside a reference of
0.01. What the wanted commands would have moved and the held one did not is owed: opening times ticks. The next
commands repay it, as fast as reach and slew allow, before the mass has taken it up on its oil: after a longer silence
nothing is repaid, and the feedback leads the table back. While exchanges fail each command asks for what is owed in
the first and in the second course alike, for it may be the one that arrives; the rest is known with the spool's next
reading. Without such a reading nothing is repaid. (`pytest tests/unit/law/test_delivery.py`)

What repays is itself held where the next commands are lost too, and then moves several times what was owed: on a link
that loses many of them the debts grow instead. So less is repaid the more of late were missed, and nothing while the
reference rests (a table at rest behind an overlap was thrown to 0.5 m/s where 40 % were lost).
"""

import math
from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt.jit import jit

NONE, FIRST, ALL = range(3)
COURSES = 3
MOST_S = 7e-4  # of full opening: more is not repaid, the feedback takes its time over it
LONGEST = 0.4  # of half a swing of the oil, of a silence: a later repayment adds to the swing that it should prevent,
LONGEST_TICKS = 3  # where so many, which one loss may cost, are not longer
OF_LATE = 32.0  # periods
FORGOTTEN_S = 0.05  # what could not be repaid within a few ticks is the feedback's

DELIVERY = record_of(
    [
        ("acts", np.float64),  # the last command that is known to have arrived
        ("unknown", np.int64),  # ticks since then
        ("held", np.float64, (COURSES,)),  # the command that acts, by course
        ("spool", np.float64, (COURSES,)),  # where it would be
        ("owed", np.float64, (COURSES,)),  # opening times ticks
        ("off", np.float64),  # the spool's reading less the nearest of these; nan where there is none in this tick
        ("due", np.float64),  # to be repaid, opening times ticks
        ("plain", np.float64),  # the next command without what it repays
        ("missed", np.float64),  # share of the periods of late in which no command is known to have arrived
        ("repays", np.int64),  # the last command did, or was still on its way back
    ]
)


@jit()
def rt_delivery_start(command: float, d: Any) -> None:
    """Nothing is owed."""
    d.plain, d.due, d.repays = command, 0.0, 0


@jit()
def rt_delivered(failed: bool, sent: float, shown: bool, reading: float, lag: float, most: float, dt_s: float,
                 periods: int, swing_s: float, d: Any) -> None:  # fmt: skip
    """After an exchange: what acts now. `shown`: the rig has a spool reading; `reading`: nan where there is none in
    this tick. In these periods the spool goes the share `lag` of its way, and no farther than `most`. `swing_s`: half a
    period of the hydraulic mode.
    """
    begins, lasted = failed and d.unknown == 0, d.unknown
    missed = periods if failed else periods - 1
    d.missed += (missed - d.missed * periods) / max(OF_LATE, periods)
    if begins:
        d.held[NONE], d.held[FIRST] = d.acts, sent
    if failed:
        d.unknown, d.held[ALL] = d.unknown + periods, sent
        for k in range(COURSES):
            # What the first one repaid was booked when it was computed.
            d.owed[k] = d.due + (sent - d.held[k]) * periods if begins else d.owed[k] + (d.plain - d.held[k]) * periods
    else:
        d.unknown, d.acts = 0, sent
        for k in range(COURSES):
            d.held[k] = sent
    nearest = ALL
    for k in range(COURSES):
        d.spool[k] += min(max(lag * (d.held[k] - d.spool[k]), -most), most)
        if abs(reading - d.spool[k]) < abs(reading - d.spool[nearest]):
            nearest = k
    d.off = reading - d.spool[nearest]
    if max(d.unknown, lasted) * dt_s > max(LONGEST * swing_s, LONGEST_TICKS * dt_s):
        d.due = 0.0
    elif failed:
        d.due = _rt_alike(d.owed[NONE], d.owed[FIRST])
    elif lasted > 0:
        d.due = d.owed[nearest] - (sent - d.plain) if math.isfinite(reading) else 0.0
    if d.due != 0.0:
        bound = MOST_S / dt_s if shown else 0.0
        d.due = min(max(d.due * math.exp(-dt_s * periods / FORGOTTEN_S), -bound), bound)


@jit(inline=True)
def _rt_alike(one: float, other: float) -> float:
    """The smaller of two debts, where both have the same sign."""
    if one * other <= 0.0:
        return 0.0
    return one if abs(one) < abs(other) else other


@jit()
def rt_repayment(share: float, before: float, centre: float, reach: float, step: float, d: Any) -> float:
    """What the next command, `d.plain`, repays within reach and slew; `before`: the last one."""
    low, high = max(before - step, centre - reach, -1.0), min(before + step, centre + reach, 1.0)
    if d.due == 0.0 or d.plain < low or d.plain > high:
        return 0.0
    arrives = 1.0 - d.missed
    return float(min(max(share * arrives * arrives * d.due, low - d.plain), high - d.plain))


@jit()
def rt_repaid(given: float, saturated: int, d: Any) -> bool:
    """Books what was given. Whether it differs from what was wanted because of a repayment."""
    repays = given != d.plain and saturated == 0 and (d.due != 0.0 or d.repays != 0)
    if repays:
        d.due += d.plain - given
    d.repays = 1 if repays else 0
    return bool(repays)
