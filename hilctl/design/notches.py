"""Notches for resonances in a measured loop: a peak of |L| above the crossover, of a specimen or of the oil column.

A peak is where |L| exceeds the level of both sides by STANDS_OUT_DB. The notch lies at its frequency, is as wide as the
peak at half its height, and about as deep as the peak is high. A notch also costs phase below its frequency, so it is
kept only if the measured loop then has more modulus margin, and no other margin below what is wanted or was before.
"""

from typing import NamedTuple

import numpy as np

from hilctl.design.margins import Margins, Wanted, margins_of, without_scatter
from hilctl.design.notch_linear import response as response_of
from hilctl.law.notch import COUNT, HIGHEST, Notch
from hilctl.law.settings import Law
from hilctl.results.response import Complexes, Reals, Response

STANDS_OUT_DB = 4.0
LEAST_DB, MOST_DB = 3.0, 40.0
WIDER = 1.4  # than the peak, whose frequency changes with position and load
CERTAIN = 0.5  # coherence of a peak
SIDE = 0.7  # of a peak's frequency, and its inverse: the two sides it is compared with


class Peak(NamedTuple):
    """A peak of a loop's gain."""

    hz: float
    over_db: float
    width: float  # between the half-height points, over its frequency


class Notched(NamedTuple):
    """Notches, as dotted keys of the rig file, and the measured loop's margins with them."""

    values: dict[str, float]
    peaks: tuple[Peak, ...]
    before: Margins
    after: Margins
    why: str  # no notch is proposed; empty if one is


def design_notches(loop: Response, law: Law, dt_s: float, wanted: Wanted | None = None) -> Notched:
    """For the loop as measured with this controller, in its unused notches."""
    wanted = wanted or Wanted()
    loop = loop._replace(gain=without_scatter(loop))
    gain, before = loop.gain, margins_of(loop.hz, loop.gain)
    free = [k for k in range(1, COUNT + 1) if getattr(law, f"notch_{k}").depth_db == 0]
    peaks = peaks_of(loop, HIGHEST / dt_s)
    if not peaks:
        why = f"no peak of the loop gain above the crossover exceeds its sides by {STANDS_OUT_DB:g} dB"
        return Notched({}, (), before, before, why)
    if not free:
        why = "all notches are in use; set depth_db of one of law.notch_1 to law.notch_3 to 0"
        return Notched({}, tuple(peaks), before, before, why)
    best, values, kept = before, dict[str, float](), list[Peak]()
    for peak in peaks:
        if len(kept) == len(free):
            break
        with_it, margins, notch = _fitting(loop.hz, gain, peak, dt_s, wanted, best)
        if notch is None:
            continue
        at = f"law.notch_{free[len(kept)]}"
        values |= {f"{at}.{name}": getattr(notch, name) for name in ("frequency_hz", "width", "depth_db")}
        kept.append(peak)
        best, gain = margins, with_it
    why = "" if kept else "no notch at a peak of the loop gain improves the margins"
    return Notched(values, tuple(kept or peaks), before, best, why)


def peaks_of(loop: Response, highest_hz: float) -> list[Peak]:
    """The largest first."""
    hz, db = loop.hz, 20 * np.log10(np.maximum(np.abs(loop.gain), 1e-12))
    beyond = np.flatnonzero(db < 0)
    found: list[Peak] = []
    for k in range(1, len(hz) - 1):
        if not len(beyond) or k <= beyond[0] or hz[k] > highest_hz or loop.coherence[k] < CERTAIN:
            continue
        if db[k] < db[k - 1] or db[k] <= db[k + 1]:
            continue
        left, right = np.searchsorted(hz, (SIDE * hz[k], hz[k] / SIDE))
        if right >= len(hz):
            continue
        share = np.log(hz[k] / hz[left]) / np.log(hz[right] / hz[left])
        base = db[left] + share * (db[right] - db[left])
        over = float(db[k] - base)
        if over >= STANDS_OUT_DB and db[k] == db[left : right + 1].max():
            found.append(Peak(_top(hz, db, k), over, _width(hz, db, k)))
    return sorted(found, key=lambda peak: -peak.over_db)


def _top(hz: Reals, db: Reals, k: int) -> float:
    a, b, c = db[k - 1 : k + 2]
    shift = 0.5 * (a - c) / min(a - 2 * b + c, -1e-9)
    return float(hz[k] + np.clip(shift, -0.5, 0.5) * (hz[k + 1] - hz[k]))


def _width(hz: Reals, db: Reals, k: int) -> float:
    """Relative width at 3 dB below the peak, from the nearer side."""
    below = np.flatnonzero(db < db[k] - 3.0)
    near = np.abs(hz[below] - hz[k])
    half = float(near.min()) if len(near) else float(hz[k] * 0.3)
    return 2 * half / float(hz[k])


def _fitting(hz: Reals, gain: Complexes, peak: Peak, dt_s: float, wanted: Wanted, best: Margins) -> tuple[
    Complexes, Margins, Notch | None
]:
    """Of some depths and widths, the notch with most modulus margin; None if none improves it."""
    found: tuple[Complexes, Margins, Notch | None] = (gain, best, None)
    asked = Wanted(min(wanted.gain_db, best.gain_db), min(wanted.phase_deg, best.phase_deg), 0.0)
    most_db = min(peak.over_db, MOST_DB)
    for depth_db in np.linspace(LEAST_DB, max(most_db, LEAST_DB), 6):
        for widen in (0.7, 1.0, WIDER, 2.0):
            notch = Notch(frequency_hz=_round(peak.hz), depth_db=_round(depth_db),
                          width=_round(float(np.clip(widen * peak.width, 0.05, 1.5))))  # fmt: skip
            tried = gain * response_of(Law(notch_1=notch), hz, dt_s)
            margins = margins_of(hz, tried)
            if margins.modulus > found[1].modulus * 1.01 and asked.share(margins) >= 1 - 1e-9:
                found = (tried, margins, notch)
    return found


def _round(value: float) -> float:
    return float(f"{value:.4g}")
