"""What can be wrong with a rig that is being measured, said so that somebody can mend it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hilctl.errors import HilctlError
from hilctl.identify.campaign.facts import SENSED, SENSORS, Facts
from hilctl.identify.campaign.points import Pair
from hilctl.identify.campaign.windows import Samples, Window
from hilctl.identify.trips import OF_A_SENSOR, ended_text
from hilctl.signals import SENSORS as ALL_SENSORS

if TYPE_CHECKING:
    from hilctl.client import Client

STUCK_SHARE = 0.2  # of the reference's travel: a table that moves less does not follow
DEAD_SHARE = 0.2  # of the declared noise: a transducer that is more silent is not connected
LOWEST_HZ, CLEAR = 1.0, 10.0  # where the accelerometer is compared with displacement; times displacement's noise
GAIN_LOW, GAIN_HIGH = 0.7, 1.4  # of the accelerometer: worse than any that is merely not calibrated
GAIN_CUT = 0.3  # of a motion that was cut off by a trip, whose end blurs the comparison
CERTAIN = 5.0  # standard errors


class CampaignFault(HilctlError):
    """The campaign cannot go on. The message says what is wrong and what to check; finished speeds are kept."""


def examine(samples: Samples, found: Pair | None, facts: Facts) -> str:
    """What the samples of a motion show to be wrong; empty when nothing does."""
    return _moved(samples) or _silent(samples, facts) or _accelerometer(samples, facts) or _force(found)


def _moved(samples: Samples) -> str:
    went, wanted = float(np.ptp(samples["displacement_m"])), float(np.ptp(samples["xd_m"]))
    if went >= STUCK_SHARE * wanted:
        return ""
    return (
        f"the table is stuck, or its transducer is: it moved {1e3 * went:.3g} mm while the reference went "
        f"{1e3 * wanted:.3g} mm; check that nothing locks the table, that the supply valve is open, and the "
        "displacement sensor's rod and cable (sensors.displacement)"
    )


def _silent(samples: Samples, facts: Facts) -> str:
    for name, channel in (
        ("acceleration", "acceleration_m_s2"), ("pressure_a", "pressure_a_pa"), ("pressure_b", "pressure_b_pa"),
    ):  # fmt: skip
        spread = float(np.std(samples[channel]))
        if spread < DEAD_SHARE * facts[f"sensors.{name}.noise"] or spread == 0.0:
            what = "the accelerometer" if name == "acceleration" else f"the sensor {name}"
            return (
                f"{what} is dead: it shows {float(np.mean(samples[channel])):.6g} and hardly changes while the table "
                f"moves; check its supply, cable and channel (sensors.{name})"
            )
    return ""


def _accelerometer(samples: Samples, facts: Facts) -> str:
    gain = seen_gain(samples, facts)
    if gain is None:
        return ""
    if GAIN_LOW <= gain <= GAIN_HIGH:
        return ""
    if gain < -0.5 * GAIN_LOW:
        return (
            f"the accelerometer has the wrong sign: it shows {gain:.2f} times the motion that displacement "
            "shows; turn it around, or swap its wires (sensors.acceleration)"
        )
    if gain < GAIN_LOW:
        return (
            f"the accelerometer does not show the table's motion: only {gain:.2f} of what displacement "
            "shows; check its mounting, its cable and its scale (sensors.acceleration.gain)"
        )
    return (
        f"the accelerometer shows {gain:.1f} times what displacement shows; check its scale "
        "(sensors.acceleration.gain) and the displacement's (sensors.displacement.gain)"
    )


def seen_gain(samples: Samples, facts: Facts) -> float | None:
    """The accelerometer's gain against what displacement says of the same motion; None where that says too little.

    With a window h that begins and ends flat, partial integration moves the derivatives off the readings,

        ∫ x'' h exp(-jwt) dt = ∫ x (h'' - 2jw h' - w² h) exp(-jwt) dt,

    wherever the motion begins and ends: a trip may have cut it off. Both sides are compared at frequencies where
    displacement's noise is small beside the motion.
    """
    x, n = samples["displacement_m"], len(samples["displacement_m"])
    sx, sa = facts["sensors.displacement.noise"], facts["sensors.acceleration.noise"]
    turn, at = 2 * np.pi / (n * facts.dt_s), 2 * np.pi * np.arange(n) / n
    taper = 0.5 - 0.5 * np.cos(at)
    x = x - np.linspace(x[0], x[-1], n)  # a straight line has no acceleration, but rounding
    w = 2 * np.pi * np.fft.rfftfreq(n, facts.dt_s)
    band = (w > 2 * np.pi * LOWEST_HZ) & (w < np.sqrt(sa / sx))
    bent, sloped = (np.fft.rfft(x * part) for part in (0.5 * turn**2 * np.cos(at), 0.5 * turn * np.sin(at)))
    moved = bent - 2j * w * sloped - w**2 * np.fft.rfft(x * taper)
    shown = np.fft.rfft(samples["acceleration_m_s2"] * taper)
    power = float(np.sum(np.abs(moved[band]) ** 2))
    noise = float(np.sum(w[band] ** 4)) * float(taper @ taper) * sx**2
    if not power > CLEAR**2 * noise or noise == 0.0:
        return None
    return float(np.real(np.vdot(moved[band], shown[band]))) / power


def _force(found: Pair | None) -> str:
    if found is None or found.force_n >= -CERTAIN * found.std_n:
        return ""
    return (
        f"friction comes out negative, {found.force_n:.0f} N at {found.speed_m_s:.3g} m/s: it would drive the table. "
        "The pressure pair is swapped, or one of the two is not where it should be; check that sensors.pressure_a "
        "sits in the chamber that a positive command fills, and sensors.pressure_b in the other"
    )


def hunting(windows: Sequence[Window], speeds: int) -> str:
    """Said when windows of several speeds do not count."""
    reasons = [w.reason for w in windows if w.reason]
    text = reasons[0] if reasons else "no straight is long enough"
    advice = "look at the reasons of the discarded windows"
    if any("hunting" in r for r in reasons):
        advice = (
            "the hydraulic mode is not held quiet: check for air in the oil (machine.beta), a leak across the piston "
            "or the valve (machine.Ctc), the valve's hysteresis and dead band (machine.dead_band), the mass "
            "(machine.m), and tune the gains of law.three_state (`hilctl tune`)"
        )
    elif any("constant" in r for r in reasons):
        advice = "check the noise of the displacement and acceleration sensors, and the gains of law.three_state"
    return f"too few windows count, at {speeds} speeds: {text}; {advice}"


def tripped(rig: "Client", why: str, samples: Samples | None, facts: Facts) -> str:
    """How a motion ended that was not done: the trip, its key and remedy, and what the samples show besides."""
    if why in ("stopped", "gone"):
        return ended_text(rig, why)
    trip = rig.status()["trip"]
    told = ended_text(rig, why)
    if samples is None or not len(samples["tick"]):
        return told
    if trip and trip["name"] in OF_A_SENSOR:
        return f"{told}{_which(failing(samples, facts), trip['key'])}"
    seen = _moved(samples) or _silent(samples, facts)
    if not seen and trip and trip["name"] == "position":
        seen = _beyond(samples)
    gain = seen_gain(samples, facts)
    if not seen and gain is not None and gain < GAIN_CUT:
        seen = _accelerometer(samples, facts)
    return f"{told}. {seen[0].upper()}{seen[1:]}" if seen else told


def _which(names: Sequence[str], told: str) -> str:
    """The sensors that it is, where the trip's key has not told that."""
    if set(SENSORS) <= set(names):
        return ". It is every sensor at once: check the device, its supply and the link to it ([driver])"
    return f". It is {' and '.join(f'sensors.{name}' for name in names)}" if names and told == "sensors" else ""


def _beyond(samples: Samples) -> str:
    """How far the table went beyond its reference."""
    x, xd = samples["displacement_m"], samples["xd_m"]
    out = max(float(np.max(x) - np.max(xd)), float(np.min(xd) - np.min(x)))
    return (
        f"the table went {1e3 * max(out, 0.0):.2g} mm further than its reference, which was within the limit: check "
        "machine.m, machine.beta and the gains of law.three_state (`hilctl tune`), or leave more room between "
        "limits.position and the stroke"
    )


_LAST_S = 0.05  # before the end: a sensor that repeats itself so long does not measure


def failing(samples: Samples, facts: Facts) -> list[str]:
    """The sensors that were rejected at the end, or do not change by a bit there."""
    last = max(3, int(_LAST_S * facts.rate_hz))
    bits = int(np.bitwise_or.reduce(samples["rejected"][-last:]))
    rejected = [name for k, name in enumerate(ALL_SENSORS) if bits >> k & 1]
    still = [n for n, channel in zip(SENSORS, SENSED, strict=True) if np.ptp(samples[channel][-last:]) == 0.0]
    return rejected or still
