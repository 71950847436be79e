"""Position and velocity from displacement and acceleration.

Third order, so that an accelerometer's constant bias drops out of both:

    x^ = [(3 w s² + 3 w² s + w³) x + s a] / (s + w)³        v^ = [(3 w² s² + w³ s) x + (s² + 3 w s) a] / (s + w)³

which is  x^' = v^ + 3 w r,  v^' = a + b + 3 w² r,  b' = w³ r  with  r = x - x^.  In steps of dt, with the triple pole
at q = exp(-w dt), the corrections are  1 - q³,  1.5 (1 - q²)(1 - q)/dt,  (1 - q)³/dt²  (the critically damped g-h-k
filter).

Displacement and acceleration arrive with different delays. Both are brought to the longer one by a fractional delay
line; the reference that they are compared with is read from its history at the same delay.
"""

import math
from typing import Annotated, Any

import numpy as np

from hilctl.params import Params, number, record_of
from hilctl.rt.jit import jit

LINE = 256  # entries of a delay line: 20 ms at 10 kHz and to spare
REFILLED = 50  # periods that are gone through again at most: with the longest delay they fit into a line
# A longer gap is filled by the way that was made in it; in a shorter one noise and age of displacement rule.
STRAIGHT, STRAIGHT_S = 4, 0.0101  # periods, and no longer than that: half a swing of the oil, at low rates
FOLLOWS_S, FOLLOWS_TICKS = 0.01, 4.0  # in so long a table that is not seen counts as coming to its reference's speed


class Estimator(Params):
    """The observer of position and velocity."""

    bandwidth_hz: Annotated[float, number(0.2, 50, "Hz", "below it displacement leads, above it acceleration")] = 3.5


ESTIMATE = record_of(
    [
        ("x", np.float64),
        ("v", np.float64),
        ("b", np.float64),  # minus the accelerometer's bias
        ("b_start", np.float64),  # as it was when the estimate began
        ("a", np.float64),  # the acceleration that went with x and v
        ("q", np.float64),
        ("delay_x", np.float64),  # ticks by which displacement is held back
        ("delay_a", np.float64),
        ("delay_ticks", np.float64),  # ticks by which the estimates are late
        ("line_x", np.float64, (LINE,)),
        ("line_a", np.float64, (LINE,)),
        ("at", np.int64),
        ("predicted", np.int64),  # periods since both were last read
        ("read", np.float64, (4,)),  # x, v, b, a then
        ("age_s", np.float64),  # of displacement then
    ]
)


@jit()
def rt_estimate_prepare(estimator: Any, sensors: Any, dt_s: float, e: Any) -> None:
    """What follows from the settings."""
    e.q = math.exp(-2.0 * math.pi * estimator.bandwidth_hz * dt_s)
    late = max(sensors.displacement.delay_s, sensors.acceleration.delay_s)
    e.delay_ticks = late / dt_s
    e.delay_x = (late - sensors.displacement.delay_s) / dt_s
    e.delay_a = (late - sensors.acceleration.delay_s) / dt_s


@jit()
def rt_estimate_start(x: float, a: float, e: Any) -> None:
    """At rest at a measured place; what the accelerometer says there is its bias."""
    e.x, e.v, e.b, e.a = x, 0.0, -a, a
    e.b_start = -a
    for i in range(LINE):
        e.line_x[i] = x
        e.line_a[i] = a
    e.at = e.predicted = 0
    e.age_s = 0.0


@jit()
def rt_estimate_shift(by: float, e: Any) -> None:
    """Acceleration reads less by this from now on, and always did: its bias is less by it, nothing else changes."""
    e.a -= by
    e.b += by
    e.b_start += by
    e.read[2] += by
    e.read[3] -= by
    for i in range(LINE):
        e.line_a[i] -= by


@jit()
def _rt_delayed(line: Any, at: int, ticks: float) -> float:
    whole = int(ticks)
    part = ticks - whole
    newer = line[(at - whole) & (LINE - 1)]
    return float(newer + part * (line[(at - whole - 1) & (LINE - 1)] - newer))


