"""The best machine for the flow's equation: bounded least squares on scaled parameters, and how sure it is.

Five words enter linearly; the slopes of the others are differences of the flow alone. What is known beforehand about
the sensors enters as a few more residuals, and is left out where it is judged what the data tell.

Sensors and model err in ways that more samples do not average out. So the intervals also hold what the sensors' scales
would do to the words, as far as they may be off; what an error of COHERENT at the hydraulic mode, growing with the
frequency, in or out of phase, of the motion or of the pressures would do; what the misses of neighbouring lines do that
hang together; and what an error of the edges' rounding and of the threshold would do, as far as the search leaves them
off.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hilctl.experiment.scales import scale_sd
from hilctl.identify.plant.estimate_threshold import find_threshold
from hilctl.identify.plant.model_flow import CURVED, LINEAR, Lines, declared_overlaps, flow_lines, flow_slopes
from hilctl.identify.plant.model_signals import Reals
from hilctl.identify.triangle import Memory, triangle_of

WORDS = LINEAR + CURVED
_STEP = 1e-5  # of a scaled word, for differences
_JUMPY = {"threshold": 0.1}  # likewise, where the flow changes by jumps
COHERENT = 0.003  # what transducers' filters do near the mode
_STEP_OF_SCALE = 1e-3  # for differences
_AWAY = ("tau", "delay", "dead_band", "play", "threshold")  # taken to be none, where the search is tried again
NEIGHBOURS = 100  # lines whose misses may hang together
# How far off these are, as the search leaves them: standard deviations, on twins, 2026-11.
_ROUGH = {"rounding": 4e-4, "threshold": 2e-4}
# What a slow sine alone does not show counts as declared, give or take this share, or this much: a fifth either way,
# and for the leakage a half; a threshold of none to 0.1 %.
_DECLARED = {"compliance": 0.12, "Ctc": 0.3, "wv": 0.12, "zv": 0.12}
_ASSUMED = {"tau": 0.5e-3, "droop": 0.5, "delay": 0.5e-3, "rounding": 5e-4, "threshold": 3e-4}
RANK = 1e-6  # of the greatest singular value of the scaled slopes: below, the data do not tell at all


class Word(NamedTuple):
    """One parameter of the fit, in its own unit."""

    start: float
    low: float
    high: float
    scale: float
    prior: float = 0.0  # what is known of it beforehand, and how well; 0: nothing
    prior_sd: float = 0.0
    off: float = 0.0  # it counts as it starts, off by so much, as a standard deviation; 0: it is searched for


class Fitted(NamedTuple):
    """The best, how sure, and what it explains."""

    value: dict[str, float]
    sd: dict[str, float]
    at_bound: dict[str, int]
    covariance: Reals
    scatter: float  # of a line in units of what was expected of it
    singular_values: tuple[float, ...]
    weakest: dict[str, float]  # the combination that is known least, in units of the scale
    explained: tuple[float, ...]  # each record's, in %: 100 (1 - |miss| / |flow|)

    def wider(self, factor: float) -> "Fitted":
        """With wider intervals: readings that were lost and bridged tell nothing of their own."""
        return self._replace(sd={name: factor * sd for name, sd in self.sd.items()},
                             covariance=factor**2 * self.covariance)  # fmt: skip


def words_of(facts: Mapping[str, Any], slow: bool = False) -> dict[str, Word]:
    """Where the search begins and ends, from what the rig file believes; `slow`: for a slow sine alone."""
    Qn, beta, wv, zv, Ps = (float(facts[f"machine.{key}"]) for key in ("Qn", "beta", "wv", "zv", "Ps"))
    leak = 0.02 * Qn / Ps
    overlap = 0.5 * sum(declared_overlaps(facts))
    play = 0.5 * float(facts["machine.hysteresis"])
    words = {
        "Qn": Word(Qn, 0.2 * Qn, 5 * Qn, Qn),
        "compliance": Word(1 / beta, 0.2 / beta, 5 / beta, 1 / beta),
        "Ctc": Word(max(float(facts["machine.Ctc"]), 0.1 * leak), 0.0, 100 * leak, leak),
        "tau": Word(0.0, -5e-3, 5e-3, 1e-3, 0.0, 0.5e-3),
        "droop": Word(0.5, -2.0, 3.0, 1.0, 0.5, 0.5),
        "null": Word(0.0, -0.2, 0.2, 0.01),
        "delay": Word(0.0, -1e-3, 10e-3, 1e-3),
        "wv": Word(wv, 0.2 * wv, 5 * wv, wv),
        "zv": Word(zv, 0.2 * zv, 5 * zv, zv),
        "bias": Word(0.0, -0.1 * Ps, 0.1 * Ps, 0.005 * Ps, 0.0, 0.01 * Ps),
        "dead_band": Word(max(overlap, 1e-3), 0.0, 0.2, 0.01),
        "play": Word(max(play, 2e-4), 0.0, 0.05, 0.001),
        "rounding": Word(5e-4, 0.0, 0.05, 1e-3, 0.0, 1e-3),
        "threshold": Word(2e-4, 0.0, 0.01, 1e-3, 0.0, 5e-4),
    }
    if slow:
        offs = _ASSUMED | {name: share * words[name].start for name, share in _DECLARED.items()}
        words |= {name: words[name]._replace(prior_sd=0.0, off=off) for name, off in offs.items()}
    return words


class _Problem:
    """Residuals and slopes by scaled words."""

    def __init__(self, records: Sequence[Lines], facts: Mapping[str, Any], words: Mapping[str, Word]) -> None:
        self.records, self.facts, self.words = records, facts, words
        self.scale = np.array([words[name].scale for name in WORDS])
        self.ahead = np.array([_JUMPY.get(name, _STEP) for name in CURVED])
        self.steps = {name: step * words[name].scale for name, step in zip(CURVED, self.ahead.tolist(), strict=True)}
        self.moved = [i for i, name in enumerate(WORDS) if not words[name].off]
        self.low, self.start, self.high = (
            np.array([getattr(words[name], end) for name in WORDS]) / self.scale for end in ("low", "start", "high")
        )
        self.known = [i for i, name in enumerate(WORDS) if words[name].prior_sd > 0]

    def curved(self, q: Reals) -> dict[str, float]:
        return {name: float(value) for name, value in zip(CURVED, (q * self.scale)[len(LINEAR) :], strict=True)}

    def misses(self, q: Reals) -> Reals:
        """Of every line, then of what is known beforehand."""
        p, out = q * self.scale, []
        for lines in self.records:
            miss = p[0] * flow_lines(lines, self.curved(q), self.facts) - lines.wanted - lines.columns @ p[1:5]
            out += [miss.real, miss.imag]
        return np.concatenate([*out, self.priors(q)])

    def around(self, here: Reals, held: Sequence[int]) -> Callable[[Reals], float]:
        """Half the sum of squares that is left at places near this one, once the words that are not held follow."""
        slopes = np.delete(self.slopes(here), held, axis=1)
        follow, _ = np.linalg.qr(slopes)

        def left(q: Reals) -> float:
            misses = self.misses(q)
            return 0.5 * (float(misses @ misses) - float(np.sum((follow.T @ misses) ** 2)))

        return left

    def priors(self, q: Reals) -> Reals:
        p, words = q * self.scale, [self.words[name] for name in WORDS]
        return np.array([(p[i] - words[i].prior) / words[i].prior_sd for i in self.known])

    def slopes(self, q: Reals) -> Reals:
        """The Jacobian of `misses`."""
        p, blocks = q * self.scale, []
        for lines in self.records:
            here, curved = flow_slopes(lines, self.curved(q), self.steps, self.facts)
            part = np.empty((len(here), len(WORDS)), complex)
            part[:, 0] = here * self.scale[0]
            part[:, 1:5] = -lines.columns * self.scale[1:5]
            part[:, 5:] = p[0] / self.ahead * curved
            blocks += [part.real, part.imag]
        tail = np.zeros((len(self.known), len(WORDS)))
        for row, i in enumerate(self.known):
            tail[row, i] = self.scale[i] / self.words[WORDS[i]].prior_sd
        return np.concatenate([*blocks, tail])

    def whole(self, moved: Reals) -> Reals:
        """All words, from those that the search moves."""
        q: Reals = self.start.copy()
        q[self.moved] = moved
        return q

    def triangle(self, moved: Reals) -> Reals:
        """What misses and slopes amount to, for the words that the search moves."""
        q = self.whole(moved)
        return triangle_of(self.slopes(q)[:, self.moved], self.misses(q))


def fit_flow(
    records: Sequence[Lines], facts: Mapping[str, Any], mode_rad_s: float, words: Mapping[str, Word] | None = None
) -> Fitted:
    """The best words for these records."""
    from scipy.optimize import least_squares

    words = words or words_of(facts)
    problem = _Problem(records, facts, words)
    moved, memory = problem.moved, Memory(problem.triangle)
    low, high = problem.low[moved], problem.high[moved]

    def search(begin: Reals) -> Any:
        begin = np.clip(begin, low + 1e-9, high - 1e-9)
        return least_squares(
            memory.residuals, begin, memory.slopes, bounds=(low, high), x_scale="jac", xtol=1e-6, ftol=1e-6
        )

    found = search(problem.start[moved])
    # An overlap, a play and a lag can stand in for one another during the search, and remain though none is there.
    again = np.where([WORDS[i] in _AWAY for i in moved], 0.0, found.x)
    found = min(found, search(again), key=lambda one: float(one.cost))
    threshold, play = WORDS.index("threshold"), WORDS.index("play")
    if not words["threshold"].off:
        found = find_threshold(
            found, search, partial(problem.around, held=(threshold, play)), (threshold, play),
            (problem.scale[threshold], problem.scale[play]), (words["threshold"].high, words["play"].high),
        )  # fmt: skip
    best = problem.whole(found.x)
    slopes, misses = problem.slopes(best), problem.misses(best)
    count = len(misses) - len(problem.known)
    scatter = float(np.sqrt(np.sum(misses[:count] ** 2) / max(count - len(WORDS), 1)))
    # A word at its bound is held there: it takes no part in what the others trade.
    at_bound = [0 if words[name].off else _at_bound(q, lo, hi)
                for name, q, lo, hi in zip(WORDS, best, problem.low, problem.high, strict=True)]  # fmt: skip
    off = [words[name].off or _ROUGH.get(name, 0.0) for name in WORDS]
    free = [i for i, at in enumerate(at_bound) if not at and not off[i]]
    alone = 1 / (np.linalg.norm(slopes, axis=0) + 1e-300)
    rough = np.array(off) / problem.scale
    covariance = np.diag(np.where(rough, rough, np.where(at_bound, alone * max(scatter, 1.0), 0.0)) ** 2)
    inverse = np.linalg.pinv(slopes[:, free].T @ slopes[:, free])
    errors = np.hstack([
        _coherent(problem, best, mode_rad_s), _scales(problem, best), (slopes * rough)[:count, rough > 0],
    ])  # fmt: skip
    shifts = inverse @ slopes[:count][:, free].T @ errors
    together = inverse @ _pulls(problem, misses, slopes[:, free])
    covariance[np.ix_(free, free)] = inverse * max(scatter, 1.0) ** 2 + shifts @ shifts.T + together @ together.T
    _, singular, right = np.linalg.svd(slopes[:count][:, free], full_matrices=False)
    weakest = {WORDS[i]: float(share) for i, share in zip(free, right[-1], strict=True) if abs(share) > 0.2}
    p = best * problem.scale
    sd = np.sqrt(np.diag(covariance)) * problem.scale
    return Fitted(
        value=dict(zip(WORDS, p.tolist(), strict=True)),
        sd=dict(zip(WORDS, sd.tolist(), strict=True)),
        at_bound=dict(zip(WORDS, at_bound, strict=True)),
        covariance=covariance * np.outer(problem.scale, problem.scale),
        scatter=scatter,
        singular_values=tuple(singular.tolist()),
        weakest=weakest,
        explained=tuple(_explained(lines, problem, best) for lines in records),
    )


def _coherent(problem: _Problem, q: Reals, mode_rad_s: float) -> Reals:
    """What each such error adds to the misses."""
    p, blocks = q * problem.scale, []
    for lines in problem.records:
        grows = COHERENT * lines.grid.w[lines.chosen] / mode_rad_s
        parts = np.stack([lines.wanted * grows, p[1] * lines.columns[:, 0] * grows], axis=1)
        parts = np.concatenate([parts, 1j * parts], axis=1)
        blocks += [parts.real, parts.imag]
    return np.concatenate(blocks)


def _scales(problem: _Problem, q: Reals) -> Reals:
    """What one standard deviation of each scale adds to the misses: displacement, both pressures, the supply's."""
    p, facts, blocks = q * problem.scale, problem.facts, []
    sds = [scale_sd(facts, name) for name in ("displacement", "pressure_a", "pressure_b", "supply_pressure")]
    for lines in problem.records:
        here = flow_lines(lines, problem.curved(q), facts)
        columns = [lines.wanted * sds[0]]
        for name, side, sd in (("pa", 0, sds[1]), ("pb", 1, sds[2]), ("supply", None, sds[3])):
            there = lines._replace(**{name: getattr(lines, name) * (1 + _STEP_OF_SCALE)})
            flow = p[0] * (flow_lines(there, problem.curved(q), facts) - here) / _STEP_OF_SCALE
            oil = 0.0 if side is None else lines.sides[side] @ p[1:3]
            columns.append((flow - oil) * sd)
        parts = np.stack(columns, axis=1)
        blocks += [parts.real, parts.imag]
    return np.concatenate(blocks)


def _pulls(problem: _Problem, misses: Reals, slopes: Reals) -> Reals:
    """How the misses of neighbouring lines together pull at the words; a column for each piece of a record."""
    pulls, at = [], 0
    for lines in problem.records:
        count = len(lines.chosen)
        parts = [(slopes[i : i + count] * misses[i : i + count, None]) for i in (at, at + count)]
        pulls += [piece.sum(axis=0) for piece in np.array_split(parts[0] + parts[1], max(1, count // NEIGHBOURS))]
        at += 2 * count
    return np.stack(pulls, axis=1)


def _at_bound(q: float, low: float, high: float) -> int:
    near = 1e-6 * (high - low)
    return -1 if q <= low + near else 1 if q >= high - near else 0


def _explained(lines: Lines, problem: _Problem, q: Reals) -> float:
    p = q * problem.scale
    flow = p[0] * flow_lines(lines, problem.curved(q), problem.facts)
    miss = (flow - lines.wanted - lines.columns @ p[1:5]) / lines.weight
    return 100 * (1 - float(np.linalg.norm(miss) / np.linalg.norm(flow / lines.weight)))
