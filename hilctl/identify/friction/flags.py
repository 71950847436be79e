"""What a fit cannot tell, in words: each with a code for programs, what is wrong, and what to do about it."""

import math
from typing import Any

import numpy as np

from hilctl.identify.friction.fit_outliers import EXACTLY, FEWEST, Judged
from hilctl.identify.friction.fit_points import Points
from hilctl.identify.friction.fit_problem import Block, Directions, Fitted, Scaled
from hilctl.identify.friction.judge_intervals import Interval, Sureness
from hilctl.identify.friction.judge_law import NO_EVIDENCE, Tried
from hilctl.identify.friction.model_curve import DELTA, DIRECTION, FC, FS, ROOT_WEIGHT, SIGMA, VS
from hilctl.identify.friction.model_laws import Form
from hilctl.results.friction import Search
from hilctl.results.quantity import Flag

FEW_SPEEDS = 8  # different ones
NARROW = 20.0  # the fastest speed over the slowest
SEEN = 0.9  # of the fall, that must lie between the slowest and the fastest speed
UNSURE, HARMLESS = 0.5, 0.05  # of the value, of the greatest force: an interval wider than both says little
TRADE = 0.1  # relative error along the weakest direction
ALONE = 0.9  # leverage: the curve goes through the point, wherever that is
MANY = 0.2  # of the points rejected
SHUT_OUT = 10.0  # in BIC: odds of 150 to 1
CHANCE = 1e-3  # of a misfit that is none


def told_by_points(points: Points, inside: Any, judged_at_all: bool) -> list[Flag]:
    """What the points lack, whichever law."""
    flags = []
    speeds = np.abs(points.speed_m_s)
    slowest, fastest = float(speeds.min()), float(speeds.max())
    different = points.speeds()
    if different < FEW_SPEEDS:
        text = f"only {different} different speeds: too few to distinguish friction models"
        flags.append(Flag("few_speeds", "points", text, "measure 12 or more, in geometric steps"))
    if fastest < NARROW * slowest:
        text = f"the speeds reach from {slowest:.3g} to {fastest:.3g} m/s only: nothing is known outside"
        flags.append(Flag("narrow_speeds", "points", text, "measure from breakaway to the greatest speed in use"))
    if len(set(points.direction)) == 1:
        way = "positive" if points.direction[0] > 0 else "negative"
        text = f"only the {way} direction: weight and a pressure sensor's offset count as friction"
        flags.append(Flag("one_direction", "points", text, "measure the other direction, too"))
    if not judged_at_all:
        text = f"fewer than {FEWEST} points a direction: too few to detect outliers, none was searched for"
        flags.append(Flag("outliers_unknown", "points", text, "measure more speeds, or repeat windows"))
    lost = 1.0 - np.count_nonzero(inside) / points.size
    if lost > MANY:
        text = f"{100 * lost:.0f} % of the points do not belong to any curve"
        flags.append(Flag("many_outliers", "points", text, "look at the windows: does the table hunt, stick, or hit?"))
    return flags


def told_by_branch(form: Form, block: Block, key: str) -> list[Flag]:
    """Whether the falling branch lies within the speeds."""
    speeds = block.data[0]
    slowest, fastest = float(speeds.min()), float(speeds.max())
    if not form.falls or block.x[FS] <= block.x[FC]:
        text = f"no falling branch between {slowest:.3g} and {fastest:.3g} m/s; one below or above is not excluded"
        return [Flag("no_falling_branch", key, text, "if the table jerks when it moves slowly, measure slower")]
    if form.smooth:
        return _told_by_peak(block, key, slowest, fastest)
    flags = []
    left = [math.exp(-((s / block.x[VS]) ** block.x[DELTA])) for s in (slowest, fastest)]
    if left[0] < SEEN:
        text = f"only fast: at the slowest speed, {slowest:.3g} m/s, {100 * (1 - left[0]):.0f} % of the fall is over"
        flags.append(Flag("only_fast", f"{key}fs", f"{text}; fs is extrapolated", "measure slower"))
    if left[1] > 1 - SEEN:
        text = f"only slow: at the fastest speed, {fastest:.3g} m/s, {100 * left[1]:.0f} % of the fall is to come"
        flags.append(Flag("only_slow", f"{key}fc", f"{text}; fc and sigma are extrapolated", "measure faster"))
    return flags


