"""Residuals and their derivatives, exact, for records, a model, and the parameters that are free.

What is measured is offset, and may begin in motion. Both enter the outputs linearly, so they are not searched: for any
parameters the best ones are found by projection, and what is left counts (variable projection, in Kaufman's form).

Many equations stand in one small triangle: R of [J r], by orthogonal steps, so that nothing of J's precision is lost.
R'R = [J r]'[J r]: its first n columns stand for J and its last for r in everything that least squares asks. J'J instead
would lose every direction below 1e-8 of the strongest. LAPACK's QR of as tall a matrix makes a whole evaluation 1.3 to
1.9 times as long (31 120 equations, nine columns; November 2026), so the steps are compiled here, block by block.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hilctl.identify.grey_box.model import CannotBe, Model, Record
from hilctl.identify.grey_box.parameters import Parameters
from hilctl.results.response import Reals
from hilctl.rt.jit import jit

_BLOCK = 128  # equations at a time: they stay in the nearest cache


def triangle_of(jacobian: Reals, residual: Reals) -> Reals:
    """The triangle of one set of equations, (n + 1, n + 1)."""
    count = jacobian.shape[1] + 1
    out = np.zeros((count, count))
    columns = np.empty((count, len(residual)))
    columns[:-1], columns[-1] = jacobian.T, residual
    _absorb(columns, out)
    return out


def stacked(triangles: list[Reals]) -> Reals:
    """The triangle of several sets."""
    out = triangles[0].copy()
    for one in triangles[1:]:
        _absorb(np.ascontiguousarray(one.T), out)
    return out


def _signature() -> str:
    return "void(float64[:, ::1], float64[:, ::1])"


@jit(_signature, cached=True)
def _absorb(columns: Any, out: Any) -> None:
    """Householder's steps, block by block; `columns` is used up, `out` the triangle that grows by them."""
    count, rows = columns.shape
    for begin in range(0, rows, _BLOCK):
        end = min(begin + _BLOCK, rows)
        for k in range(count):
            first, own = out[k, k], columns[k, begin:end]
            square = 0.0
            for i in range(own.size):
                square += own[i] * own[i]
            if square == 0.0:
                continue
            length = np.sqrt(first * first + square)
            if first > 0.0:
                length = -length
            lead = first - length  # of the mirror's normal; the rest of it is `own`
            factor = 2.0 / (lead * lead + square)
            out[k, k] = length
            for j in range(k + 1, count):
                other = columns[j, begin:end]
                total = lead * out[k, j]
                for i in range(own.size):
                    total += own[i] * other[i]
                total *= factor
                out[k, j] -= total * lead
                for i in range(own.size):
                    other[i] -= total * own[i]


class Block(NamedTuple):
    """One output of one record, weighed."""

    slopes: Reals  # [sample, parameter]
    misses: Reals
    taken: Reals  # [sample, direction], orthonormal over the record: what offset and start take


class Problem(NamedTuple):
    """What is fitted to what. `noise`: each output's standard deviation, which weighs it."""

    model: Model
    records: tuple[Record, ...]
    parameters: Parameters
    noise: Mapping[str, float]

    @property
    def equations(self) -> int:
        """How many samples of outputs count, less what offsets and starts take of them."""
        return sum(r.samples * len(r.outputs) - self._found(r) for r in self.records)

    def _found(self, record: Record) -> int:
        return len(record.outputs) * record.offset + self.model.states * (record.begin == "free")

    def triangle(self, x: Reals) -> Reals:
        """The residuals' triangle with derivatives by the free parameters. CannotBe where there is no such machine."""
        values, chain = self.parameters.values(x), self.parameters.chain(x)
        parts = []
        for record in self.records:
            for slopes, misses, _ in self._equations(record, values, chain):
                parts.append(triangle_of(slopes, misses))
        return stacked(parts)

    def blocks(self, x: Reals) -> list[Block]:
        """Output by output of each record."""
        values, chain = self.parameters.values(x), self.parameters.chain(x)
        out = []
        for record in self.records:
            ones = np.full((record.samples, int(record.offset)), record.samples**-0.5)
            for slopes, misses, basis in self._equations(record, values, chain):
                mixed = len(misses) // record.samples  # outputs that stand in one set
                each = [slice(at, None, mixed) for at in range(mixed)]
                out += [Block(slopes[at], misses[at], np.concatenate([basis[at], ones], axis=1)) for at in each]
        return out

    def misses(self, x: Reals) -> list[Reals]:
        """Model less measurement of each record, [sample, output], in SI units; offsets and starts taken out."""
        values = self.parameters.values(x)
        return [self._modelled(record, values) - record.measured() for record in self.records]

    def _modelled(self, record: Record, values: Mapping[str, float]) -> Reals:
        measured = record.measured()
        begin, _ = self._start(record, values)
        out = self.model.simulate(values, record, begin)
        return out - np.mean(out - measured, axis=0) if record.offset else out

    def _start(self, record: Record, values: Mapping[str, float]) -> tuple[Reals | None, Reals | None]:
        """The best states at the first sample, and what each does to the outputs; None where they are known."""
        if record.begin != "free":
            return None, None
        weight = np.array([1 / self.noise[name] for name in record.outputs])
        ways = self.model.ways(values, record)
        columns = (ways - ways.mean(0) * record.offset) * weight[:, None]
        wanted = (record.measured() - self.model.simulate(values, record)) * weight
        wanted = wanted - wanted.mean(0) * record.offset
        flat = columns.reshape(-1, self.model.states)
        lengths = np.linalg.norm(flat, axis=0)
        lengths[lengths == 0] = 1.0
        found, *_ = np.linalg.lstsq(flat / lengths, wanted.ravel(), rcond=1e-10)
        return found / lengths, columns / lengths

    def _equations(self, record: Record, values: Mapping[str, float], chain: Reals) -> Sequence[Block]:
        begin, ways = self._start(record, values)
        modelled, slopes = self.model.sensitivities(values, self.parameters.moving, record, begin)
        if not np.isfinite(modelled).all():
            raise CannotBe("the simulation leaves every bound")
        misses = modelled - record.measured()
        if len(self.parameters.tied):
            slopes = slopes @ chain
        if record.offset:
            misses, slopes = misses - misses.mean(0), slopes - slopes.mean(0)
        weight = [1 / self.noise[name] for name in record.outputs]
        if ways is not None:  # what a start could do as well does not count
            misses, slopes = misses * weight, slopes * np.array(weight)[:, None]
            basis = _basis(ways.reshape(-1, self.model.states))
            flat, leaning = misses.ravel(), slopes.reshape(-1, slopes.shape[2])
            return [Block(leaning - basis @ (basis.T @ leaning), flat - basis @ (basis.T @ flat), basis)]
        none = np.zeros((record.samples, 0))
        return [Block(slopes[:, i] * weight[i], misses[:, i] * weight[i], none) for i in range(len(weight))]


def _basis(columns: Reals) -> Reals:
    """An orthonormal one of what the columns span."""
    left, size, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(left[:, size > 1e-10 * size[0]])
