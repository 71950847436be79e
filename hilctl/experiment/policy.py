"""What may be lost of a measurement, and what is then done: one table for every experiment.

A reading is lost where the loop rejected it and put its own prediction in its place (a link that did not reply in time,
a value out of range, a spike), or where its tick did not run (a host that was late). No prediction of the loop is ever
identified from. A reading that the device repeats (held) is not lost; it is left out, or bridged, likewise. What is
done instead of a lost one depends on what the leg is for:

means      sums over samples, each with its own weight: lost readings are left out, however many in a row
periodic   harmonics of a motion that repeats: what was disturbed of a cycle is left out, and is taken from the others;
           it is driven on until 99 % of the instants of a cycle were seen twice, and each once
equation   an equation that holds at every instant: short gaps are bridged, around longer ones the window is closed
spectrum   transforms that need a value at every tick: short gaps are bridged, with longer ones there is no result
tracking   figures of how a motion was followed: over the ticks that ran, by the loop's own estimates

A gap is bridged by what the record says on its two sides (hilctl.experiment.bridge). With a longer one than `gap_ticks`
the table itself went its own way for a moment, and the leg is driven again, up to TIMES in all; then a leg whose
estimator leaves gaps out (`leaves_out`) is taken as it is, and any other is a fault. Where such an estimator loses no
more than SLIGHT of the leg in these gaps, it is taken at the first time. With more than `share` of its
readings lost it is driven again likewise, and is a fault then in any case. Driving again does not make a link or a host
better: with more than HOPELESS times that share, or more than OFTEN such gaps, the first try counts as the last. A
fault says what link and host lost; a result says which share was lost, and how often a leg was driven again. Intervals
are wider by what was not fresh (`wider`).
"""

from typing import NamedTuple

TIMES = 3
HOPELESS, OFTEN = 2.0, 2
REST_S = 0.3  # behind a motion: its last ringing, and the noise of the sensors
SOFT_CYCLES = 0.5  # of a sine, at least, in its soft start and stop
BRIDGED = 5  # ticks in a row: then within 0.2 % of the amplitude, rms, up to a tenth of the loop's rate
STEADY = 2  # ticks in a row: more show in the motion itself, 4 of them by 0.9 m/s² at 0.1 m/s on the reference rig
AFTERMATH_S = 0.08  # after such a gap: the table is then back on its way, see hilctl.experiment.undisturbed
SHARE = 0.10
SLIGHT = 0.005  # of a leg's ticks: a host that stalls for 15 ms in a motion of 4 s


class Allowance(NamedTuple):
    """For one purpose."""

    share: float  # of a leg's readings, of each sensor, and of its ticks
    gap_ticks: int | None  # lost in a row; None: however many
    leaves_out: bool  # what is longer


MEANS = Allowance(SHARE, None, True)
PERIODIC = Allowance(SHARE, None, True)
EQUATION = Allowance(SHARE, BRIDGED, True)
SPECTRUM = Allowance(SHARE, BRIDGED, False)
TRACKING = Allowance(SHARE, None, True)
PURPOSES = {
    "means": MEANS, "periodic": PERIODIC, "equation": EQUATION, "spectrum": SPECTRUM, "tracking": TRACKING,
}  # fmt: skip


def soft_s(frequency_hz: float, least_s: float) -> float:
    """Soft start and stop of a sine that is nowhere faster than at full amplitude (in a quarter cycle: 1.43 times)."""
    return max(least_s, SOFT_CYCLES / frequency_hz)


def wider(share: float) -> float:
    """By what intervals are wider where such a share of the readings was not fresh."""
    return 1.0 / (1.0 - share)
