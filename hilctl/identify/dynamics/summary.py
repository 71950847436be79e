"""The figures of a study that programs need first, by stable names: fits, rank, what the data fix, and orders."""

from typing import Any

from hilctl.identify.dynamics.study import Study


def summary(study: Study) -> dict[str, Any]:
    """Of the grey box, and of the first pair's transfer functions; null if there is none."""
    told: dict[str, Any] = dict.fromkeys(
        ("fit_percent", "iterations", "rank", "free", "singular_values", "null_directions", "invariants", "parameters")
    )
    fit = study.grey.fit if study.grey else None
    if study.grey is not None and fit is not None:
        first = study.grey.outputs[0]
        whole = fit.to_json()
        told |= {
            "fit_percent": {"start": fit.start_percent[first], "final": fit.fit_percent[first]},
            "iterations": fit.iterations, "rank": fit.rank, "free": fit.free,
            "singular_values": whole["singular_values"], "null_directions": whole["not_fixed"],
            "invariants": whole["invariants"], "parameters": whole["parameters"],
        }  # fmt: skip
    family = next((one.family for one in study.transfers if one.family is not None), None)
    told["transfer_functions"] = {
        str(each.order): {"fit_percent": each.amplitude_percent, "stable": each.transfer.stable}
        for each in (family.fits if family else ())
    }
    return told
