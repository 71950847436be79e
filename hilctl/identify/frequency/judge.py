"""Faults of a record that make identification from it misleading, each with a remedy.

`judge` returns every finding, `require` raises `RecordFault` with all of them. A record without findings is long
enough, complete, in motion, evenly sampled, neither clipped nor saturated, and its outputs follow its input.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError
from hilctl.identify.frequency.judge_evidence import (
    band_of,
    clipping,
    coherence_and_delay,
    dead_stretch,
    longest_freeze,
)
from hilctl.results.response import Reals

Kind = Literal[
    "not finite", "too short", "unequal length", "zero variance", "dropped samples", "wrong rate", "clipped",
    "saturated", "unexcited", "swapped",
]  # fmt: skip

FEWEST = 256  # samples: too few to average spectra over
LEAST_PERIODS = 2.0  # of the lowest frequency
CLIPPED_SHARE = 0.002  # of the samples at the extreme
RATE_APART = 1e-3  # of the rate: largest difference between the declared one and that of the times
BAND_APART = 1.3  # largest ratio between the driven band and the band of the input
FROZEN_SHARE = 0.002  # of the samples, in one piece, in which no channel changes, in which no channel changes
DEAD_SHARE = 0.02  # of the samples, in one piece: an output that is constant while its input moves
LEAST_COHERENCE = 0.2  # mean, where input or output have their power; unrelated signals show 0.07
LEAST_RISE_DEG = 45.0  # of the phase over the band: the output leads the input
ONE_LINE = 0.98  # of the input's power in one line: a single sine, unless there is coherence beside it


class Finding(NamedTuple):
    """One fault of a record."""

    kind: Kind
    channel: str
    text: str  # what was seen, how much, and what to do

    def __str__(self) -> str:
        return f"{self.channel}: {self.kind}: {self.text}"


class RecordFault(HilctlError):
    """A record that cannot be used for identification. The message says what is wrong and what to do."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        super().__init__("\n".join(str(one) for one in findings))


def require(*args: Any, **known: Any) -> None:
    """RecordFault with all findings of `judge`; same arguments."""
    findings = judge(*args, **known)
    if findings:
        raise RecordFault(findings)


def judge(
    driven: npt.ArrayLike,
    outputs: Mapping[str, npt.ArrayLike],
    rate_hz: float,
    *,
    name: str = "input",
    times_s: npt.ArrayLike | None = None,
    band_hz: tuple[float, float] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    periodic: bool = False,
    leads: bool = False,
) -> tuple[Finding, ...]:
    """Every fault of a record.

    `band_hz`: the lowest and highest frequency that were driven. `ranges`: lowest and highest possible value of a
    channel, by its name. `periodic`: single lines are intended. `leads`: an output may lead the input, as a command
    leads the motion that it causes.
    """
    channels = {name: np.asarray(driven, float), **{key: np.asarray(each, float) for key, each in outputs.items()}}
    broken = tuple(_broken(channels, rate_hz, band_hz))
    if broken:
        return broken
    found = [*_still(channels), *_times(channels, rate_hz, times_s)]
    if not found:
        found = [*_limits(channels, ranges or {}), *_rate(channels[name], rate_hz, band_hz, name)]
        found += _related(channels, name, rate_hz, periodic, leads)
    return tuple(found)


def _broken(channels: Mapping[str, Reals], rate_hz: float, band_hz: tuple[float, float] | None) -> Iterator[Finding]:
    """Faults after which nothing else can be checked."""
    name, first = next(iter(channels.items()))
    if not (np.isfinite(rate_hz) and rate_hz > 0):
        yield Finding("wrong rate", name, f"{rate_hz!r} Hz; give the sampling rate in Hz, above 0")
        return
    for key, values in channels.items():
        if values.ndim != 1 or len(values) != len(first):
            yield Finding(
                "unequal length", key, f"shape {values.shape} beside {first.shape} of {name}; give series of one length"
            )
            continue
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            yield Finding(
                "not finite", key,
                f"{len(bad)} of {len(values)} samples, the first is {values[bad[0]]} at sample {bad[0]}; cut the "
                "record there, or find why they were lost",
            )  # fmt: skip
    if len(first) < FEWEST:
        yield Finding("too short", name, f"{len(first)} samples, at least {FEWEST} are needed; record longer")
    elif band_hz is not None and len(first) / rate_hz * band_hz[0] < LEAST_PERIODS:
        yield Finding(
            "too short", name,
            f"{len(first) / rate_hz:.3g} s hold {len(first) / rate_hz * band_hz[0]:.2g} periods of {band_hz[0]:g} Hz, "
            f"at least {LEAST_PERIODS:g} are needed; record longer, or begin at a higher frequency",
        )  # fmt: skip


def _still(channels: Mapping[str, Reals]) -> Iterator[Finding]:
    for at, (key, values) in enumerate(channels.items()):
        if float(np.ptp(values)) <= 1e-12 * float(np.abs(values).max()):
            remedy = "drive the rig, or name another channel" if at == 0 else "check the sensor, its supply and cable"
            yield Finding("zero variance", key, f"it is constant, {values[0]:.6g}; {remedy}")


