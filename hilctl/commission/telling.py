"""The friction model that stays active, as the result holds it."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from hilctl.commission.candidates import Candidate
from hilctl.results.friction import ActiveFriction, SlidingFit
from hilctl.results.proof import Choice
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


def why(choice: Choice) -> str:
    """The distortion under each model that was tried."""
    best = max(choice.tried, key=lambda one: (one.law == choice.kept, one.factor or 0.0))
    machine = choice.machine_percent
    valve = f" ({machine:.1f} % with the valve's inverse alone)" if machine else ""
    text = (
        f"{best.law}: distortion at {choice.frequency_hz:g} Hz {choice.before_percent:.1f} % without{valve}, "
        f"{best.percent:.1f} % with it"
    )
    factors = [f"{one.law} {one.factor:.2g}" for one in choice.tried if one.factor is not None]
    factors += [f"the valve's inverse alone {choice.machine_factor:.2g}"] if choice.machine_factor is not None else []
    measured = [choice.before_by_hz, *(one.by_hz for one in choice.tried)] + ([choice.machine_by_hz] if machine else [])
    hz = sorted(set.intersection(*map(set, measured)), key=float)
    over = f", in the mean over {', '.join(hz)} Hz" if len(hz) > 1 else ""
    return f"{text}; times less{over}: {', '.join(factors)}"
