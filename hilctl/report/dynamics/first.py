"""The five lines of a study of dynamics."""

from collections.abc import Iterator, Sequence

from hilctl.identify.dynamics.judge import doubt, proposed
from hilctl.identify.dynamics.study import Study
from hilctl.report.brief import Brief, listed
from hilctl.report.dynamics.tables import fit
from hilctl.report.numbers import fixed


def first(study: Study, epochs: Sequence[int] = ()) -> Brief:
    """What a customer asks; `epochs`: of the sets that were applied."""
    fitted = study.grey is not None and study.grey.fit is not None
    none_worse = f"no record has a fault{', and every parameter is identifiable' if fitted else ''}"
    return Brief(
        listed(_found(study)) or "nothing: no response could be computed", _applied(study, epochs),
        listed(_better(study)) or "nothing was compared with the rig file's machine",
        listed(_worse(study)) or none_worse, _next(study, epochs),
    )  # fmt: skip


def _found(study: Study) -> Iterator[str]:
    known = next((one for one in study.responses if one.bandwidth.gain is not None), None)
    if known is not None and known.bandwidth.gain is not None:
        text = f"{known.pair.output.removesuffix('_m')} falls by 3 dB at {fixed(known.bandwidth.gain.hz, 1)} Hz"
        if known.bandwidth.phase is not None:
            text += f" and lags by 90° at {fixed(known.bandwidth.phase.hz, 1)} Hz"
        yield text
    chosen = next((one.family.best for one in study.transfers if one.family is not None), None)
    if chosen is not None:
        yield f"the best transfer function has order {chosen.order}"
    found = study.grey.fit if study.grey else None
    if found is not None:
        yield f"{found.rank} of {found.free} parameters, or combinations of them, are identifiable"


def _applied(study: Study, epochs: Sequence[int]) -> str:
    values = proposed(study.grey)
    if epochs:
        return f"{len(values)} parameters, active since epoch {epochs[-1]}"
    if values:
        return f"nothing; {len(values)} values are proposed: {', '.join(values)}"
    why = doubt(study.grey) if study.grey else ""
    return f"nothing, and no value is proposed{f': {why}' if why else ''}"


def _better(study: Study) -> Iterator[str]:
    found = study.grey.fit if study.grey else None
    for name, after in found.fit_percent.items() if found else ():
        before = found.start_percent[name] if found else after
        if after > before:
            what = name.replace("_", " ")
            yield f"the physical model explains {fit(after)} of the {what}, {fit(before)} with the values it began with"
    told = study.tuning.to_json() if study.tuning else {}
    was, will = (float((told.get(name) or {}).get("minus_3_db_hz") or 0.0) for name in ("before", "predicted"))
    if 0.0 < was < will:
        yield f"with the proposed gains the bandwidth is predicted to be {will:.3g} Hz, {was:.3g} Hz before"


def _worse(study: Study) -> Iterator[str]:
    faults = sum(map(len, study.findings.values()))
    if faults:
        yield f"{faults} faults of records, which are left out"
    found = study.grey.fit if study.grey else None
    lost = [study.grey.keys.get(one.name, one.name) for one in found.estimates if one.value is None] \
        if found and study.grey else []  # fmt: skip
    if lost:
        yield f"not identifiable from these data: {', '.join(lost)}"
    coloured = sorted({one.model for one in study.checks if one.whiteness is not None and not one.whiteness.white})
    if coloured:
        yield f"residuals are coloured, so something is not modelled: {', '.join(coloured)}"


def _next(study: Study, epochs: Sequence[int]) -> str:
    finding = next((one for found in study.findings.values() for one in found), None)
    if finding is not None and not study.responses:
        return finding.text
    if study.tuning is not None and study.tuning.to_json()["values"]:
        return f"`hilctl tune {study.rig} --from DIR` measures the proposed gains and sets them (DIR: this page's)"
    if proposed(study.grey) and not epochs:
        return "apply the proposed values with the `hilctl set` line that the command printed (`sets` in study.json)"
    flag = next((one for one in (study.grey.fit.flags if study.grey and study.grey.fit else ()) if one.remedy), None)
    if flag is not None:
        return flag.remedy
    return "measure again after a change of valve, oil or specimen, and compare the responses"
