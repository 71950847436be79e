"""The windows that count, the reasons of those that do not, and the faults of a rig that a triangle shows.

constant speed   the spread of the estimated speed stays within what noise explains, and a share of the speed: a spread
                 s moves the mean force by f'' s^2/2, for 8 % at 20 mm/s on the reference rig's curve by 0.6 N
no hunting       near the hydraulic mode the acceleration is no more than noise explains, or too little to matter:
                 a ripple of 5 % of the speed moves the mean of the steepest curve thought of by 0.1 %
settled          the force of the second half is that of the first, within its noise and a share
readings         few lost, valve not saturated
"""

import math
from collections import Counter
from collections.abc import Sequence

from hilctl.experiment import accelerometer
from hilctl.experiment.facts import Facts
from hilctl.experiment.noise import own_noise
from hilctl.experiment.policy import MEANS
from hilctl.experiment.record import Record
from hilctl.experiment.sensors import silent, stuck_in
from hilctl.identify.friction.estimate_windows import Window
from hilctl.identify.friction.judge_expected import Expected
from hilctl.results.friction import Pair

RIPPLE_NOISE, RIPPLE_SHARE = 3.0, 0.08  # times what is expected; of the speed: a valve's hysteresis makes that much
HUNTING_NOISE, HUNTING_SHARE = 3.0, 0.05
DRIFT_NOISE, DRIFT_SHARE = 5.0, 0.005
CERTAIN = 5.0  # standard errors
FAST_SHARE = 0.05  # of the speed: a mean further off is no triangle of this speed

# By words of the reason.
_ADVICE = {
    "hunting": (
        "the loop does not damp the hydraulic mode: check for air in the oil (machine.beta), a leak across the "
        "piston or the valve (machine.Ctc), the valve's hysteresis and overlap (machine.dead_band), the mass "
        "(machine.m), and tune the gains of law.three_state (`hilctl tune`)"
    ),
    "not constant": "check the noise of the displacement and acceleration sensors, and the gains of law.three_state",
    "mean speed": (
        "the table does not follow: the valve swallows small commands (machine.overlap_a, machine.overlap_b: "
        "`hilctl identify plant` measures them), or the gains of law.three_state are too low (`hilctl tune`)"
    ),
}


def judge(windows: Sequence[Window], speed_m_s: float, facts: Facts, expected: Expected) -> None:
    """Writes a reason into each window that does not count."""
    for window in windows:
        window.reason = reason(window, speed_m_s, facts, expected)


def reason(w: Window, speed_m_s: float, facts: Facts, expected: Expected) -> str:
    """Empty where the window counts."""
    if w.rejected > MEANS.share * w.count:
        return f"readings of {w.rejected} of {w.count} ticks were lost, more than {100 * MEANS.share:g} %"
    if w.saturated:
        return f"the valve command was limited in {w.saturated} of {w.count} ticks"
    shaken = w.band_m_s2 / facts.mode_rad_s
    if w.band_m_s2 > HUNTING_NOISE * expected.band_m_s2 and shaken > HUNTING_SHARE * speed_m_s:
        return (
            f"hunting: {w.band_m_s2:.3g} m/s² near the hydraulic mode at {facts.mode_rad_s / (2 * math.pi):.1f} Hz, "
            f"noise explains {expected.band_m_s2:.2g}; the speed ripples by {100 * shaken / speed_m_s:.0f} %"
        )
    most = math.hypot(RIPPLE_NOISE * expected.speed_m_s, RIPPLE_SHARE * speed_m_s)
    if w.ripple_m_s > most:
        return (
            f"the speed is not constant: it ripples by {w.ripple_m_s:.3g} m/s, {100 * w.ripple_m_s / speed_m_s:.2g} %; "
            f"noise and {100 * RIPPLE_SHARE:g} % explain {most:.2g}"
        )
    if abs(w.speed_m_s - speed_m_s) > FAST_SHARE * speed_m_s + RIPPLE_NOISE * expected.speed_m_s:
        return f"the mean speed is {w.speed_m_s:.4g} m/s instead of {speed_m_s:.4g}"
    noise = max(facts.force_noise_n, w.force_std_n) * 2 / math.sqrt(max(w.count - w.rejected, 1))  # of two halves
    if abs(w.drift_n) > DRIFT_NOISE * noise + DRIFT_SHARE * abs(w.force_n):
        return f"not settled: the force drifts by {w.drift_n:.0f} N from its first half to its second"
    return ""


def examine(record: Record, found: Pair | None, facts: Facts, declared: Facts) -> str:
    """The first fault that a triangle shows; empty where there is none. `declared`: the rig as its file says it."""
    samples = record.bridged
    gain = accelerometer.seen_gain(samples, facts)
    wrong = "" if gain is None else accelerometer.wrong(gain)
    return stuck_in(samples) or silent(samples, own_noise(facts.values, declared.values)) or wrong or _force(found)


def _force(found: Pair | None) -> str:
    if found is None or found.force_n >= -CERTAIN * found.std_n:
        return ""
    return (
        f"friction is negative, {found.force_n:.0f} N at {found.speed_m_s:.3g} m/s: it would drive the table. The "
        "pressure pair is swapped, or one of the two is in the wrong chamber; check that sensors.pressure_a sits in "
        "the chamber that a positive command fills, and sensors.pressure_b in the other"
    )


def hunting(windows: Sequence[Window], speeds: int) -> str:
    """The message when windows of several speeds do not count: of the reason that most of them have."""
    reasons = [w.reason for w in windows if w.reason]
    kinds = Counter(next((kind for kind in _ADVICE if kind in reason), "") for reason in reasons)
    most = kinds.most_common(1)[0][0] if kinds else ""
    text = next((r for r in reasons if most in r), "no straight is long enough")
    advice = _ADVICE.get(most, "see the reasons of the discarded windows")
    return f"too few windows count, at {speeds} speeds: {text}; {advice}"
