"""The kind of friction: a jump, bristles, slipping elements, or a spring that gives way; and its parameters.

First the travel of the table while friction turns (estimate_travel). If it is not significant: static, or stiffer than
the sensors resolve. Otherwise the models with a spring are fitted and compared (judge_models), and fitted again to all
cycles (judge_fits). Each model gets a probability (judge_odds), and the loops say why (judge_loops).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from hilctl.experiment import course
from hilctl.experiment.drive import Driven, LegFault, stored
from hilctl.experiment.facts import Facts, read_facts
from hilctl.experiment.own_loop import refuse_on
from hilctl.experiment.record import Losses
from hilctl.experiment.scales import load_scale_sd, scale_sd, with_scale
from hilctl.experiment.sensors import stuck
from hilctl.friction import check_friction
from hilctl.identify.presliding import judge_odds
from hilctl.identify.presliding import judge_words as words
from hilctl.identify.presliding.estimate_cycles import LEAST_CYCLES, Cycles, aligned, cut
from hilctl.identify.presliding.estimate_loop import FINE, Loop, loop_of
from hilctl.identify.presliding.estimate_residuals import Model
from hilctl.identify.presliding.estimate_travel import Travel, travel_of
from hilctl.identify.presliding.estimate_turn import turn_of
from hilctl.identify.presliding.judge_fits import ORIGIN, Fits, fits_of
from hilctl.identify.presliding.judge_loops import reasons, seen
from hilctl.identify.presliding.judge_models import compare, flat
from hilctl.identify.presliding.judge_told import Presliding, given
from hilctl.identify.presliding.model_curve import Curve, curve_of
from hilctl.identify.presliding.plan import BUDGET_S, OIL, PAUSE_S, measure
from hilctl.params import BadValues
from hilctl.params.finite import finite
from hilctl.results.quantity import Quantity, closed, quantity, unsure
from hilctl.results.reversals import Alternative, Kind

if TYPE_CHECKING:
    from hilctl.client import Client

WORK = "reversal experiment"

SHORTEST = 2.0  # times the position noise of the mean cycle: a travel below that is not resolved
STIFF = 10.0  # times that noise: a travel below it is seen, but not what happens on the way
CURVE_WRONG = 0.3  # of the level: no model on such a curve is certain
LOUD = 0.1  # of friction: more noise in a point of the mean cycle hides the turn
CURVE_OFF = 0.05  # of the level: the curve does not belong to this rig, or not to this oil
CURVE_OFF_SELDOM = 0.15  # likewise, where friction that jumps does so between two readings of the pressures
SELDOM = 0.9  # of the readings: where more are held, the pressures are read seldom


def identify_presliding(
    rig: "Client",
    curve: Mapping[str, Any],
    *,
    center_m: float = 0.0,
    budget_s: float = BUDGET_S,
    elements: int = 0,
    tell: Callable[[str, float], None] = lambda what, share: None,
) -> Presliding:
    """Drives the reversals and identifies the kind of friction.

    `curve`: the sliding curve as a [friction] table of any model that has one, best from a campaign just before.
    `elements`: of GMS, 0 for as many as the data support. Parameters are restored at the end; LegFault says what is
    wrong with the rig.
    """
    refuse_on(rig, "presliding")
    facts = read_facts(rig)
    driven = measure(rig, curve, facts, budget_s, center_m, tell)
    tell("comparing friction models", 1.0)
    return judge_driven(driven, facts, curve, elements)


def judge_stored(folder: Path) -> Presliding:
    """From the reversals that a folder holds, without the rig."""
    begun = course.opened(folder, WORK)
    driven = stored(folder / course.LEGS, begun.rate_hz, len(OIL))
    return judge_driven(driven, begun.facts, begun.asked["curve"], begun.asked["elements"])


def judge_driven(driven: Sequence[Driven], facts: Facts, curve: Mapping[str, Any], elements: int = 0) -> Presliding:
    """From motions."""
    rig_seconds = sum(one.record.seconds + PAUSE_S for one in driven)
    found = judge([cut(one, facts) for one in driven], facts, curve, elements=elements, rig_seconds=rig_seconds,
                  seldom=_seldom(driven[0].losses))  # fmt: skip
    notes = [f"{one.name}: {text}; driven again" for one in driven for text in one.again]
    notes += [driven[0].losses.held_text] if driven[0].losses.held else []
    lost, stale = (sum(of) / len(driven) for of in ([d.losses.share for d in driven], [d.losses.stale for d in driven]))
    return found.with_losses(lost, stale, notes)


def judge(swings: Sequence[Cycles], facts: Facts, table: Mapping[str, Any], *, elements: int = 0,
          rig_seconds: float = 0.0, seldom: bool = False) -> Presliding:
    """The friction model, from the cycles and the sliding curve: a [friction] table of any model that has one.
    `seldom`: pressures are read at fewer than one tick in ten."""
    curve = curve_of(table)
    _check_cycles(swings)
    swings, facts = aligned(swings, facts)
    loops = tuple(loop_of(c, facts) for c in swings)
    _check_force(loops)
    travel = travel_of(swings, facts)
    if not travel.reversals:
        raise LegFault(
            "friction turned fully in no swing: the amplitudes were too small for the oil's compliance; check "
            "machine.beta and machine.Vt, from which they are planned"
        )
    driven = tuple((c.amplitude_m, 1 / c.period_s, c.rows) for c in swings)
    shown = _middle(loops, travel)
    jump = judge_odds.of_jump(travel, travel.level_n / facts.oil_n_m, _noise_m(loops))
    if jump > 0.5 or not travel.travel_m > 0.0:
        found = _static(table, curve, travel, loops, facts, jump, seldom)
        return found._replace(turn=turn_of(shown, {}), swings=driven, rig_seconds=rig_seconds)
    warnings: tuple[str, ...] = ()
    kept = _repeating(swings, loops)
    if len(kept) <= len(swings) // 2:
        warnings = (words.ripple([one for one in loops if not one.repeats]),)
    swings = [swings[i] for i in kept]
    compared = compare(swings, facts, curve, travel, elements)
    fits = fits_of(compared, swings, facts, curve)
    compared = compared._replace(undamped=fits.undamped)
    probabilities = {kind: (1 - jump) * value for kind, value in compared.probabilities.items()} | {"static": jump}
    taken = fits.of(compared.kind)
    level = taken.level
    warnings = (*_about_curve(level, seldom), *warnings)
    known = abs(travel.level_n / curve.mean.fs - 1) < CURVE_WRONG
    stiff = travel.travel_m < STIFF * _noise_m(loops)
    if stiff:
        warnings = (*warnings, words.stiff(travel))
    elif compared.ruled_out:
        warnings = (*warnings, words.like_dahl(compared.path.alpha))
    elif compared.poor:
        warnings = (*warnings, words.poor(compared))
    parameters = {name: _with_scales(q, facts) for name, q in taken.parameters.items()}
    models: dict[Kind, Model] = {"lugre": fits.bristles.model(curve), "gms": compared.elements}
    if compared.flat:
        models["dahl"] = fits.path.model(curve)
    choice = judge_odds.choice(probabilities)
    decided = choice == compared.kind
    loops_seen = seen(compared, {kind: compared.model(kind, curve) for kind in models}, travel.level_n)
    certain = decided and known and not (compared.poor or stiff or compared.ruled_out)
    said = (words.unlike(taken.sides),) if "negative.s0" in parameters else ()
    return Presliding(
        compared.kind, certain, check_friction(taken.table), parameters if certain else unsure(parameters),
        words.bristles(travel, compared, decided),
        words.bristle_advice(compared, parameters["s0"], facts, decided), warnings, level, travel, compared,
        turn_of(shown, {str(kind): model for kind, model in models.items()}), driven, rig_seconds,
        probabilities=probabilities,
        reasons=(*reasons(compared, loops_seen), *said), loops=tuple(one.told() for one in loops_seen),
        alternatives=_others(probabilities, compared.kind, fits, table), sides=taken.sides,
    )  # fmt: skip


def _static(table: Mapping[str, Any], curve: Curve, travel: Travel, loops: Sequence[Loop], facts: Facts, jump: float,
            seldom: bool) -> Presliding:
    """Nothing moved, beyond the errors."""
    friction = check_friction(_static_table(table))
    least = travel.level_n / max(travel.travel_m + 2 * travel.error_m, SHORTEST * _noise_m(loops))
    springs: tuple[Kind, ...] = ("lugre", "gms", "dahl") if flat(curve) else ("lugre", "gms")
    known = {"s0": quantity(least, least, math.inf, "N/m", ORIGIN)}
    certain = jump >= judge_odds.LEVEL
    return Presliding(
        "static", certain, friction, known, words.static(travel, least, jump),
        words.static_advice(travel, least, facts), _about_curve(travel.level_n / curve.mean.fs, seldom),
        travel.level_n / curve.mean.fs, travel, None, turn_of(loops[0], {}), (), 0.0,
        probabilities={"static": jump, **dict.fromkeys(springs, (1 - jump) / len(springs))},
        reasons=(words.static_reason(travel, facts),),
    )  # fmt: skip


def _others(probabilities: Mapping[Kind, float], taken: Kind, fits: Fits, table: Mapping[str, Any]
            ) -> tuple[Alternative, ...]:
    """Those that are not ruled out, the most probable first."""
    out = []
    for kind, odds in sorted(probabilities.items(), key=lambda one: -one[1]):
        if kind == taken or odds < judge_odds.RULED_OUT or (kind == "gms" and fits.slips is None):
            continue
        made = _static_table(table) if kind == "static" else fits.of(kind).table
        try:
            out.append(Alternative(kind, odds, finite(given(check_friction(made).table()))))
        except BadValues:  # of numbers that no rig file may hold: these data hardly show it
            continue
    return tuple(out)


def _repeating(swings: Sequence[Cycles], loops: Sequence[Loop]) -> list[int]:
    """Those swings whose mean is what each cycle does; without any, the largest."""
    largest = max(range(len(swings)), key=lambda i: swings[i].amplitude_m)
    return [i for i, loop in enumerate(loops) if loop.repeats] or [largest]


def _noise_m(loops: Sequence[Loop]) -> float:
    return sum(loop.noise_m for loop in loops) / len(loops)


def _middle(loops: Sequence[Loop], travel: Travel) -> Loop:
    """The smallest swing in which friction turns whole: it shows the turn best."""
    whole = [one for one in loops if float(one.force_n.max() - one.force_n.min()) > 1.9 * travel.level_n]
    return min(whole or loops, key=lambda one: one.amplitude_m)


def _about_curve(level: float, seldom: bool) -> tuple[str, ...]:
    return () if abs(level - 1) < (CURVE_OFF_SELDOM if seldom else CURVE_OFF) else (words.other_level(level, seldom),)


def _seldom(losses: Losses) -> bool:
    """A link that loses a reading now and then holds few; a slow transducer nearly all."""
    return max(losses.held.values(), default=0) > SELDOM * losses.ticks


def _static_table(table: Mapping[str, Any]) -> dict[str, Any]:
    """The curve as it came, under a law that jumps."""
    curve = curve_of(table)
    own = {key: table[key] for key in curve._fields if key in table}
    negative = {"negative": dict(table["negative"])} if curve.other else {}
    return {"model": "karnopp", **own, **negative}


def _with_scales(q: Quantity, facts: Facts) -> Quantity:
    """With what the sensors' scales do to forces over displacements; shares have no scale."""
    if not q.unit or q.value is None:
        return q
    sd = math.hypot(load_scale_sd(facts.values), scale_sd(facts.values, "displacement"))
    low, high = with_scale(q.bounds[0], q.value, q.bounds[1], sd)
    return replace(q, low=max(low, 0.0), high=closed(high))


