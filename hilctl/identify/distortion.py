"""How much a rig distorts the acceleration of a sine, measured by its own accelerometer.

    THD = sqrt(Σ a_k²) / a_1     over the harmonics k from the second to HIGHEST_HZ, over whole cycles

The accelerometer's noise puts something into every line of the spectrum, harmonics included. What it puts into a line
is seen between the harmonics, and is taken off: otherwise a quiet rig would look distorted by its sensor. What is left
is not told below the error of that: a rig better than its sensor is as good as the sensor can show.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError
from hilctl.identify.trips import ended_text

if TYPE_CHECKING:
    from hilctl.client import Client

HIGHEST_HZ = 100.0
LEAST_CYCLES = 2  # fewer leave no line between two harmonics
MOST_MISSING = 0.005  # of the ticks: filled in; with more, a spectrum would show what the table is not
ATTEMPTS = 3
_SETTLING, _SETTLING_S = 1, 0.5  # cycles, and time, that a rig is given to swing in, the longer of the two
_SOFT_S = 0.5  # start and stop


class NotMeasuredError(HilctlError):
    """The rig did not do what was to be measured. The message says what stopped it and what to check."""


class TooLate(NotMeasuredError):
    """Too many ticks were missed."""


class Distortion(NamedTuple):
    """Of one sine."""

    frequency_hz: float
    amplitude_m: float
    percent: float  # of the fundamental, the sensor's noise taken off; not below the resolution
    noise_percent: float  # what was taken off
    resolution_percent: float  # of what is left: the error of what was taken off
    fundamental_m_s2: float
    harmonics_percent: tuple[float, ...]  # from the second on, noise included


class Sine(NamedTuple):
    """Whole cycles at full amplitude."""

    cycles: int
    acceleration: npt.NDArray[np.float64]
    reference: npt.NDArray[np.float64]  # what it should have been, as late as the sensor is


class Noise(NamedTuple):
    """What a sensor puts into a line of the spectrum."""

    level: float  # mean of the squares
    lines: int  # that it was seen in

    def error(self, count: int) -> float:
        """Of the sum over so many lines, less noise: a line's power scatters by as much as itself."""
        return self.level * math.sqrt(count + count**2 / self.lines)

    def off(self, total: float, count: int) -> float:
        """A sum of squares over so many lines, noise taken off; not below the error of that."""
        return max(total - count * self.level, self.error(count))


def noise_of(lines: npt.NDArray[np.float64], cycles: int, last: int) -> Noise:
    """Seen between the harmonics, from the second to the last."""
    between = np.ones(last * cycles + 1, bool)
    between[::cycles] = False
    between[: 2 * cycles] = False
    seen = lines[: last * cycles + 1][between]
    return Noise(float(np.mean(seen**2)), len(seen))


def distortion_of(
    acceleration: npt.NDArray[np.float64], cycles: int, frequency_hz: float, amplitude_m: float = math.nan
) -> Distortion:
    """Of a record of so many whole cycles."""
    if cycles < LEAST_CYCLES:
        raise ValueError(f"cycles: {cycles}, at least {LEAST_CYCLES} whole cycles are needed")
    lines = 2 / len(acceleration) * np.abs(np.fft.rfft(acceleration))
    last = min(int(HIGHEST_HZ / frequency_hz + 1e-9), (len(lines) - 1) // cycles)
    harmonics = lines[2 * cycles : last * cycles + 1 : cycles]
    fundamental = float(lines[cycles])
    if not fundamental > 0.0:
        raise NotMeasuredError("the accelerometer shows no motion at the sine's frequency; check sensors.acceleration")
    noise = noise_of(lines, cycles, last)
    total, count = float(np.sum(harmonics**2)), len(harmonics)
    percent = 100 / fundamental
    return Distortion(
        frequency_hz, amplitude_m, percent * math.sqrt(noise.off(total, count)),
        percent * math.sqrt(count * noise.level), percent * math.sqrt(noise.error(count)), fundamental,
        tuple(100 * harmonics / fundamental),
    )  # fmt: skip


def settling(frequency_hz: float) -> int:
    """Cycles that do not count."""
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
    """Drives a sine, swung in. The rig is to hold; it holds again afterwards. What was missed too much is repeated."""
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
    """So many periods of a motion's samples, from one that long after its first. A few missed ticks are filled in."""
    samples = rig.samples(first, last, ["tick", "rejected", *channels])
    ticks = samples["tick"] - samples["tick"][0]
    inside = (ticks >= begin) & (ticks < begin + count)
    missing = count - int(np.count_nonzero(inside))
    if missing > MOST_MISSING * count:
        raise TooLate(
            f"{missing} of {count} ticks were missed while it was measured: this host is too late; see `hilctl doctor`"
        )
    if np.any(samples["rejected"][inside]):
        raise NotMeasuredError("readings were rejected while it was measured; see the sample's channel `rejected`")
    even = np.arange(begin, begin + count)
    return {name: np.interp(even, ticks, samples[name]) for name in channels}


def measure(
    rig: "Client", frequency_hz: float, amplitude_m: float, cycles: int = 4, center_m: float = 0.0
) -> Distortion:  # fmt: skip
    """Drives a sine and measures it."""
    made = record(rig, frequency_hz, amplitude_m, cycles, center_m)
    return distortion_of(made.acceleration, cycles, frequency_hz, amplitude_m)
