"""A drive on the rig: uploaded, checked by the service, tracked, and its answer as lines.

The answer is the table's position from both of its sensors, each at the frequencies where it is the better one
(hilctl.experiment.crossover), without their delays. It is read between the ticks, at the samples of the drive itself: a
period need not be a whole number of ticks. When the drive began the record itself says, by its reference.

Of a motion that repeats, each sample is the mean of the middle half of its cycles, and the noise follows from how these
differ (trimmed mean, its error from the winsorized variance as Yuen has it): what a lost answer or a late tick does in
one cycle does not count.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hilctl.experiment.crossover import crossover_rad_s, error, fused
from hilctl.experiment.drive import Leg, drive, look
from hilctl.experiment.facts import Facts
from hilctl.experiment.noise import LEAST, at_rest
from hilctl.experiment.policy import PERIODIC, SPECTRUM, TRACKING
from hilctl.experiment.record import Column, Mask, fresh
from hilctl.experiment.undisturbed import repeated
from hilctl.learning.wanted import Lines, Reals, Wanted

if TYPE_CHECKING:
    from hilctl.client import Client, Motion

_REFERENCE, _POSITION, _SHOWN, _LOAD = "xr_m", "displacement_m", "acceleration_m_s2", "load_pressure_pa"
_CHANNELS = (_REFERENCE, _POSITION, _SHOWN, _LOAD)
_RAMP = 2  # cycles over which a drive that repeats begins, and ends: a short ramp takes more than the motion
_SETTLE = 1  # cycles before it is measured
_CYCLES, _MEASURED_S = 4, 3.0  # that are measured: so many at least, and for so long
_TRIMMED = 0.25  # of the cycles, at either end
_STILL_S, _NOISE_HZ = 1.0, (5.0, 100.0)
_LOOSENED, _LOOSENED_HZ = 0.25, 1.0  # of the motion's amplitude; frequency
_AROUND = 2  # harmonics, on either side of one


class Sensed(NamedTuple):
    """The noise of both sensors, rms, and how late they are."""

    noise_m: float
    noise_m_s2: float
    late_m_s: float
    late_m_s2_s: float


class Answer(NamedTuple):
    """What the table did, in the lines of the motion."""

    x: Lines
    ticks: int
    noise: Reals  # of the sensors: power in each line of x
    shown: Lines  # the accelerometer alone
    load: Lines  # the load pressure; nan where the rig has none
    notes: tuple[str, ...] = ()


def sensed(rig: "Client", facts: Facts, name: str) -> Sensed:
    """Both sensors, from a look at the table at rest."""
    still = look(rig, _STILL_S, (_POSITION, _SHOWN), f"rest before {name}").bridged
    x, a = (
        max(min(at_rest([still[channel]]), _noise(still[channel], facts.rate_hz)), LEAST[sensor])
        for sensor, channel in (("displacement", _POSITION), ("acceleration", _SHOWN))
    )
    return Sensed(x, a, float(facts["sensors.displacement.delay_s"]), float(facts["sensors.acceleration.delay_s"]))


def _noise(still: Column, rate_hz: float) -> float:
    """The rms of a white noise as strong as the readings at the frequencies that are learned. There a table that is
    held moves a little, and faster the valve's dither shakes it. Neither is noise of a sensor: the less of both is.
    """
    hz = np.fft.rfftfreq(len(still), 1 / rate_hz)
    power = np.abs(np.fft.rfft((still - np.mean(still)) * np.hanning(len(still)))) ** 2
    inside = power[(hz >= _NOISE_HZ[0]) & (hz <= _NOISE_HZ[1])]
    return float(np.sqrt(np.mean(inside) / np.sum(np.hanning(len(still)) ** 2)))


def cycles_of(wanted: Wanted) -> tuple[int, float]:
    """How many are measured, and how long after the first sample."""
    if not wanted.repeats:
        return 1, 0.0
    return max(_CYCLES, math.ceil(_MEASURED_S / wanted.seconds)), (_RAMP + _SETTLE) * wanted.seconds


def whole(wanted: Wanted, x: Reals) -> Reals:
    """The displacements to upload: of a motion that repeats, with a ramp before and behind."""
    if not wanted.repeats:
        return x
    count = len(x)
    turns = np.arange((2 * _RAMP + _SETTLE + cycles_of(wanted)[0]) * count + 1) / count
    ramps = _smooth(np.clip(turns / _RAMP, 0, 1)) * _smooth(np.clip((turns[-1] - turns) / _RAMP, 0, 1))
    return np.asarray(ramps * np.resize(x, len(turns)))


def _smooth(share: Reals) -> Reals:
    return share**4 * (35 - share * (84 - share * (70 - 20 * share)))


def how(wanted: Wanted, name: str) -> dict[str, object]:
    """As `track waveform` takes it."""
    return {"upload": name, "center_m": wanted.center_m, "taper_s": 0.0, "return_to_start": False}


def accepted(rig: "Client", wanted: Wanted, x: Reals, name: str) -> None:
    """Uploads a drive under its name. Refused where it would pass a limit: nothing has moved then."""
    rig.upload(name, whole(wanted, x), "displacement", interval_s=wanted.interval_s)
    rig.check_motion("waveform", **how(wanted, name))


def loosened(rig: "Client", wanted: Wanted) -> None:
    """The table has slid before a record begins: the first drive then begins like those that follow another."""
    amplitude_m = _LOOSENED * float(np.ptp(wanted.x)) / 2
    if wanted.repeats or not amplitude_m:
        return
    sine = {"frequency_hz": _LOOSENED_HZ, "amplitude_m": amplitude_m, "center_m": wanted.center_m, "cycles": 2.0}
    drive(rig, Leg("a sine before the drives", lambda: rig.track("sine", **sine), (_POSITION,), TRACKING))


def played(rig: "Client", wanted: Wanted, drive_lines: Lines, name: str, sensors: Sensed) -> Answer:
    """Tracks the drive of these lines, which was accepted last."""
    rate_hz = float(rig.hello["rate_hz"])
    cycles, before_s = cycles_of(wanted)
    lasts_s = cycles * wanted.seconds

    def part(motion: "Motion") -> slice:
        begin_s = motion.facts["first_sample_s"] + before_s
        return slice(max(math.floor(begin_s * rate_hz), 0), math.ceil((begin_s + lasts_s) * rate_hz) + 1)

    leg = Leg(f"the drive {name}", lambda: rig.track("waveform", **how(wanted, name)), _CHANNELS,
              PERIODIC if wanted.repeats else SPECTRUM, (_POSITION, _SHOWN), part=part)  # fmt: skip
    driven = drive(rig, leg)
    record = driven.record.bridged
    # As many instants as ticks at least: what is faster than the drive's samples must not be taken for slower.
    count = len(wanted.x) * math.ceil(wanted.interval_s * rate_hz) * cycles
    begin_s = driven.facts["first_sample_s"] + before_s
    ticks: Reals = rate_hz * (begin_s + lasts_s / count * np.arange(count, dtype=np.float64))
    found = {}
    for channel in _CHANNELS:
        there = fresh(record, channel)
        at = _at(record[channel], ticks)
        if wanted.repeats:
            at = repeated(at, _nearest(there, ticks), cycles)
        found[channel] = at.reshape(cycles, -1)
    return _answer(wanted, drive_lines, found, sensors, round(lasts_s * rate_hz), tuple(driven.notes))


def _answer(
    wanted: Wanted, lines: Lines, found: dict[str, Reals], sensors: Sensed, ticks: int, notes: tuple[str, ...]
) -> Answer:  # fmt: skip
    w: Reals = 2 * np.pi / wanted.seconds * np.arange(len(lines), dtype=np.float64)
    w0 = crossover_rad_s(sensors.noise_m, sensors.noise_m_s2)
    typical, apart = {}, {}
    for channel, cycles in found.items():
        mean, rest = _middle(cycles)
        typical[channel], apart[channel] = (np.fft.rfft(one)[..., : len(w)] / len(mean) for one in (mean, rest))
    late_s = _late(w, lines, typical[_REFERENCE])
    turns = {
        channel: np.exp(1j * w * (late_s + own_s))
        for channel, own_s in ((_POSITION, sensors.late_m_s), (_SHOWN, sensors.late_m_s2_s), (_LOAD, 0.0))
    }
    x, a, load = (typical[channel] * turn for channel, turn in turns.items())
    x[0] -= wanted.center_m
    noise = error(w, sensors.noise_m, sensors.noise_m_s2) ** 2 / ticks
    if wanted.repeats:
        from scipy.ndimage import uniform_filter1d

        differ = fused(w, apart[_POSITION] * turns[_POSITION], apart[_SHOWN] * turns[_SHOWN], w0)
        noise = np.maximum(noise, uniform_filter1d(np.sum(np.abs(differ) ** 2, axis=0), 1 + 2 * _AROUND))
    return Answer(fused(w, x, a, w0), ticks, noise, a, load, notes)


def _middle(cycles: Reals) -> tuple[Reals, Reals]:
    """The mean of the middle half at each sample, and rows whose powers add up to its variance: of each cycle what it
    differs, those outside of the middle no more than the outermost of it.
    """
    n = len(cycles)
    cut = int(_TRIMMED * n)
    inside = np.sort(cycles, axis=0)[cut : n - cut]
    within = np.clip(cycles, inside[0], inside[-1])
    scale = math.sqrt(len(inside) * max(len(inside) - 1, 1))
    return np.asarray(np.mean(inside, axis=0)), np.asarray((within - np.mean(within, axis=0)) / scale)


def together(answers: Sequence[Answer]) -> Answer:
    """Of a drive that was played more than once."""
    mean = [np.asarray(np.mean([getattr(one, part) for one in answers], axis=0)) for part in ("x", "shown", "load")]
    ticks, noise = sum(one.ticks for one in answers), np.mean([one.noise for one in answers], axis=0) / len(answers)
    notes = tuple(dict.fromkeys(note for one in answers for note in one.notes))
    return Answer(mean[0], ticks, np.asarray(noise), mean[1], mean[2], notes)


def _late(w: Reals, lines: Lines, reference: Lines) -> float:
    """By how much the reference of the record is later than its motion: the slope of its phase."""
    turned = reference * np.conj(lines)
    weight = w * np.abs(turned)
    return -float(np.sum(weight * np.angle(turned)) / np.sum(weight * w))


def _at(values: Column, ticks: Reals) -> Reals:
    from scipy.interpolate import CubicSpline

    if not np.all(np.isfinite(values)):
        return np.full(len(ticks), np.nan)
    return np.asarray(CubicSpline(np.arange(len(values)), values)(np.minimum(ticks, len(values) - 1)))


def _nearest(there: Mask, ticks: Reals) -> Mask:
    return np.asarray(there[np.minimum(np.rint(ticks).astype(int), len(there) - 1)])
