"""From the samples of a triangle to windows: the straight parts, without what does not count, as forces and speeds.

The reference itself says where it goes straight: its acceleration is zero and its speed the wanted one, delayed as the
estimates are. In each window

    F = A pL - m a - m g - K x,   counted in the direction of motion: what resists is positive

with means over the window. Each sensor is late by its own delay, which is taken back first: where a corner still rings,
an accelerometer half a millisecond late puts 3 N into the force at 0.8 m/s on the reference rig. Speed is the slope of
displacement there: it needs no model and no filter.
"""

import math
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from hilctl.experiment.crossover import speed
from hilctl.experiment.facts import Facts
from hilctl.experiment.record import fresh
from hilctl.experiment.sensors import CHANNEL_OF, SENSED
from hilctl.experiment.straights import straights
from hilctl.identify.friction.judge_expected import BAND, Expected
from hilctl.identify.friction.plan import LEAST_SAMPLES, Leg

Samples = Mapping[str, npt.NDArray[Any]]
Reals = npt.NDArray[np.float64]

CHANNELS = (
    "tick", "epoch", "displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa", "supply_pressure_pa",
    "oil_temperature_degc", "xd_m", "vd_m_s", "ad_m_s2", "rejected", "u_cmd", "saturated",
)  # fmt: skip


class Window(msgspec.Struct):
    """One window. Empty `reason`: it counts."""

    direction: int
    first: int  # sample within the motion
    count: int
    speed_m_s: float
    force_n: float
    force_std_n: float  # of a sample
    drift_n: float  # mean of the second half minus that of the first
    inertia_n: float  # m a, which was taken off
    pressure_a_pa: float
    pressure_b_pa: float
    ripple_m_s: float  # spread of the estimated speed, rms
    band_m_s2: float  # acceleration near the hydraulic mode, rms
    rejected: int  # ticks without all readings: lost, and left out of force and speed
    saturated: int
    reason: str = ""


def timed(samples: Samples, facts: Facts) -> dict[str, npt.NDArray[Any]]:
    """The samples with every sensor's delay taken back: between two of them along a straight line."""
    out = dict(samples)
    for name, channel in CHANNEL_OF.items():
        late = facts[f"sensors.{name}.delay_s"] * facts.rate_hz
        if late > 0.0:
            at = np.arange(len(samples[channel]), dtype=float)
            out[channel] = np.interp(at + late, at, samples[channel])
    return out


def force(samples: Samples, facts: Facts) -> Reals:
    """What resists the motion, with its sign; of `timed` samples."""
    load = samples["pressure_a_pa"] - samples["pressure_b_pa"]
    f = facts["machine.A"] * load - facts["machine.m"] * samples["acceleration_m_s2"] - facts.weight_n
    return np.asarray(f - facts["machine.K"] * samples["displacement_m"])


def cut(samples: Samples, leg: Leg, facts: Facts, expected: Expected) -> list[Window]:
    """All windows of a motion, not judged yet; of `timed` samples."""
    # Of a sensor that gave no reading at all there is no number, and such windows do not count.
    samples = {name: np.nan_to_num(values) for name, values in samples.items()}
    f = force(samples, facts)
    v = speed(samples["displacement_m"], samples["acceleration_m_s2"], facts.rate_hz, expected.crossover_rad_s)
    lead = math.ceil(leg.lead_m / leg.speed_m_s * facts.rate_hz - 1e-6)
    trail = math.ceil(facts.trail_s * facts.rate_hz - 1e-6)
    found = []
    for straight in straights(samples["vd_m_s"], leg.speed_m_s, LEAST_SAMPLES):
        part = slice(straight.start + lead, straight.stop - trail)
        if part.stop - part.start >= LEAST_SAMPLES - 2:  # a straight begins and ends between two ticks
            found.append(_window(samples, part, f, v, facts))
    return found


def faster_m_s(samples: Samples, leg: Leg, facts: Facts, expected: Expected) -> float:
    """By how much the table is faster than asked behind the corners, until the loop has caught up. Of all corners the
    second most, for one may hold a spike of a sensor."""
    there = {name: np.nan_to_num(samples[name]) for name in ("displacement_m", "acceleration_m_s2", "vd_m_s")}
    v = speed(there["displacement_m"], there["acceleration_m_s2"], facts.rate_hz, expected.crossover_rad_s)
    found = sorted(
        float((np.sign(there["vd_m_s"][part.start]) * v[part]).max()) - leg.speed_m_s
        for part in straights(there["vd_m_s"], leg.speed_m_s, LEAST_SAMPLES)
    )
    return max([0.0, *found[-2:-1]])


def _window(samples: Samples, part: slice, f: Reals, v: Reals, facts: Facts) -> Window:
    way = 1 if samples["vd_m_s"][part.start] > 0 else -1
    own, n = way * f[part], part.stop - part.start
    a, there = samples["acceleration_m_s2"][part], had(samples)[part]
    at, half = np.arange(n), n // 2
    counts = there if there.any() else np.ones(n, bool)
    counted = own[counts]
    early, late = own[there & (at < half)], own[there & (at >= n - half)]
    return Window(
        direction=way, first=part.start, count=n,
        speed_m_s=way * slope(samples["displacement_m"][part], facts.rate_hz, there),
        force_n=float(counted.mean()), force_std_n=float(counted.std()),
        drift_n=float(late.mean() - early.mean()) if len(early) and len(late) else 0.0,
        inertia_n=way * float(facts["machine.m"] * a[counts].mean()),
        pressure_a_pa=float(samples["pressure_a_pa"][part][counts].mean()),
        pressure_b_pa=float(samples["pressure_b_pa"][part][counts].mean()),
        ripple_m_s=float(v[part].std()), band_m_s2=near_mode(a, facts), rejected=n - int(np.count_nonzero(there)),
        saturated=int(np.count_nonzero(samples["saturated"][part])),
    )  # fmt: skip


def had(samples: Samples) -> npt.NDArray[np.bool_]:
    """Where every reading that enters force and speed is of that very tick."""
    return fresh(samples, *SENSED)


def slope(x: Reals, rate_hz: float, there: npt.NDArray[np.bool_]) -> float:
    """Least squares of a straight line through those that are there."""
    t, x = np.flatnonzero(there).astype(float), x[there]
    if len(t) < 2:
        return 0.0
    t -= t.mean()
    return float(t @ (x - x.mean()) / (t @ t) * rate_hz)


def near_mode(a: Reals, facts: Facts) -> float:
    """Rms of the acceleration near the hydraulic mode, from a Hann-windowed spectrum."""
    n = len(a)
    taper = np.hanning(n + 1)[:n]
    power = np.abs(np.fft.rfft((a - a.mean()) * taper)) ** 2 / (taper @ taper) / n * 2
    w = 2 * np.pi * np.fft.rfftfreq(n, 1 / facts.rate_hz)
    low, high = (edge * facts.mode_rad_s for edge in BAND)
    step = 2 * np.pi * facts.rate_hz / n
    # a bin counts with the share of it that lies in the band
    inside = np.clip(np.minimum(high, w + step / 2) - np.maximum(low, w - step / 2), 0, None) / step
    return math.sqrt(float(power @ inside))
