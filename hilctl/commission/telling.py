"""The friction model that stays active, as the result holds it."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from hilctl.commission.candidates import Candidate, Trial
from hilctl.results.friction import ActiveFriction, SlidingFit
from hilctl.results.quantity import Quantity
from hilctl.results.reversals import Reversals


def sliding_curve(table: Mapping[str, Any]) -> dict[str, Any]:
    """Stribeck's curve for the reversals, of every static model; a flat one where it has no falling branch."""
    if "vs" in table:
        return dict(table)
    level = float(table["fc"])
    return {"fc": level, "fs": level, "vs": 0.1, "sigma": float(table.get("fv") or 0.0), "negative": {}}


def active(law: Candidate, fit: SlidingFit, found: Reversals | None, before: Mapping[str, Any]) -> ActiveFriction:
    """Each parameter with its interval and its origin."""
    own = found.parameters if found is not None and law.name == found.kind else {}
    return ActiveFriction(
        law=str(law.table["model"]), kind=law.name, why=law.why,
        certain=found is not None and found.certain and law.name not in {one.kind for one in found.alternatives},
        parameters={name: _was(q, before.get(f"friction.{name}")) for name, q in {**fit.parameters, **own}.items()},
        table=dict(law.table),
    )  # fmt: skip


def _was(q: Quantity, before: object) -> Quantity:
    return replace(q, before=float(before) if isinstance(before, (int, float)) else None)


def without(before: float, machine: float | None) -> str:
    """The distortion without compensation of friction."""
    return f"{before:.1f} % without" + (f" ({machine:.1f} % with the valve's inverse alone)" if machine else "")


def why(best: Trial, trials: Sequence[Trial], before: float, machine: float | None) -> str:
    """The distortion under each model that was tried."""
    text = f"{best.candidate.name}: distortion {without(before, machine)}, {best.percent:.1f} % with it"
    others = [t for t in trials if t.candidate is not best.candidate]
    return text + "".join(f"; {t.candidate.name}: {t.percent:.1f} %" for t in others)
