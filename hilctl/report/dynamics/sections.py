"""The sections of a study's page, in the order of the work."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hilctl.identify.dynamics.judge import doubt
from hilctl.identify.dynamics.study import Check, Study
from hilctl.identify.frequency.judge_model import Figures
from hilctl.identify.frequency.record import Pair
from hilctl.identify.grey_box.result import Fit
from hilctl.report.dynamics import tables
from hilctl.report.dynamics.pictures import checks_of, pairs_of
from hilctl.report.dynamics.tables import Table, fit
from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import NOTHING, Html, absent, bullets, code, facts, joined, p, sentence, table, tag
from hilctl.report.numbers import fixed, plain, with_unit
from hilctl.report.sections.common import flags

_KINDS = {"stepped": "stepped sine", "sweep": "sweep", "multisine": "multisine", "step": "step", "motion": "motion",
          "record": "recording"}  # fmt: skip
_ROLES = {"fit": "identification", "check": "validation"}


def tabled(made: Table) -> Html:
    """A table with its title."""
    rows = [[code(cell) if at in made.keys else cell for at, cell in enumerate(row)] for row in made.rows]
    return table(made.head, rows, made.title)


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
               "oscillates faster than the page can show.", _amount(study)),
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
        *(shown(pictures, name, "Before and after, for the record with the largest change.", _prepared(rows))
          for name in drawn),
        tag("details", tag("summary", f"{len(rows)} steps"), table(head, rows)),
    ])  # fmt: skip


def responses(study: Study, pictures: Pictures) -> Html:
    """Frequency responses and bandwidths."""
    if not study.responses:
        return absent("None.")
    held = ", corrected for the half tick of lag of an input that is held from tick to tick"
    return joined([
        *(shown(pictures, f"response-{index}", f"{pair}: with 95 % intervals{held if study.held(pair.input) else ''}; "
                 "dotted: the frequencies at which it has fallen by 3 dB and lags by 90°.", _falls(study, pair))
          for index, pair in enumerate(pairs_of(study))),
        tabled(tables.responses(study)),
    ])  # fmt: skip


def transfers(study: Study, pictures: Pictures) -> Html:
    """Black-box transfer functions."""
    parts: list[Html] = []
    for index, one in enumerate(study.transfers):
        parts.append(tag("h3", f"{one.pair}, from {one.experiment}"))
        if one.family is None:
            parts.append(absent(sentence(one.refused)))
            continue
        best = one.family.best.transfer
        parts += [
            shown(pictures, f"transfer-{index}", "Measured, and every order; strong: the order with the least BIC.",
                  f"Order {one.family.best.order} fits the magnitude by {fit(one.family.best.amplitude_percent)}."),
            tabled(tables.transfers(one)),
            facts([("Poles, 1/s", _roots(best.poles)), ("Zeros, 1/s", _roots(best.zeros))]),
        ]
    return joined(parts) if parts else absent("None.")


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
    found = one.fit
    return joined([
        p(f"{one.model[0].upper()}{one.model[1:]}, from {', '.join(one.experiments)}; compared with "
          f"{' and '.join(name.replace('_', ' ') for name in one.outputs)}."),
        facts([("Fit", _fits(found)),
               ("Iterations", f"{found.iterations}, {found.trials} simulations with derivatives"),
               ("Rank", f"{found.rank} of {found.free}, gap {plain(found.gap, 2)}"), ("Starts", _starts(found))]),
        tabled(tables.estimates(one)),
        identifiable(found),
        shown(pictures, "singular", "Left: combinations of parameters below the gap are not identifiable. Right: the "
               "search.", f"{found.rank} of {found.free} combinations of parameters are identifiable."),
        flags(dict.fromkeys(found.flags)),
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


def identifiable(found: Fit) -> Html:
    """Which combinations of parameters the data identify, and which they do not."""
    free = [sentence(f"{one.text}: no measured output changes") for one in found.directions]
    if not free:
        return p("Every parameter is identifiable by itself.")
    return joined([p("Not identifiable from these data:"), bullets(free), tabled(tables.identifiable(found))])


_UNSEEN = (
    "No model was fitted to this record. Residuals within the band are white; within the dashed lines they are "
    "independent of the input."
)


def validation(study: Study, pictures: Pictures) -> Html:
    """Models on data that they were not fitted to."""
    if not (study.checks or study.against):
        return absent("No record was reserved for validation.")
    parts = [tabled(one) for one in tables.validation(study)]
    for index, checks in enumerate(checks_of(study)):
        figure = shown(pictures, f"check-{index}", _UNSEEN, _caption(checks))
        parts += [figure, _steps(checks)]
    return joined(parts)


def _caption(checks: Sequence[Check]) -> str:
    each = ", ".join(f"{one.model} explains {fit(one.fit_percent)}" for one in checks)
    return f"{checks[0].experiment}: {each}."


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
        shown(pictures, "tuning", "The open loop, predicted by the model and, if driven, measured.", _margins(values)),
        facts([("Decided by", ", ".join(str(one) for one in decided)), ("From", str(values.get("source") or ""))]),
    ])  # fmt: skip


def _figure_of(each: Mapping[str, Any], what: str) -> str:
    """A figure of a prediction or a measurement, or of its margins."""
    margins = each.get("margins") or each.get("nominal") or {}
    value = each.get(what, margins.get(what))
    return "–" if value is None else plain(float(value), 3)


def _amount(study: Study) -> str:
    count, seconds = len(study.experiments), sum(one.seconds for one in study.experiments)
    return f"{count} experiment{'' if count == 1 else 's'} of {fixed(seconds, 0)} s in all."


def _prepared(rows: Sequence[Sequence[object]]) -> str:
    records = len({row[0] for row in rows})
    return f"Preparing took {len(rows)} steps on {records} record{'' if records == 1 else 's'}."


def _falls(study: Study, pair: Pair) -> str:
    """Of the response of this pair: its bandwidth, by the first excitation that shows it."""
    for one in study.responses:
        if one.pair == pair and one.bandwidth.gain is not None:
            late = one.bandwidth.phase
            lag = f" and lags by 90° at {fixed(late.hz, 1)} Hz" if late is not None else ""
            return f"It falls by 3 dB at {fixed(one.bandwidth.gain.hz, 1)} Hz{lag} ({one.experiment})."
    return "It does not fall by 3 dB in the driven band."


def _margins(values: Mapping[str, Any]) -> str:
    """Of the proposed gains."""
    phase, rise = (_figure_of(values["predicted"] or {}, what) for what in ("phase_deg", "rise_db"))
    return f"With the proposed gains the predicted margins are {phase}° and {rise} dB."
