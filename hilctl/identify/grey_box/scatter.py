"""How far estimates scatter when what the model leaves over is not white, and bend when it goes with the input.

With J the derivatives and S the residuals' spectrum, the least squares scatter by

    (J'J)^-1 J'SJ (J'J)^-1          J'SJ = sum over frequencies of J(f)* S(f) J(f), of every record and output

where white noise, S = s², leaves s² (J'J)^-1. A line adds the mean over its phases. How well S is known decides how far
Student's distribution reaches beyond the normal one: each variance counts as of so many squares as would be known as
well (Satterthwaite).

*What follows the input* is structure that the model lacks. It shows in part, r: what the input, now and a little
before, says of the residuals, of every record as soon as one does not look like chance. The rest has gone into the
parameters, unseen. It is taken to be no larger than what shows, and to have gone into one of them alone: such a one is
off by |r| sqrt((J'J)^-1), which is far more than what usually happens, but happens.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hilctl.identify.frequency.judge_model import LAGS, independence
from hilctl.identify.grey_box.colour import Colour, colour_of
from hilctl.identify.grey_box.problem import Block, Problem
from hilctl.identify.grey_box.search import Found
from hilctl.identify.triangle import stacked, triangle_of
from hilctl.params import BadValues
from hilctl.results.response import Reals

FOLLOWS = 0.9999  # how sure it must be that residuals follow the input


class Followed(NamedTuple):
    """Of one output of one record."""

    worst: float  # correlation over its standard error; 0 where that may be chance
    squares: float  # of what goes with the input, weighed


def followed(problem: Problem, blocks: list[Block]) -> tuple[Followed, ...]:
    """Output by output of each record, as `Problem.blocks` has them."""
    driven = [problem.model.driven(record) for record in problem.records for _ in record.outputs]
    return tuple(_followed(block, input_) for block, input_ in zip(blocks, driven, strict=True))


def _followed(block: Block, driven: Reals) -> Followed:
    try:
        seen = independence(block.misses, driven, level=FOLLOWS)
    except BadValues:
        return Followed(0.0, 0.0)  # too short to tell, or nothing is left
    before = np.stack([np.concatenate([np.zeros(k), driven[: len(driven) - k]]) for k in range(LAGS + 1)], axis=1)
    before -= before.mean(0)
    left, size, _ = np.linalg.svd(before - block.taken @ (block.taken.T @ before), full_matrices=False)
    part = left[:, size > 1e-6 * size[0]].T @ block.misses
    return Followed(0.0 if seen.independent else seen.worst, float(part @ part))


SILENT = 1e-9  # of the noise that was assumed: what is left is rounding, and has no colour
FEWEST = 4.0  # squares that a variance counts as at least: below, that theory is none


class Scatter(NamedTuple):
    """Of the free parameters, in order; zero for those at a bound."""

    white: Reals  # covariance, were the residuals white
    covariance: Reals  # as they are
    widths: Reals  # standard deviation over the white one; of those at a bound as well
    freedom: Reals  # how many squares the variance counts as
    variance: float  # of a residual, in units of the noise it was weighed with
    spreads: Reals  # standard deviations, of those at a bound as if they were free; 0 where nothing is left over
    followed: tuple[Followed, ...] = ()  # output by output of each record

    @property
    def bend(self) -> float:
        """The root of the squares of the residuals that follow the input: they may bias the parameters, too."""
        follows = any(one.worst for one in self.followed)
        return float(np.sqrt(sum(one.squares for one in self.followed))) if follows else 0.0

    def bent(self, at: int) -> float:
        """How far that moves a parameter, if it is all in this one."""
        return self.bend * float(np.sqrt(self.white[at, at] / self.variance)) if self.bend else 0.0


class _Part(NamedTuple):
    """One output of one record."""

    lines: Reals  # its derivatives' spectrum, complex, [frequency, parameter], rows as they count in a sum of squares
    colour: Colour
    spectrum: Reals  # of the residuals, but for their sines
    sines: Reals  # what these do: rows as those of `lines`, weighed
    size: int  # of the transform

    def weighed(self) -> Reals:
        """The derivatives' spectrum times the root of the residuals', as real rows."""
        rows = self.lines * np.sqrt(self.spectrum)[:, None]
        return np.concatenate([rows.real, rows.imag, self.sines.real, self.sines.imag])


def scatter(problem: Problem, found: Found) -> Scatter:
    """Where the search has ended."""
    count = len(problem.parameters.free)
    freedom = max(problem.equations - count, 1)
    variance = found.squares / freedom
    inside = [i for i, at in enumerate(found.at_bound) if not at]
    root = inverse_root(found.triangle[:, inside])
    at = np.ix_(inside, inside)
    white, covariance = np.zeros((2, count, count))
    widths, counts, spreads = np.ones(count), np.full(count, float(freedom)), np.zeros(count)
    white[at] = covariance[at] = variance * root @ root.T
    bending: tuple[Followed, ...] = ()
    if variance > SILENT**2:
        blocks = problem.blocks(found.x)
        bending = followed(problem, blocks)
        parts = [_part(block, inside, root) for block in blocks]
        coloured = stacked([triangle_of(rows, np.zeros(len(rows))) for rows in (one.weighed() for one in parts)])
        reach = _reach(coloured[:, inside], root)
        covariance[at] = reach.T @ reach
        for i in range(count):
            columns = inside if i in inside else sorted([*inside, i])
            own = root if i in inside else inverse_root(found.triangle[:, columns])
            here = columns.index(i)
            plain = variance * float(own[here] @ own[here])
            if plain > 0.0:
                spreads[i] = np.linalg.norm(_reach(coloured[:, columns], own)[:, here])
                widths[i] = spreads[i] / np.sqrt(plain)
                counts[i] = min(max(_counted(parts, columns, own @ own[here]), FEWEST), freedom)
    return Scatter(white, covariance, widths, counts, variance, spreads, bending)


def inverse_root(jacobian: Reals) -> Reals:
    """W with W W' = (J'J)^-1; columns scaled first."""
    lengths = np.linalg.norm(jacobian, axis=0)
    lengths[lengths == 0] = 1.0
    return np.asarray(np.linalg.pinv(jacobian / lengths, rcond=1e-14) / lengths[:, None])


def _reach(coloured: Reals, root: Reals) -> Reals:
    """X with X'X the covariance."""
    return np.asarray((coloured @ root) @ root.T)


