"""Iterative learning control (ILC) of a periodic motion, harmonic by harmonic.

The drive is the displacement history that is tracked; it begins as the motion's own reference. After each repeat the
accelerometer's harmonics M_k are compared with those of the reference, A_k = -(k w)² X_k, and the drive's D_k is
corrected by a share of the difference:

    D_k  ←  D_k + g (A_k - M_k) / (-(k w)² G_k)           k w up to HIGHEST_HZ

G_k, the table's response to a drive's harmonic, begins as 1 and follows from the effect of the corrections. A repeat
that is worse is undone and the share halved; the best drive is kept. It stays uploaded under a name, and is tracked by
that name like any other waveform.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.experiment.drive import Leg
from hilctl.experiment.drive import drive as driven_leg
from hilctl.experiment.policy import PERIODIC, SPECTRUM
from hilctl.experiment.record import fresh
from hilctl.identify.distortion import NotMeasuredError, repeated
from hilctl.results.distortion import Noise, last_harmonic, noise_of
from hilctl.results.proof import Learned, Repeat
from hilctl.wire import Refused

if TYPE_CHECKING:
    from hilctl.client import Client, Motion

Complex = npt.NDArray[np.complex128]

_SHARE = 0.7
_LEAST_SHARE = 0.15
_TRUST = 0.5  # of a new G_k against the old
_LEAST_GAIN, _MOST_GAIN = 0.3, 3.0
_PER_PERIOD_S = 2e-3  # spacing of the drive's samples: a quintic spline through them is exact below 100 Hz
_RAMP = 2  # cycles over which the drive begins, and ends: a short ramp takes more acceleration than the motion
_SETTLE = 1  # cycles before it is measured
_CYCLES = 5  # of the motion whose reference is read
_SHOWN = "acceleration_m_s2"


class Periodic(NamedTuple):
    """A motion's reference, as harmonics from the first on."""

    frequency_hz: float
    x: Complex  # displacement
    center_m: float


def reference_of(rig: "Client", kind: str, **parameters: float) -> Periodic:
    """Drives a sine or a triangle over a few cycles, and takes its reference from the samples."""
    cycles, rate_hz = 2, float(rig.hello["rate_hz"])

    def whole(motion: "Motion") -> slice:
        period_s = motion.facts["period_s"]
        begin = motion.facts.get("full_from_s", motion.facts["lead_s"]) + period_s  # one cycle after it has begun
        return slice(round(begin * rate_hz), round(begin * rate_hz) + round(cycles * period_s * rate_hz))

    leg = Leg(f"the {kind}", lambda: rig.track(kind, **{**parameters, "cycles": float(_CYCLES)}), ("xr_m",), SPECTRUM,
              (), part=whole)  # fmt: skip
    driven = driven_leg(rig, leg)
    x = driven.record.bridged.part(driven.part)["xr_m"]
    count = len(x)
    frequency_hz = cycles * rate_hz / count  # a period need not be a whole number of ticks
    return Periodic(frequency_hz, _harmonics(x, cycles, last_harmonic(frequency_hz)), float(np.mean(x)))


def learn(
    rig: "Client", reference: Periodic, name: str, *, repeats: int = 10, target_percent: float = 0.5, cycles: int = 4,
    tell: Callable[[int, Repeat], None] = lambda index, repeat: None,
) -> Learned:  # fmt: skip
    """Repeats until the distortion is below the target, or repeats gain nothing more."""
    count = len(reference.x)
    weight = -((2 * np.pi * reference.frequency_hz * np.arange(1, count + 1)) ** 2)
    wanted = weight * reference.x
    drive, gain, share = reference.x.copy(), np.ones(count, complex), _SHARE
    seen: list[Repeat] = []
    best, best_drive, best_measured, last = -1, drive, np.zeros(count, complex), None
    why = f"{repeats} repeats were made"
    for index in range(repeats):
        try:
            measured, noise = _play(rig, reference, drive, name, cycles)
        except Refused as refused:
            if not seen:
                raise
            why = f"the next drive was refused, {refused.message}"
            break
        repeat = _judged(measured, wanted, noise, share if index else 0.0)
        seen.append(repeat)
        tell(index, repeat)
        if last is not None:
            gain = _learned_gain(gain, weight * (drive - last[0]), measured - last[1])
        last = (drive, measured)
        if best < 0 or repeat.error_percent < seen[best].error_percent:
            best, best_drive, best_measured = index, drive, measured
        else:
            share /= 2
            if share < _LEAST_SHARE:
                why = "further repeats gain nothing: the remaining distortion does not repeat, or is beyond the valve"
                break
        if seen[best].percent <= target_percent:
            why = f"the distortion is below {target_percent:g} %"
            break
        drive = best_drive + share * (wanted - best_measured) / (weight * gain)
    _upload(rig, reference, best_drive, name, cycles)
    return Learned(name, reference.frequency_hz, seen, best, seen[best].percent <= target_percent, why)


