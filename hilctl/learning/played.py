"""A drive on the rig: uploaded, checked by the service, tracked, and its answer as lines.

The answer is the table's position from both of its sensors, each at the frequencies where it is the better one
(hilctl.experiment.crossover), without their delays. It is read between the ticks, at the samples of the drive itself: a
period need not be a whole number of ticks. When the drive began the record itself says, by its reference.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hilctl.experiment.crossover import crossover_rad_s, error, fused
from hilctl.experiment.drive import Leg, drive, look
from hilctl.experiment.facts import Facts
from hilctl.experiment.noise import LEAST, at_rest
from hilctl.experiment.policy import PERIODIC, SPECTRUM, TRACKING
from hilctl.experiment.record import Column, Mask, fresh
from hilctl.identify.distortion import repeated
from hilctl.learning.wanted import Lines, Reals, Wanted

if TYPE_CHECKING:
    from hilctl.client import Client, Motion

_REFERENCE, _POSITION, _SHOWN, _LOAD = "xr_m", "displacement_m", "acceleration_m_s2", "load_pressure_pa"
_CHANNELS = (_REFERENCE, _POSITION, _SHOWN, _LOAD)
_RAMP = 2  # cycles over which a drive that repeats begins, and ends: a short ramp takes more than the motion
_SETTLE = 1  # cycles before it is measured
CYCLES = 4  # that are measured
_STILL_S, _NOISE_HZ = 1.0, (5.0, 100.0)
_LOOSENED, _LOOSENED_HZ = 0.25, 1.0  # of the motion's amplitude; frequency
_AROUND = 2  # lines between two harmonics, on either side of one, per cycle that is measured


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


def whole(wanted: Wanted, x: Reals, cycles: int = CYCLES) -> Reals:
    """The displacements to upload: of a motion that repeats, with a ramp before and behind."""
    if not wanted.repeats:
        return x
    count = len(x)
    turns = np.arange((2 * _RAMP + _SETTLE + cycles) * count + 1) / count
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
    cycles = CYCLES if wanted.repeats else 1
    before_s = (_RAMP + _SETTLE) * wanted.seconds if wanted.repeats else 0.0
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
        found[channel] = np.fft.rfft(at) / count
    ticks_of_it = round(lasts_s * rate_hz)
    return _answer(wanted, drive_lines, found, sensors, cycles, ticks_of_it, tuple(driven.notes))


def _answer(
    wanted: Wanted, lines: Lines, found: dict[str, Lines], sensors: Sensed, cycles: int, ticks: int,
    notes: tuple[str, ...],
) -> Answer:  # fmt: skip
    w: Reals = 2 * np.pi / (cycles * wanted.seconds) * np.arange(cycles * (len(lines) - 1) + 1, dtype=np.float64)
    late_s = _late(w[::cycles], lines, found[_REFERENCE][: len(w) : cycles])
    _, x, a, load = (
        found[channel][: len(w)] * np.exp(1j * w * (late_s + own_s))
        for channel, own_s in zip(_CHANNELS, (0.0, sensors.late_m_s, sensors.late_m_s2_s, 0.0), strict=True)
    )
    x[0] -= wanted.center_m
    position = fused(w, x, a, crossover_rad_s(sensors.noise_m, sensors.noise_m_s2))
    noise = error(w, sensors.noise_m, sensors.noise_m_s2)[::cycles] ** 2 / ticks
    if cycles > 1:
        noise = np.maximum(noise, _between(np.abs(position) ** 2, cycles))
    return Answer(position[::cycles], ticks, noise, a[::cycles], load[::cycles], notes)


def _late(w: Reals, lines: Lines, reference: Lines) -> float:
    """By how much the reference of the record is later than its motion: the slope of its phase."""
    turned = reference * np.conj(lines)
    weight = w * np.abs(turned)
    return -float(np.sum(weight * np.angle(turned)) / np.sum(weight * w))


def _between(power: Reals, cycles: int) -> Reals:
    """What does not repeat from cycle to cycle: the mean power of the lines around each harmonic."""
    own = power.copy()
    own[::cycles] = 0.0
    reach = _AROUND * cycles
    kernel = np.ones(2 * reach + 1)
    others = np.ones(len(power))
    others[::cycles] = 0.0
    return np.asarray(np.convolve(own, kernel, "same") / np.convolve(others, kernel, "same"))[::cycles]


def _at(values: Column, ticks: Reals) -> Reals:
    from scipy.interpolate import CubicSpline

    if not np.all(np.isfinite(values)):
        return np.full(len(ticks), np.nan)
    return np.asarray(CubicSpline(np.arange(len(values)), values)(np.minimum(ticks, len(values) - 1)))


def _nearest(there: Mask, ticks: Reals) -> Mask:
    return np.asarray(there[np.minimum(np.rint(ticks).astype(int), len(there) - 1)])
