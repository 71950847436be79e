"""The preview of the inverse model on this rig: the shift in time with the least distortion.

The lag of valve, amplifier and transport differs a little from the rig file's, and stiction needs a little more. A few
shifts are tried on a sine, then the minimum of the parabola through the best three; the best is kept. The sine begins
softly and settles, and so does what the shift changes.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from hilctl.identify.distortion import judged, record
from hilctl.results.distortion import Distortion
from hilctl.results.proof import Preview

if TYPE_CHECKING:
    from hilctl.client import Client

KEY = "law.feed.extra_preview_s"
TRIED_S = (-2e-4, 0.0, 2e-4)  # around the active value
MOST_S = 1.2e-3  # from there, at most


def search(
    rig: "Client", frequency_hz: float = 2.0, amplitude_m: float = 0.05, center_m: float = 0.0, *,
    cycles: int = 4, here_percent: float | None = None, left_out: float = 0.0, origin: str = "preview search",
    tell: Callable[[float, Distortion], None] = lambda shift_s, found: None,
) -> Preview:  # fmt: skip
    """Tries the shifts with the inverse model on, leaves the best one active, and returns all.

    `here_percent`: the distortion at the active shift, where it was measured before; `left_out`: as `record` takes it.
    """
    now = rig.get("law.blend_s", KEY)
    blend_s, around_s = float(now["law.blend_s"]), float(now[KEY])
    tried: list[tuple[float, float]] = []

    def attempt(shift_s: float) -> None:
        nonlocal left_out
        rig.set({KEY: float(shift_s)}, origin=origin)
        rig.pass_time(blend_s)
        made = record(rig, frequency_hz, amplitude_m, cycles, center_m, left_out)
        found, left_out = judged(made, frequency_hz, amplitude_m), made.left_out
        tell(shift_s, found)
        tried.append((float(shift_s), found.percent))

    for shift_s in TRIED_S:
        if shift_s == 0.0 and here_percent is not None:
            tried.append((around_s, here_percent))
        else:
            attempt(around_s + shift_s)
    while (further_s := beyond(tried)) is not None and abs(further_s - around_s) <= MOST_S:
        attempt(further_s)
    finer = vertex(tried)
    if finer is not None:
        attempt(finer)
    best_s, percent = min(tried, key=lambda one: one[1])
    if tried[-1][0] != best_s:
        rig.set({KEY: best_s}, origin=origin)
        rig.pass_time(blend_s)
    return Preview(best_s, percent, tried)


def beyond(tried: list[tuple[float, float]]) -> float | None:
    """The next one where the best is the last on its side; None where it has neighbours on both."""
    ordered = sorted(tried)
    at = min(range(len(ordered)), key=lambda k: ordered[k][1])
    if 0 < at < len(ordered) - 1:
        return None
    step = ordered[1][0] - ordered[0][0]
    return ordered[0][0] - step if at == 0 else ordered[-1][0] + step


def vertex(tried: list[tuple[float, float]]) -> float | None:
    """The minimum of the parabola through the best point and its neighbours; None at the edge, or if it is flat."""
    ordered = sorted(tried)
    at = min(range(len(ordered)), key=lambda k: ordered[k][1])
    if not 0 < at < len(ordered) - 1:
        return None
    x, y = np.array(ordered[at - 1 : at + 2]).T
    bend, slope, _ = np.polyfit(x - x[1], y, 2)
    if not bend > 0.0:
        return None
    return float(np.clip(x[1] - slope / (2 * bend), x[0], x[2]))
