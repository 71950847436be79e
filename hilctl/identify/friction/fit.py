"""The friction fit, from points to a law with intervals.

    outliers   a robust fit's clean points, then who belongs to them
    choice     every static law, its directions by F-tests; the law by BIC
    sureness   covariance, intervals, the weakest direction
    search     the paper's hybrid algorithm on the chosen law, beside the yardstick that the fit rests on
    flags      what is not identifiable from these points
"""

import math
from typing import Any, NamedTuple

import numpy as np

from hilctl.friction import MODELS, check_friction
from hilctl.identify.friction import flags as told
from hilctl.identify.friction.fit_genetic import Evolution, runs
from hilctl.identify.friction.fit_outliers import EXACTLY, Judged, clean_start, flexible, judged, settled
from hilctl.identify.friction.fit_points import BadPoints, Points, TooFewPoints
from hilctl.identify.friction.fit_problem import Block, Directions, Fitted, Scaled, scaled, unweighted
from hilctl.identify.friction.judge_intervals import Interval, Sureness, sureness
from hilctl.identify.friction.judge_law import Tried, best_of, try_all
from hilctl.identify.friction.model_curve import DIRECTION, FC, NAMES, OFFSET
from hilctl.identify.friction.model_laws import ANY_SHAPE, BREAKAWAY, FORMS, ROTARY, Form
from hilctl.identify.friction.model_ranges import Ranges, ranges_for
from hilctl.identify.friction.result import FrictionFit
from hilctl.params import Problem, leaves
from hilctl.params.finite import finite
from hilctl.results.friction import Knowledge, Rejected, Search
from hilctl.results.quantity import Flag, Quantity, quantity

MOST_ASIDE = 0.4  # of the points: with more, those that are left are a choice and no measurement
ROUNDS = 4  # of choosing a law and judging the points by it
ORIGIN = "constant speeds"
REACHED = 1e-9  # of the least sum of squares


def fit_friction(
    points: Points, ranges: Ranges | None = None, *, offset_n: float | None = None, robust: bool = True,
    forms: tuple[Form, ...] = FORMS, how: Evolution | None = None,
) -> FrictionFit:  # fmt: skip
    """The static law that the points follow.

    Without ranges, everything that the points can say anything about is searched; so are outliers in any case, and what
    ranges shut out is said. An offset (weight, sensors) that is known, 0 after zeroing, is given; otherwise it is
    searched where both directions were measured. BadPoints where more than MOST_ASIDE of the points belong to none of
    these laws: a curve through the rest would be no answer.
    """
    everything = ranges_for(points)
    known = scaled(points, offset_n or 0.0)
    both = len(set(points.direction)) == 2
    search_offset = both and offset_n is None
    hypotheses = [Directions.ALIKE]
    hypotheses += [Directions.OFFSET] if search_offset else []
    hypotheses += [Directions.APART] if both else []
    chosen, looked = np.ones(points.size, bool), False
    if robust:
        widest = forms[0] if all(form.smooth for form in forms) else ANY_SHAPE
        whole = flexible(known, everything, chosen, search_offset, widest)
        exact = whole is not None and whole.squares <= EXACTLY**2  # points that were computed: none is wrong
        start = chosen if exact else clean_start(known, everything, search_offset, widest)
        looked = start is not None
        chosen = chosen if start is None else settled(known, everything, start, search_offset, widest)
    for _ in range(ROUNDS):
        free = _choice(points, known, everything, chosen, tuple(hypotheses), forms)
        verdict = judged(free.fitted, known)
        if not looked or np.array_equal(verdict.inside, chosen):
            break
        chosen = verdict.inside
    # Where the rounds did not settle, the law was fitted to other points than the last verdict's: the fit counts.
    chosen = np.any([block.chosen for block in free.fitted.blocks], axis=0)
    if np.count_nonzero(~chosen) > MOST_ASIDE * points.size:
        raise _most_aside(points, known, everything, chosen, forms)
    choice, flags = free, []
    if ranges is not None:
        choice = _choice(points, known, ranges, chosen, tuple(hypotheses), forms)
        flags = told.told_by_ranges(choice.best, free.best, known.unit_n)
        verdict = judged(choice.fitted, known)._replace(inside=chosen)
    flags = [*told.told_by_points(points, chosen, looked), *flags]
    return _told(points, known, offset_n or 0.0, choice, verdict, flags, how)


