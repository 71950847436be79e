"""Residuals and their derivatives, exact, for records, a model, and the parameters that are free.

What is measured is offset, and may begin in motion. Both enter the outputs linearly, so they are not searched: for any
parameters the best ones are found by projection, and what is left counts (variable projection, in Kaufman's form).

The equations stand in one small triangle (`hilctl.identify.triangle`).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hilctl.identify.grey_box.model import CannotBe, Model, Record
from hilctl.identify.grey_box.parameters import Parameters
from hilctl.identify.triangle import stacked, triangle_of
from hilctl.results.response import Reals


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
