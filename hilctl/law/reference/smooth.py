"""Two ways from rest to somewhere without a jump of jerk.

The step goes from 0 to 1 in a time T; with s = t/T and q = s (1 - s)

    S = 35 s⁴ - 84 s⁵ + 70 s⁶ - 20 s⁷,   S' = 140 q³,   S'' = 420 q² (1 - 2s),   S''' = 840 q (1 - 5q)

It is the lowest polynomial whose value and first three derivatives join rest at both ends. The minimum-jerk quintic,
one degree pair below, starts with a jump of jerk, which the feed-forward would send to the valve as a step.

The pulse goes from rest to a steady unit speed in a time T. Its acceleration rises over T/4 along the quintic smooth
step (so that jerk and its slope join too), stays, and falls likewise:

    plateau 1 / (T - Tr), Tr = T/4;     X(t) = t - T/2 + X(T - t),   V(t) = 1 - V(T - t)   for t > T/2

so it travels exactly T/2, and X is a straight line of slope one from T on.
"""

from hilctl.law.reference.point import Jet, rt_product
from hilctl.rt import jit

# Extremes of the step's derivatives, times T, T² and T³.
STEP_SPEED = 140.0 / 64.0  # at s = 1/2
STEP_ACCELERATION = 7.513188404399293  # 420 · 16/25 · 1/√5 / 16: at 1 - 2s = ±1/√5
STEP_JERK = 52.5  # at s = 1/2

FLANK = 0.25  # share of a pulse in which its acceleration rises, and again falls
PULSE_ACCELERATION = 1.0 / (1.0 - FLANK)  # plateau times T
PULSE_JERK = 1.875 / (FLANK * (1.0 - FLANK))  # greatest jerk times T²; 1.875 is the quintic step's steepest slope


@jit()
def rt_step(t_s: float, duration_s: float) -> Jet:
    """The step at an instant, and its derivatives in time; 0 before, 1 after."""
    if t_s <= 0.0:
        return 0.0, 0.0, 0.0, 0.0
    if t_s >= duration_s:
        return 1.0, 0.0, 0.0, 0.0
    per_s = 1.0 / duration_s
    s = t_s * per_s
    q = s * (1.0 - s)
    return (
        s * s * s * s * (35.0 + s * (-84.0 + s * (70.0 - 20.0 * s))),
        140.0 * q * q * q * per_s,
        420.0 * q * q * (1.0 - 2.0 * s) * per_s * per_s,
        840.0 * q * (1.0 - 5.0 * q) * per_s * per_s * per_s,
    )


@jit()
def rt_envelope(t_s: float, duration_s: float, rise_s: float, fall_s: float) -> Jet:
    """A step up in the first `rise_s`, and down in the last `fall_s` of a duration."""
    up = rt_step(t_s, rise_s)
    left_s = duration_s - t_s
    if left_s >= fall_s:
        return up
    down = rt_step(left_s, fall_s)
    return rt_product(up, (down[0], -down[1], down[2], -down[3]))


@jit()
def rt_half_pulse(t_s: float, duration_s: float) -> Jet:
    """The pulse up to its middle; nothing before 0."""
    if t_s <= 0.0:
        return 0.0, 0.0, 0.0, 0.0
    flank_s = FLANK * duration_s
    plateau = 1.0 / (duration_s - flank_s)
    if t_s < flank_s:
        s = t_s / flank_s
        r = 1.0 - s
        s3 = s * s * s
        return (
            plateau * flank_s * flank_s * s3 * s * s * (0.5 + s * (-0.5 + s / 7.0)),
            plateau * flank_s * s3 * s * (2.5 + s * (-3.0 + s)),
            plateau * s3 * (10.0 + s * (-15.0 + 6.0 * s)),
            plateau / flank_s * 30.0 * s * s * r * r,
        )
    u = t_s - flank_s
    return (
        plateau * (flank_s * flank_s / 7.0 + 0.5 * u * (flank_s + u)),
        plateau * (0.5 * flank_s + u),
        plateau,
        0.0,
    )


@jit()
def rt_pulse(t_s: float, duration_s: float) -> Jet:
    """From rest to unit speed: distance, speed, acceleration and jerk."""
    if t_s <= 0.5 * duration_s:
        return rt_half_pulse(t_s, duration_s)
    mirrored = rt_half_pulse(duration_s - t_s, duration_s)
    return t_s - 0.5 * duration_s + mirrored[0], 1.0 - mirrored[1], mirrored[2], -mirrored[3]


def step_duration(distance_m: float, speed_m_s: float, acceleration_m_s2: float) -> float:
    """The shortest step over a distance within a speed and an acceleration, in seconds."""
    by_speed = STEP_SPEED * distance_m / speed_m_s
    by_acceleration = (STEP_ACCELERATION * distance_m / acceleration_m_s2) ** 0.5
    return float(max(by_speed, by_acceleration))
