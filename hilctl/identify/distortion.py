"""How much a rig distorts the acceleration of a sine, measured by its own accelerometer.

    THD = sqrt(Σ a_k²) / a_1     over the harmonics k from the second to HIGHEST_HZ, over whole cycles

The accelerometer's noise puts something into every line of the spectrum, harmonics included. What it puts into a line
is seen between the harmonics, and is taken off: otherwise a quiet rig would look distorted by its sensor.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from hilctl.client import Client

HIGHEST_HZ = 100.0
LEAST_CYCLES = 2  # fewer leave no line between two harmonics
_SETTLING = 2  # cycles that a rig is given to swing in


class NotMeasuredError(Exception):
    """The rig did not do what was to be measured. The message says what stopped it and what to check."""


class Distortion(NamedTuple):
    """Of one sine."""

    frequency_hz: float
    amplitude_m: float
    percent: float  # of the fundamental, the sensor's noise taken off
    noise_percent: float  # what was taken off
    fundamental_m_s2: float
    harmonics_percent: tuple[float, ...]  # from the second on, noise included


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
    between = np.ones(last * cycles + 1, bool)
    between[::cycles] = False
    between[: 2 * cycles] = False
    noise = float(np.mean(lines[: last * cycles + 1][between] ** 2)) * len(harmonics)
    total = float(np.sum(harmonics**2))
    return Distortion(
        frequency_hz, amplitude_m, 100 * math.sqrt(max(total - noise, 0.0)) / fundamental,
        100 * math.sqrt(noise) / fundamental, fundamental, tuple(100 * harmonics / fundamental),
    )  # fmt: skip


def measure(rig: "Client", frequency_hz: float, amplitude_m: float, cycles: int = 4) -> Distortion:
    """Drives a sine and measures it. The rig is to hold; it holds again afterwards."""
    motion = rig.track("sine", frequency_hz=frequency_hz, amplitude_m=amplitude_m, cycles=float(cycles + _SETTLING))
    outcome = rig.wait(motion)
    if outcome.why != "done":
        said = f"{outcome.why} by {outcome.trip}" if outcome.trip else f"it ended by {outcome.why!r}"
        sine = f"the sine of {frequency_hz:g} Hz and ±{1e3 * amplitude_m:g} mm"
        raise NotMeasuredError(f"{sine} was not finished: {said}")
    rate_hz = float(rig.hello["rate_hz"])
    begin = motion.first + round((motion.facts["full_from_s"] + _SETTLING / frequency_hz) * rate_hz)
    count = round(cycles / frequency_hz * rate_hz)
    samples = rig.samples(begin, begin + count - 1, ["acceleration_m_s2", "rejected"])
    if np.any(samples["rejected"]):
        raise NotMeasuredError("readings were rejected while it was measured; see the sample's channel `rejected`")
    return distortion_of(samples["acceleration_m_s2"], cycles, frequency_hz, amplitude_m)
