"""A record as the grey box takes it: inputs, measured outputs, and how the simulation has to agree with them.

How an input goes between two samples, and where the machine was at the first one, are part of the model. A record whose
input went straight between samples fits well with steps as well, and with wrong parameters.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.params import BadValues, Problem, nearest
from sim.servo import Hold

Reals = npt.NDArray[np.float64]

Begin = Literal["rest", "settled", "free"]
BEGINS: tuple[Begin, ...] = ("rest", "settled", "free")


class Record(NamedTuple):
    """Evenly spaced samples."""

    inputs: Mapping[str, Reals]
    outputs: Mapping[str, Reals]
    dt_s: float
    hold: Hold = Hold.first
    begin: Begin = "rest"  # all states zero; at rest under the first input, outputs offset; states to be found
    offset: bool = False  # of each output, to be found
    name: str = "record"

    @property
    def samples(self) -> int:
        """How many."""
        return len(next(iter(self.outputs.values())))

    def input(self, name: str) -> Reals:
        """An input as the simulation takes it."""
        given = np.asarray(self.inputs[name], float)
        return given - given[0] if self.begin == "settled" else given

    def measured(self) -> Reals:
        """The outputs, [sample, output]."""
        return np.stack([np.asarray(each, float) for each in self.outputs.values()], axis=1)

    @property
    def shifted(self) -> bool:
        """Whether an offset of each output is to be found."""
        return self.offset or self.begin == "settled"

    def only(self, *outputs: str) -> "Record":
        """With these outputs alone."""
        return self._replace(outputs={name: self.outputs[name] for name in outputs})


def check_record(record: Record, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> None:
    """BadValues where a record does not belong to a model with these inputs and outputs."""
    problems = [
        Problem(f"{record.name}.{name}", "", "is not of this model", nearest(name, known))
        for given, known in ((record.inputs, inputs), (record.outputs, outputs))
        for name in given if name not in known
    ]  # fmt: skip
    if not record.outputs:
        problems.append(Problem(f"{record.name}.outputs", {}, "must hold at least one"))
    if inputs[0] not in record.inputs:
        problems.append(Problem(f"{record.name}.{inputs[0]}", "", "is missing: it drives the model"))
    if record.begin not in BEGINS:
        problems.append(Problem(f"{record.name}.begin", record.begin, f"must be one of {', '.join(BEGINS)}"))
    if not (np.isfinite(record.dt_s) and record.dt_s > 0):
        problems.append(Problem(f"{record.name}.dt_s", record.dt_s, "must be a period in s, above 0"))
    if problems:
        raise BadValues(problems)
