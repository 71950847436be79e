"""The result of the reversal experiment: a friction model for the rig file, its intervals, and why this model."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from hilctl.experiment.policy import wider
from hilctl.friction import MODELS, Friction
from hilctl.friction.model import Kind as Behaviour
from hilctl.identify import friction_sets
from hilctl.identify.presliding import judge_odds
from hilctl.identify.presliding.estimate_travel import Travel
from hilctl.identify.presliding.estimate_turn import Turn
from hilctl.identify.presliding.judge_models import Comparison
from hilctl.params import leaves
from hilctl.params.finite import finite
from hilctl.results.quantity import Quantity
from hilctl.results.reversals import Alternative, Choice, Evidence, Hysteresis, Kind, Reversals, Swing


class Presliding(NamedTuple):
    """An identified law with its evidence. `table` is what the rig file holds."""

    kind: Kind
    certain: bool  # the data say so; otherwise `why` says what they leave open
    friction: Friction
    parameters: Mapping[str, Quantity]
    why: str  # the evidence in words
    advice: str  # what it means for compensation
    warnings: tuple[str, ...]
    level: float  # of friction here, as a multiple of the curve's
    travel: Travel
    comparison: Comparison | None  # None where friction jumps
    turn: Turn
    swings: tuple[tuple[float, float, int], ...]  # amplitude in m, frequency in Hz, cycles
    rig_seconds: float
    losses: tuple[str, ...] = ()
    probabilities: Mapping[Kind, float] = {}  # of each model that the sliding curve allows
    reasons: tuple[str, ...] = ()  # what in the loops speaks for it
    loops: tuple[Hysteresis, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    sides: Mapping[str, Quantity] = {}  # ratios of the negative to the positive side

    @property
    def choice(self) -> Choice:
        """The model that is probable enough, or `undecided`."""
        return judge_odds.choice(self.probabilities)

    @property
    def table(self) -> dict[str, Any]:
        """[friction] as it stands in a rig file: what is left open is left out."""
        return given(self.friction.table())

    def parameter(self, name: str) -> Quantity:
        """The one with this name."""
        return self.parameters[name]

    def with_losses(self, share: float, stale: float, notes: Sequence[str]) -> "Presliding":
        """Of a measurement of whose readings such a share was lost, or not fresh: with wider intervals and a note."""
        if stale <= 0.0 and not notes:
            return self
        by = wider(stale)
        told = (f"{100 * share:.2g} % of the readings of the reversals were lost and left out",) if share > 0 else ()
        parameters = {name: _positive(p.wider(by)) for name, p in self.parameters.items()}
        return self._replace(parameters=parameters, losses=(*told, *notes))

    def told(self) -> Reversals:
        """What a report and a file hold."""
        travel, comparison = self.travel, self.comparison
        return Reversals(
            kind=self.kind, certain=self.certain, why=self.why, advice=self.advice,
            warnings=[*self.warnings, *self.losses], friction=finite(self.table), parameters=dict(self.parameters),
            evidence=Evidence(
                level=finite(self.level), level_n=finite(travel.level_n), travel_m=finite(travel.travel_m),
                travel_error_m=finite(travel.error_m), reversals=travel.reversals,
                turn=self.turn.told(), left=finite(comparison.every) if comparison else {}, loops=list(self.loops),
                points=comparison.unseen.size if comparison else None,
                independent=finite(comparison.independent) if comparison else None,
            ),
            swings=[Swing(*swing) for swing in self.swings], rig_seconds=self.rig_seconds,
            choice=self.choice, probabilities=finite(self.probabilities), decided_from=judge_odds.LEVEL,
            reasons=list(self.reasons), alternatives=list(self.alternatives), sides=dict(self.sides),
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """As plain values that JSON can hold."""
        plain: dict[str, Any] = msgspec.to_builtins(self.told())
        return plain


def _positive(q: Quantity) -> Quantity:
    return q if q.low is None else msgspec.structs.replace(q, low=max(q.low, 0.0))


def given(table: dict[str, Any]) -> dict[str, Any]:
    """Without what is left open."""
    parts = {key: given(value) if isinstance(value, dict) else value for key, value in table.items()}
    return {key: value for key, value in parts.items() if value is not None and value != {}}


def steps(found: Presliding, in_force: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sets that apply the model. A static one leaves an active one that jumps alike."""
    active = str(in_force[friction_sets.MODEL])
    model = active if found.kind == "static" and _jumps_alike(active) else str(found.table["model"])
    return friction_sets.steps(friction_sets.changes(found.table, in_force, model), in_force)


def _jumps_alike(name: str) -> bool:
    """Whether this model also jumps on Stribeck's curve."""
    model = MODELS[name]
    own = {leaf.path for leaf in leaves(model.Params)}
    return model.kind is Behaviour.JUMPS and {"fc", "fs", "vs", "sigma"} <= own
