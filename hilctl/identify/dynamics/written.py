"""A study as its file holds it."""

from dataclasses import fields
from typing import Any

from msgspec import to_builtins

from hilctl.identify.dynamics.judge import doubt, proposed
from hilctl.identify.dynamics.study import Against, Check, Grey, Study, Transfers
from hilctl.identify.frequency.estimate import Measured
from hilctl.identify.frequency.record import Experiment
from hilctl.identify.frequency.transfer_fit import Fitted
from hilctl.identify.plant.judge_told import PlantFit
from hilctl.params.finite import finite
from hilctl.results import dynamics as results
from hilctl.results.identified import Plant, answer
from hilctl.results.quantity import Quantity
from hilctl.results.response import Crossing

_ARRAYS = ("driven", "measured", "modelled")


def told(study: Study) -> results.Study:
    """Everything but the samples."""
    grey = None if study.grey is None else _grey(study.grey)
    first = next((one.family for one in study.transfers if one.family is not None), None)
    return results.Study(
        rig=study.rig, rate_hz=study.rate_hz, made=study.made, command=study.command,
        experiments=[_experiment(each) for each in study.experiments],
        findings=[
            results.Found(name, finding.kind, finding.channel, finding.text)
            for name, found in study.findings.items() for finding in found
        ],
        prepared=[
            results.Cleaned(
                experiment, type(done.treatment).__name__, name, change.touched, finite(change.rms),
                finite(change.largest), change.text,
            )
            for experiment, each in study.prepared.items() for done in each.done
            for name, change in done.changes.items()
        ],
        responses=[_measured(each, study.held(each.pair.input)) for each in study.responses],
        transfers=[_transfers(each) for each in study.transfers], grey=grey,
        checks=[_check(each) for each in study.checks], against=[_against(each) for each in study.against],
        tuning=None if study.tuning is None else finite(study.tuning.to_json()), remarks=list(study.remarks),
        **_summary(grey), transfer_functions={
            str(each.order): results.Short(finite(each.amplitude_percent), each.transfer.stable)
            for each in (first.fits if first else ())
        },
    )  # fmt: skip


def _summary(grey: results.Grey | None) -> dict[str, Any]:
    """Of the fit, what programs need first."""
    if grey is None or grey.fit is None:
        return {}
    fit = grey.fit
    return {
        "fit_percent": results.Ends(*(percent[grey.outputs[0]] for percent in (fit.start_percent, fit.fit_percent))),
        "iterations": fit.iterations, "rank": fit.rank, "free": fit.free, "singular_values": fit.singular_values,
        "null_directions": fit.not_fixed, "invariants": fit.invariants, "parameters": fit.parameters,
    }  # fmt: skip


def plain_study(study: Study) -> dict[str, Any]:
    """The same as plain values."""
    plain: dict[str, Any] = to_builtins(told(study))
    return plain


def _experiment(one: Experiment) -> results.Experiment:
    return results.Experiment(
        name=one.name, group=one.group, kind=one.kind, role=one.role, settings=finite(one.settings),
        rate_hz=one.rate_hz, seconds=one.seconds, samples=one.samples, band_hz=finite(one.band_hz),
        channels=list(one.channels), source=one.source, notes=list(one.notes),
    )  # fmt: skip


def _measured(one: Measured, held: bool) -> results.Responded:
    response = one.response
    low, high = response.magnitude_interval()
    least, most = response.phase_interval_deg()
    return results.Responded(
        experiment=one.experiment, kind=one.kind, input=one.pair.input, output=one.pair.output, hold_taken_out=held,
        minus_3_db=crossing(one.bandwidth.gain), minus_90_deg=crossing(one.bandwidth.phase), hz=finite(response.hz),
        magnitude=finite(response.magnitude), magnitude_low=finite(low), magnitude_high=finite(high),
        phase_deg=finite(response.phase_deg), phase_low_deg=finite(least), phase_high_deg=finite(most),
        coherence=finite(response.coherence),
    )  # fmt: skip


def crossing(one: Crossing | None) -> Quantity | None:
    """With its 95 % interval."""
    if one is None:
        return None
    reach = 1.96 * one.error_hz
    return Quantity(one.hz, one.hz - reach, one.hz + reach, "Hz", "measured", "the frequency response")


def _transfers(one: Transfers) -> results.Transfers:
    return results.Transfers(
        experiment=one.experiment, input=one.pair.input, output=one.pair.output, band_hz=finite(one.band_hz),
        chosen=one.family and one.family.best.order,
        orders=[_fitted(each) for each in (one.family.fits if one.family else ())], refused=one.refused,
    )  # fmt: skip


def _fitted(one: Fitted) -> results.Order:
    return results.Order(
        order=one.order, amplitude_percent=finite(one.amplitude_percent), percent=finite(one.percent),
        bic=finite(one.bic), stable=one.transfer.stable, numerator=one.transfer.numerator.tolist(),
        denominator=one.transfer.denominator.tolist(),
        poles=[[pole.real, pole.imag] for pole in one.transfer.poles.tolist()],
        zeros=[[zero.real, zero.imag] for zero in one.transfer.zeros.tolist()],
    )  # fmt: skip


def _grey(one: Grey) -> results.Grey:
    return results.Grey(
        model=one.model, experiments=list(one.experiments), outputs=list(one.outputs), before=finite(one.before),
        keys=dict(one.keys), refused=one.refused, proposed=finite(proposed(one)), doubt=doubt(one),
        fit=one.fit and one.fit.told(), mass=one.mass and _mass(one.mass),
    )  # fmt: skip


def _mass(one: PlantFit) -> Plant:
    return answer(Plant, one.evidence(), plant=one.told)


def _check(one: Check) -> results.Check:
    plain = {each.name: getattr(one, each.name) for each in fields(one) if each.name not in _ARRAYS}
    return results.Check(**{key: _plain(value) for key, value in plain.items()})


def _plain(value: Any) -> Any:
    return finite(value._asdict() if hasattr(value, "_asdict") else value)


def _against(one: Against) -> results.Against:
    return results.Against(
        experiment=one.experiment, model=one.model, input=one.pair.input, output=one.pair.output, lines=len(one.hz),
        fit_percent=finite(one.fit_percent), error_percent=finite(one.error_percent),
    )  # fmt: skip
