"""The result of a study of a rig's dynamics as tables in the terminal."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hilctl.cli import identify_parts as parts
from hilctl.cli.output import say, show

if TYPE_CHECKING:
    from rich.table import Table

    from hilctl.identify.dynamics.study import Grey, Study, Transfers
    from hilctl.results.response import Crossing

NOT = "not identifiable"


def tell_study(study: "Study", answer: Mapping[str, Any]) -> None:
    """The whole result, in the order of the work."""
    for name, found in study.findings.items():
        for finding in found:
            say(f"left out: {name}: {finding}")
    show(_responses(study))
    for one in study.transfers:
        if one.family is None:
            say(f"no transfer function {one.pair}: {one.refused}")
        else:
            show(_transfers(one))
    if study.grey is not None and study.grey.fit is not None:
        show(_grey(study.grey))
        for line in _open(study.grey):
            say(line)
    if study.checks or study.against:
        show(_checks(study))
    if study.tuning is not None:
        from hilctl.cli.tune_told import lines

        for line in lines(study.tuning):
            say(f"gains {line}")
        say(f"gains: see study.json; `hilctl tune {study.rig} --from {answer['folder']}` shows, measures and sets them")
    for remark in dict.fromkeys(study.remarks):
        say(f"note: {remark}")
    driven = sum(one.seconds for one in study.experiments)
    say(f"{driven:.0f} s of records in {answer['wall_seconds']:.0f} s")
    if answer["sets"]:
        applied = answer["applied"]
        parts.tell_change([parts.set_line(one, "identify dynamics") for one in answer["sets"]],
                          applied and applied["epochs"])  # fmt: skip


def _responses(study: "Study") -> "Table":
    pairs = list(dict.fromkeys(str(one.pair) for one in study.responses))
    title = f"Frequency response {pairs[0]}" if len(pairs) == 1 else "Frequency responses"
    made = _table(title, "", "lines", "Hz", "-3 dB, Hz", "-90°, Hz", "coherence", "± 95 %")
    for one in study.responses:
        r = one.response
        share = 100 * float(np.median(r.radius() / np.maximum(r.magnitude, 1e-300)))
        made.add_row(
            one.experiment if len(pairs) == 1 else f"{one.experiment}\n{one.pair}", str(len(r.hz)),
            f"{r.hz[0]:.3g} to {r.hz[-1]:.3g}", _crossing(one.bandwidth.gain), _crossing(one.bandwidth.phase),
            f"{float(np.median(r.coherence)):.3f}", f"{share:.2g} %",
        )  # fmt: skip
    return made


def _crossing(one: "Crossing | None") -> str:
    return "-" if one is None else f"{one.hz:.2f} ± {1.96 * one.error_hz:.2g}"


def _transfers(one: "Transfers") -> "Table":
    assert one.family is not None
    title = f"Transfer functions, {one.pair}, {one.band_hz[0]:.3g} to {one.band_hz[1]:.3g} Hz ({one.experiment})"
    made = _table(title, "order", "fit, %", "BIC", "stable")
    for each in one.family.fits:
        mark = " *" if each.order == one.family.best.order else ""
        made.add_row(
            f"{each.order}{mark}", f"{each.amplitude_percent:.2f}", f"{each.bic:.1f}", _yes(each.transfer.stable)
        )
    return made


def _grey(grey: "Grey") -> "Table":
    assert grey.fit is not None
    fits = ", ".join(f"{name} {percent:.2f} %" for name, percent in grey.fit.fit_percent.items())
    made = _table(f"Grey box: {grey.model} ({fits}; {grey.fit.iterations} iterations)",
                  "", "unit", "before", "value", "95 %", "")  # fmt: skip
    for one in grey.fit.estimates:
        before = parts.figure(grey.before[one.name]) if one.name in grey.before else ""
        if one.value is None:
            made.add_row(one.name, one.unit, before, NOT, "", "")
            continue
        known = "" if one.by == "fixed" else parts.interval(one.low, one.high)
        made.add_row(one.name, one.unit, before, parts.figure(one.value), known, one.by)
    for invariant in grey.fit.invariants:
        if list(invariant.powers.values()) != [1]:
            ends = parts.interval(invariant.low, invariant.high)
            made.add_row(invariant.name, invariant.unit, "", parts.figure(invariant.value), ends, invariant.by)
    mass = None if grey.mass is None else grey.mass.quantity("machine.m")
    if mass is not None:
        value = parts.figure(mass.value) if mass.identified else NOT
        known = parts.interval(mass.low, mass.high) if mass.identified else ""
        made.add_row("m", "kg", parts.figure(mass.before), value, known, "weighed")
    return made


def _open(grey: "Grey") -> Iterator[str]:
    """What is not identifiable, and what to do."""
    from hilctl.identify.dynamics.judge import doubt

    assert grey.fit is not None
    fit = grey.fit
    gap = f", gap {fit.gap:.1g}" if fit.rank < fit.free else ""
    yield f"rank {fit.rank} of {fit.free}{gap}"
    for one in fit.estimates:
        if one.value is None:
            yield f"{one.name} is {NOT}: {one.why}"
    yield from dict.fromkeys(f"note: {flag.text}; {flag.remedy}" for flag in fit.flags)
    if why := doubt(grey):
        yield f"none of these values is proposed to be set: {why}"


def _checks(study: "Study") -> "Table":
    made = _table("Validation", "record", "model", "output", "fit, %", "residuals", "correlated with the input")
    for one in study.checks:
        white = "-" if one.whiteness is None else ("white" if one.whiteness.white else "coloured")
        free = "-" if one.independence is None else _yes(not one.independence.independent)
        made.add_row(one.experiment, one.model, one.output, f"{one.fit_percent:.2f}", white, free)
    for other in study.against:
        text = f"gain differs by {other.error_percent:.3g} %"
        of = f"response, {other.pair.output}"
        made.add_row(other.experiment, other.model, of, f"{other.fit_percent:.2f}", text, "")
    return made


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _table(title: str, *columns: str) -> "Table":
    from rich.table import Table

    made = Table(title=title, title_justify="left")
    for name in columns:
        made.add_column(name, no_wrap=True)
    return made