@jit()
def _rt_mean(x: float, a: float, a_from: float, age_s: float, gap_s: float, e: Any) -> float:
    """The mean acceleration of a gap, from the way made in it; nan where its readings' ages explain the way."""
    way = x - e.line_x[e.at & (LINE - 1)] - e.v * gap_s
    straight = ((2.0 * a_from + a) / 6.0 + 0.5 * e.b) * gap_s * gap_s
    younger, older = way - e.v * age_s, way + e.v * e.age_s  # this reading than its tick; the one before the gap
    if min(younger, older) <= straight <= max(younger, older):
        return math.nan
    nearest = younger if abs(younger - straight) < abs(older - straight) else older
    return float(2.0 * nearest / (gap_s * gap_s) - e.b)


@jit()
def _rt_step(x: float, a: float, age_s: float, dt_s: float, periods: int, e: Any) -> None:
    """One reading of each. After periods without one the lines are filled, and every step is nominal.

    A short gap is filled straight. In a long one nobody knows how acceleration went; its mean does follow from the way
    that the table went from the speed it had.
    """
    steps = min(periods, LINE)
    x_from, a_from = e.line_x[e.at & (LINE - 1)], e.line_a[e.at & (LINE - 1)]
    long = steps > STRAIGHT or (steps > 1 and steps * dt_s > STRAIGHT_S)
    mean = _rt_mean(x, a, a_from, age_s, steps * dt_s, e) if long else math.nan
    bent, q = not math.isnan(mean), e.q
    for k in range(1, steps + 1):
        e.at += 1
        e.line_x[e.at & (LINE - 1)] = x_from + (x - x_from) * (k / steps)
        e.line_a[e.at & (LINE - 1)] = mean if bent and k < steps else a_from + (a - a_from) * (k / steps)
        a_old = e.a
        e.a = _rt_delayed(e.line_a, e.at, e.delay_a)
        e.x += dt_s * (e.v + dt_s * ((2.0 * a_old + e.a) / 6.0 + 0.5 * e.b))
        e.v += dt_s * (0.5 * (a_old + e.a) + e.b)
        r = _rt_delayed(e.line_x, e.at, e.delay_x) - e.x
        e.x += (1.0 - q * q * q) * r
        e.v += 1.5 * (1.0 - q * q) * (1.0 - q) / dt_s * r
        e.b += (1.0 - q) * (1.0 - q) * (1.0 - q) / (dt_s * dt_s) * r


@jit()
def rt_estimate(x: float, a: float, age_s: float, predicted: bool, dt_s: float, periods: int, e: Any) -> None:
    """The readings of this tick, displacement so old; `predicted`: one of them did not come."""
    if predicted:
        if e.predicted == 0:
            e.read[0], e.read[1], e.read[2], e.read[3] = e.x, e.v, e.b, e.a
        e.predicted += periods
    else:
        if 0 < e.predicted <= REFILLED - periods:
            e.x, e.v, e.b, e.a = e.read[0], e.read[1], e.read[2], e.read[3]
            e.at -= e.predicted
            periods += e.predicted
        e.predicted = 0
    _rt_step(x, a, age_s, dt_s, periods, e)
    if not predicted:
        e.age_s = age_s


@jit()
def rt_seen_speed(dt_s: float, e: Any) -> float:
    """The slope of what displacement read lately. Slow, but neither a stall of the host nor a new start spoils it."""
    middle, total = 0.5 * (LINE - 1), 0.0
    newest = e.line_x[e.at & (LINE - 1)]
    for back in range(LINE):
        total += (middle - back) * (e.line_x[(e.at - back) & (LINE - 1)] - newest)
    return float(total * 12.0 / (dt_s * LINE * (LINE * LINE - 1.0)))


@jit()
def rt_predicted_position(dt_s: float, periods: int, e: Any) -> float:
    """What displacement will read so many periods later if nothing changes; replaces a rejected reading."""
    last, ahead_s = e.line_x[e.at & (LINE - 1)], dt_s * periods
    return float(last + ahead_s * (e.v + 0.5 * ahead_s * (e.a + e.b)))


@jit()
def rt_predicted_acceleration(v_m_s: float, a_m_s2: float, dt_s: float, e: Any) -> float:
    """What the accelerometer will show, in a closed loop, of a table that comes to its reference's speed.

    Commands may arrive though answers do not: if the table counted as going on as it went, more and more would be
    commanded against a speed that it no longer has.
    """
    return float(a_m_s2 - e.b + (v_m_s - e.v) / max(FOLLOWS_S, FOLLOWS_TICKS * dt_s))