class _Choice(NamedTuple):
    """The law that was chosen, among those that were tried."""

    best: Tried
    fitted: Fitted
    tried: list[Tried]


def _choice(
    points: Points, known: Scaled, ranges: Ranges, chosen: Any, hypotheses: tuple[Directions, ...],
    forms: tuple[Form, ...],
) -> _Choice:  # fmt: skip
    tried = try_all(known, ranges, chosen, hypotheses, forms)
    found = best_of(tried)
    if found is None:
        raise _too_few(points, chosen, tried)
    return _Choice(*found, tried)


def _too_few(points: Points, chosen: Any, tried: list[Tried]) -> TooFewPoints:
    remedy = "measure more speeds, or fewer laws: " + "; ".join(f"{t.form.name} {t.refused}" for t in tried)
    told_points = f"{np.count_nonzero(chosen)} of {points.size} points that belong to one curve"
    return TooFewPoints([Problem("points", told_points, "must be enough for one of the laws", remedy)])


def _most_aside(points: Points, known: Scaled, ranges: Ranges, chosen: Any, forms: tuple[Form, ...]) -> BadPoints:
    """The refusal, with the law that is nearest to all of the points."""
    every = np.ones(points.size, bool)
    rotary = any(MODELS[form.model].rotary for form in forms)
    near = best_of(try_all(known, ranges, every, (Directions.ALIKE,), (*FORMS, ROTARY if rotary else BREAKAWAY)))
    aside = np.count_nonzero(~chosen)
    told = f"{aside} of {points.size} points belong to none of the laws {', '.join(form.name for form in forms)}"
    remedy = "look at the windows: does the table hunt, stick, or hit?"
    if near is not None:
        misses = np.concatenate([block.residuals() for block in near[1].blocks])
        share = 100.0 * float(np.sqrt(np.mean(misses**2)))
        remedy = f"nearest to all of them is {near[0].form.name}, rms {share:.2g} % of the greatest force; or {remedy}"
    limit = f"at most {100 * MOST_ASIDE:.0f} % may be set aside"
    return BadPoints([Problem("points", told, limit, remedy)])


def _told(
    points: Points, known: Scaled, offset_n: float, choice: _Choice, verdict: Judged, flags: list[Flag],
    how: Evolution | None,
) -> FrictionFit:  # fmt: skip
    best, fitted, tried = choice
    form, chosen = best.form, np.any([block.chosen for block in fitted.blocks], axis=0)
    curve, knowledge, searches = np.zeros(points.size), [], []
    parameters: dict[str, Quantity] = {}
    offset = None
    for block in fitted.blocks:
        key = "negative." if len(fitted.blocks) == 2 and block.data[DIRECTION, 0] < 0 else ""
        sure = sureness(fitted, block, known)
        names = _names(form, key)
        for interval in sure.intervals:
            name = names[interval.word]
            parameter = _parameter(form, name, interval, block, known)
            flags += told.told_by_interval(interval, name, parameter.unit, parameter.identified)
            if interval.word == OFFSET:
                offset = parameter
            else:
                parameters[name] = parameter
        flags += told.told_by_branch(form, block, key)
        knowledge.append(_knowledge(key, sure, names))
        if np.linalg.norm(sure.weakest) > told.TRADE:
            text = knowledge[-1].weakest
            flags.append(Flag("trade_off", key or "law", text, "measure where they differ"))
        side = known.data[DIRECTION] == block.data[DIRECTION, 0] if len(fitted.blocks) == 2 else slice(None)
        data = np.ascontiguousarray(known.data[:, side])
        curve[side] = points.force_n[side] - data[DIRECTION] * unweighted(data, block.x) * known.unit_n
        searches.append(_search(key, names, block, known, how))
        flags += told.told_by_search(searches[-1])
    flags += told.told_by_points_alone(points, verdict)
    flags += told.told_by_scatter(fitted, points, known, chosen)
    flags += told.told_by_choice(best, tried)
    flags += told.told_by_directions(fitted, _value(offset), _constant(fitted, known))
    if offset is None and offset_n:
        offset = Quantity(offset_n, offset_n, offset_n, "N", "assumed", "given")
    folded = points.direction * (points.force_n - _value(offset))
    share = _unexplained(points.force_n - curve, folded, points.sd_n**-2.0, known.unit_n)  # of all that were given
    return FrictionFit(
        friction=check_friction(_table(form, fitted, known), joint=MODELS[form.model].rotary),
        law=form.name,
        why=_why(best, tried),
        directions=str(fitted.directions),
        parameters=parameters,
        offset=offset,
        points=points,
        curve_n=curve,
        inside=chosen,
        rejected=_rejected(points, curve, verdict, chosen),
        scatter_n=math.sqrt(max(fitted.variance, 0.0) * points.size) * known.unit_n,
        r2=1.0 - share,
        fit_percent=100.0 * (1.0 - math.sqrt(share)),
        flags=tuple(flags),
        tried=tuple(tried),
        knowledge=tuple(knowledge),
        searches=tuple(searches),
    )


