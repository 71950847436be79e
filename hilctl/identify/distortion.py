"""A sine driven for the sake of its distortion (hilctl.results.distortion), as the rig's own accelerometer shows it."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError
from hilctl.experiment.trips import ended_text
from hilctl.results.distortion import Distortion, NoMotion, distortion_of

if TYPE_CHECKING:
    from hilctl.client import Client

MOST_MISSING = 0.005  # of the ticks are filled in; with more, a spectrum would show gaps as motion
ATTEMPTS = 3
_SETTLING, _SETTLING_S = 1, 0.5  # cycles, and time, in which the rig settles; the longer of the two
_SOFT_S = 0.5  # start and stop


class NotMeasuredError(HilctlError):
    """The rig did not do what was to be measured. The message says what stopped it and what to check."""


class TooLate(NotMeasuredError):
    """Too many ticks were missed."""


class Sine(NamedTuple):
    """Whole cycles at full amplitude."""

    cycles: int
    acceleration: npt.NDArray[np.float64]
    reference: npt.NDArray[np.float64]  # what it should have been, as late as the sensor is


def judged(made: Sine, frequency_hz: float, amplitude_m: float) -> Distortion:
    """The distortion of a sine that was driven."""
    try:
        return distortion_of(made.acceleration, made.cycles, frequency_hz, amplitude_m)
    except NoMotion as none:
        raise NotMeasuredError(str(none)) from none


def settling(frequency_hz: float) -> int:
    """Cycles before the measurement."""
    return max(_SETTLING, math.ceil(_SETTLING_S * frequency_hz))


def sine(frequency_hz: float, amplitude_m: float, cycles: int, center_m: float = 0.0) -> dict[str, float]:
    """The motion in which so many cycles are measured, as `track sine` takes it."""
    return {
        "frequency_hz": frequency_hz, "amplitude_m": amplitude_m, "center_m": center_m,
        "cycles": float(cycles + settling(frequency_hz)), "soft_start_s": _SOFT_S, "soft_stop_s": _SOFT_S,
    }  # fmt: skip


def record(
    rig: "Client", frequency_hz: float, amplitude_m: float, cycles: int = 4, center_m: float = 0.0
) -> Sine:  # fmt: skip
    """Drives a sine and lets it settle. The rig must hold, and holds again afterwards. Repeated if too many ticks were
    missed."""
    rate_hz = float(rig.hello["rate_hz"])
    count = round(cycles / frequency_hz * rate_hz)
    for attempt in range(ATTEMPTS):
        motion = rig.track("sine", **sine(frequency_hz, amplitude_m, cycles, center_m))
        outcome = rig.wait(motion)
        if outcome.why != "done":
            what = f"the sine of {frequency_hz:g} Hz and ±{1e3 * amplitude_m:g} mm"
            raise NotMeasuredError(f"{what} was not finished: {ended_text(rig, outcome.why)}")
        begin = round((motion.facts["full_from_s"] + settling(frequency_hz) / frequency_hz) * rate_hz)
        try:
            found = stretch(rig, motion.first, outcome.last, begin, count, ("acceleration_m_s2", "ad_m_s2"))
        except TooLate:
            if attempt == ATTEMPTS - 1:
                raise
            continue
        return Sine(cycles, found["acceleration_m_s2"], found["ad_m_s2"])
    raise AssertionError


def stretch(
    rig: "Client", first: int, last: int, begin: int, count: int, channels: Sequence[str]
) -> dict[str, npt.NDArray[np.float64]]:
    """`count` samples, one per tick, from `begin` ticks after the motion's first. A few missed ticks are filled in."""
    samples = rig.samples(first, last, ["tick", "rejected", *channels])
    ticks = samples["tick"] - samples["tick"][0]
    inside = (ticks >= begin) & (ticks < begin + count)
    missing = count - int(np.count_nonzero(inside))
    if missing > MOST_MISSING * count:
        raise TooLate(
            f"{missing} of {count} ticks were missed during the measurement, more than {100 * MOST_MISSING:g} %: this "
            "host is too late; run `hilctl doctor`"
        )
    if np.any(samples["rejected"][inside]):
        raise NotMeasuredError(
            "readings were rejected during the measurement; the channel `rejected` of the samples names the sensors"
        )
    even = np.arange(begin, begin + count)
    return {name: np.interp(even, ticks, samples[name]) for name in channels}


def measure(
    rig: "Client", frequency_hz: float, amplitude_m: float, cycles: int = 4, center_m: float = 0.0
) -> Distortion:  # fmt: skip
    """Drives a sine and measures it."""
    return judged(record(rig, frequency_hz, amplitude_m, cycles, center_m), frequency_hz, amplitude_m)
