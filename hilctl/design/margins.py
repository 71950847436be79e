"""Margins of a loop, from its transfer L at many frequencies. The closed loop divides by 1 + L.

    gain margin      by how much the gain of the whole loop may rise, or fall, before it is unstable; from where L is
                     real and negative: between -1 and 0 the limit of a rise, below -1 that of a fall
    phase margin     by how much every phase may lag, or lead; from where |L| = 1
    modulus margin   the least distance of L from -1: 1/Ms, which bounds gain and phase errors together

They hold for a stable loop. Each is given with the frequency at which it occurs.

A measured L scatters from line to line, and the line that scatters most is the one nearest to -1: taken from the lines
as they are, a margin comes out too small, the more so the more lines there are. So each line is replaced by a parabola
through those next to it, unless its distance from -1 is certain, or it stands out by more than its scatter: a resonance
may be as narrow as a line.
"""

from typing import NamedTuple

import numpy as np

from hilctl.results.response import Complexes, Reals, Response

CERTAIN = 0.01  # standard error of a line's distance from -1, over that distance
AROUND = 2  # lines on each side
BEYOND_DOUBT = 3.0  # standard errors by which a line stands out


class Margins(NamedTuple):
    """Infinite where L has no such point."""

    rise_db: float
    rise_hz: float
    fall_db: float
    fall_hz: float
    phase_deg: float
    phase_hz: float
    modulus: float
    modulus_hz: float

    @property
    def gain_db(self) -> float:
        """The smaller of rise and fall."""
        return min(self.rise_db, self.fall_db)

    @property
    def peak(self) -> float:
        """Ms, of the sensitivity."""
        return 1 / self.modulus


class Wanted(NamedTuple):
    """The margins a design must have."""

    gain_db: float = 6.0
    phase_deg: float = 45.0
    modulus: float = 0.5

    def share(self, found: Margins) -> float:
        """The smallest ratio of a margin to its wanted value."""
        return min(self._shares(found).values())

    def short(self, found: Margins) -> str:
        """The margin missed by most, in words; empty when all are met."""
        shares = self._shares(found)
        least = min(shares, key=lambda text: shares[text])
        return least if shares[least] < 1 - 1e-9 else ""

    def _shares(self, found: Margins) -> dict[str, float]:
        place = found.rise_hz if found.rise_db < found.fall_db else found.fall_hz
        return {
            f"gain margin {found.gain_db:.2f} dB at {place:.3g} Hz, of {self.gain_db:.3g} dB":
                found.gain_db / max(self.gain_db, 1e-9),
            f"phase margin {found.phase_deg:.1f}° at {found.phase_hz:.3g} Hz, of {self.phase_deg:.3g}°":
                found.phase_deg / max(self.phase_deg, 1e-9),
            f"modulus margin {found.modulus:.3f} at {found.modulus_hz:.3g} Hz, of {self.modulus:.3g}":
                found.modulus / max(self.modulus, 1e-9),
        }  # fmt: skip


def margins_of(hz: Reals, loop: Complexes) -> Margins:
    """From a transfer at rising frequencies; linear between them."""
    db, at_real, degrees, at_one = _crossings(loop)

    def least(values: Reals, share: Reals) -> tuple[float, float]:
        k = int(np.argmin(values))
        place = float(hz[k] + share[k] * (hz[k + 1] - hz[k]))
        return (float(values[k]), place) if np.isfinite(values[k]) else (np.inf, np.nan)

    rise, fall = least(np.where(db >= 0, db, np.inf), at_real), least(np.where(db < 0, -db, np.inf), at_real)
    nearest = int(np.argmin(np.abs(1 + loop)))
    return Margins(*rise, *fall, *least(degrees, at_one), float(np.abs(1 + loop[nearest])), float(hz[nearest]))


def without_scatter(loop: Response) -> Complexes:
    """Its gain at each line, by the lines about it where its own error leaves its distance from -1 uncertain."""
    out = loop.gain.copy()
    uncertain = loop.variance > 2 * (CERTAIN * np.abs(1 + loop.gain)) ** 2  # of a component: half
    for k in np.flatnonzero(uncertain[AROUND:-AROUND]) + AROUND:
        near = slice(k - AROUND, k + AROUND + 1)
        among = np.polyfit(loop.hz[near] / loop.hz[k] - 1, loop.gain[near], 2)[-1]
        if abs(among - loop.gain[k]) <= BEYOND_DOUBT * np.sqrt(loop.variance[k]):
            out[k] = among
    return out


def worst_of(loops: Complexes) -> tuple[Reals, Reals]:
    """The smaller gain margin in dB, and the phase margin in degrees, of each of several transfers, (loops, hz)."""
    db, _, degrees, _ = _crossings(loops)
    return np.abs(db).min(axis=1), degrees.min(axis=1)


def _crossings(loops: Complexes) -> tuple[Reals, Reals, Reals, Reals]:
    """Between each two frequencies: by how many dB the gain may rise (a fall is negative) where L crosses the negative
    real axis there, and at which share of the way; the phase margin where |L| crosses 1, and its share. Else infinite.
    """
    before, behind = loops[..., :-1], loops[..., 1:]
    db, at_real, degrees, at_one = (np.full(before.shape, np.inf) for _ in range(4))

    crosses = before.imag * behind.imag < 0
    one, two = before[crosses], behind[crosses]
    share = one.imag / (one.imag - two.imag)
    real = one.real + share * (two.real - one.real)
    at_real[crosses] = share
    db[crosses] = np.where(real < 0, -20 * np.log10(np.maximum(-real, 1e-12)), np.inf)

    above = loops.real**2 + loops.imag**2 > 1
    passes = above[..., 1:] != above[..., :-1]
    one, two = before[passes], behind[passes]
    share = (np.abs(one) - 1) / (np.abs(one) - np.abs(two))
    at_one[passes] = share
    degrees[passes] = np.abs(np.rad2deg(np.angle(-(one + share * (two - one)))))
    return db, at_real, degrees, at_one