def _unexplained(misses: Any, folded: Any, weight: Any, unit_n: float) -> float:
    """The share of the forces' variance that the curve leaves; none where nothing is left that could be measured."""
    left, spread = np.sum(weight * misses**2), np.sum(weight * (folded - np.average(folded, weights=weight)) ** 2)
    return 0.0 if left <= (EXACTLY * unit_n) ** 2 * np.sum(weight) else float(left / spread)


def _names(form: Form, key: str) -> dict[int, str]:
    """Words by what the rig file calls them."""
    return {**{word: key + name for name, word in form.keys().items()}, OFFSET: "offset"}


def _parameter(form: Form, name: str, interval: Interval, block: Block, known: Scaled) -> Quantity:
    units = {leaf.path: leaf.unit for leaf in leaves(MODELS[form.model].Params)}
    clear = told.identified(interval, block, known.unit_n)
    force = "N·m" if MODELS[form.model].rotary else "N"
    unit = force if interval.word == OFFSET else units[name]
    reason = f"{ORIGIN}, {interval.by} interval"
    return quantity(interval.value, interval.low, interval.high, unit, reason, identified=clear)


def _value(offset: Quantity | None) -> float:
    return 0.0 if offset is None or offset.value is None else offset.value


def _knowledge(key: str, sure: Sureness, names: dict[int, str]) -> Knowledge:
    told_names = [names[word] for word in sure.names]
    weakest = told.weakest_in_words(sure, told_names)
    return Knowledge(key, told_names, finite(sure.covariance), finite(sure.condition), weakest)


def _search(key: str, names: dict[int, str], block: Block, known: Scaled, how: Evolution | None) -> Search:
    found, free, units = runs(block.data, block.low, block.high, how), block.free(), known.units()
    gaps = found.costs / max(block.squares, 1e-300) - 1.0
    if block.squares <= told.CHANCE * 1e-15:  # a fit without scatter has no relative gap
        gaps = found.costs - block.squares
    width = (block.high - block.low)[free]
    return Search(
        key,
        [names.get(j, NAMES[j]) for j in free],
        finite((found.mean * units)[free]),
        finite(np.ptp(found.words, axis=0)[free] / width),
        finite(gaps.max()),
        float(np.mean(gaps < REACHED)),
        finite((found.history[:, :, : len(NAMES)] * units)[:, :, free]),
    )


def _table(form: Form, fitted: Fitted, known: Scaled) -> dict[str, Any]:
    tables = [form.table(block.x * known.units()) for block in fitted.blocks]
    table: dict[str, Any] = {"model": form.model, **tables[0]}
    if len(tables) == 2:
        table["negative"] = tables[1]
    return table


def _constant(fitted: Fitted, known: Scaled) -> float:
    """Half the difference of the directions' levels."""
    if len(fitted.blocks) < 2:
        return 0.0
    return float(0.5 * (fitted.blocks[0].x[FC] - fitted.blocks[1].x[FC]) * known.unit_n)


def _rejected(points: Points, curve: Any, verdict: Judged, chosen: Any) -> tuple[Rejected, ...]:
    return tuple(
        Rejected(
            int(i), float(points.speed_m_s[i]), float(points.force_n[i]), float(curve[i]),
            float(abs(verdict.studentised[i])), verdict.limit,
        )
        for i in np.flatnonzero(~chosen)
    )  # fmt: skip


def _why(best: Tried, tried: list[Tried]) -> str:
    others = sorted((t for t in tried if t is not best and t.fitted), key=lambda t: t.bic)
    if not others or best.fitted is None:
        return f"{best.form.name}: the only law that the points suffice for"
    nearest = others[0]
    away = nearest.bic - best.bic
    if away < 0:
        return f"{best.form.name}: simpler than {nearest.form.name}, whose BIC is only {-away:.1f} less"
    return f"{best.form.name}: least BIC; the next, {nearest.form.name}, has {away:.1f} more"
