"""What a study's runs say together: how many stay within the limits, what breaks them, which runs to look at.

How far a quantity decides an outcome is said by ranks, which ask for no straight line: Spearman's correlation, and the
share of the outcome's rank variance that lies between classes of the quantity (eta², less what chance gives).
"""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm, rankdata

from hilctl.results.runs import Influence, RunMotion, Spread, StudiedRuns, TripCount, VariedQuantity, Worst
from hilctl.study.folder import Folder
from hilctl.study.one import DONE, IMPOSSIBLE, OUTCOMES, REFUSED, TRIPPED
from hilctl.study.outcomes import OF_MOTION, OF_REST
from hilctl.study.plan import Plan
from hilctl.study.spread import measured
from hilctl.study.vary import Varied
from hilctl.study.work import BOTH, ended, outcome_columns

Reals = npt.NDArray[np.float64]

TRIP = "tripped"  # the outcome 1 or 0, beside the numbers
_CLASSES = 8  # of a range
_FEWEST = 20  # runs that a correlation means something of
_CHANCE = 0.01
_WORST = 5
_UNITS = {"_m": "m", "_m_s": "m/s", "_hz": "Hz", "_percent": "%"}
_MEANINGS = {**OF_MOTION, **OF_REST}
# What is judged, in this order, where the study has it.
_JUDGED = ("error_rms_m", "error_peak_m", "acceleration_error_percent", "distortion_percent", "saturated_share",
           "rest_speed_m_s")  # fmt: skip


def judged(folder: Folder, table: str, wall_s: float) -> StudiedRuns:
    """The summary of a study whose chunks are all finished."""
    study, chunks = folder.plan, folder.finished()
    rows = [row for chunk in chunks for row in chunk.rows]
    how = [ended(row, outcome_columns(study)) for row in rows]
    counts = Counter(how)
    with_result, within = counts[DONE] + counts[TRIPPED], counts[DONE]
    low, high = interval(within, with_result)
    simulated_s, spent_s = measured(chunks)
    spreads = [spread for column in outcomes_of(study) if (spread := _spread(column, rows)) is not None]
    return StudiedRuns(
        rig=study.rig, folder=str(folder.path), table=table, runs=study.runs,
        failed=counts[REFUSED] + counts[IMPOSSIBLE], outcomes={name: counts[name] for name in OUTCOMES},
        within_share=within / with_result if with_result else None, within_low=low, within_high=high,
        varied=[VariedQuantity(one.key, one.unit, one.text, str(one.nominal)) for one in study.varied],
        motions=[RunMotion(one.name, one.kind, one.text) for one in study.motions],
        compensation=compensation(study), design=study.design, seed=study.seed, trips=_trips(study, rows),
        spreads=spreads, influences=list(influences(study, rows, how)), worst=list(_worst(study, rows, how, spreads)),
        reasons=dict(Counter(_reason(study, row) for row, one in zip(rows, how, strict=True)
                             if one in (REFUSED, IMPOSSIBLE)).most_common(10)),
        workers=len({chunk.worker for chunk in chunks}),
        real_time_per_core=simulated_s / spent_s if spent_s else 0.0, simulated_s=simulated_s, wall_seconds=wall_s,
        program=study.program,
    )  # fmt: skip


def compensation(study: Plan) -> str:
    """In a word or two."""
    return "as set" if not study.compensation else "both" if len(study.compensation) > 1 else study.compensation[0]


def halves(study: Plan) -> list[str]:
    """What the columns of outcomes begin with."""
    return [f"{half}." for half in BOTH] if len(study.compensation) > 1 else [""]


def outcomes_of(study: Plan) -> list[str]:
    """Columns of numbers that are judged."""
    found = [f"{half}{motion.name}.{name}" for half in halves(study) for motion in study.motions for name in OF_MOTION]
    found += [f"{half}{name}" for half in halves(study) for name in OF_REST]
    if len(study.compensation) > 1:
        found += [f"gain.{motion.name}.{name}" for motion in study.motions for name in OF_MOTION if name in
                  ("error_rms_m", "acceleration_error_percent", "distortion_percent")]  # fmt: skip
    return found


def interval(count: int, of: int) -> tuple[float | None, float | None]:
    """Of a share, 95 %, after Wilson: it holds near 0 and 1 too."""
    if not of:
        return None, None
    z, share = float(norm.ppf(0.975)), count / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return (middle - half if count else 0.0), (middle + half if count < of else 1.0)


def unit_of(column: str) -> str:
    """Of an outcome."""
    if column.startswith("gain."):
        return ""
    return next((unit for end, unit in sorted(_UNITS.items(), key=lambda u: -len(u[0])) if column.endswith(end)), "")


def meaning_of(column: str) -> str:
    """Of an outcome, in words."""
    said = _MEANINGS.get(column.rpartition(".")[2], column)
    return f"how many times less with compensation: {said}" if column.startswith("gain.") else said


def numbers(rows: list[dict[str, Any]], column: str) -> Reals:
    """A column; nan where a run has none."""
    return np.array([row[column] for row in rows], np.float64)


