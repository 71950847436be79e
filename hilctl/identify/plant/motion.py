"""The table's motion from displacement and acceleration, each where it is the better one.

Displacement has white noise of sx, the accelerometer of sa. In V = jw X or A/jw the former leaves sx w, the latter
sa/w:

    X^ = W X - (1 - W) A/w²        W = 1/(1 + (w/w0)^4),    w0² = sa/sx

The accelerometer is held against displacement first: A = -g w² X exp(-jw d) in the middle of the band, where both are
good. So its gain counts relative to displacement's scale, and its lag relative to displacement's. What its filter takes
off high frequencies is not known; two equal poles of that lag would take off (w lag/2)², no filter nothing. That counts
from the middle of that band, where the gain was seen.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hilctl.identify.plant.record import Reals, Record
from hilctl.identify.plant.signals import Grid

FEW = 20  # lines


class Accelerometer(NamedTuple):
    """How it shows what displacement shows."""

    gain: float
    gain_sd: float
    later_s: float  # than displacement
    later_sd_s: float
    middle_rad_s: float  # where that was seen: root of the mean square


class Motion(NamedTuple):
    """Without delay, and low-passed, at the instants of a record."""

    x: Reals
    v: Reals
    a: Reals
    droop: Reals  # of v: what two equal poles in the accelerometer would have taken off, beyond its gain


def crossover_rad_s(facts: Mapping[str, Any]) -> float:
    """w0."""
    return float(np.sqrt(facts["sensors.acceleration.noise"] / facts["sensors.displacement.noise"]))


def compare(records: Sequence[tuple[Record, Grid]], facts: Mapping[str, Any]) -> Accelerometer:
    """Gain and lag, from the lines where displacement tells both."""
    sx, sa = facts["sensors.displacement.noise"], facts["sensors.acceleration.noise"]
    rows = []
    for record, grid in records:
        w = grid.w
        chosen = (w > 2 * np.pi * 0.8 * record.lowest_hz) & (w < 2.5 * crossover_rad_s(facts))
        wanted = -(w**2) * np.fft.rfft(grid.window * record.of("displacement_m"))
        shown = np.fft.rfft(grid.window * record.of("acceleration_m_s2"))
        # The window's own derivatives: a window times a'' is not the second derivative of their product.
        wanted = wanted - _commutator(record, grid)
        weight = 1 / np.sqrt(sa**2 + (w**2 * sx) ** 2)
        rows.append(np.stack([wanted * weight, shown * weight, w + 0j])[:, chosen])
    wanted, shown, frequency = np.concatenate(rows, axis=1)
    w = frequency.real
    gain, later, sd = 1.0, 0.0, np.array([np.inf, np.inf])
    for _ in range(5):
        model = gain * wanted * np.exp(-1j * w * later)
        slopes = np.stack([model / gain, -1j * w * model], axis=1)
        jacobian = np.concatenate([slopes.real, slopes.imag])
        miss = np.concatenate([(shown - model).real, (shown - model).imag])
        step, *_ = np.linalg.lstsq(jacobian, miss, rcond=None)
        gain, later = gain + step[0], later + step[1]
        scatter = float(miss @ miss) / max(len(miss) - 2, 1)
        sd = np.sqrt(scatter * np.diag(np.linalg.pinv(jacobian.T @ jacobian)))
    power = np.abs(wanted) ** 2
    middle = float(np.sqrt(power @ w**2 / np.sum(power)))
    return Accelerometer(float(gain), float(sd[0]), float(later), float(sd[1]), middle)


def _commutator(record: Record, grid: Grid) -> Any:
    """(window x)'' less window x''."""
    waves = grid.waves(record.of("displacement_m"))
    x, v = grid.values(waves), grid.rate(waves)
    first = np.gradient(grid.window, grid.dt_s)
    second = np.gradient(first, grid.dt_s)
    return np.fft.rfft(second * x + 2 * first * v)


def fuse(record: Record, grid: Grid, meter: Accelerometer, facts: Mapping[str, Any]) -> Motion:
    """The motion, with the delays that the rig file declares."""
    w, late_s = grid.w, facts["sensors.displacement.delay_s"]
    place = grid.waves(record.of("displacement_m"))
    shown = record.of("acceleration_m_s2")
    push = np.fft.rfft(shown - np.mean(shown)) / meter.gain * np.exp(1j * w * (late_s + meter.later_s))
    share = 1 / (1 + (w / crossover_rad_s(facts)) ** 4)
    twice = np.divide(push, -(w**2), out=np.zeros_like(push), where=w > 0)
    fused = place._replace(lines=share * place.lines * np.exp(1j * w * late_s) + (1 - share) * twice)
    lost = 0.25 * facts["sensors.acceleration.delay_s"] ** 2 * (w**2 - meter.middle_rad_s**2) * (1 - share)
    x, v = grid.values(fused), grid.rate(fused)
    a = np.fft.irfft(-(w**2) * fused.lines * grid.low_pass, grid.count)
    droop = np.fft.irfft(1j * w * fused.lines * grid.low_pass * lost, grid.count)
    return Motion(x, v, np.asarray(a), np.asarray(droop))
