"""Plans of what repeats or sweeps: sine, triangle, chirp."""

import math
from collections.abc import Iterator

from hilctl.law.motions.limits import KEYS, MotionLimits
from hilctl.law.motions.planning import Plan, frame, length_text, new_plan, stretch
from hilctl.law.motions.requests import Chirp, Sine, Triangle
from hilctl.law.reference.motion import ENDLESS_S, Kind
from hilctl.law.reference.smooth import PULSE_ACCELERATION
from hilctl.law.reference.triangle import CORNER_REACH
from hilctl.params import BadValues, Problem

_PER_CYCLE = 100  # instants that a check looks at in a period: a peak is missed by 5e-4 at the most
_PER_CORNER = 100


def plan_sine(request: Sine, limits: MotionLimits, start_m: float, motion_id: int) -> Plan:
    """Centre, rise, cycles, fall, centre."""
    plan = new_plan("sine", Kind.SINE, motion_id)
    sine, period_s = plan.motion.sine, 1.0 / request.frequency_hz
    sine.center_m, sine.amplitude_m, sine.frequency_hz = request.center_m, request.amplitude_m, request.frequency_hz
    sine.rise_s, sine.fall_s = request.soft_start_s, request.soft_stop_s
    full_s = request.duration_s or request.cycles * period_s
    ramps_s = request.soft_start_s + request.soft_stop_s
    center_m = request.center_m
    frame(plan, limits, (start_m, center_m, center_m, center_m), full_s + ramps_s if full_s else ENDLESS_S)
    body_s = float(plan.motion.body_s)
    for first_s, last_s, ramp_s in (
        (0.0, request.soft_start_s + period_s, request.soft_start_s),
        (body_s - request.soft_stop_s - period_s, body_s, request.soft_stop_s),
    ):
        if last_s < ENDLESS_S:
            stretch(plan, first_s, last_s, min(period_s, ramp_s) / _PER_CYCLE)
    plan.facts |= {"period_s": period_s, "full_from_s": plan.facts["lead_s"] + request.soft_start_s, "full_s": full_s}
    plan.text = (
        f"sine of ±{1e3 * request.amplitude_m:g} mm about {1e3 * center_m:g} mm at {request.frequency_hz:g} Hz, "
        f"{length_text(plan.duration_s)}"
    )
    return plan


def corner_duration(speed_m_s: float, limits: MotionLimits) -> float:
    """Tc: what the corner acceleration takes to turn the speed, and never less than the shortest corner."""
    turning_s = 2 * speed_m_s * PULSE_ACCELERATION / limits.shaping.corner_acceleration_m_s2
    return max(turning_s, limits.shaping.corner_s)


def speed_for(amplitude_m: float, frequency_hz: float, limits: MotionLimits) -> float | None:
    """The straights' speed for which a triangle takes 1/frequency with its corners, or None where none does.

    Half a period is H = 2A/v + β Tc with β = 1 - 2 CORNER_REACH. With the shortest corner that is linear in 1/v; with
    Tc = c v, β c v² - H v + 2A = 0, and the slower root is the one that leaves a straight.
    """
    H, beta = 0.5 / frequency_hz, 1 - 2 * CORNER_REACH
    left_s = H - beta * limits.shaping.corner_s
    if left_s > 0:
        speed = 2 * amplitude_m / left_s
        if corner_duration(speed, limits) <= limits.shaping.corner_s:
            return speed
    c = 2 * PULSE_ACCELERATION / limits.shaping.corner_acceleration_m_s2
    inside = H * H - 8 * amplitude_m * beta * c
    if inside < 0:
        return None
    return 4 * amplitude_m / (H + math.sqrt(inside))  # the root without a difference of near numbers