def _harmonics(values: npt.NDArray[np.float64], cycles: int, count: int) -> Complex:
    lines = 2 / len(values) * np.fft.rfft(values)
    return np.asarray(lines[cycles : count * cycles + 1 : cycles])


def _judged(measured: Complex, wanted: Complex, noise: Noise, share: float) -> Repeat:
    fundamental = abs(measured[0])
    if not fundamental > 0.05 * abs(wanted[0]):
        raise NotMeasuredError("the accelerometer shows hardly any motion; check sensors.acceleration, and its gain")
    missing = float(np.sqrt(np.sum(np.abs(wanted - measured) ** 2) / np.sum(np.abs(wanted) ** 2)))
    harmonics = float(np.sum(np.abs((measured - wanted)[1:]) ** 2))
    percent = 100 * math.sqrt(noise.off(harmonics, len(wanted) - 1)) / fundamental
    return Repeat(percent, 100 * missing, share)


def _learned_gain(gain: Complex, asked: Complex, came: Complex) -> Complex:
    """The effect of each harmonic's correction, where it was large enough to be seen."""
    seen = np.abs(asked) > 0.2 * float(np.max(np.abs(asked)))
    found = np.where(seen, came / np.where(seen, asked, 1.0), gain)
    mixed = (1 - _TRUST) * gain + _TRUST * found
    size = np.clip(np.abs(mixed), _LEAST_GAIN, _MOST_GAIN)
    phase = np.clip(np.angle(mixed), -1.0, 1.0)
    return np.asarray(size * np.exp(1j * phase))


def _upload(rig: "Client", reference: Periodic, drive: Complex, name: str, cycles: int) -> None:
    """The drive: a ramp, the measured cycles, a ramp."""
    per_period = math.ceil(1 / reference.frequency_hz / _PER_PERIOD_S)
    whole = 2 * _RAMP + _SETTLE + cycles
    phase = 2 * np.pi * np.arange(whole * per_period + 1) / per_period
    order = np.arange(1, len(drive) + 1)
    one = np.real(np.exp(1j * np.outer(phase[:per_period], order)) @ drive)
    x = np.append(np.tile(one, whole), one[0])
    begin = np.clip(phase / (2 * np.pi * _RAMP), 0, 1)
    end = np.clip((phase[-1] - phase) / (2 * np.pi * _RAMP), 0, 1)
    envelope = _smooth(begin) * _smooth(end)
    rig.upload(name, envelope * x, "displacement", interval_s=1 / reference.frequency_hz / per_period)


def _smooth(share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return share**4 * (35 - share * (84 - share * (70 - 20 * share)))


def _play(rig: "Client", reference: Periodic, drive: Complex, name: str, cycles: int) -> tuple[Complex, Noise]:
    """The harmonics of the acceleration under a drive, at the phase of the reference; and the noise in each."""
    _upload(rig, reference, drive, name, cycles)
    rate_hz, period_s = float(rig.hello["rate_hz"]), 1 / reference.frequency_hz
    late_s = float(rig.get("sensors.acceleration.delay_s")["sensors.acceleration.delay_s"])

    def start() -> "Motion":
        return rig.track("waveform", upload=name, center_m=reference.center_m, taper_s=0.0, return_to_start=False)

    def measured(motion: "Motion") -> slice:
        from_s = motion.facts["first_sample_s"] + (_RAMP + _SETTLE) * period_s
        begin = math.ceil(from_s * rate_hz)
        return slice(begin, begin + round(cycles * period_s * rate_hz))

    leg = Leg(f"the drive {name}", start, (_SHOWN, "xr_m"), PERIODIC, (_SHOWN,), part=measured)
    driven = driven_leg(rig, leg)
    samples = driven.record.bridged.part(driven.part)
    order = np.arange(1, len(drive) + 1)
    # the reference itself says where in its period the record begins
    ahead = float(np.angle(_harmonics(samples["xr_m"], cycles, 1)[0] / drive[0]))
    turned = np.exp(-1j * order * (ahead - 2 * np.pi * reference.frequency_hz * late_s))
    acceleration = repeated(samples[_SHOWN], fresh(samples, _SHOWN), cycles)
    lines = 2 / len(acceleration) * np.abs(np.fft.rfft(acceleration))
    noise = noise_of(lines, cycles, len(drive))
    return np.asarray(_harmonics(acceleration, cycles, len(drive)) * turned), noise
