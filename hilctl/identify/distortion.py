"""A sine driven for the sake of its distortion (hilctl.results.distortion), as the rig's own accelerometer shows it."""

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.experiment.drive import Leg, LegFault, drive
from hilctl.experiment.policy import PERIODIC, STEADY
from hilctl.experiment.record import Mask, fresh, longest, runs
from hilctl.results.distortion import LEAST_CYCLES, Distortion, NoMotion, distortion_of

if TYPE_CHECKING:
    from hilctl.client import Client, Motion

Reals = npt.NDArray[np.float64]

CHANNELS = ("acceleration_m_s2", "ad_m_s2")
_SHOWN = CHANNELS[0]
_SETTLING, _SETTLING_S = 1, 0.5  # cycles, and time, in which the rig settles; the longer of the two
_TURNS = 20  # an instant that three of four cycles lost is then within 0.3 % of where the search for it began
_SOFT_S = 0.5  # start and stop


class NotMeasuredError(LegFault):
    """The rig did not do what was to be measured. The message says what stopped it and what to check."""


class Sine(NamedTuple):
    """Whole cycles at full amplitude."""

    cycles: int
    acceleration: Reals
    reference: Reals  # what it should have been, as late as the sensor is
    notes: tuple[str, ...] = ()  # what was lost


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
    """Drives a sine and lets it settle. The rig must hold, and holds again afterwards."""
    rate_hz = float(rig.hello["rate_hz"])
    count = round(cycles / frequency_hz * rate_hz)

    def start() -> "Motion":
        return rig.track("sine", **sine(frequency_hz, amplitude_m, cycles, center_m))

    def measured(motion: "Motion") -> slice:
        begin = round((motion.facts["full_from_s"] + settling(frequency_hz) / frequency_hz) * rate_hz)
        return slice(begin, begin + count)

    leg = Leg(f"the sine of {frequency_hz:g} Hz and ±{1e3 * amplitude_m:g} mm", start, CHANNELS, PERIODIC,
              (_SHOWN,), part=measured)  # fmt: skip
    driven = drive(rig, leg)
    found = driven.record.bridged.part(driven.part)
    part, kept = undisturbed(fresh(found, _SHOWN), cycles)
    shown = repeated(found[_SHOWN][part], fresh(found, _SHOWN)[part], kept)
    notes = [*driven.notes, *([f"{kept} of {cycles} cycles count, the others were disturbed"] if kept < cycles else [])]
    return Sine(kept, shown, found["ad_m_s2"][part], tuple(notes))


def undisturbed(there: Mask, cycles: int) -> tuple[slice, int]:
    """The most whole cycles in a row without a gap that shows in the motion; all, where these are too few."""
    ends = np.round(np.linspace(0, len(there), cycles + 1)).astype(int)
    spoilt = np.array([longest(~there[a:b]) > STEADY for a, b in itertools.pairwise(ends)], bool)
    best = max(runs(~spoilt), key=lambda run: run.stop - run.start, default=slice(0, 0))
    if best.stop - best.start < LEAST_CYCLES:
        best = slice(0, cycles)
    return slice(int(ends[best.start]), int(ends[best.stop])), best.stop - best.start


def repeated(values: Reals, there: Mask, cycles: int) -> Reals:
    """A motion that repeats; where it was lost, as the other cycles have it. Begun from what bridges the gaps."""
    out = values.copy()
    for _ in range(_TURNS if not there.all() else 0):
        lines = np.fft.rfft(out)
        lines[np.arange(len(lines)) % cycles != 0] = 0.0
        out[~there] = np.fft.irfft(lines, len(out))[~there]
    return out


def measure(
    rig: "Client", frequency_hz: float, amplitude_m: float, cycles: int = 4, center_m: float = 0.0
) -> Distortion:  # fmt: skip
    """Drives a sine and measures it."""
    return judged(record(rig, frequency_hz, amplitude_m, cycles, center_m), frequency_hz, amplitude_m)
