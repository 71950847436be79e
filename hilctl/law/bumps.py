"""What a round of bumps says while a rig is armed (arming.py): whether the valve moves the table, null and overlap."""

from typing import Any

from hilctl.law.sensors import ACCELERATION
from hilctl.law.signs import rt_signs_count, rt_signs_motion, rt_signs_pressures, rt_signs_unsure
from hilctl.rt.jit import jit
from hilctl.signals import Trip

_CLOSE = 20.0  # the null is found when a round moves it less than this part of the bump
_REPEATS = 10.0  # it is not confirmed while a round moves it by more than this part
_LEAST_ROUNDS = 2
_MOST_ROUNDS = 8  # each leaves about a fifth of the null's error, for friction bends the valve's gain at low speed
_PRESSURE_ROUNDS = 4  # in which a pressure must show the motion
_MORE = 2  # rounds after a search that go on with larger bumps where the table hardly moves
_SOME = 0.4  # of the least way: a table that moves by more is not stuck
_SHORT = 0.3  # of a bump: where more of its speed is missing, that is overlap

ARMED, GOING = -1, 0  # and above: the trip that ends it
AGAIN = -2  # another round of bumps
TO_SEARCH = -3  # a search, then another round


@jit()
def rt_ends(trip: int, value: float, limit: float, sensor: int, a: Any) -> int:
    """The trip that ends arming, with what it is about."""
    a.value, a.limit, a.sensor = value, limit, sensor
    return trip


@jit()
def rt_judge_bumps(c: Any, promised_m_s: float, least_m: float, resolved: bool, dt_s: float, value: Any, a: Any
                   ) -> int:
    """Both bumps are over: GOING on, AGAIN, TO_SEARCH, or the trip that they call for.

    `promised_m_s`: the nominal speed of a full opening, 0 for a rig that closes its own loop; `resolved`: the ticks
    follow the hydraulic mode.
    """
    signs, own = a.signs, promised_m_s == 0.0
    a.rounds += 1
    trip = rt_signs_motion(value, a.first, least_m, resolved, signs)
    unmoved = min(a.up_m_s, -a.down_m_s) * c.bump_s < least_m
    if not own and a.searched == 0 and (trip == Trip.NO_MOTION.value or (trip == 0 and unmoved)):
        return TO_SEARCH
    some = trip == Trip.NO_MOTION.value and signs.value > _SOME * least_m
    if not own and some and a.rounds <= _MORE:  # pulses moved it, and it sprang back
        a.smaller, a.slower_m_s = a.bump, 0.5 * (a.up_m_s - a.down_m_s)
        a.overlap += 0.5 * (a.bump - a.overlap)
        return AGAIN
    silent = trip == Trip.SENSOR_DEAD.value and signs.sensor == ACCELERATION
    if silent and a.rounds < _MOST_ROUNDS and rt_signs_unsure(c.bump_s, dt_s, signs):
        return AGAIN
    if trip != 0:
        return rt_ends(trip, signs.value, signs.limit, signs.sensor, a)
    beyond = a.bump - a.overlap
    a.gain_m_s = (a.up_m_s - a.down_m_s) / (2.0 * beyond)
    if not a.gain_m_s > 0.0:  # it went, and had stopped by the second half
        return rt_ends(Trip.NO_MOTION.value, 0.0, least_m, -1, a)
    speed_m_s = 0.5 * (a.up_m_s - a.down_m_s)
    compared, larger, faster_m_s = a.smaller > 0.0, a.bump - a.smaller, speed_m_s - a.slower_m_s
    a.smaller, a.slower_m_s = a.bump, speed_m_s
    even = abs(a.up_m_s + a.down_m_s) < speed_m_s  # else the null is off, and one way is hardly open
    hardly = even and faster_m_s < c.response * promised_m_s * larger
    if not own and compared and larger > _SHORT * c.bump and hardly:
        return rt_ends(Trip.NO_MOTION.value, 0.0, least_m, -1, a)  # no overlap: the valve hardly answers
    missing = 0.0 if own else beyond * (1.0 - a.gain_m_s / promised_m_s)
    short = missing > _SHORT * beyond
    off = 0.0 if own else (a.up_m_s + a.down_m_s) / (2.0 * (promised_m_s if short else a.gain_m_s))
    a.null -= off
    if not own and not abs(a.null) <= c.null_max:
        return rt_ends(Trip.NULL_NOT_CONFIRMED.value, a.null, c.null_max, -1, a)
    fewest = _LEAST_ROUNDS + a.searched  # the pulses leave pressures that the first round still feels
    if a.rounds >= fewest:
        rt_signs_count(signs)
    if short or a.overlap > 0.0:
        a.overlap = max(a.overlap + missing, 0.0)
    if a.rounds < fewest or (abs(off) > beyond / _CLOSE and a.rounds < _MOST_ROUNDS):
        return AGAIN
    if abs(off) > beyond / _REPEATS:
        return rt_ends(Trip.NULL_NOT_CONFIRMED.value, off, beyond / _REPEATS, -1, a)
    trip = rt_signs_pressures(signs)
    if trip == 0:
        return GOING
    if trip == Trip.SENSOR_DEAD.value and a.rounds < _PRESSURE_ROUNDS:  # or weak: more rounds show more
        return AGAIN
    return rt_ends(trip, signs.value, signs.limit, signs.sensor, a)
