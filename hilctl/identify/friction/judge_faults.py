"""Faults of a rig while friction is measured, each with what to check."""

from collections.abc import Sequence

from hilctl.errors import HilctlError
from hilctl.experiment import accelerometer
from hilctl.experiment.facts import Facts
from hilctl.experiment.sensors import silent, stuck_in
from hilctl.identify.friction.estimate_windows import Samples, Window
from hilctl.results.friction import Pair

CERTAIN = 5.0  # standard errors


class CampaignFault(HilctlError):
    """The campaign cannot go on. The message says what is wrong and what to check; finished speeds are kept."""


def examine(samples: Samples, found: Pair | None, facts: Facts) -> str:
    """The first fault that the samples of a motion show; empty where there is none."""
    gain = accelerometer.seen_gain(samples, facts)
    wrong = "" if gain is None else accelerometer.wrong(gain)
    return stuck_in(samples) or silent(samples, facts) or wrong or _force(found)


def _force(found: Pair | None) -> str:
    if found is None or found.force_n >= -CERTAIN * found.std_n:
        return ""
    return (
        f"friction is negative, {found.force_n:.0f} N at {found.speed_m_s:.3g} m/s: it would drive the table. The "
        "pressure pair is swapped, or one of the two is in the wrong chamber; check that sensors.pressure_a sits in "
        "the chamber that a positive command fills, and sensors.pressure_b in the other"
    )


def hunting(windows: Sequence[Window], speeds: int) -> str:
    """The message when windows of several speeds do not count."""
    reasons = [w.reason for w in windows if w.reason]
    text = reasons[0] if reasons else "no straight is long enough"
    advice = "see the reasons of the discarded windows"
    if any("hunting" in r for r in reasons):
        advice = (
            "the loop does not damp the hydraulic mode: check for air in the oil (machine.beta), a leak across the "
            "piston or the valve (machine.Ctc), the valve's hysteresis and overlap (machine.dead_band), the mass "
            "(machine.m), and tune the gains of law.three_state (`hilctl tune`)"
        )
    elif any("constant" in r for r in reasons):
        advice = "check the noise of the displacement and acceleration sensors, and the gains of law.three_state"
    return f"too few windows count, at {speeds} speeds: {text}; {advice}"
