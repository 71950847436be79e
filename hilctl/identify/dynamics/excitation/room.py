"""How large a motion may be at each frequency: what the rig leaves room for.

A sine of displacement X at w = 2π f has the velocity w X and the acceleration w² X, and may be as large as the first of

    X <= position        w X <= velocity        w² X <= acceleration
    (v/v0)² + a sgn(v)/F <= 1 all along       the orifice: v0 = no-load speed at the share of the opening, F = Ps A/m

With r = w v0/F the last is w X <= v0 sqrt(1 - r²/4) for r < √2, and w X <= F/w beyond, where pressure is the limit.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from hilctl.params import BadValues, Params, Problem, number

Reals = npt.NDArray[np.float64]


class Room(Params, kw_only=True):
    """What an excitation may ask of the rig. A limit of 0 is none."""

    position_m: Annotated[float, number(0, 5, "m", "displacement from the centre")] = 0.0
    velocity_m_s: Annotated[float, number(0, 20, "m/s", "speed")] = 0.0
    acceleration_m_s2: Annotated[float, number(0, 1000, "m/s²", "acceleration")] = 0.0
    no_load_speed_m_s: Annotated[float, number(0, 20, "m/s", "Qn / A, at full opening and no load")] = 0.0
    force_per_mass_m_s2: Annotated[float, number(0, 1e5, "m/s²", "Ps A / m")] = 0.0
    opening: Annotated[float, number(0.01, 1, "", "share of the valve's opening that may be used")] = 0.8

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Something limits displacement at every frequency; flow needs both of its numbers."""
        if not (self.position_m or self.velocity_m_s or self.acceleration_m_s2 or self.no_load_speed_m_s):
            yield Problem(f"{at}.position_m", 0.0, "one limit at least must be above 0", "give the displacement's")
        if bool(self.no_load_speed_m_s) != bool(self.force_per_mass_m_s2):
            yield Problem(
                f"{at}.force_per_mass_m_s2", self.force_per_mass_m_s2, "must be given where no_load_speed_m_s is"
            )


def sine_room(room: Room, hz: npt.ArrayLike) -> Reals:
    """The largest displacement of a single sine at each frequency."""
    f = np.asarray(hz, np.float64)
    if not (np.isfinite(f).all() and (f > 0).all()):
        raise BadValues([Problem("hz", hz, "must be frequencies above 0 Hz")])
    w = 2 * np.pi * f
    best = np.full(f.shape, np.inf)
    if room.position_m:
        best = np.minimum(best, room.position_m)
    if room.velocity_m_s:
        best = np.minimum(best, room.velocity_m_s / w)
    if room.acceleration_m_s2:
        best = np.minimum(best, room.acceleration_m_s2 / w**2)
    if room.no_load_speed_m_s:
        v0, F = room.opening * room.no_load_speed_m_s, room.force_per_mass_m_s2
        r = w * v0 / F
        speed = np.where(r < np.sqrt(2), v0 * np.sqrt(np.maximum(1 - r**2 / 4, 0.5)), v0 / r)
        best = np.minimum(best, speed / w)
    return np.asarray(best)


def scale_into(room: Room, x: Any, v: Any, a: Any) -> float:
    """The factor by which a whole motion may be multiplied: it touches the first limit then. Infinite for rest."""
    factors = [np.inf]
    for limit, series in ((room.position_m, x), (room.velocity_m_s, v), (room.acceleration_m_s2, a)):
        peak = float(np.max(np.abs(series)))
        if limit and peak > 0:
            factors.append(limit / peak)
    if room.no_load_speed_m_s:
        p = v / (room.opening * room.no_load_speed_m_s)  # (k p)² + k q = 1 is where the valve is at its end
        q = np.maximum(a * np.sign(v), 0.0) / room.force_per_mass_m_s2
        root = q + np.sqrt(q**2 + 4 * p**2)
        factors.append(float(2 / root.max()) if root.max() > 0 else np.inf)
    return min(factors)
