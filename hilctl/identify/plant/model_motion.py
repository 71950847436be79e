"""The table's motion in the records of an identification, without delay, from displacement and acceleration.

The accelerometer counts relative to displacement: its gain and its delay are those of hilctl.experiment.accelerometer.
What its filter takes off high frequencies is not known; two equal poles of that delay d would take off (w d/2)², no
filter nothing. That counts from the middle of the band in which the gain was seen.

A command that is held for a tick goes in steps. What of them passes the valve and the oil moves the table in step with
the readings, at multiples W of the loop's rate, and readings do not tell that from the slow motion: acceleration and
load pressure show more of it or less, by a share of

    2 |G(W)| cos(W d),    G: the valve's second order times that of the oil column, d from a step to the next reading,

and displacement does not. d is not known that well, so this is an error of the scale (tests/unit/identify/plant/
test_steps.py). The reference rig's is 1.6 % at 200 Hz, as a standard deviation, and 0.003 % at 1 kHz.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hilctl.experiment import accelerometer
from hilctl.experiment.accelerometer import Accelerometer, Both
from hilctl.experiment.crossover import crossover_rad_s, fused, share
from hilctl.experiment.drive import LegFault
from hilctl.identify.plant.model_signals import Reals, Shown

_DAMPING = 0.1  # of the oil column; it counts where a loop is hardly faster than that


class Motion(NamedTuple):
    """Without delay, and low-passed, at the instants of a record."""

    x: Reals
    v: Reals
    a: Reals
    droop: Reals  # of v: what two equal poles in the accelerometer would have taken off, beyond its gain


def of_steps(facts: Mapping[str, Any], mode_rad_s: float, dt_s: float) -> float:
    """The share of a slow motion that a held command adds to acceleration and load pressure: a standard deviation."""
    w, wv, zv = 2 * math.pi / dt_s, float(facts["machine.wv"]), float(facts["machine.zv"])
    valve = abs(wv**2 / complex(wv**2 - w**2, 2 * zv * wv * w))
    column = abs(mode_rad_s**2 / complex(mode_rad_s**2 - w**2, 2 * _DAMPING * mode_rad_s * w))
    return math.sqrt(2) * valve * column


def compare(records: Sequence[Shown], facts: Mapping[str, Any]) -> Accelerometer:
    """The accelerometer in these records. LegFault where they show too little motion for that."""
    both = [Both(one.of("displacement_m"), one.of("acceleration_m_s2"), 0.8 * one.lowest_hz) for one in records]
    noise = facts["sensors.displacement.noise"], facts["sensors.acceleration.noise"]
    found = accelerometer.compare(both, 1 / records[0].grid.dt_s, *noise)
    if found is None:
        raise LegFault(
            "the motions are too small to compare the accelerometer with displacement; widen limits.position or "
            "limits.acceleration, or check the noise of both sensors (sensors.displacement, sensors.acceleration)"
        )
    return found


def fuse(record: Shown, meter: Accelerometer, facts: Mapping[str, Any]) -> Motion:
    """The motion, with the delays that the rig file declares."""
    grid = record.grid
    w, late_s = grid.w, facts["sensors.displacement.delay_s"]
    place = grid.waves(record.of("displacement_m"))
    shown = record.of("acceleration_m_s2")
    push = np.fft.rfft(shown - np.mean(shown)) / meter.gain * np.exp(1j * w * (late_s + meter.later_s))
    w0 = crossover_rad_s(facts["sensors.displacement.noise"], facts["sensors.acceleration.noise"])
    both = place._replace(lines=fused(w, place.lines * np.exp(1j * w * late_s), push, w0))
    filter_s = max(late_s + meter.later_s, 0.0)
    lost = 0.25 * filter_s**2 * (w**2 - meter.middle_rad_s**2) * (1 - share(w, w0))
    x, v = grid.values(both), grid.rate(both)
    a = np.fft.irfft(-(w**2) * both.lines * grid.low_pass, grid.count)
    droop = np.fft.irfft(1j * w * both.lines * grid.low_pass * lost, grid.count)
    return Motion(x, v, np.asarray(a), np.asarray(droop))
