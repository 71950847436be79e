"""The evidence in words, and what it means for the compensation."""

import math
from collections.abc import Mapping, Sequence

from hilctl.experiment.facts import Facts
from hilctl.identify.presliding.estimate_loop import Loop
from hilctl.identify.presliding.estimate_travel import MIDDLE, Travel
from hilctl.identify.presliding.judge_loops import NAMES
from hilctl.identify.presliding.judge_models import Comparison
from hilctl.identify.presliding.judge_odds import LEVEL, RULED_OUT
from hilctl.results.quantity import Quantity

REVERSAL_M_S2 = 3.0  # of a sine of 1 Hz and 80 mm: the acceleration at its reversal
SMOOTHED_S = 0.7e-3  # over which a jump is smoothed in the feed-forward at least


def turn_s(travel_m: float) -> float:
    """The time in which friction turns, at the acceleration of a typical reversal."""
    return math.sqrt(2 * max(travel_m, 0.0) / REVERSAL_M_S2)


def other_level(level: float, seldom: bool) -> str:
    """The curve does not fit."""
    more_often = ", or read the pressures more often (driver.reading, every)" if seldom else ""
    return (
        f"friction turns between levels {level:.2f} times those of the sliding curve: warm the rig up and repeat the "
        f"campaign, or check the pressure sensors' gains{more_often}"
    )


def static(travel: Travel, least_n_m: float, jump: float) -> str:
    """Nothing moved."""
    open_ = "" if jump >= LEVEL else f". Below {LEVEL:.0%}: undecided"
    return (
        f"while friction turned over, the table moved {1e6 * travel.travel_m:.2f} ± {2e6 * travel.error_m:.2f} µm "
        f"(mean of {travel.reversals} reversals): friction jumps, or its spring is stiffer than {least_n_m:.1e} N/m, "
        f"which these sensors do not resolve; probability of that: {odd(jump)}{open_}"
    )


def static_reason(travel: Travel, facts: Facts) -> str:
    """What in the loops says so."""
    oil_m = 2 * MIDDLE * travel.level_n / facts.oil_n_m
    return (
        f"the loops have no slope that a spring would have: while friction turns from minus to plus half of its level, "
        f"the oil gives way by {1e6 * oil_m:.3g} µm, and the table moves by {1e6 * abs(travel.travel_m):.2g} µm"
    )


def static_advice(travel: Travel, least_n_m: float, facts: Facts) -> str:
    """What is not known, and whether it matters."""
    stiff_s, noise_um = turn_s(4 * travel.level_n / least_n_m), 1e6 * facts["sensors.displacement.noise"]
    text = (
        "compensate with the static model, its jump smoothed; a spring that these sensors do not resolve would turn "
        f"friction within {1e3 * stiff_s:.1f} ms of a reversal at {REVERSAL_M_S2:g} m/s²"
    )
    if stiff_s < 2 * SMOOTHED_S:
        return f"{text}, no longer than the smoothing: no loss"
    return (
        f"{text}, longer than the smoothing of {1e3 * SMOOTHED_S:g} ms: compensation may lose part of its gain; more "
        f"cycles, or a displacement sensor with less noise than {noise_um:.1f} µm, would resolve it"
    )


def bristles(travel: Travel, found: Comparison, decided: bool) -> str:
    """The table moved: how friction rises."""
    left = ", ".join(f"{NAMES[kind]} {value:.2f}" for kind, value in found.left.items())
    odds = ", ".join(f"{NAMES[kind]} {odd(value)}" for kind, value in found.probabilities.items())
    how = {
        "lugre": "approaches its level exponentially",
        "gms": "rises in pieces and remembers its reversals",
        "dahl": f"gives way along the path, as (1 - F/fc) to the power of {found.path.alpha:.2g}",
    }[found.kind]
    text = (
        f"while friction turned from minus to plus half of its level, the table moved {1e6 * travel.travel_m:.1f} ± "
        f"{2e6 * travel.error_m:.1f} µm ({travel.reversals} reversals): it has a spring. On cycles that were not "
        f"fitted, the models leave, in variances of noise a point: {left}; their probabilities: {odds}"
    )
    if not decided:
        return f"{text}. None reaches {LEVEL:.0%}: undecided"
    return f"{text}: after a reversal friction {how}"


def odd(probability: float) -> str:
    """A probability for a person: never 0 or 1."""
    return f"{100 * min(max(probability, 1e-3), 0.999):.3g} %" if 1e-3 <= probability <= 0.999 else (
        "above 99.9 %" if probability > 0.5 else "below 0.1 %")  # fmt: skip


def unlike(sides: Mapping[str, Quantity]) -> str:
    """The sides of the bristles differ."""
    stiffness = sides["s0"]
    return (
        f"bent to the negative side, the bristles are {stiffness.value:.3g} times as stiff as to the positive "
        f"[{stiffness.low:.3g}, {stiffness.high:.3g}]: each side has its own stiffness"
    )


def like_dahl(alpha: float) -> str:
    """What the data look like cannot be had with this curve."""
    return (
        f"the reversals look like Dahl's law with alpha = {alpha:.2g} rather than like this model; but Dahl's has no "
        "falling branch, and the sliding curve has one"
    )


def stiff(travel: Travel) -> str:
    """The travel is too small to identify a model."""
    return (
        f"a spring of {travel.stiffness_n_m:.1e} N/m is at the limit of these sensors: it is there, but its model and "
        "its damping are not identifiable from these data. It turns friction within "
        f"{1e3 * turn_s(travel.travel_m):.1f} ms of a reversal at {REVERSAL_M_S2:g} m/s²: try this model and the "
        "static one, and keep the better"
    )


def ripple(left_out: Sequence[Loop]) -> str:
    """Swings that cannot be used."""
    sizes = ", ".join(f"±{1e6 * loop.amplitude_m:.0f} µm" for loop in left_out)
    return (
        f"the table does not repeat its cycles in the swings of {sizes}: it hunts, at up to "
        f"{1e3 * max(loop.ripple_m_s for loop in left_out):.2g} mm/s, so these are left out; check the valve's overlap "
        "and hysteresis, and the gains of law.three_state (`hilctl tune`)"
    )


def poor(found: Comparison) -> str:
    """Neither model fits."""
    return (
        f"no model describes these reversals: {min(found.left.values()):.0f} variances of noise a "
        "point are left; see the turn in the report: play in a joint, creep, or another kind of friction"
    )


def bristle_advice(found: Comparison, stiffness: Quantity, facts: Facts, decided: bool) -> str:
    """The model to compensate with, and how certain it is."""
    text = f"compensate with {found.kind}, run along the reference; a static model would make the acceleration worse"
    if not decided:
        others = " and ".join(NAMES[kind] for kind, odds in found.probabilities.items() if odds >= RULED_OUT)
        return f"{text}. Undecided: try {others} on the rig, and keep the one with the least distortion"
    low, high = stiffness.bounds
    spread = high / low - 1 if low > 0 else math.inf
    if spread > 0.6:
        return (
            f"{text}. Its stiffness is known only within a factor of {1 + spread:.1f}: drive more cycles; the oil, "
            f"{facts.oil_n_m:.1e} N/m, takes up most of the stroke"
        )
    return text
