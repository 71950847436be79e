"""What the grey box asks of a record and of a model, and the linear servo as a model.

A model maps parameters and a record's inputs to outputs, with exact derivatives. Parameters that a problem does not
mention have the model's own values. How an input goes between two samples, and where the machine was at the first one,
are part of the model: a record whose input went straight between samples fits well with steps as well, and with wrong
parameters.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from hilctl.errors import HilctlError
from hilctl.params import BadValues, Problem, leaves, nearest
from hilctl.results.response import Reals
from hilctl.servo import KNOWN, Hold, Servo, State, paper_servo, sensitivities, simulate

Begin = Literal["rest", "free"]
BEGINS: tuple[Begin, ...] = ("rest", "free")


class Record(NamedTuple):
    """Evenly spaced samples."""

    inputs: Mapping[str, Reals]
    outputs: Mapping[str, Reals]
    dt_s: float
    hold: Hold = Hold.first
    begin: Begin = "rest"  # all states zero; or states to be found
    offset: bool = False  # of each output, to be found
    name: str = "record"

    @property
    def samples(self) -> int:
        """How many."""
        return len(next(iter(self.outputs.values())))

    def input(self, name: str) -> Reals:
        """An input as the simulation takes it."""
        return np.asarray(self.inputs[name], float)

    def measured(self) -> Reals:
        """The outputs, [sample, output]."""
        return np.stack([np.asarray(each, float) for each in self.outputs.values()], axis=1)


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


class CannotBe(HilctlError):
    """No machine has these parameters, for example because it would be unstable: the search goes elsewhere."""


class Model(Protocol):
    """Parameters and inputs in, outputs and their derivatives out."""

    names: tuple[str, ...]
    units: Mapping[str, str]
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    states: int  # that an unknown start may have

    def known(self, name: str) -> bool:
        """Whether the model has a value of its own for this parameter."""

    def limits(self, name: str) -> tuple[float, float]:
        """Between which a parameter makes sense at all."""

    def simulate(self, values: Mapping[str, float], record: Record, initial: Any = None) -> Reals:
        """The record's outputs, [sample, output]. CannotBe where there is no such machine. `initial`: more of each
        state at the first sample than the model takes of itself."""

    def sensitivities(
        self, values: Mapping[str, float], free: Sequence[str], record: Record, initial: Any = None
    ) -> tuple[Reals, Reals]:
        """The same, and the derivatives, [sample, output, parameter]."""

    def ways(self, values: Mapping[str, float], record: Record) -> Reals:
        """What one more of each state at the first sample does to the outputs, [sample, output, state]."""

    def driven(self, record: Record) -> Reals:
        """The first input, at the outputs' samples."""


class ServoModel:
    """The linear servo in nine states. What it does not identify comes from `known`, by default the paper's."""

    names: tuple[str, ...] = Servo.__struct_fields__
    units: Mapping[str, str]
    outputs: tuple[str, ...] = tuple(state.name for state in State)
    inputs: tuple[str, ...] = ("ui", "Fd")
    states: int = len(State)

    def __init__(self, known: Mapping[str, float] = KNOWN) -> None:
        for name in known:
            if name not in self.names:
                raise BadValues([Problem(name, known[name], "no such parameter", nearest(name, self.names))])
        self._known = dict(known)
        told = {leaf.path: leaf for leaf in leaves(Servo)}
        self.units = {name: told[name].unit for name in self.names}
        self._limits = {name: (float(told[name].low), float(told[name].high)) for name in self.names}

    def known(self, name: str) -> bool:
        """Whether it was given."""
        return name in self._known

    def limits(self, name: str) -> tuple[float, float]:
        """As `hilctl.servo.Servo` declares them."""
        return self._limits[name]

    def servo(self, values: Mapping[str, float]) -> Servo:
        """With these parameters. CannotBe where it would be unstable."""
        try:
            return paper_servo({}, **{**self._known, **values})
        except BadValues as error:
            raise CannotBe(str(error)) from error

    def simulate(self, values: Mapping[str, float], record: Record, initial: Any = None) -> Reals:
        """Exactly, as the record's input is held."""
        return simulate(self.servo(values), **self._given(record), initial=initial)

    def sensitivities(
        self, values: Mapping[str, float], free: Sequence[str], record: Record, initial: Any = None
    ) -> tuple[Reals, Reals]:
        """Exactly."""
        return sensitivities(self.servo(values), free, **self._given(record), initial=initial)

    def ways(self, values: Mapping[str, float], record: Record) -> Reals:
        """By simulation from each, without input."""
        silent = record._replace(inputs={name: np.zeros(record.samples) for name in record.inputs}, begin="rest")
        return np.stack([self.simulate(values, silent, state) for state in np.eye(self.states)], axis=2)

    def driven(self, record: Record) -> Reals:
        """The reference."""
        return record.input("ui")

    def _given(self, record: Record) -> dict[str, Any]:
        outputs = [State[name] for name in record.outputs]
        given = {"ui": record.input("ui"), "dt_s": record.dt_s, "outputs": outputs, "hold": record.hold}
        return given | ({"Fd": record.input("Fd")} if "Fd" in record.inputs else {})
