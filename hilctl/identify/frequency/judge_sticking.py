"""Which lines of a response were measured while static friction may have held the table.

Evidence is the table's own displacement while a line is measured: its change in a quarter of that line's period (for a
multisine, of its highest line's). Half of the time it should be faster than the Stribeck speed of the rig file; and,
with any static friction, faster than a tenth of what was driven. On a carrier it is, unless the table does not follow
even that.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from hilctl.experiment.facts import Facts
from hilctl.identify.frequency.plan import BEYOND, falls_over_m_s, sticks
from hilctl.identify.frequency.record import Experiment

WATCHED = "displacement_m"
FOLLOWS = 0.1  # of the driven speed
_AROUND = 1.06  # ratio to both sides of a frequency of a sweep: the part its response there is estimated from


def stuck_of(experiments: Sequence[Experiment], facts: Facts | None) -> tuple[str, ...]:
    """A remark for each group of records that models are fitted to; none without static friction in the rig file."""
    if facts is None or "friction.model" not in facts.values or not sticks(facts.friction):
        return ()
    slow = falls_over_m_s(facts.friction)
    found: dict[str, list[float]] = {}
    speeds: dict[str, list[float]] = {}
    for one in experiments:
        if one.role == "check" or one.signal is None or not {WATCHED, one.reference} <= one.channels.keys():
            continue
        for hz, speed, driven in _speeds(one):
            if speed < slow or speed < FOLLOWS * driven:
                found.setdefault(one.group, []).append(hz)
                speeds.setdefault(one.group, []).append(speed)
    return tuple(_told(group, lines, speeds[group], slow) for group, lines in found.items())


def _speeds(one: Experiment) -> Iterator[tuple[float, float, float]]:
    """For each line: its frequency, and the median speeds of table and reference while it is measured."""
    table, driven = one.channels[WATCHED], one.channels[one.reference]
    quickest = one.signal.band_hz[1] if one.kind == "multisine" else 0.0
    for hz, first, last in _windows(one):
        step = max(1, round(one.rate_hz / max(hz, quickest) / 4))
        medians = [
            float(np.median(np.abs(each[first + step : last] - each[first : last - step]))) * one.rate_hz / step
            for each in (table, driven)
        ]
        yield hz, medians[0], medians[1]


def _windows(one: Experiment) -> Iterator[tuple[float, int, int]]:
    """A frequency, and the first and last sample that its gain is estimated from."""
    rate_hz, signal = one.rate_hz, one.signal
    if one.kind == "stepped":
        for step in signal.steps:
            yield step.hz, one.begins + step.first, one.begins + step.first + step.length
    elif one.kind == "multisine":
        first = one.begins + signal.first
        for hz in signal.band_hz:
            yield hz, first, first + signal.periods * signal.period
    elif one.kind == "sweep":
        low, high = signal.band_hz
        seconds = float(one.settings["duration_s"])
        hz = low * _AROUND
        while hz * _AROUND < high:
            there, ratio = seconds * np.log(hz / low) / np.log(high / low), seconds / np.log(high / low)
            reach = max(ratio * np.log(_AROUND), 1 / hz)  # whole periods at least: a sine is slow where it turns
            yield hz, *(one.begins + max(0, round(at * rate_hz)) for at in (there - reach, there + reach))
            hz *= _AROUND**2


def _told(group: str, lines: list[float], speeds: list[float], slow: float) -> str:
    least, most = min(lines), max(lines)
    where = f"at {least:.3g} Hz" if least == most else f"at {least:.3g} to {most:.3g} Hz"
    than = f"the {slow:.3g} m/s over which friction falls" if slow else "a tenth of the driven speed"
    return (
        f"{group}: the table may have stuck {where} ({WATCHED}): half of the time it was slower than {than}, down to "
        f"{min(speeds):.2g} m/s, so the response there may be that of a table held by static friction; drive it on a "
        f"carrier (--carrier {BEYOND * slow or 0.3:.2g}), or with more amplitude if the limits allow"
    )