def _told_by_peak(block: Block, key: str, slowest: float, fastest: float) -> list[Flag]:
    """Whether the peak of a smooth law lies within the speeds."""
    peak = float(block.x[VS])
    if slowest > peak:
        text = f"only fast: the slowest speed, {slowest:.3g}, is beyond the peak at {peak:.3g}; it is extrapolated"
        return [Flag("only_fast", key or "law", text, "measure slower")]
    if fastest < 2.0 * peak:
        text = f"only slow: the fastest speed, {fastest:.3g}, is hardly beyond the peak at {peak:.3g}"
        return [Flag("only_slow", key or "law", f"{text}; fc and sigma are extrapolated", "measure faster")]
    return []


def identified(interval: Interval, block: Block, unit_n: float) -> bool:
    """Whether the data say what the word is."""
    set_end = interval.at_bound and not is_nothing(interval)
    if set_end or interval.open_low or interval.open_high:
        return False
    half = 0.5 * (interval.high - interval.low)
    reach = {FC: 1.0, FS: 1.0, SIGMA: float(block.data[0].max())}.get(interval.word, math.inf)
    return half <= UNSURE * abs(interval.value) or half * reach <= HARMLESS * unit_n


def is_nothing(interval: Interval) -> bool:
    """Whether the word is at the least that there can be of it."""
    return interval.at_bound < 0 and interval.value == 0.0


def told_by_interval(interval: Interval, name: str, unit: str, known: bool) -> list[Flag]:
    """What one parameter's interval says."""
    value, low, high = interval.value, interval.low, interval.high
    if is_nothing(interval):
        text = f"{name} is 0, the least there is; up to {high:.4g} {unit} fits as well"
        return [Flag("zero", name, text, "leave it, or measure where it would show")]
    if interval.at_bound:
        end = "lower" if interval.at_bound < 0 else "upper"
        text = f"{name} = {value:.4g} {unit} is the {end} end of its range: the data want to go beyond"
        return [Flag("bound", name, text, "widen the range, or measure where this parameter shows")]
    if interval.open_low or interval.open_high:
        end = "below" if interval.open_low else "above"
        text = f"{name} = {value:.4g} {unit} has no limit {end} within its range ({low:.4g} to {high:.4g})"
        return [Flag("open", name, text, "measure where this parameter shows")]
    if not known:
        text = f"{name} = {value:.4g} {unit} lies between {low:.4g} and {high:.4g}: hardly known"
        return [Flag("imprecise", name, text, "measure more points where this parameter shows")]
    return []


def weakest_in_words(sure: Sureness, names: list[str]) -> str:
    """The combination of parameters that the data know least, by one standard deviation."""
    change = sure.weakest
    if not len(change):
        return "nothing is known"
    order = [int(i) for i in np.argsort(-np.abs(change)) if abs(change[i]) >= 0.2 * np.abs(change).max()][:3]
    sign = math.copysign(1.0, change[order[0]])
    parts = [f"{names[i]} {100 * sign * change[i]:+.2g} %" for i in order]
    told = " and ".join(names[i] for i in order)
    ends = "trade off" if len(order) > 1 else "is known least"
    return f"{told} {ends}: {' with '.join(parts)} fits as well within one standard deviation"


def told_by_points_alone(points: Points, judged: Judged) -> list[Flag]:
    """Points that the curve must go through."""
    flags = []
    for i in np.flatnonzero(np.nan_to_num(judged.leverage) > ALONE):
        text = f"the law rests on point {i} at {points.speed_m_s[i]:.3g} m/s alone: no other could contradict it"
        flags.append(Flag("single_point", f"points[{i}]", text, "repeat this window, and measure beside it"))
    return flags


def told_by_scatter(fitted: Fitted, points: Points, scaled: Scaled, inside: Any) -> list[Flag]:
    """Whether the curve misses more than the scatter explains: by given deviations, by repeats, by neighbours."""
    from scipy.stats import chi2, f

    flags: list[Flag] = []
    if fitted.squares <= EXACTLY**2:  # what rounding leaves
        return flags
    remedy = "look at the residuals over speed; the rig may hunt, or have another law"
    if points.sd_known:
        whole = fitted.squares * scaled.unit_n**2 * float(np.sum(points.sd_n**-2.0))
        if chi2.sf(whole, fitted.freedom) < CHANCE:
            text = f"points miss the curve by {math.sqrt(whole / fitted.freedom):.2g} of their standard deviations"
            flags.append(Flag("misfit", "sd_n", text, remedy))
    pure, freedom = _pure_error(fitted, scaled, inside)
    lack, left = fitted.squares - pure, fitted.freedom - freedom
    if freedom >= 3 and left >= 1 and pure > 0 and f.sf(lack / left / (pure / freedom), left, freedom) < CHANCE:
        text = "windows at one speed agree better with each other than with the curve"
        flags.append(Flag("misfit", "repeats", text, remedy))
    elif _together(fitted) > 3.3:  # standard deviations: CHANCE / 2
        flags.append(Flag("misfit", "residuals", "neighbours in speed miss the curve to the same side", remedy))
    return flags


