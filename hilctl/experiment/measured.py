"""What has been measured, reported as it comes, for who watches a long work: a job listens, a command does not.

    friction     a point of the curve: direction, speed_m_s, force_n, std_n; low_n, high_n: 95 %, of its noise alone
    distortion   of a sine, before or after: when, frequency_hz, amplitude_m, percent, resolution_percent
    part         of a commissioning, once it is over: part, complete, rig_s

The result has the final values: a complete friction campaign may weigh its forces again.
"""

from collections.abc import Callable
from typing import Any

_listeners: list[Callable[[dict[str, Any]], None]] = []


def listen(hear: Callable[[dict[str, Any]], None]) -> None:
    """`hear` is given every point from here on: its `kind`, and its values."""
    _listeners.append(hear)


def report(kind: str, **values: float | str) -> None:
    """One more is measured."""
    for hear in _listeners:
        hear({"kind": kind, **values})
