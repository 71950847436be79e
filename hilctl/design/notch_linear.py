"""The notches of a law as a linear system, for the design: what law/notch.py does, in matrices."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hilctl.law.notch import HIGHEST, Notch

if TYPE_CHECKING:
    from hilctl.law.settings import Law

Matrix = npt.NDArray[np.float64]


def active(law: "Law") -> list[Notch]:
    """Those that take anything away, in the order in which the command passes them."""
    return [notch for notch in (law.notch_1, law.notch_2, law.notch_3) if notch.depth_db > 0]


def coefficients(notch: Notch, dt_s: float) -> tuple[float, float, float]:
    """g, p1 and p2 of law/notch.py."""
    turn = 2 * np.pi * min(notch.frequency_hz * dt_s, HIGHEST)
    a = 0.5 * notch.width * np.sin(turn)
    left = 10 ** (-notch.depth_db / 20)
    return float(a * (1 - left) / (1 + a)), float(2 * np.cos(turn) / (1 + a)), float(-(1 - a) / (1 + a))


def response(law: "Law", hz: npt.ArrayLike, dt_s: float) -> npt.NDArray[np.complex128]:
    """What the notches leave of a sine in the opening."""
    back = np.exp(-2j * np.pi * np.asarray(hz, np.float64) * dt_s)
    out: npt.NDArray[np.complex128] = np.ones_like(back)
    for notch in active(law):
        g, p1, p2 = coefficients(notch, dt_s)
        out *= 1 - g * (1 - back**2) / (1 - p1 * back - p2 * back**2)
    return out


def matrices(law: "Law", dt_s: float) -> tuple[Matrix, Matrix, Matrix, float]:
    """A, B, C, D of all of them: z' = A z + B u, y = C z + D u; without states where none is active."""
    a, b, c, d = np.zeros((0, 0)), np.zeros(0), np.zeros(0), 1.0
    for notch in active(law):
        g, p1, p2 = coefficients(notch, dt_s)
        # of u -> y = u - t with t = g (1 - 1/z²)/(1 - p1/z - p2/z²) u, in observer form
        own = np.array([[p1, 1.0], [p2, 0.0]])
        drive, see, through = -g * np.array([p1, p2 - 1.0]), np.array([1.0, 0.0]), 1.0 - g
        n = len(a)
        whole = np.zeros((n + 2, n + 2))
        whole[:n, :n], whole[n:, n:], whole[n:, :n] = a, own, np.outer(drive, c)
        a, b, c, d = whole, np.append(b, drive * d), np.append(through * c, see), through * d
    return a, b, c, float(d)
