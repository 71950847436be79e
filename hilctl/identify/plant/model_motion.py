"""The table's motion in the records of an identification, without delay, from displacement and acceleration.

The accelerometer counts relative to displacement: its gain and its delay are those of hilctl.experiment.accelerometer.
What its filter takes off high frequencies is not known; two equal poles of that delay d would take off (w d/2)², no
filter nothing. That counts from the middle of the band in which the gain was seen.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hilctl.experiment import accelerometer
from hilctl.experiment.accelerometer import Accelerometer, Both
from hilctl.experiment.crossover import crossover_rad_s, fused, share
from hilctl.experiment.drive import LegFault
from hilctl.identify.plant.model_signals import Reals, Shown


class Motion(NamedTuple):
    """Without delay, and low-passed, at the instants of a record."""

    x: Reals
    v: Reals
    a: Reals
    droop: Reals  # of v: what two equal poles in the accelerometer would have taken off, beyond its gain


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
    lost = 0.25 * facts["sensors.acceleration.delay_s"] ** 2 * (w**2 - meter.middle_rad_s**2) * (1 - share(w, w0))
    x, v = grid.values(both), grid.rate(both)
    a = np.fft.irfft(-(w**2) * both.lines * grid.low_pass, grid.count)
    droop = np.fft.irfft(1j * w * both.lines * grid.low_pass * lost, grid.count)
    return Motion(x, v, np.asarray(a), np.asarray(droop))
