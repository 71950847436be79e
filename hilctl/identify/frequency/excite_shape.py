"""How large a motion may be at each frequency: as wanted, or as large as the rig leaves room for.

A sine of displacement X at w = 2π f has the velocity w X and the acceleration w² X, and may be as large as the first of

    X <= position        w X <= velocity        w² X <= acceleration
    (v/v0)² + a sgn(v)/F <= 1 all along       the orifice: v0 = no-load speed at the share of the opening, F = Ps A/m

With r = w v0/F the last is w X <= v0 sqrt(1 - r²/4) for r < √2, and w X <= F/w beyond, where pressure is the limit.

The room comes from the limits and the nominal machine, whose values may be off by a fifth. Motions begin and end with
`smooth`, a step without a jump in its first three derivatives.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from hilctl.experiment.facts import Facts
from hilctl.params import BadValues, Params, Problem, check, number
from hilctl.results.response import Reals

STEEPEST = 2.1875  # of its slope, in the middle


def smooth(s: Reals) -> Reals:
    """From 0 to 1 as s does; three derivatives are zero at both ends."""
    x = np.asarray(np.clip(s, 0.0, 1.0))
    return np.asarray(x**4 * (35 + x * (-84 + x * (70 - 20 * x))))


def risen(s: Reals) -> Reals:
    """The integral of `smooth` from 0."""
    inside = np.clip(s, 0.0, 1.0)
    return np.asarray(inside**5 * (7 + inside * (-14 + inside * (10 - 2.5 * inside))) + np.maximum(s - 1, 0.0))


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


class Shape:
    """`shape(hz)`: the amplitude of a single sine."""

    def __init__(self, amplitude_m: float, room: Room) -> None:
        if not (np.isfinite(amplitude_m) and amplitude_m > 0):
            raise BadValues([Problem("amplitude", amplitude_m, "must be above 0")])
        self.amplitude, self.room = float(amplitude_m), room

    def __call__(self, hz: npt.ArrayLike) -> Reals:
        """The amplitude of a single sine at each frequency."""
        return np.asarray(np.minimum(self.amplitude, sine_room(self.room, np.atleast_1d(hz))))

    def fitting(self, values: Reals, rate_hz: float) -> float:
        """The factor, 1 at most, by which a whole signal has room, from rest to rest: soft ends add to a sine's own."""
        count = 2 * len(values)  # rest behind it: a motion may go on after its input
        hz = np.fft.rfftfreq(count, 1 / rate_hz)
        spectrum = np.fft.rfft(values, count)
        x, v, a = (np.fft.irfft(spectrum * (2j * np.pi * hz) ** n, count) for n in range(3))
        return min(1.0, scale_into(self.room, x, v, a))


POSITION, VELOCITY, ACCELERATION = 0.5, 0.6, 0.3  # of the limits
PUSH = 0.25  # of the supply's force
OPENING = 0.45  # of the valve: the table still follows if the machine is off by a fifth
OWN_LOOP = 0.9  # of each limit, if the rig closes its own loop: the limits apply to its reference
LINE = 0.02  # of the acceleration, for a single line of a multisine


class Riding(Shape):
    """Lines of equal acceleration on top of slow lines with high speed.

    While the table keeps sliding, fast lines meet no static friction; fast lines alone would leave it stuck.
    """

    def __call__(self, hz: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The amplitude of each line."""
        w = 2 * np.pi * np.atleast_1d(np.asarray(hz, np.float64))
        return np.asarray(np.minimum(super().__call__(hz), LINE * self.room.acceleration_m_s2 / w**2))


def centre_of(facts: Facts) -> float:
    """The middle between the limits of position."""
    return 0.5 * float(facts["limits.position.min_m"] + facts["limits.position.max_m"])


def room_of(facts: Facts) -> Room:
    """A share of the limits of position, velocity and acceleration, and of valve flow and supply force."""
    own = facts.values.get("law.feedback") == "rig"
    fast, hard, push_share, opening = (OWN_LOOP,) * 4 if own else (VELOCITY, ACCELERATION, PUSH, OPENING)
    low, high = float(facts["limits.position.min_m"]), float(facts["limits.position.max_m"])
    push = facts["machine.A"] * facts["machine.Ps"] / facts["machine.m"]
    travel = min(0.5 * (high - low), 0.95 * float(facts["machine.stroke_m"]) - abs(centre_of(facts)))
    return check(
        Room,
        {
            "position_m": POSITION * travel,
            "velocity_m_s": fast * float(facts["limits.velocity.max_m_s"]),
            "acceleration_m_s2": min(hard * float(facts["limits.acceleration.max_m_s2"]), push_share * push),
            "no_load_speed_m_s": float(facts["machine.Qn"] / facts["machine.A"]),
            "force_per_mass_m_s2": float(push),
            "opening": opening * (1.0 if own else float(facts["limits.command.opening"])),
        },
        "room",
    )