def _spread(column: str, rows: list[dict[str, Any]]) -> Spread | None:
    values = numbers(rows, column)
    there = np.flatnonzero(np.isfinite(values))
    if not len(there):
        return None
    low, median, high = (float(x) for x in np.quantile(values[there], (0.05, 0.5, 0.95)))
    most = int(there[np.argmax(values[there])])
    return Spread(column, unit_of(column), meaning_of(column), len(there), low, median, high, float(values[most]),
                  int(rows[most]["run"]))  # fmt: skip


def _trips(study: Plan, rows: list[dict[str, Any]]) -> list[TripCount]:
    found: dict[tuple[str, str, str], list[tuple[float, int]]] = {}
    for half in halves(study):
        for row in rows:
            if row[f"{half}trip"]:
                key = (row[f"{half}trip"], row[f"{half}trip_key"], half.rstrip("."))
                found.setdefault(key, []).append((float(row[f"{half}trip_s"]), int(row["run"])))
    made = [TripCount(trip, key, len(ends), min(ends)[0], min(ends)[1], half)
            for (trip, key, half), ends in found.items()]  # fmt: skip
    return sorted(made, key=lambda one: (-one.runs, one.trip, one.half))


def influences(study: Plan, rows: list[dict[str, Any]], how: list[str]) -> Iterator[Influence]:
    """Of every quantity on every outcome that differs between runs: the strongest first."""
    valid = [row for row, one in zip(rows, how, strict=True) if one in (DONE, TRIPPED)]
    tripped = np.array([float(one == TRIPPED) for one in how if one in (DONE, TRIPPED)])
    columns = [(TRIP, tripped)]
    for half in halves(study):
        columns += [(column, numbers(valid, column)) for column in outcomes_of(study)
                    if column.startswith(half) and not column.startswith("gain.")
                    and column.rpartition(".")[2] in _JUDGED]  # fmt: skip
    columns += [(column, numbers(valid, column)) for column in outcomes_of(study) if column.startswith("gain.")]
    for column, values in columns:
        found = [_influence(one, column, valid, values, len(study.varied)) for one in study.varied]
        yield from sorted((one for one in found if one is not None), key=lambda one: -one.share)


def _influence(varied: Varied, column: str, rows: list[dict[str, Any]], values: Reals, tests: int) -> Influence | None:
    there = np.isfinite(values)
    if there.sum() < _FEWEST or np.ptp(values[there]) == 0.0:
        return None
    ranks = rankdata(values[there])
    given = [row[varied.key] for row, is_there in zip(rows, there, strict=True) if is_there]
    count = len(given)
    correlation: float | None = None
    if varied.kind in ("float", "int"):
        x = rankdata(np.array(given, np.float64))
        if np.ptp(x) == 0.0:
            return None
        correlation = float(np.corrcoef(x, ranks)[0, 1])
        classes = np.minimum((_CLASSES * (x - 0.5) / count).astype(int), _CLASSES - 1)
    else:
        classes = np.unique([str(one) for one in given], return_inverse=True)[1]
    share = _between(ranks, classes)
    limit = float(norm.ppf(1 - _CHANCE / (2 * tests))) / math.sqrt(count - 1)
    by_share = share > 2 * float(norm.ppf(1 - _CHANCE / tests)) * math.sqrt(_CLASSES) / count
    certain = by_share if correlation is None else abs(correlation) > limit or by_share
    return Influence(varied.key, column, correlation, max(share, 0.0), bool(certain))


def _between(ranks: Reals, classes: Any) -> float:
    """Share of the variance between classes, less what chance puts there (epsilon²)."""
    names, count = np.unique(classes), len(ranks)
    total = float(np.sum((ranks - np.mean(ranks)) ** 2))
    between = sum(float(np.sum(classes == c) * (np.mean(ranks[classes == c]) - np.mean(ranks)) ** 2) for c in names)
    free = count - len(names)
    if total <= 0 or free <= 0:
        return 0.0
    return (between - (len(names) - 1) * (total - between) / free) / total


def _worst(study: Plan, rows: list[dict[str, Any]], how: list[str], spreads: list[Spread]) -> Iterator[Worst]:
    """The earliest trips, then the greatest of each outcome that is judged."""
    seen: set[int] = set()

    def said(row: dict[str, Any], why: str) -> Iterator[Worst]:
        if row["run"] not in seen:
            seen.add(row["run"])
            yield Worst(int(row["run"]), why, {one.key: row[one.key] for one in study.varied})

    for half in halves(study):
        trips = sorted((row for row in rows if row[f"{half}trip"]), key=lambda row: (row[f"{half}trip_s"], row["run"]))
        for row in trips[:_WORST]:
            where = f" {half.rstrip('.')} compensation" if half else ""
            yield from said(row, f"{row[f'{half}trip']} after {row[f'{half}trip_s']:.3g} s{where}: "
                                 f"{row[f'{half}trip_key']}")  # fmt: skip
    by_run = {int(row["run"]): row for row in rows}
    for spread in spreads:
        if (spread.column.rpartition(".")[2] in _JUDGED and spread.most != spread.low
                and not spread.column.startswith("gain.")):  # fmt: skip
            yield from said(by_run[spread.most_run or 0],
                            f"greatest {spread.column}, {spread.most:.4g} {spread.unit}".rstrip())  # fmt: skip


def _reason(study: Plan, row: dict[str, Any]) -> str:
    for half in halves(study):
        if row[f"{half}outcome"] in (REFUSED, IMPOSSIBLE):
            return str(row[f"{half}why"])
    return ""
