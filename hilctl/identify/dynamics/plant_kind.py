"""What a study asks of each kind of rig: which channels it compares, what else it drives, which grey box it fits."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hilctl.identify.campaign.facts import Facts
from hilctl.identify.dynamics.experiment.asked import Asked, Excitation
from hilctl.identify.dynamics.experiment.planning import Leg
from hilctl.identify.dynamics.grey import Choice
from hilctl.identify.dynamics.study import Experiment, Grey, Pair

if TYPE_CHECKING:
    from hilctl.client import Client

Reals = npt.NDArray[np.float64]


class Modelled(NamedTuple):
    """What a grey box makes of a record: an output, measured and modelled, and what drove it."""

    output: str
    driven: Reals
    measured: Reals
    modelled: Reals


class Plant(Protocol):
    """A kind of rig."""

    name: str
    excitations: tuple[Excitation, ...]  # that are driven where none is asked for

    def pairs(self, asked: Asked) -> tuple[Pair, ...]:
        """The responses that are looked at; transfer functions are fitted to each."""

    def settings(self, facts: Facts) -> Mapping[str, Mapping[str, Any]]:
        """Laid over those of each excitation, by its kind."""

    def legs(self, rig: "Client", facts: Facts) -> Sequence[Leg]:
        """Motions of its own: what `plant` among the excitations drives."""

    def choices(self, facts: Facts, asked: Asked) -> Mapping[str, Choice]:
        """Which parameters of its grey box are searched; BadValues where what is asked for is none of its."""

    def grey(self, experiments: Sequence[Experiment], facts: Facts, asked: Asked) -> Grey:
        """The grey box of these records; `refused` says why there is none."""

    def modelled(self, grey: Grey, experiment: Experiment, facts: Facts) -> tuple[Modelled, ...]:
        """What the grey box makes of a record that it was not fitted to; empty where that does not go."""
