"""What of a study may be used: models on data that they were not fitted to, and parameters that may be set.

Proposed are precise values of a model that has no sign of missing structure.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hilctl.experiment.facts import Facts
from hilctl.identify.dynamics.plant import Plant
from hilctl.identify.dynamics.study import Against, Check, Grey, Transfers
from hilctl.identify.frequency.estimate import FOLLOWING, Measured
from hilctl.identify.frequency.judge_model import compare_steps, fit_percent, independence, whiteness
from hilctl.identify.frequency.prepare import Prepared, ZeroPhase
from hilctl.identify.frequency.record import Experiment
from hilctl.params import BadValues
from hilctl.results.response import Reals

SURE = 0.3  # of a value: with a wider half interval the rig file's value stays


def proposed(grey: Grey | None) -> dict[str, float]:
    """By the rig file's key: parameters of the grey box identified within SURE, and the mass."""
    if grey is None:
        return {}
    out: dict[str, float] = {}
    for one in grey.fit.estimates if grey.fit and not doubt(grey) else ():
        if one.value is None or one.by not in ("linear", "profile") or one.at_bound or one.name not in grey.keys:
            continue
        if one.low is not None and one.high is not None and one.high - one.low < 2 * SURE * abs(one.value):
            out[grey.keys[one.name]] = one.value
    if grey.mass is not None:
        out |= {key: value for key, value in grey.mass.changes().items() if key == "machine.m"}
    return out


def doubt(grey: Grey) -> str:
    """Why no value of the fit should be set; empty if they may be."""
    if grey.fit is None:
        return ""
    none = {flag.key for flag in grey.fit.flags if flag.code == "none"}
    ends = [one.name for one in grey.fit.estimates if one.value is not None and one.at_bound]
    ends = [name for name in ends if name not in grey.keys and name not in none]
    if ends:
        names = ", ".join(ends)
        return f"{names} ended at a bound, so it may stand for an effect that the model lacks and bias the others"
    return ""


STILL = 100  # samples before the excitation that give the rest position


def checks_of(
    experiments: Sequence[Experiment], cleaned: Mapping[str, Prepared], transfers: Sequence[Transfers],
    grey: Grey | None, plant: Plant, facts: Facts | None,
) -> tuple[Check, ...]:  # fmt: skip
    """Every model on every record reserved for validation."""
    out = []
    for one in experiments:
        if one.role != "check":
            continue
        out += list(_transfers(one, cleaned[one.name], transfers))
        if grey is not None and grey.fit is not None and facts is not None:
            out += [
                check_of(one, "grey", each.output, each.driven, each.measured, each.modelled)
                for each in plant.modelled(grey, one, facts)
            ]
    return tuple(out)


def against_of(transfers: Sequence[Transfers], measured: Sequence[Measured]) -> tuple[Against, ...]:
    """Each pair's chosen transfer function compared with the responses that it was not fitted to."""
    out = []
    for one in transfers:
        if one.family is None:
            continue
        best = one.family.best
        for other in measured:
            if other.pair != one.pair or other.experiment == one.experiment:
                continue
            response = other.response.within(*one.band_hz)
            if len(response.hz) < 2:
                continue
            modelled = best.transfer.gain(response.hz)
            error = np.linalg.norm(modelled - response.gain) / np.linalg.norm(modelled)
            out.append(Against(
                other.experiment, f"order {best.order}", one.pair, response.hz, response.gain, modelled,
                fit_percent(response.magnitude, np.abs(modelled)), 100 * float(error),
            ))  # fmt: skip
    return tuple(out)


def _transfers(one: Experiment, cleaned: Prepared, transfers: Sequence[Transfers]) -> Iterator[Check]:
    """On unfiltered channels: a filter would colour the residuals."""
    steps = [at for at, done in enumerate(cleaned.done) if isinstance(done.treatment, ZeroPhase)]
    channels = (cleaned.undone(steps[0]) if steps else cleaned).channels
    for each in transfers:
        if each.family is None or each.pair.input not in channels:
            continue
        best = each.family.best
        driven, measured = (_from_rest(channels[name], one) for name in each.pair)
        modelled = best.transfer.simulate(driven, 1 / one.rate_hz, one.hold(each.pair.input))
        yield check_of(one, f"order {best.order}", each.pair.output, driven, measured, modelled)


def _from_rest(values: Reals, one: Experiment) -> Reals:
    """Relative to the rest position before the excitation."""
    still = values[: min(one.begins, STILL)]
    return np.asarray(values - (still.mean() if len(still) else values[0]))


def check_of(one: Experiment, model: str, output: str, driven: Reals, measured: Reals, modelled: Reals) -> Check:
    """The fit of a model on a record, and tests of its residuals."""
    left = measured - modelled
    made = Check(
        experiment=one.name, model=model, output=output, rate_hz=one.rate_hz, driven=driven, measured=measured,
        modelled=modelled, fit_percent=fit_percent(measured, modelled),
    )  # fmt: skip
    try:
        made = replace(made, whiteness=whiteness(left), independence=independence(left, driven))
        if one.kind == "step" and output in FOLLOWING:
            made = replace(made, step=compare_steps(driven, measured, modelled, one.rate_hz))
    except BadValues as error:
        made = replace(made, refused=str(error))
    return made
