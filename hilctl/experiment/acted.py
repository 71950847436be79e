"""The command that acted, where exchanges failed.

A sample says what was sent. Of an exchange that failed nobody knows whether its command arrived: nothing did since the
first that failed, the first did, or all did, as in hilctl.law.delivery. The spool's next reading says which; where the
rig has none, the second is taken. Taken as sent, 1.25 % of lost exchanges made the valve's frequency
twice as uncertain, and the delay 0.06 ms longer than it is.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.experiment.record import Record, fresh, lost, runs
from hilctl.experiment.sensors import SENSED

Reals = npt.NDArray[np.float64]

SPOOL, SENT = "spool", "u_applied"


def with_acted(record: Record, values: Mapping[str, Any]) -> Record:
    """The record with the commands that acted; `values`: machine.wv and machine.zv."""
    failed = np.logical_and.reduce([lost(record, name) for name in SENSED if name in record])
    gaps = [gap for gap in runs(failed) if gap.start > 0]
    if not gaps or SENT not in record:
        return record
    sent, acting = np.asarray(record[SENT], np.float64), np.array(record[SENT], np.float64)
    share = 1 - math.exp(-values["machine.wv"] / (2 * values["machine.zv"] * record.rate_hz))
    spool, away = _spool(record, sent, share)
    for gap in gaps:
        before, first = sent[gap.start - 1], sent[gap.start]
        courses = [np.full(gap.stop - gap.start, before), np.full(gap.stop - gap.start, first), sent[gap]]
        begin, end = (spool[at] - away if 0 <= at < len(spool) else math.nan for at in (gap.start - 1, gap.stop))
        if math.isfinite(begin) and math.isfinite(end):
            ends = [_led(begin, [before, *course], share) for course in courses]
            acting[gap] = courses[int(np.argmin(np.abs(np.array(ends) - end)))]
        else:
            acting[gap] = first
    return Record({**record.columns, SENT: acting}, record.rate_hz)


def _led(spool: float, commands: list[float], share: float) -> float:
    """Where the spool is after these commands."""
    for command in commands:
        spool += share * (command - spool)
    return spool


def _spool(record: Record, sent: Reals, share: float) -> tuple[Reals, float]:
    """Its readings, nan where they are none, and by how much they are away from the commands: null and offset."""
    from scipy.signal import lfilter

    if SPOOL not in record:
        return np.full(record.ticks, math.nan), 0.0
    spool = np.where(fresh(record, SPOOL), record[SPOOL], math.nan)
    followed = lfilter([0.0, share], [1.0, share - 1.0], sent)
    away = float(np.nanmedian(spool - followed)) if np.isfinite(spool).any() else 0.0
    return spool, away