def _check_cycles(swings: Sequence[Cycles]) -> None:
    """LegFault where there are too few to average, or the table did not follow the largest."""
    for cycles in swings:
        if cycles.rows < LEAST_CYCLES:
            raise LegFault(
                f"{cycles.rows} cycles of ±{1e3 * cycles.amplitude_m:.3g} mm are too few: below the displacement "
                f"sensor's noise only the mean of at least {LEAST_CYCLES} shows anything; plan more cycles"
            )
    largest = max(swings, key=lambda c: c.amplitude_m)
    problem = stuck(float(np.ptp(largest.x_m.mean(0))), 2 * largest.amplitude_m)
    if problem:
        raise LegFault(problem)


def _check_force(loops: Sequence[Loop]) -> None:
    """LegFault where friction drives the table, or is hidden in noise."""
    loop = max(loops, key=lambda one: one.amplitude_m)
    x = loop.x_m[::FINE]
    v = np.roll(x, -1) - np.roll(x, 1)
    force = loop.force_n - loop.force_n.mean()
    resisting = float(force @ v) / float(np.abs(v).sum())
    if resisting < 0.0 and -resisting > 5 * loop.noise_n:
        raise LegFault(
            f"friction is negative, {resisting:.0f} N: it would drive the table. The pressure pair is swapped, or "
            "one of the two is in the wrong chamber; check that sensors.pressure_a sits in the chamber that a "
            "positive command fills, and sensors.pressure_b in the other"
        )
    if loop.noise_n > LOUD * max(resisting, 1e-9):
        raise LegFault(
            f"friction of {max(resisting, 0.0):.0f} N is hidden in noise: {loop.noise_n:.0f} N are left after "
            f"{loop.cycles} cycles; drive more cycles, or check the pressure sensors"
        )