def _part(block: Block, inside: Sequence[int], root: Reals) -> _Part:
    from scipy.fft import next_fast_len

    taken = np.concatenate([block.slopes[:, inside] @ root, block.taken], axis=1)
    colour, count = colour_of(block.misses, taken), len(block.misses)
    size = int(next_fast_len(2 * count, real=True))
    shares = np.full(size // 2 + 1, 2.0 / size)
    shares[0] = 1.0 / size
    shares[-1] /= 2.0 - size % 2
    lines = np.fft.rfft(block.slopes, size, axis=0) * np.sqrt(shares)[:, None]
    spectrum = colour.variance * np.abs(colour.transfer(size)) ** 2
    t = np.arange(count)
    sines = [np.sqrt(one.power) * (np.exp(-1j * one.turn * t) @ block.slopes) for one in colour.sines]
    return _Part(lines, colour, spectrum, np.array(sines, complex).reshape(-1, lines.shape[1]), size)


def _counted(parts: Sequence[_Part], columns: Sequence[int], way: Reals) -> float:
    """How many squares a variance counts as; `way`: from the residuals' products with J to the parameter."""
    total, doubt = 0.0, 0.0
    for one in parts:
        power = np.abs(one.lines[:, columns] @ way) ** 2 * one.spectrum
        own = float(np.sum(power))
        total += own + float(np.sum(np.abs(one.sines[:, columns] @ way) ** 2))
        doubt += 2 / one.colour.samples * own**2
        if one.colour.order:
            slope = _by_coefficients(power, one.colour, one.size)
            doubt += float(slope @ one.colour.doubt() @ slope)
    return 2 * total**2 / doubt if doubt > 0.0 else np.inf


def _by_coefficients(power: Reals, colour: Colour, size: int) -> Reals:
    """The derivatives of the sum of powers, each of which goes as 1/|a|²."""
    turned = np.conj(power * colour.transfer(size))
    turned[0] *= 2
    turned[-1] *= 2 - size % 2
    return np.asarray(-size * np.fft.irfft(turned, size)[1 : colour.order + 1])
