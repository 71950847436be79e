"""A sine driven for the sake of its distortion (hilctl.results.distortion), as the rig's own accelerometer shows it."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.experiment.acted import SENT
from hilctl.experiment.drive import Leg, LegFault, drive
from hilctl.experiment.policy import AFTERMATH_S, PERIODIC, soft_s
from hilctl.experiment.record import Mask
from hilctl.experiment.sensors import SENSED
from hilctl.experiment.undisturbed import LATENESS, repeated, seen, undisturbed
from hilctl.results.distortion import Distortion, NoMotion, distortion_of

if TYPE_CHECKING:
    from hilctl.client import Client, Motion

Reals = npt.NDArray[np.float64]

CHANNELS = (*SENSED, "ad_m_s2", SENT, *LATENESS)  # a disturbed reading of any sensor disturbs the motion
_SHOWN = "acceleration_m_s2"
_SETTLING, _SETTLING_S = 1, 0.5  # cycles, and time, in which the rig settles; the longer of the two
_LEGS, _MOST_MORE = 3, 12  # motions, and cycles of each but the first
OFTEN_SEEN, RARE = 2, 0.01  # cycles that show an instant; the share of instants that fewer show, though each is shown
_SOFT_S = 0.5  # start and stop, at least
_SHOWN_SHARE = 0.01  # left out; less is not worth a note


class NotMeasuredError(LegFault):
    """The rig did not do what was to be measured. The message says what stopped it and what to check."""


class Sine(NamedTuple):
    """Whole cycles at full amplitude."""

    cycles: int
    acceleration: Reals
    reference: Reals  # what it should have been, as late as the sensor is
    notes: tuple[str, ...] = ()  # what was lost
    left_out: float = 0.0  # share of the cycles that shows what a disturbance made of them


def judged(made: Sine, frequency_hz: float, amplitude_m: float) -> Distortion:
    """The distortion of a sine that was driven."""
    try:
        return distortion_of(made.acceleration, made.cycles, frequency_hz, amplitude_m, made.left_out)
    except NoMotion as none:
        raise NotMeasuredError(str(none)) from none


def settling(frequency_hz: float) -> int:
    """Cycles before the measurement."""
    return max(_SETTLING, math.ceil(_SETTLING_S * frequency_hz))


def sine(frequency_hz: float, amplitude_m: float, cycles: int, center_m: float = 0.0) -> dict[str, float]:
    """The motion in which so many cycles are measured, as `track sine` takes it."""
    soft = soft_s(frequency_hz, _SOFT_S)
    return {
        "frequency_hz": frequency_hz, "amplitude_m": amplitude_m, "center_m": center_m,
        "cycles": float(cycles + settling(frequency_hz)), "soft_start_s": soft, "soft_stop_s": soft,
    }  # fmt: skip


def record(
    rig: "Client", frequency_hz: float, amplitude_m: float, cycles: int = 4, center_m: float = 0.0,
    left_out: float = 0.0,
) -> Sine:  # fmt: skip
    """Drives a sine and lets it settle; where a disturbance hid an instant of its cycle too often, more cycles. The rig
    must hold, and holds again afterwards.

    `left_out`: the share that an earlier one on this link left out: as many cycles at once as that asks for.
    """
    cycles = max(cycles, _cycles(0, left_out))
    legs = [_driven(rig, frequency_hz, amplitude_m, cycles, center_m)]
    while len(legs) < _LEGS and (more := further(legs)) > 0:
        legs.append(_driven(rig, frequency_hz, amplitude_m, more, center_m))
    there = np.concatenate([leg.there for leg in legs])
    count = sum(leg.cycles for leg in legs)
    shown = repeated(np.concatenate([leg.acceleration for leg in legs]), there, count)
    notes = [note for leg in legs for note in leg.notes]
    share = 1 - float(np.mean(there))
    if share >= _SHOWN_SHARE:
        notes.append(f"{100 * share:.0f} % of {count} cycles are left out: what a disturbance made of them, and "
                     f"{1e3 * AFTERMATH_S:g} ms after it")  # fmt: skip
    return Sine(count, shown, np.concatenate([leg.reference for leg in legs]), tuple(notes), share)


class _Leg(NamedTuple):
    """Whole cycles as they were driven at once."""

    cycles: int
    there: Mask
    acceleration: Reals  # bridged where it is not there
    reference: Reals
    notes: Sequence[str]


def _driven(rig: "Client", frequency_hz: float, amplitude_m: float, cycles: int, center_m: float) -> _Leg:
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
    found, there = driven.record.bridged.part(driven.part), undisturbed(driven.record, _SHOWN)[driven.part]
    return _Leg(cycles, there, found[_SHOWN], found["ad_m_s2"], driven.notes)


def further(legs: Sequence[_Leg]) -> int:
    """How many cycles more show each instant of one often enough, if as much is lost of them; 0 where these do."""
    shown = np.sum([seen(leg.there, leg.cycles) for leg in legs], axis=0)
    if shown.min() > 0 and np.mean(shown < OFTEN_SEEN) <= RARE:
        return 0
    share = 1 - float(np.mean(np.concatenate([leg.there for leg in legs])))
    return max(1, _cycles(sum(leg.cycles for leg in legs), share))


def _cycles(done: int, share: float) -> int:
    """How many more than these show each instant often enough, where this share of each is left out."""
    return next((n for n in range(_MOST_MORE) if _rarely_seen(done + n, share) < RARE), _MOST_MORE)


def _rarely_seen(cycles: int, share: float) -> float:
    """How likely an instant is seen less than twice, where this share of each cycle is left out."""
    return float(share**cycles + cycles * (1 - share) * share ** (cycles - 1)) if share > 0.0 else 0.0


def measure(
    rig: "Client", frequency_hz: float, amplitude_m: float, cycles: int = 4, center_m: float = 0.0
) -> Distortion:  # fmt: skip
    """Drives a sine and measures it."""
    return judged(record(rig, frequency_hz, amplitude_m, cycles, center_m), frequency_hz, amplitude_m)
