"""Where a record shows the motion itself, and not what a disturbance made of it.

While the loop has no reading, believes one that is far off, loses a command or sends it late, and shortly afterwards,
the table goes its own way. What repeats of a motion is seen beside that: of each instant of a cycle in those cycles
that were not disturbed just then.

Twelve records each of a compensated sine on the reference rig's twin, of whose exchanges 1.5 % are lost, three ticks in
a row, as THD in % (mean ± scatter), by how long after such a gap is left out:

    sine, cycles, rate      nothing lost     no time       20 ms         40 ms         80 ms        100 ms
    2 Hz, 6, 1 kHz          2.14 ± 0.04      3.9 ± 4.8     3.2 ± 2.3     2.3 ± 0.2     2.14 ± 0.06  2.15 ± 0.07
    2 Hz, 6, 400 Hz        11.28 ± 0.03     10.6 ± 4.1                                11.14 ± 0.03 11.13 ± 0.03

A command that is lost for a tick or two where commands change by less than STILL moves nothing that would show. Of one
exchange in 400 lost, a tick each, the sines are measured as without losses in hardly more cycles
(`pytest -s tests/system/test_late_commands.py`).
"""

import math

import numpy as np
import numpy.typing as npt

from hilctl.experiment.acted import SENT
from hilctl.experiment.policy import AFTERMATH_S, STEADY
from hilctl.experiment.record import LOST, Mask, Record, fresh, lost, runs
from hilctl.experiment.sensors import SENSED

LEAST_LEFT = 0.4  # of a record
# Shares of the range that the commands of a record cover, so that they hold for a valve of any size.
STILL = 0.006  # by which commands differ: a slow sine in two ticks, but not a reversal of friction
OWED = 0.06  # times ticks: the largest command, late by as much of a tick
LATENESS = ("wake_ns", "exchange_ns")
_INSTANTS = 500  # of a cycle
_TURNS = 60  # an instant that five of six cycles lost is then within 0.002 % of where the search for it began


def undisturbed(record: Record, channel: str) -> Mask:
    """Where this channel is a reading, and nothing of the last AFTERMATH_S spoilt the motion. Where that would leave
    too little, commands that were lost for a tick or two do not count; at last, nothing but the readings themselves.
    """
    sensed = [name for name in SENSED if name in record]
    failed = np.logical_and.reduce([lost(record, name) for name in sensed])  # the command may have been lost, too
    gaps = [gap for name in sensed for gap in runs(~fresh(record, name))]
    long = [gap for gap in gaps if gap.stop - gap.start > STEADY or _believed(record, gap)]
    felt = [*(gap for gap in runs(failed) if not _unfelt(record, gap)), *_late(record)]
    there = fresh(record, channel)
    for disturbed in ([*long, *felt], long):
        found = there.copy()
        for gap in disturbed:
            found[gap.start : gap.stop + math.ceil(AFTERMATH_S * record.rate_hz)] = False
        if np.mean(found) >= LEAST_LEFT:
            return found
    return there


def _unfelt(record: Record, gap: slice) -> bool:
    """Whether the commands that were lost were hardly others than the one that acted on."""
    if SENT not in record or gap.start == 0 or gap.stop - gap.start > STEADY:
        return False
    sent = record[SENT][gap.start - 1 : gap.stop]
    return float(np.ptp(sent)) <= STILL * float(np.ptp(record[SENT]))


def _late(record: Record) -> list[slice]:
    """Where a command came later than usual, by what waking up and the exchange took, and was another by so much that
    the one before, which acted meanwhile, moved what nobody asked for."""
    if SENT not in record or not set(LATENESS) <= record.keys():
        return []
    late_ns = np.zeros(record.ticks)
    for name in LATENESS:
        late_ns += np.clip(record[name] - np.median(record[name]), 0.0, None)
    change = np.abs(np.diff(record[SENT], prepend=record[SENT][0]))
    return runs(change * late_ns * 1e-9 * record.rate_hz > OWED * np.ptp(record[SENT]))


def _believed(record: Record, gap: slice) -> bool:
    """Whether the loop took a reading for true that stands out."""
    return bool(np.any((record[LOST][gap] != 0) & (record["rejected"][gap] == 0)))


def seen(there: Mask, cycles: int) -> npt.NDArray[np.int64]:
    """In how many of the cycles each instant of one is seen."""
    turns = np.arange(cycles)[:, None] + np.arange(_INSTANTS) / _INSTANTS
    return np.asarray(np.sum(there[(turns * len(there) / cycles).astype(np.int64)], axis=0))


def repeated(values: npt.NDArray[np.float64], there: Mask, cycles: int) -> npt.NDArray[np.float64]:
    """A motion that repeats; where it was lost, as the other cycles have it. Begun from what bridges the gaps."""
    out = values.copy()
    for _ in range(_TURNS if not there.all() else 0):
        lines = np.fft.rfft(out)
        lines[np.arange(len(lines)) % cycles != 0] = 0.0
        out[~there] = np.fft.irfft(lines, len(out))[~there]
    return out
