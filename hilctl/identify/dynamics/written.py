"""A study as plain values, for study.json; the figures that programs need first stand by stable names in front."""

from dataclasses import fields
from typing import Any

from hilctl.identify.dynamics.judge import doubt, proposed
from hilctl.identify.dynamics.study import Against, Check, Grey, Study, Transfers  # fmt: skip
from hilctl.identify.frequency.estimate import Measured  # fmt: skip
from hilctl.identify.frequency.record import Experiment  # fmt: skip
from hilctl.identify.frequency.transfer_fit import Fitted
from hilctl.params.finite import finite
from hilctl.results.response import Crossing, Response


def summary(study: Study) -> dict[str, Any]:
    """Fits, rank and what the data fix, of the grey box; orders, of the first pair. Null if there is none."""
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


_ARRAYS = ("driven", "measured", "modelled")


def plain_study(study: Study) -> dict[str, Any]:
    """Everything but the samples, which are stored beside it."""
    made = {
        "rig": study.rig,
        "rate_hz": study.rate_hz,
        "made": study.made,
        "command": study.command,
        "experiments": [_experiment(each) for each in study.experiments],
        "findings": [
            {"experiment": name, **finding._asdict()} for name, found in study.findings.items() for finding in found
        ],
        "prepared": [
            {
                "experiment": experiment, "step": type(done.treatment).__name__, "channel": name,
                "touched": change.touched, "rms": change.rms, "largest": change.largest, "text": change.text,
            }
            for experiment, each in study.prepared.items() for done in each.done
            for name, change in done.changes.items()
        ],
        "responses": [_measured(each, study.held(each.pair.input)) for each in study.responses],
        "transfers": [_transfers(each) for each in study.transfers],
        "grey": None if study.grey is None else _grey(study.grey),
        "checks": [_check(each) for each in study.checks],
        "against": [_against(each) for each in study.against],
        "tuning": None if study.tuning is None else study.tuning.to_json(),
        "remarks": list(study.remarks),
        **summary(study),
    }  # fmt: skip
    return {key: finite(value) for key, value in made.items()}


def _experiment(one: Experiment) -> dict[str, Any]:
    return {
        "name": one.name, "group": one.group, "kind": one.kind, "role": one.role, "settings": finite(one.settings),
        "rate_hz": one.rate_hz, "seconds": one.seconds, "samples": one.samples, "band_hz": list(one.band_hz),
        "channels": list(one.channels), "source": one.source, "notes": list(one.notes),
    }  # fmt: skip


def _measured(one: Measured, held: bool) -> dict[str, Any]:
    return {
        "experiment": one.experiment, "kind": one.kind, "input": one.pair.input, "output": one.pair.output,
        "hold_taken_out": held,
        "minus_3_db": crossing(one.bandwidth.gain), "minus_90_deg": crossing(one.bandwidth.phase),
        **_response(one.response),
    }  # fmt: skip


def crossing(one: Crossing | None) -> dict[str, float] | None:
    """With its 95 % interval."""
    if one is None:
        return None
    return {"hz": one.hz, "low": one.hz - 1.96 * one.error_hz, "high": one.hz + 1.96 * one.error_hz}


def _response(one: Response) -> dict[str, Any]:
    low, high = one.magnitude_interval()
    least, most = one.phase_interval_deg()
    told = {
        "hz": one.hz, "magnitude": one.magnitude, "magnitude_low": low, "magnitude_high": high,
        "phase_deg": one.phase_deg, "phase_low_deg": least, "phase_high_deg": most, "coherence": one.coherence,
    }  # fmt: skip
    return {key: values.tolist() for key, values in told.items()}


def _transfers(one: Transfers) -> dict[str, Any]:
    return {
        "experiment": one.experiment, "input": one.pair.input, "output": one.pair.output,
        "band_hz": list(one.band_hz), "chosen": None if one.family is None else one.family.best.order,
        "orders": [_fitted(each) for each in (one.family.fits if one.family else ())],
        "refused": one.refused,
    }  # fmt: skip


def _fitted(one: Fitted) -> dict[str, Any]:
    return {
        "order": one.order, "amplitude_percent": one.amplitude_percent, "percent": one.percent, "bic": one.bic,
        "stable": one.transfer.stable, "numerator": one.transfer.numerator.tolist(),
        "denominator": one.transfer.denominator.tolist(),
        "poles": [[pole.real, pole.imag] for pole in one.transfer.poles.tolist()],
        "zeros": [[zero.real, zero.imag] for zero in one.transfer.zeros.tolist()],
    }  # fmt: skip


def _grey(one: Grey) -> dict[str, Any]:
    return {
        "model": one.model, "experiments": list(one.experiments), "outputs": list(one.outputs),
        "before": dict(one.before), "keys": dict(one.keys), "refused": one.refused,
        "proposed": proposed(one), "doubt": doubt(one),
        "fit": None if one.fit is None else one.fit.to_json(),
        "mass": None if one.mass is None else one.mass.to_json(),
    }  # fmt: skip


def _check(one: Check) -> dict[str, Any]:
    told = {each.name: getattr(one, each.name) for each in fields(one) if each.name not in _ARRAYS}
    for key in ("whiteness", "independence", "step"):
        value = told[key]
        told[key] = None if value is None else finite(value._asdict())
    return told


def _against(one: Against) -> dict[str, Any]:
    return {
        "experiment": one.experiment, "model": one.model, "input": one.pair.input, "output": one.pair.output,
        "lines": len(one.hz), "fit_percent": one.fit_percent, "error_percent": one.error_percent,
    }  # fmt: skip