def _pure_error(fitted: Fitted, scaled: Scaled, inside: Any) -> tuple[float, int]:
    """The scatter of repeated windows around their own means, and its degrees of freedom."""
    total, freedom = 0.0, 0
    label = scaled.groups * 2 + (scaled.data[DIRECTION] > 0)
    misses = np.zeros(len(label))
    for block in fitted.blocks:
        misses[block.chosen] = block.residuals()
    weight = scaled.data[ROOT_WEIGHT] ** 2
    for one in np.unique(label[inside]):
        which = inside & (label == one)
        if np.count_nonzero(which) > 1:
            r, w = misses[which], weight[which]
            total += float(np.sum(w * (r - np.average(r, weights=w)) ** 2))
            freedom += len(r) - 1
    return total, freedom


def _together(fitted: Fitted) -> float:
    """How much neighbours in speed miss the curve to the same side, in standard deviations of chance."""
    product, count = 0.0, 0
    for block in fitted.blocks:
        for way in (1.0, -1.0):
            side = block.data[DIRECTION] == way
            order = np.argsort(block.data[0][side], kind="stable")
            r = (block.residuals() * block.data[ROOT_WEIGHT])[side][order]
            product += float(np.sum(r[1:] * r[:-1]))
            count += max(len(r) - 1, 0)
    return product / max(fitted.squares / fitted.points, 1e-300) / math.sqrt(max(count, 1))


def told_by_choice(best: Tried, tried: list[Tried]) -> list[Flag]:
    """Friction models that fit these data as well as the chosen one: no worse, or as simple and hardly worse."""
    words = best.fitted.words if best.fitted else 0
    alike = [t for t in tried if t.fitted is not None and t is not best and t.bic - best.bic < NO_EVIDENCE]
    near = [t.form.name for t in alike if t.bic <= best.bic or (t.fitted and t.fitted.words <= words)]
    if not near:
        return []
    text = f"{best.form.name} and {', '.join(near)} fit about as well"
    return [Flag("undecided", "law", text, "they differ little where it was measured; measure more to decide")]


def told_by_directions(fitted: Fitted, offset_n: float, constant_n: float) -> list[Flag]:
    """A constant difference between the directions is indistinguishable from an offset."""
    if fitted.directions == Directions.OFFSET:
        text = f"a force of {offset_n:.4g} N that does not turn with the direction counts as offset, not as friction"
        remedy = "zero the pressure sensors, take the weight off; two sensors that differ in gain show it as well"
        return [Flag("offset", "offset", text, remedy)]
    if fitted.directions == Directions.APART:
        text = f"the directions differ; {constant_n:.4g} N of it may as well be an offset, and count as friction here"
        return [Flag("directions_differ", "directions", text, "zero the pressure sensors before measuring")]
    return []


def told_by_search(one: Search) -> list[Flag]:
    """Whether the hybrid algorithm found what the yardstick did."""
    if one.reached >= 1.0:
        return []
    worst = math.inf if one.gap is None else one.gap
    share = f"{100 * one.reached:.0f} % of the genetic runs"
    text = f"{share} reach the least sum of squares; the worst ends {worst:.2g} above"
    remedy = "the law rests on variable projection, which did; more generations find it, too, where the data decide"
    return [Flag("search_missed", one.key or "law", text, remedy)]


def told_by_ranges(best: Tried, free: Tried, unit_n: float) -> list[Flag]:
    """Whether the ranges shut out what the points want: a law within the data's own reach that fits far better."""
    if free.bic > best.bic - SHUT_OUT or free.fitted is None or best.fitted is None:
        return []
    more = math.sqrt(best.fitted.variance / max(free.fitted.variance, 1e-300))
    words = free.fitted.blocks[0].x
    force = {"fc", "fs", "sigma", "fv"}
    wanted = [f"{k} {words[w] * (unit_n if k in force else 1.0):.4g}" for k, w in free.form.keys().items()]
    text = f"within these ranges the points miss the curve {more:.3g} times as far as they need to"
    return [Flag("ranges", "ranges", text, f"widen the ranges: without them {free.form.name} has {', '.join(wanted)}")]
