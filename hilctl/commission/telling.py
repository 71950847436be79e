"""The identified friction model, as the answer holds it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hilctl.commission.candidates import Candidate, Trial

if TYPE_CHECKING:
    from hilctl.identify.friction_fit import FrictionFit
    from hilctl.identify.presliding import Presliding


def sliding_curve(fit: "FrictionFit") -> dict[str, Any]:
    """Stribeck's curve for the reversals, for every static model; a flat one where it has no falling branch."""
    table = dict(fit.friction.table())
    if "vs" not in table:
        level = float(table["fc"])
        table = {"fc": level, "fs": level, "vs": 0.1, "sigma": float(table.get("fv", 0.0)), "negative": {}}
    return table


def told_law(
    law: Candidate, fit: "FrictionFit", found: "Presliding | None", before: Mapping[str, Any]
) -> dict[str, Any]:  # fmt: skip
    """The active friction model, each parameter with its interval and its origin."""
    parameters: dict[str, Any] = {}
    for p in fit.parameters:
        parameters[p.name] = {
            "value": p.value, "low": p.low, "high": p.high, "unit": p.unit, "identified": p.identified,
            "origin": "constant speeds", "before": before.get(f"friction.{p.name}"),
        }  # fmt: skip
    if found is not None and law.name == found.kind:
        for own in found.parameters:
            parameters[own.name] = {
                "value": own.value, "low": own.low, "high": own.high, "unit": own.unit, "identified": found.certain,
                "origin": "reversals", "before": before.get(f"friction.{own.name}"),
            }  # fmt: skip
    model = str(law.table["model"])
    return {
        "law": model, "class": law.name, "why": law.why, "certain": found is not None and found.certain,
        "parameters": parameters, "table": dict(law.table),
    }  # fmt: skip


def why(best: Trial, trials: Sequence[Trial], before: float) -> str:
    """The distortion under each model that was tried."""
    text = f"{best.candidate.name}: distortion {before:.1f} % without, {best.percent:.1f} % with it"
    others = [t for t in trials if t.candidate is not best.candidate]
    return text + "".join(f"; {t.candidate.name}: {t.percent:.1f} %" for t in others)
