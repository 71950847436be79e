"""Margins of a loop, from its transfer L at many frequencies. The closed loop divides by 1 + L.

    gain margin      by how much the gain of the whole loop may rise, or fall, before it is unstable; from where L is
                     real and negative: between -1 and 0 the limit of a rise, below -1 that of a fall
    phase margin     by how much every phase may lag, or lead; from where |L| = 1
    modulus margin   the least distance of L from -1: 1/Ms, which bounds gain and phase errors together

They hold for a stable loop. Each is given with the frequency at which it occurs.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]


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
    gains = [(np.inf, np.nan), (np.inf, np.nan)]  # to rise by, to fall by
    at, share = _crossings(loop.imag)
    for k, t in zip(at, share, strict=True):
        real = float(loop.real[k] + t * (loop.real[k + 1] - loop.real[k]))
        if real >= 0:
            continue
        db, place = -20 * np.log10(-real), float(hz[k] + t * (hz[k + 1] - hz[k]))
        side = 0 if db >= 0 else 1
        gains[side] = min(gains[side], (float(abs(db)), place))
    phase = (np.inf, np.nan)
    at, share = _crossings(np.abs(loop) - 1)
    for k, t in zip(at, share, strict=True):
        turned = abs(float(np.rad2deg(np.angle(-(loop[k] + t * (loop[k + 1] - loop[k]))))))
        phase = min(phase, (turned, float(hz[k] + t * (hz[k + 1] - hz[k]))))
    nearest = int(np.argmin(np.abs(1 + loop)))
    return Margins(*gains[0], *gains[1], *phase, float(np.abs(1 + loop[nearest])), float(hz[nearest]))


def worst_of(loops: Complexes) -> tuple[Reals, Reals]:
    """The smaller gain margin in dB, and the phase margin in degrees, of each of several transfers, (loops, hz)."""
    before, behind = loops[:, :-1], loops[:, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = before.imag / (before.imag - behind.imag)
        real = before.real + share * (behind.real - before.real)
        crosses = (before.imag * behind.imag < 0) & (real < 0)
        db = np.where(crosses, np.abs(20 * np.log10(np.maximum(-real, 1e-12))), np.inf)
        one, two = np.abs(before) - 1, np.abs(behind) - 1
        point = before + one / (one - two) * (behind - before)
        degrees = np.where(one * two < 0, np.abs(np.rad2deg(np.angle(-point))), np.inf)
    return db.min(axis=1), degrees.min(axis=1)


def _crossings(values: Reals) -> tuple[Any, Reals]:
    """Where a series crosses zero: the index before, and the share of the way to the next."""
    at = np.flatnonzero(values[:-1] * values[1:] < 0)
    return at, np.asarray(values[at] / (values[at] - values[at + 1]))
