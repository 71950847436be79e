"""A carrier: a slow motion under a measured one, so that the table slides on while a sine of little speed is measured.

    x = V t                 from the middle on, until it turns; a turn takes `turn_s`, in which V goes to -V along a
                            smooth step, so displacement and three derivatives are continuous
    c(t + T/2) = -c(t)      what a rig makes of it has odd multiples of 1/T, whether it is linear or not

Friction that sticks, and that falls with speed, is met where the speed changes its sign: quickly, and twice in a
period of the carrier instead of in every one of the sine. A sine that is as fast by itself needs none.
"""

from typing import NamedTuple

import msgspec
import numpy as np

from hilctl.identify.frequency.excite_shape import STEEPEST, Room, Shape, risen, sine_room
from hilctl.params import BadValues, Problem
from hilctl.results.response import Reals

CARRIER = "speed of the slow triangle under sines that are slower, as far as there is room; 0: none"
SPEED, POSITION, ACCELERATION = 0.5, 0.8, 0.4  # of the room, that a carrier may have; the rest is for the sine
OVER = 0.5  # of the carrier's speed: the sine above it never turns the motion
TURNS = 4.0  # of them in a period
LEAST_TURNS = 2.5
_SHORT = 0.5 - 2 * float(risen(np.array([0.5]))[0])  # of V and turn: what a quarter of a turn passes less


class Carrier(NamedTuple):
    """A triangle of displacement with soft turns."""

    speed_m_s: float
    period_s: float
    turn_s: float

    @property
    def position_m(self) -> float:
        """Where it turns."""
        return self.speed_m_s * (self.period_s / 4 - self.turn_s / 2 + _SHORT * self.turn_s)

    def at(self, t: Reals) -> Reals:
        """Displacement: in the middle at t = 0, going up."""
        half = self.period_s / 2
        number = np.floor((t + half / 2) / half)
        since = t - number * half  # the middle of a stroke, up and down by turns
        flat = (half - self.turn_s) / 2
        beyond = np.maximum(np.abs(since) - flat, 0.0) / self.turn_s  # up to half a turn
        way = np.minimum(np.abs(since), flat) + self.turn_s * (beyond - 2 * risen(beyond))
        return np.asarray(np.where(number % 2 == 0, 1.0, -1.0) * np.sign(since) * self.speed_m_s * way)


def carrier_for(speed_m_s: float, shape: Shape) -> Carrier | None:
    """Of this speed, or the greatest that there is room for; None for a speed of 0."""
    if speed_m_s <= 0:
        return None
    room = shape.room
    if not room.acceleration_m_s2:
        limit, remedy = "needs a room with a limit of acceleration", "give it, or carrier_m_s = 0"
        raise BadValues([Problem("carrier_m_s", speed_m_s, limit, remedy)])
    position = POSITION * min(shape.amplitude, room.position_m or np.inf)
    hard = ACCELERATION * room.acceleration_m_s2
    turning = 2 * STEEPEST / hard  # of a turn, for a speed of 1
    fast = [speed_m_s, np.sqrt(position / (turning * (LEAST_TURNS / 4 - 0.5 + _SHORT)))]
    if room.velocity_m_s:
        fast.append(SPEED * room.velocity_m_s)
    if room.no_load_speed_m_s:
        fast.append(SPEED * room.opening * room.no_load_speed_m_s)
    speed = float(min(fast))
    turn = turning * speed
    longest = 4 * (position / speed + (0.5 - _SHORT) * turn)
    return Carrier(speed, float(min(longest, TURNS * turn)), turn)


def left(carrier: Carrier, room: Room) -> Room:
    """What a carrier leaves of a room to what rides on it, which is slower than it."""
    position = max(room.position_m - carrier.position_m, 1e-9) if room.position_m else 0.0
    return msgspec.structs.replace(
        room, position_m=position, velocity_m_s=OVER * carrier.speed_m_s,
        acceleration_m_s2=(1 - ACCELERATION) * room.acceleration_m_s2,
    )  # fmt: skip


def over(carrier: Carrier, shape: Shape, hz: Reals) -> Reals:
    """The amplitude of a single sine above a carrier at each frequency."""
    room = left(carrier, shape.room)
    return np.asarray(np.minimum(sine_room(room, hz), max(shape.amplitude - carrier.position_m, 0.0)))


def needs(carrier: Carrier, shape: Shape, hz: Reals) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Where a sine alone is slower than the carrier, and has two periods at least in one of the carrier's."""
    slow = 2 * np.pi * hz * shape(hz) < carrier.speed_m_s
    return np.asarray(slow & (hz * carrier.period_s >= 2))