def plan_triangle(request: Triangle, limits: MotionLimits, start_m: float, motion_id: int) -> Plan:
    """Begin of the first straight, cycles, back to the centre."""
    amplitude_m, center_m = request.amplitude_m, request.center_m
    v = request.speed_m_s or speed_for(amplitude_m, request.frequency_hz, limits)
    problems = list(_corner_problems(request, v, limits))
    if problems or v is None:
        raise BadValues(problems)
    corner_s = corner_duration(v, limits)
    reach_m = amplitude_m - CORNER_REACH * v * corner_s
    straight_s = 2 * reach_m / v
    period_s = 2 * (straight_s + corner_s)
    cycles = request.cycles or math.ceil(request.duration_s / period_s - 1e-9)
    plan = new_plan("triangle", Kind.TRIANGLE, motion_id)
    triangle = plan.motion.triangle
    triangle.center_m, triangle.speed_m_s, triangle.reach_m = center_m, v, reach_m
    triangle.straight_s, triangle.corner_s = straight_s, corner_s
    begin_m = center_m - reach_m - 0.25 * v * corner_s
    # Soft start and soft stop take half a corner each, and the last corner falls away.
    body_s = cycles * period_s if cycles else ENDLESS_S
    frame(plan, limits, (start_m, begin_m, begin_m, center_m), body_s)
    ramp_s = 0.5 * corner_s
    first_top_s = ramp_s + straight_s
    first_bottom_s = first_top_s + corner_s + straight_s
    for from_s, to_s in (
        (0.0, ramp_s),
        (first_top_s, first_top_s + corner_s),
        (first_bottom_s, first_bottom_s + corner_s),
        (body_s - ramp_s, body_s),
    ):
        if to_s < ENDLESS_S:
            stretch(plan, from_s, to_s, (to_s - from_s) / _PER_CORNER)
    plan.facts |= {
        "speed_m_s": v,
        "period_s": period_s,
        "straight_s": straight_s,
        "corner_s": corner_s,
        "corner_m_s2": 2 * v * PULSE_ACCELERATION / corner_s,
        "first_straight_s": plan.facts["lead_s"] + ramp_s,
        "reach_m": reach_m,
        "cycles": float(cycles),
    }
    plan.text = (
        f"triangle of ±{1e3 * amplitude_m:g} mm about {1e3 * center_m:g} mm at {v:.6g} m/s: "
        f"straights of {straight_s:.4g} s, corners of {corner_s:.4g} s "
        f"at {plan.facts['corner_m_s2']:.4g} m/s², period {period_s:.5g} s, "
        f"{length_text(plan.duration_s)}"
    )
    return plan


def _corner_problems(request: Triangle, v: float | None, limits: MotionLimits) -> Iterator[Problem]:
    amplitude_m, a = request.amplitude_m, limits.shaping.corner_acceleration_m_s2
    where = f"{KEYS['corner_acceleration_m_s2']} = {a:g} m/s², {KEYS['corner_s']} = {limits.shaping.corner_s:g} s"
    if v is None:
        yield Problem("frequency_hz", request.frequency_hz, f"no speed turns in time at {where}",
                      "lower the frequency or the amplitude")
        return
    needed_m = CORNER_REACH * v * corner_duration(v, limits)
    if needed_m < amplitude_m:
        return
    needed_m_s2 = 2 * CORNER_REACH * PULSE_ACCELERATION * v * v / amplitude_m
    remedy = f"amplitude_m above {needed_m:.4g} m"
    if CORNER_REACH * v * limits.shaping.corner_s < amplitude_m:
        remedy += f", or a corner acceleration above {needed_m_s2:.4g} m/s²"
    yield Problem("amplitude_m", amplitude_m, f"the corners at {v:.4g} m/s do not fit with {where}",
                  f"{remedy}, or a lower speed")


def plan_chirp(request: Chirp, limits: MotionLimits, start_m: float, motion_id: int) -> Plan:
    """Centre, sweep, centre."""
    plan = new_plan("chirp", Kind.CHIRP, motion_id)
    chirp, T, center_m = plan.motion.chirp, request.duration_s, request.center_m
    chirp.center_m, chirp.amplitude_m, chirp.start_hz = center_m, request.amplitude_m, request.start_hz
    chirp.rise_s, chirp.fall_s, chirp.knee_hz = request.soft_start_s, request.soft_stop_s, request.knee_hz
    if request.law == "log":
        chirp.growth_per_s = math.log(request.end_hz / request.start_hz) / T
    else:
        chirp.rate_hz_s = (request.end_hz - request.start_hz) / T
    frame(plan, limits, (start_m, center_m, center_m, center_m), T)
    plan.facts |= {"slowest_hz": min(request.start_hz, request.end_hz),
                   "fastest_hz": max(request.start_hz, request.end_hz)}  # fmt: skip
    parts = 64
    for k in range(parts):
        fastest_hz = max(_frequency(request, k / parts), _frequency(request, (k + 1) / parts))
        shortest_s = min(1 / fastest_hz, request.soft_start_s, request.soft_stop_s)
        stretch(plan, k * T / parts, (k + 1) * T / parts, shortest_s / _PER_CYCLE)
    knee = f", knee at {request.knee_hz:g} Hz" if request.knee_hz else ""
    plan.text = (
        f"{request.law} chirp of ±{1e3 * request.amplitude_m:g} mm about {1e3 * center_m:g} mm "
        f"from {request.start_hz:g} to {request.end_hz:g} Hz{knee}, {length_text(plan.duration_s)}"
    )
    return plan


def _frequency(request: Chirp, share: float) -> float:
    if request.law == "log":
        return float(request.start_hz * (request.end_hz / request.start_hz) ** share)
    return request.start_hz + (request.end_hz - request.start_hz) * share