def _times(channels: Mapping[str, Reals], rate_hz: float, times_s: npt.ArrayLike | None) -> Iterator[Finding]:
    name, count = next((key, len(values)) for key, values in channels.items())
    if times_s is not None:
        times = np.asarray(times_s, float)
        if times.shape != (count,) or not np.isfinite(times).all():
            text = "there must be one finite time for each sample; export the times again"
            yield Finding("dropped samples", "time", text)
            return
        back = np.flatnonzero(np.diff(times) <= 0)
        if len(back):
            at = int(back[0])
            yield Finding(
                "dropped samples", "time",
                f"the times do not increase at {len(back)} samples, first at sample {at + 1}, from {times[at]:.9g} to "
                f"{times[at + 1]:.9g} s; cut the record there, or export it again",
            )  # fmt: skip
            return
        steps = np.diff(times)
        usual = float(np.median(steps))
        if abs(usual * rate_hz - 1) > RATE_APART:
            yield Finding(
                "wrong rate", "time",
                f"declared {rate_hz:g} Hz, the times give {1 / usual:.6g} Hz; declare the rate of the times",
            )  # fmt: skip
        gaps = np.flatnonzero(steps > 1.5 * usual)
        if len(gaps):
            lost = int(np.sum(np.round(steps[gaps] / usual) - 1))
            yield Finding(
                "dropped samples", "time",
                f"{lost} samples are missing in {len(gaps)} gaps, the first after "
                f"{times[gaps[0]] - times[0]:.4f} s; record again (see `hilctl doctor`), or cut the record there",
            )  # fmt: skip
        return
    held, at = longest_freeze(list(channels.values()))
    if held > FROZEN_SHARE * count:
        yield Finding(
            "dropped samples", name,
            f"no channel changes for {held} samples from sample {at} on: samples were lost and filled in; "
            "record again, or cut the record there",
        )  # fmt: skip


def _limits(channels: Mapping[str, Reals], ranges: Mapping[str, tuple[float, float]]) -> Iterator[Finding]:
    beyond = [key for key, values in channels.items() if key in ranges and _outside(values, ranges[key])]
    for key in beyond:
        low, high = ranges[key]
        other = next((o for o in ranges if o in channels and _exchangeable(channels, ranges, key, o)), "")
        hint = f"exchanged with {other}? each fits the other's range; " if other else ""
        yield Finding(
            "swapped" if hint else "clipped", key,
            f"it reads {channels[key].min():.4g} to {channels[key].max():.4g}, its range is {low:g} to {high:g}; {hint}"
            "check which channel is which, and its unit",
        )  # fmt: skip
    name, driven = next(iter(channels.items()))
    for at, (key, values) in enumerate(channels.items()):
        if key in beyond:
            continue
        share, level = clipping(values, ranges.get(key))
        if share > CLIPPED_SHARE:
            kind: Kind = "saturated" if at == 0 else "clipped"
            what = "the input is at its limit" if at == 0 else "the sensor is at the end of its range"
            remedy = "drive with less amplitude" if at == 0 else "drive with less amplitude, or widen its range"
            yield Finding(kind, key, f"{100 * share:.2g} % of the samples are {level:.6g}: {what}; {remedy}")
            continue
        held, first = dead_stretch(values, driven) if at else (0, 0)
        if held > max(DEAD_SHARE * len(values), FEWEST / 4):
            yield Finding(
                "zero variance", key,
                f"it is exactly {values[first]:.6g} for {held} samples from sample {first} on, while {name} moves; "
                "check the sensor, its supply and cable, or cut the record there",
            )  # fmt: skip


def _exchangeable(
    channels: Mapping[str, Reals], ranges: Mapping[str, tuple[float, float]], one: str, other: str
) -> bool:
    return one != other and not _outside(channels[one], ranges[other]) and not _outside(channels[other], ranges[one])


def _outside(values: Reals, allowed: tuple[float, float]) -> bool:
    low, high = allowed
    slack = 1e-9 * (high - low)
    return bool(values.min() < low - slack or values.max() > high + slack)


def _rate(values: Reals, rate_hz: float, band_hz: tuple[float, float] | None, name: str) -> Iterator[Finding]:
    if band_hz is None:
        return
    lowest, highest = band_hz
    if highest >= rate_hz / 2:
        yield Finding(
            "wrong rate", name,
            f"{rate_hz:g} Hz is too slow for {highest:g} Hz; sample above {2.5 * highest:g} Hz, or drive lower",
        )  # fmt: skip
        return
    low, high = band_of(values, rate_hz)
    factor = high / highest if high > BAND_APART * highest else low / lowest if low < lowest / BAND_APART else 1.0
    if factor != 1.0:
        yield Finding(
            "wrong rate", name,
            f"driven were {lowest:g} to {highest:g} Hz, the input has {low:.3g} to {high:.3g} Hz; a rate of about "
            f"{rate_hz / factor:.3g} Hz would fit: check rate and band",
        )  # fmt: skip


def _related(
    channels: Mapping[str, Reals], name: str, rate_hz: float, periodic: bool, leads: bool
) -> Iterator[Finding]:
    for key, values in channels.items():
        if key == name:
            continue
        seen = coherence_and_delay(channels[name], values, rate_hz)
        if seen.line > ONE_LINE and seen.beside < LEAST_COHERENCE and not periodic:
            yield Finding(
                "unexcited", name,
                f"{100 * seen.line:.3g} % of its power is in one line near {seen.line_hz:.3g} Hz, which shows the "
                "dynamics at one frequency only; drive a sweep or a multisine",
            )  # fmt: skip
            return
        if seen.coherence < LEAST_COHERENCE:
            yield Finding(
                "unexcited", key,
                f"its coherence with {name} is {seen.coherence:.2f}, {LEAST_COHERENCE:g} is needed; drive with more "
                "amplitude, or name the channel that drives it",
            )  # fmt: skip
        elif seen.rise_deg > LEAST_RISE_DEG and not leads:
            yield Finding(
                "swapped", key,
                f"it leads {name} by {1e3 * seen.ahead_s:.3g} ms, but an effect follows its cause; exchange input and "
                "output",
            )  # fmt: skip
