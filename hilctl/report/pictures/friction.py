"""Friction over speed: both directions' points, the law through them, and what it leaves, close up."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.friction import Friction, check_friction
from hilctl.params import BadValues
from hilctl.report.pictures.style import AFTER, BEFORE, INK, below, decades, new
from hilctl.report.series import row
from hilctl.results.commissioned import Commissioned
from hilctl.results.friction import SlidingFit

Reals = npt.NDArray[np.float64]
SURE = 1.96  # standard deviations: 95 %
_WAYS = ((-1.0, "backward", "s", 5.5, BEFORE), (1.0, "forward", "o", 3.2, AFTER))


class Points(NamedTuple):
    """Measured friction, counted in the direction of motion, what both directions share taken off."""

    direction: Reals
    speed_m_s: Reals
    force_n: Reals
    sd_n: Reals  # nan where it is not known
    residual_n: Reals
    inside: Reals  # 1 for a point that counts


def points_of(result: Commissioned) -> Points | None:
    """As the fit saw them, else as they were measured; None where there are none."""
    if result.fit is not None:
        given, offset = result.fit.points, result.fit.offset
        v, f, left = row(given.speed_m_s), row(given.force_n), row(given.residual_n)
        f = f - (offset.value if offset and offset.value else 0.0)
        sd = row(given.sd_n) if given.sd_n is not None else np.full(len(v), np.nan)
        inside = np.array(given.inside, float)
    elif result.campaign is not None:
        measured = result.campaign.points
        way = row(one.direction for one in measured)
        v, f = way * row(one.speed_m_s for one in measured), way * row(one.force_n for one in measured)
        sd, left, inside = row(one.std_n for one in measured), np.full(len(v), np.nan), np.ones(len(v))
    else:
        return None
    whole = np.isfinite(v) & np.isfinite(f) & (v != 0)
    if not np.any(whole):
        return None
    way = np.sign(v)
    return Points(*(each[whole] for each in (way, np.abs(v), way * f, sd, way * left, inside)))


def law_of(result: Commissioned) -> Friction | None:
    """The fitted curve, else the active friction model; None where neither is known."""
    for model in (result.fit, result.friction):
        if model is not None:
            try:
                return check_friction(_given(model.table))
            except BadValues:
                continue
    return None


def _given(table: Any) -> Any:
    """Without what is left open."""
    if not isinstance(table, dict):
        return table
    parts = {key: _given(value) for key, value in table.items() if value is not None}
    return {key: value for key, value in parts.items() if value != {}}


def draw(result: Commissioned) -> Any:
    """Two panels: the curve, and the residuals with the law's own interval; nothing without points."""
    points, law = points_of(result), law_of(result)
    if points is None:
        return None
    residuals = bool(np.any(np.isfinite(points.residual_n)))
    rows = 2 if residuals else 1
    figure, axes = new(
        rows, 1, 4.1 if residuals else 3.4, sharex=True, height_ratios=(5, 3) if residuals else (1,)
    )
    above = axes[0, 0]
    speeds = np.geomspace(0.8 * points.speed_m_s.min(), 1.25 * points.speed_m_s.max(), 400)
    curves = {way: way * law.curve(way * speeds) for way, *_ in _WAYS} if law else {}
    _points(above, points, points.force_n / 1e3, points.sd_n / 1e3)
    if curves and np.allclose(curves[1.0], curves[-1.0]):
        above.plot(speeds, curves[1.0] / 1e3, color=INK, label="law", zorder=1)
    else:
        for (way, name, *_, colour), dashes in zip(_WAYS, ((0, (4, 2)), "-"), strict=True):
            if way in curves:
                above.plot(speeds, curves[way] / 1e3, color=colour, linestyle=dashes, label=f"law, {name}", zorder=1)
    above.set(xscale="log", ylabel="friction, kN")
    above.set_ylim(bottom=0.0)
    last = above
    if residuals:
        last = axes[1, 0]
        _points(last, points, points.residual_n, points.sd_n)
        band = _band(result.fit, law, speeds) if law and result.fit else None
        if band is not None:
            last.fill_between(speeds, -band, band, color="0.86", linewidth=0, label="law, 95 %", zorder=0)
        last.axhline(0.0, color=INK, linewidth=0.9, zorder=1)
        last.set(ylabel="point less law, N")
    last.set(xlabel="speed, m/s", xlim=(speeds[0], speeds[-1]))
    decades(last.xaxis)
    below(figure, axes, 6)
    return figure


def _points(ax: Any, points: Points, y: Reals, sd: Reals) -> None:
    for way, name, marker, size, colour in _WAYS:
        mine = (points.direction == way) & (points.inside > 0)
        error = np.where(np.isfinite(sd[mine]), SURE * sd[mine], 0.0)
        ax.errorbar(
            points.speed_m_s[mine], y[mine], yerror_or_none(error), fmt=marker, markersize=size, color=colour,
            markerfacecolor="white" if way < 0 else colour, elinewidth=0.8, capsize=1.5, label=name,
        )  # fmt: skip
    out = points.inside == 0
    if np.any(out):
        ax.plot(points.speed_m_s[out], y[out], "x", color="#b3261e", markersize=7, markeredgewidth=1.8,
                label="rejected")  # fmt: skip


def yerror_or_none(error: Reals) -> Reals | None:
    """Bars, where there is anything to show."""
    return error if np.any(error > 0) else None


def _band(fit: SlidingFit, law: Friction, speeds: Reals) -> Reals | None:
    """Half the width of the curve's 95 % interval, from the parameters' covariance; None where it is missing."""
    table = _given(fit.table)
    if len(fit.knowledge) != 1 or table.get("model") != law.model:
        return None
    names, covariance = fit.knowledge[0].names, np.array(fit.knowledge[0].covariance, float)
    if not np.all(np.isfinite(covariance)):
        return None
    here, slopes = law.curve(speeds), []
    for name, variance in zip(names, np.diag(covariance), strict=True):
        step = 0.1 * float(np.sqrt(max(variance, 0.0)))
        if not isinstance(table.get(name), float) or step == 0:  # the offset is no part of the law
            slopes.append(np.zeros(len(speeds)))
            continue
        try:
            moved = check_friction({**table, name: table[name] + step})
        except BadValues:
            return None
        slopes.append((moved.curve(speeds) - here) / step)
    slope = np.array(slopes)
    variances = np.einsum("is,ij,js->s", slope, covariance, slope)
    return np.asarray(SURE * np.sqrt(np.maximum(variances, 0.0)))
