"""What a study asks of each kind of rig: which channels it compares, what else it drives, which grey box it fits."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hilctl.experiment.facts import Facts
from hilctl.identify.dynamics.study import Grey
from hilctl.identify.frequency.plan import Asked, Excitation, Leg
from hilctl.identify.frequency.record import Experiment, Pair
from hilctl.identify.grey_box.parameters import Choice
from hilctl.results.response import Reals

if TYPE_CHECKING:
    from hilctl.client import Client


class Modelled(NamedTuple):
    """An output of a record, measured and modelled, and the input."""

    output: str
    driven: Reals
    measured: Reals
    modelled: Reals


class Plant(Protocol):
    """A kind of rig."""

    name: str
    loop: Pair
    excitations: tuple[Excitation, ...]  # driven by default

    def legs(self, rig: "Client", facts: Facts) -> Sequence[Leg]:
        """The motions of the excitation `plant`."""

    def choices(self, facts: Facts, asked: Asked) -> Mapping[str, Choice]:
        """Which parameters of the grey box are searched; BadValues if a requested parameter is unknown."""

    def grey(self, experiments: Sequence[Experiment], facts: Facts, asked: Asked) -> Grey:
        """The grey box fitted to these records; `refused` says why there is no fit."""

    def modelled(self, grey: Grey, experiment: Experiment, facts: Facts) -> tuple[Modelled, ...]:
        """The grey box on a record that it was not fitted to; empty if the record lacks channels."""


def pairs_of(plant: Plant, asked: Asked) -> tuple[Pair, ...]:
    """The responses to estimate: the loop's, or the one that is asked for; and the load pressure's, if requested."""
    if asked.input or asked.output:
        return (Pair(asked.input or plant.loop.input, asked.output or plant.loop.output),)
    return (plant.loop, Pair("u_applied", "load_pressure_pa")) if asked.load_pressure else (plant.loop,)
