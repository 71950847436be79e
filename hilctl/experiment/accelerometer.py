"""The accelerometer against displacement: the gain and the delay with which it shows the same motion.

With a window h that begins and ends flat, partial integration takes the derivatives off the readings,

    ∫ x'' h exp(-jwt) dt = ∫ x (h'' - 2jw h' - w² h) exp(-jwt) dt,

so a record may begin and end in the middle of a motion. h is Hann's. The lines of acceleration are then g exp(-jwd)
times those of displacement; both sensors' noise, sqrt(sa² + w⁴ sx²), weighs each line, up to where displacement shows
little, and g and d are fitted to the lines of all records.

Measured on 20 records each of known gain and delay (`python -m pytest -s tests/unit/experiment/test_accelerometer.py`),
error of the gain, bias ± scatter in 1e-4, against a window that is differentiated numerically, one that weighs no
noise and fits no delay, and means of whole cycles:

    sines and sweeps, 0.01 ms late     -0.2 ± 0.2    -0.1 ± 0.2     0.1 ± 1.0     none
    triangle 0.1 m/s, 1 ms late        -7 ± 4        -6 ± 4         -18 ± 4       none
    the same, cut off in its corner  -138 ± 13     -660 ± 110      -138 ± 16      none
    20 cycles of ±1.3 mm, 5 Hz         0.9 ± 3.2     -0.3 ± 3.4     none          -0.2 ± 3.2
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.experiment.crossover import crossover_rad_s
from hilctl.experiment.facts import Facts

Reals = npt.NDArray[np.float64]

LOWEST_HZ = 1.0  # of a motion that is not made for this
CLEAR = 20.0  # times: motion over noise in the lines together; below, neither gain nor delay is known
HIGHEST = 2.5  # times the crossover: above it displacement shows noise
LOW, HIGH = 0.7, 1.4  # of the gain: worse than any accelerometer that is merely not calibrated
_REVERSED = -0.5 * LOW
_SEEN = 0.1  # of the gain: less has no delay
_STEPS = 5


class Accelerometer(NamedTuple):
    """How it shows what displacement shows."""

    gain: float
    gain_sd: float
    later_s: float  # than displacement
    later_sd_s: float
    middle_rad_s: float  # where that was seen: root of the mean square


class Both(NamedTuple):
    """A record of the two sensors."""

    x: Reals
    a: Reals
    lowest_hz: float  # of the motion


def compare(records: Sequence[Both], rate_hz: float, noise_m: float, noise_m_s2: float) -> Accelerometer | None:
    """From all records together; None where they show too little motion."""
    rows = [_lines(record, rate_hz, noise_m, noise_m_s2) for record in records]
    moved, shown, frequency, noise = np.concatenate(rows, axis=1)
    w, power = frequency.real, np.abs(moved) ** 2
    total = float(np.sum(power))
    if not total > CLEAR**2 * (1 + float(np.sum(noise.real))):
        return None
    gain, later, sd = float(np.real(np.vdot(moved, shown))) / total, 0.0, np.array([np.inf, np.inf])
    for _ in range(_STEPS):
        turned = moved * np.exp(-1j * w * later)
        slopes = np.stack([turned, -1j * w * gain * turned], axis=1)[:, : 1 + (abs(gain) > _SEEN)]
        jacobian = np.concatenate([slopes.real, slopes.imag])
        miss = np.concatenate([(shown - gain * turned).real, (shown - gain * turned).imag])
        step, *_ = np.linalg.lstsq(jacobian, miss, rcond=None)
        gain += float(step[0])
        later += float(step[1]) if len(step) > 1 else 0.0
        scatter = float(miss @ miss) / max(len(miss) - 2, 1)
        sd[: len(step)] = np.sqrt(scatter * np.diag(np.linalg.pinv(jacobian.T @ jacobian)))
    return Accelerometer(gain, float(sd[0]), later, float(sd[1]), float(np.sqrt(power @ w**2 / total)))


def seen_gain(samples: Mapping[str, Any], facts: Facts) -> float | None:
    """The accelerometer's gain against displacement; None where this motion does not show it."""
    noise_m, noise_m_s2 = facts["sensors.displacement.noise"], facts["sensors.acceleration.noise"]
    if not (noise_m > 0.0 and noise_m_s2 > 0.0):
        return None
    both = Both(samples["displacement_m"], samples["acceleration_m_s2"], LOWEST_HZ)
    found = compare([both], facts.rate_hz, noise_m, noise_m_s2)
    return None if found is None else found.gain


def _lines(record: Both, rate_hz: float, noise_m: float, noise_m_s2: float) -> npt.NDArray[np.complex128]:
    """Rows: displacement's acceleration and the accelerometer's, over their noise; w; displacement's part of that."""
    n = len(record.x)
    turn, at = 2 * np.pi * rate_hz / n, 2 * np.pi * np.arange(n) / n
    window = 0.5 - 0.5 * np.cos(at)
    x = record.x - np.linspace(record.x[0], record.x[-1], n)  # a straight line has no acceleration, but rounding
    w = 2 * np.pi * np.fft.rfftfreq(n, 1 / rate_hz)
    bent, sloped = (np.fft.rfft(x * part) for part in (0.5 * turn**2 * np.cos(at), 0.5 * turn * np.sin(at)))
    moved = bent - 2j * w * sloped - w**2 * np.fft.rfft(x * window)
    error = np.sqrt(float(window @ window) * (noise_m_s2**2 + (w**2 * noise_m) ** 2))
    part = (w**2 * noise_m) ** 2 / (noise_m_s2**2 + (w**2 * noise_m) ** 2)
    chosen = (w > 2 * np.pi * record.lowest_hz) & (w < HIGHEST * crossover_rad_s(noise_m, noise_m_s2))
    return np.stack([moved / error, np.fft.rfft(record.a * window) / error, w + 0j, part + 0j])[:, chosen]


def wrong(gain: float) -> str:
    """What is wrong with an accelerometer of this gain, and what to check; empty where nothing is."""
    if LOW <= gain <= HIGH:
        return ""
    if gain < _REVERSED:
        return (
            f"the accelerometer has the wrong sign: it shows {gain:.2f} times what displacement shows; "
            "turn it around, or swap its wires (sensors.acceleration), unless displacement is reversed; positive is "
            "where a positive command moves the table"
        )
    if gain < LOW:
        return (
            f"the accelerometer does not show the table's motion: only {gain:.2f} of what displacement shows; "
            "check its mounting, its cable and its scale (sensors.acceleration.gain)"
        )
    return (
        f"the accelerometer shows {gain:.2f} times what displacement shows; check its scale "
        "(sensors.acceleration.gain) and that of displacement (sensors.displacement.gain)"
    )
