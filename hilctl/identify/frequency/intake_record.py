"""A record that this program has not driven: its channels, how fast it was sampled, and whether its times are even."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hilctl.errors import HilctlError
from hilctl.experiment.facts import Facts
from hilctl.identify.frequency.record import Experiment, Role
from hilctl.results.response import Reals

LEAST, LONGEST, PIECES, COHERENT = 256, 2048, 8, 0.5  # samples, of a piece of a spectrum; pieces; what counts as heard
REFERENCE = "xd_m"  # what our own recordings show of what was driven


class IntakeFault(HilctlError):
    """A file that cannot be taken. The message says where, what, and what to do."""


@dataclass(frozen=True)
class Foreign:
    """Channels by our names, in SI."""

    name: str
    channels: Mapping[str, Reals]
    rate_hz: float
    times_s: Reals | None
    facts: Facts | None = None  # what it says of the rig it is from
    notes: tuple[str, ...] = ()


def experiment_of(
    foreign: Foreign, driven: str, output: str = "displacement_m", *, role: Role = "fit",
    band_hz: tuple[float, float] | None = None,
) -> Experiment:  # fmt: skip
    """As a study takes it. `driven`, `output`: the channels that matter most; `band_hz`: what is said to be driven."""
    values, followed = foreign.channels.get(driven), foreign.channels.get(output)
    reference = driven
    if REFERENCE in foreign.channels and np.ptp(foreign.channels[REFERENCE]) > 0:
        reference = REFERENCE
    channels = dict(foreign.channels)
    if foreign.times_s is not None:
        channels["time_s"] = foreign.times_s
    return Experiment(
        name=foreign.name, group=foreign.name, kind="record", role=role,
        settings={"band_declared": band_hz is not None}, rate_hz=foreign.rate_hz, channels=channels,
        band_hz=band_hz or shown_band(values, followed, foreign.rate_hz), reference=reference, source=foreign.name,
        notes=foreign.notes,
    )  # fmt: skip


def shown_band(driven: Reals | None, output: Reals | None, rate_hz: float) -> tuple[float, float]:
    """From where the input has power to where the output still follows it; something, where they show nothing."""
    from scipy.signal import coherence

    from hilctl.identify.frequency.judge_evidence import band_of

    if driven is None or not _moves(driven):
        return 1.0, 2.0
    low, high = band_of(driven, rate_hz)
    if output is not None and _moves(output):
        hz, shared = coherence(driven, output, rate_hz, nperseg=max(64, min(LONGEST, len(driven) // PIECES)))
        heard = np.flatnonzero(np.convolve(shared, np.ones(5) / 5, "same") > COHERENT)
        high = float(hz[heard[-1]]) if len(heard) else high
    return (low, high) if high > low else (low, 2 * low)


def _moves(values: Reals) -> bool:
    return len(values) >= LEAST and bool(np.isfinite(values).all()) and float(np.ptp(values)) > 0


LEAST_HZ = 20.0  # slower is no recording of such a rig, but one whose times are in other units
ROUNDED = 0.02  # of the steps: none, which times that were rounded have
EVEN = 1e-4  # of the rate: how well rounded times have to tell it


class Clock(NamedTuple):
    """What the times say."""

    rate_hz: float
    times_s: Reals | None  # from the first sample on; None: taken as even
    notes: tuple[str, ...] = ()


def clock_of(
    path: Path, times: Reals | None, header: Sequence[str], declared_hz: float = 0.0, unit: bool = True
) -> Clock:  # fmt: skip
    """IntakeFault where there is neither a rate nor times that tell one; `unit`: whether that of the times is known."""
    if times is None:
        if not declared_hz:
            raise IntakeFault(
                f"{path} has no time column that is known; it has {', '.join(header)}; say which one it is "
                "(--map time=COLUMN), or give the sampling rate with --rate HZ"
            )
        return Clock(declared_hz, None)
    if len(times) < 2:
        raise IntakeFault(f"{path} has one row of numbers; record longer")
    times = times - times[0]
    steps = np.diff(times)
    even = _rounded(path, times, steps, declared_hz)
    if even is not None:
        return even
    usual = float(np.median(steps)) if len(steps) else 0.0
    if not usual > 0:
        raise IntakeFault(f"{path}: its times do not grow; check the time column, or give --rate HZ and leave it out")
    rate_hz = declared_hz or 1 / _fine(steps, usual)
    if not unit and not declared_hz and rate_hz < LEAST_HZ:
        raise IntakeFault(
            f"{path}: taken as seconds its times say {rate_hz:.4g} Hz; say what they are, with --map time=COLUMN:ms, "
            "or :s where that is right"
        )
    return Clock(rate_hz, times)


def _fine(steps: Reals, usual: float) -> float:
    """The mean of the steps that are no gaps: a time that was written with few digits misses by less."""
    whole = steps[(steps > 0.5 * usual) & (steps < 1.5 * usual)]
    return float(whole.mean()) if len(whole) else usual


def _rounded(path: Path, times: Reals, steps: Reals, declared_hz: float) -> Clock | None:
    """Even times that were written too coarsely: they repeat, or step by one digit or none."""
    if len(steps) < 2 or steps.min() < 0 or not np.mean(steps <= 0) > ROUNDED:
        return None
    digit = float(steps.max())
    index = np.arange(len(times))
    slope, begin = np.polyfit(index, times, 1)
    if not slope > 0 or np.abs(times - begin - slope * index).max() > digit or digit > 100 * slope:
        return None
    rate_hz = declared_hz or 1 / float(slope)
    if abs(float(slope) * rate_hz - 1) > max(EVEN, digit / float(times[-1])):
        return None
    if digit > EVEN * float(times[-1]) and not declared_hz:
        raise IntakeFault(
            f"{path}: its times are rounded to {digit:.3g} s and tell the rate only to about {rate_hz:.4g} Hz; give it "
            "with --rate HZ"
        )
    note = f"{path.name}: its times are rounded to {digit:.3g} s; it is taken as evenly sampled at {rate_hz:.6g} Hz"
    return Clock(rate_hz, None, (note,))
