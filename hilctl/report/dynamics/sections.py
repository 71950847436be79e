"""The sections of a study's page, in the order of the work."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hilctl.identify.dynamics.judge import doubt
from hilctl.identify.dynamics.study import Check, Grey, Study
from hilctl.identify.frequency.judge_model import Figures
from hilctl.identify.grey_box.result import Fit
from hilctl.report.dynamics.pictures import checks_of, pairs_of
from hilctl.report.markup import NOTHING, Html, absent, bullets, code, facts, joined, p, sentence, table, tag
from hilctl.report.numbers import fixed, percent, plain, quantity, with_unit
from hilctl.report.sections.common import Pictures, shown
from hilctl.results.response import Crossing

_KINDS = {"stepped": "stepped sine", "sweep": "sweep", "multisine": "multisine", "step": "step", "motion": "motion",
          "record": "recording"}  # fmt: skip
_ROLES = {"fit": "identification", "check": "validation"}


def driven(study: Study, pictures: Pictures) -> Html:
    """The experiments."""
    rows = [
        (one.name, _KINDS[one.kind], f"{plain(one.band_hz[0], 3)} to {plain(one.band_hz[1], 3)}",
         with_unit(one.settings.get("amplitude_m"), "m"), fixed(one.seconds, 1), _ROLES[one.role])
        for one in study.experiments
    ]  # fmt: skip
    head = ("experiment", "kind", ">band, Hz", ">amplitude at most", ">duration, s", "used for")
    return joined([
        table(head, rows),
        shown(pictures, "driven", "Reference and output, one experiment of each kind. A line that fills a band "
               "oscillates faster than the page can show."),
        bullets((sentence(f"{one.name}: {note}") for one in study.experiments for note in one.notes), "notes"),
    ])  # fmt: skip


def wrong(study: Study, pictures: Pictures) -> Html:
    """The faults of the records."""
    rows = [
        (name, one.channel, one.kind, sentence(one.text)) for name, found in study.findings.items() for one in found
    ]
    if not rows:
        return p("None: every record is long enough, complete, in motion, evenly sampled, neither clipped nor "
                 "saturated, and its output follows its input.")  # fmt: skip
    return table(("experiment", "channel", "fault", "details and remedy"), rows)


def cleaned(study: Study, pictures: Pictures) -> Html:
    """What was done to the records before identification."""
    rows = [
        (experiment, code(name), change.text, f"{change.touched}", plain(change.rms, 3), plain(change.largest, 3))
        for experiment, each in study.prepared.items() for done in each.done
        for name, change in done.changes.items()
    ]  # fmt: skip
    if not rows:
        return absent("No record was prepared.")
    drawn = [name for name in pictures if name.startswith("cleaned-")]
    head = ("experiment", "channel", "step", ">samples changed", ">change, rms", ">largest change")
    return joined([
        p("The recordings themselves are unchanged. Filter and trend are the same for all channels: on one channel "
          "alone they would look like dynamics."),
        *(shown(pictures, name, "Before and after, for the record with the largest change.") for name in drawn),
        tag("details", tag("summary", f"{len(rows)} steps"), table(head, rows)),
    ])  # fmt: skip


def responses(study: Study, pictures: Pictures) -> Html:
    """Frequency responses and bandwidths."""
    if not study.responses:
        return absent("None.")
    rows = [
        (one.experiment, str(one.pair), str(len(one.response.hz)), percent(100 * _error(one.response)),
         _crossing(one.bandwidth.gain), _crossing(one.bandwidth.phase))
        for one in study.responses
    ]  # fmt: skip
    held = ", corrected for the half tick of lag of an input that is held from tick to tick"
    head = ("experiment", "from → to", ">lines", ">standard error", ">−3 dB, Hz", ">−90°, Hz")
    return joined([
        *(shown(pictures, f"response-{index}", f"{pair}: with 95 % intervals{held if study.held(pair.input) else ''}; "
                 "dotted: the frequencies at which it has fallen by 3 dB and lags by 90°.")
          for index, pair in enumerate(pairs_of(study))),
        table(head, rows, "standard error: the median over all lines, of the magnitude"),
    ])  # fmt: skip


def _error(response: Any) -> float:
    import numpy as np

    return float(np.median(np.sqrt(response.variance / 2) / np.maximum(response.magnitude, 1e-300)))


def _crossing(one: Crossing | None) -> str:
    if one is None:
        return "–"
    half = 1.96 * one.error_hz
    digits = 2 if half >= 0.005 or half <= 0 else min(2 - math.floor(math.log10(2 * half)) - 1, 5)
    return f"{fixed(one.hz, digits)} ± {fixed(half, digits)}"


def transfers(study: Study, pictures: Pictures) -> Html:
    """Black-box transfer functions."""
    parts: list[Html] = []
    for index, one in enumerate(study.transfers):
        parts.append(tag("h3", f"{one.pair}, from {one.experiment}"))
        if one.family is None:
            parts.append(absent(sentence(one.refused)))
            continue
        rows = [
            (str(f.order) + (" (chosen)" if f.order == one.family.best.order else ""), fit(f.amplitude_percent),
             fit(f.percent), fixed(f.bic, 1), stable(f.transfer.stable))
            for f in one.family.fits
        ]  # fmt: skip
        head = (">order", ">amplitude", ">complex, weighted", ">BIC", "stable")
        best = one.family.best.transfer
        parts += [
            shown(pictures, f"transfer-{index}", "Measured, and every order; strong: the order with the least BIC."),
            table(head, rows, "fits in %, equation 29"),
            facts([("Poles, 1/s", _roots(best.poles)), ("Zeros, 1/s", _roots(best.zeros))]),
        ]
    return joined(parts) if parts else absent("None.")


def stable(is_stable: bool) -> str:
    """In a table."""
    return "yes" if is_stable else "no"


def _roots(roots: Any) -> str:
    said = []
    for root in roots:
        if root.imag >= 0:
            pair = f" ± {plain(root.imag)}j" if abs(root.imag) > 1e-9 * abs(root) else ""
            said.append(plain(root.real) + pair)
    return ", ".join(said)


def grey(study: Study, pictures: Pictures) -> Html:
    """The physical model."""
    one = study.grey
    if one is None:
        return absent("No physical model was fitted.")
    if one.fit is None:
        return absent(sentence(one.refused or "No physical model was fitted."))
    found, flags = one.fit, dict.fromkeys(one.fit.flags)
    return joined([
        p(f"{one.model[0].upper()}{one.model[1:]}, from {', '.join(one.experiments)}; compared with "
          f"{' and '.join(name.replace('_', ' ') for name in one.outputs)}."),
        facts([("Fit", _fits(found)),
               ("Iterations", f"{found.iterations}, {found.trials} simulations with derivatives"),
               ("Rank", f"{found.rank} of {found.free}, gap {plain(found.gap, 2)}"), ("Starts", _starts(found))]),
        estimates(one, found),
        identifiable(found),
        shown(pictures, "singular", "Left: combinations of parameters below the gap are not identifiable. Right: the "
               "search."),
        bullets((joined([sentence(f.text), " ", tag("em", sentence(f.remedy))]) for f in flags), "flags"),
        p(sentence(one.refused)),
        p(sentence(f"none of these values is proposed to be set: {doubt(one)}")) if doubt(one) else NOTHING,
    ])  # fmt: skip


def _fits(found: Fit) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {fit(found.start_percent[name])} → {fit(value)}"
        for name, value in found.fit_percent.items()
    )


def _starts(found: Fit) -> str:
    agreeing, of = found.agreeing
    return f"{agreeing} of {of} ended at the same parameters" if of > 1 else ""


def fit(per_cent: float) -> str:
    """A fit by equation 29, with two decimals: fits differ there."""
    return f"{fixed(per_cent, 2)} %"


_BOUNDS = {-1: "at its lower bound", 0: "", 1: "at its upper bound"}


def estimates(one: Grey, found: Fit) -> Html:
    """The parameters with intervals, or that they are not identifiable."""
    rows = []
    for each in found.estimates:
        value, interval, unit = quantity(each.value, each.low, each.high, each.unit)
        if each.value is None:
            value, interval = "not identifiable", ""
        note = _BOUNDS[each.at_bound]
        if each.by == "fixed":
            note, interval = "fixed", ""
        if each.value is None:
            unit = note = ""
        key = code(one.keys.get(each.name, each.name))
        rows.append((key, with_unit(one.before.get(each.name), each.unit), value, interval, unit, note))
    return table(("parameter", ">rig file", ">identified", ">95 % interval", "unit", ""), rows)


def identifiable(found: Fit) -> Html:
    """Which combinations of parameters the data identify, and which they do not."""
    rows = []
    for each in found.invariants:
        value, interval, unit = quantity(each.value, each.low, each.high, each.unit)
        rows.append((tag("span", each.name, class_="key"), value, interval, unit))
    free = [sentence(f"{one.text}: no measured output changes") for one in found.directions]
    combined = table(("identifiable", ">identified", ">95 % interval", "unit"), rows)
    if not free:
        return p("Every parameter is identifiable by itself.")
    return joined([p("Not identifiable from these data:"), bullets(free), combined])


def validation(study: Study, pictures: Pictures) -> Html:
    """Models on data that they were not fitted to."""
    if not (study.checks or study.against):
        return absent("No record was reserved for validation.")
    rows = [
        (one.experiment, one.model, code(one.output), fit(one.fit_percent), _white(one), _apart(one))
        for one in study.checks
    ]
    head = ("experiment", "model", "output", ">fit", "residuals", "residuals and input")
    parts = [table(head, rows)]
    lines = [(one.experiment, one.model, str(one.pair), fit(one.fit_percent), percent(one.error_percent))
             for one in study.against]  # fmt: skip
    parts.append(table(("response of", "model", "from → to", ">amplitude", ">error"), lines,
                       "responses that the models were not fitted to"))  # fmt: skip
    for index, checks in enumerate(checks_of(study)):
        parts += [shown(pictures, f"check-{index}", _caption(checks)), _steps(checks)]
    return joined(parts)


def _caption(checks: Sequence[Check]) -> str:
    each = ", ".join(f"{one.model} {fit(one.fit_percent)}" for one in checks)
    return f"{checks[0].experiment}, which no model was fitted to: {each}."


def _white(one: Check) -> str:
    if one.whiteness is None:
        return sentence(one.refused) or "–"
    if one.whiteness.white:
        return "white"
    return f"coloured: {percent(100 * one.whiteness.outside)} of the lags outside the bound"


def _apart(one: Check) -> str:
    if one.independence is None:
        return "–"
    if one.independence.independent:
        return "independent"
    return f"correlated: {fixed(one.independence.worst, 1)} standard errors"


def _steps(checks: Sequence[Check]) -> Html:
    """Rise, overshoot and settling, measured and by each model."""
    known = [(one.model, one.step) for one in checks if one.step is not None]
    if not known:
        return NOTHING
    columns = [known[0][1].measured, *(step.modelled for _, step in known)]
    rows = [(what, *(show(each) for each in columns)) for what, show in _FIGURES]
    return table((checks[0].experiment, ">measured", *(f">{model}" for model, _ in known)), rows)


def _ms(seconds: float | None) -> str:
    return "–" if seconds is None else f"{fixed(1e3 * seconds, 1)} ms"


_FIGURES: tuple[tuple[str, Callable[[Figures], str]], ...] = (
    ("delay, to 10 %", lambda one: _ms(one.delay_s)), ("rise, 10 to 90 %", lambda one: _ms(one.rise_s)),
    ("overshoot", lambda one: f"{fixed(one.overshoot_percent, 1)} %"),
    ("settled within 5 %", lambda one: _ms(one.settling_s)),
)  # fmt: skip


def tuning(study: Study, pictures: Pictures) -> Html:
    """The proposed gains, with predicted margins and, if measured, the measured ones."""
    if study.tuning is None:
        return absent("No gains were computed.")
    values = study.tuning.to_json()
    keys = table(("key", ">value"), [(code(key), plain(value, 5)) for key, value in values["values"].items()])
    columns = {name: values.get(name) for name in ("before", "predicted", "measured_before", "measured_after")}
    known = {name.replace("_", " "): each for name, each in columns.items() if each}
    rows = [
        (what.replace("_", " "), *(_figure_of(each, what) for each in known.values()), meaning)
        for what, meaning in values.get("meaning", {}).items()
    ]
    decided = values.get("decided_by") or []
    head = ("", *(f">{name}" for name in known), "meaning")
    return joined([
        keys, p("Proposed, not set: `hilctl tune --from` with this study's directory measures and sets them."),
        table(head, rows, "margins of the loop, and bandwidth"),
        shown(pictures, "tuning", "The open loop, predicted by the model and, if driven, measured."),
        facts([("Decided by", ", ".join(str(one) for one in decided)), ("From", str(values.get("source") or ""))]),
    ])  # fmt: skip


def _figure_of(each: Mapping[str, Any], what: str) -> str:
    """A figure of a prediction or a measurement, or of its margins."""
    margins = each.get("margins") or each.get("nominal") or {}
    value = each.get(what, margins.get(what))
    return "–" if value is None else plain(float(value), 3)
