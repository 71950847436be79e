"""The tables of a study, as text: the page and the terminal show the same."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from hilctl.identify.dynamics.study import Check, Grey, Study, Transfers
from hilctl.identify.grey_box.result import Fit
from hilctl.report.markup import sentence
from hilctl.report.numbers import fixed, percent, plain, quantity, with_unit
from hilctl.results.grey_box import Estimate
from hilctl.results.response import Crossing

NOT = "not identifiable"
_BOUNDS = {-1: "at its lower bound", 0: "", 1: "at its upper bound"}


class Table(NamedTuple):
    """A heading that begins with > stands over a column of numbers."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    keys: tuple[int, ...] = ()  # columns of keys and channels


def fit(per_cent: float) -> str:
    """A fit by equation 29, with two decimals: fits differ there."""
    return f"{fixed(per_cent, 2)} %"


def yes(value: bool) -> str:
    """Or no."""
    return "yes" if value else "no"


def responses(study: Study) -> Table:
    """Frequency responses and bandwidths."""
    rows = []
    for one in study.responses:
        r = one.response
        share = float(np.median(r.radius() / np.maximum(r.magnitude, 1e-300)))
        rows.append((
            one.experiment, str(one.pair), str(len(r.hz)), f"{plain(r.hz[0], 3)} to {plain(r.hz[-1], 3)}",
            f"{float(np.median(r.coherence)):.3f}", percent(100 * share), _crossing(one.bandwidth.gain),
            _crossing(one.bandwidth.phase),
        ))  # fmt: skip
    head = ("experiment", "from → to", ">lines", ">Hz", ">coherence", ">± 95 %", ">−3 dB, Hz", ">−90°, Hz")
    return Table("Frequency responses; coherence and interval are medians over all lines", head, rows)


def _crossing(one: Crossing | None) -> str:
    if one is None:
        return "–"
    half = 1.96 * one.error_hz
    digits = 2 if half >= 0.005 or half <= 0 else min(2 - math.floor(math.log10(2 * half)) - 1, 5)
    return f"{fixed(one.hz, digits)} ± {fixed(half, digits)}"


def transfers(one: Transfers) -> Table:
    """Every order of one pair."""
    assert one.family is not None
    rows = [
        (str(f.order) + (" (chosen)" if f.order == one.family.best.order else ""), fit(f.amplitude_percent),
         fit(f.percent), fixed(f.bic, 1), yes(f.transfer.stable))
        for f in one.family.fits
    ]  # fmt: skip
    title = f"Transfer functions, {one.pair}, {plain(one.band_hz[0], 3)} to {plain(one.band_hz[1], 3)} Hz"
    return Table(title, (">order", ">amplitude", ">complex, weighted", ">BIC", "stable"), rows)


def estimates(one: Grey) -> Table:
    """The parameters with intervals, or that they are not identifiable; and the mass from force and acceleration."""
    assert one.fit is not None
    rows = [_estimate(one, each) for each in one.fit.estimates]
    mass = one.mass.quantity("machine.m") if one.mass is not None else None
    if mass is not None:
        value, interval, unit = quantity(mass.value, mass.low, mass.high, "kg")
        if not mass.identified:
            value, interval, unit = NOT, "", ""
        rows.append(("machine.m", with_unit(mass.before, "kg"), value, interval, unit, "force and acceleration"))
    head = ("parameter", ">rig file", ">identified", ">95 % interval", "unit", "")
    return Table(f"Grey box: {one.model}", head, rows, (0,))


def _estimate(one: Grey, each: Estimate) -> tuple[str, ...]:
    before = with_unit(one.before.get(each.name), each.unit)
    key = one.keys.get(each.name, each.name)
    if each.value is None:
        return key, before, NOT, "", "", ""
    value, interval, unit = quantity(each.value, each.low, each.high, each.unit)
    if each.by == "fixed":
        return key, before, value, "", unit, "fixed"
    return key, before, value, interval, unit, _BOUNDS[each.at_bound]


def identifiable(found: Fit) -> Table:
    """Combinations of parameters that the data identify."""
    rows = [(each.name, *quantity(each.value, each.low, each.high, each.unit)) for each in found.invariants]
    return Table("What the data identify", ("identifiable", ">identified", ">95 % interval", "unit"), rows)


def validation(study: Study) -> Iterator[Table]:
    """Models on records, and beside responses, that they were not fitted to."""
    rows = [(one.experiment, one.model, one.output, fit(one.fit_percent), _white(one), _apart(one))
            for one in study.checks]  # fmt: skip
    head = ("experiment", "model", "output", ">fit", "residuals", "residuals and input")
    yield Table("Validation", head, rows, (2,))
    lines = [(one.experiment, one.model, str(one.pair), fit(one.fit_percent), percent(one.error_percent))
             for one in study.against]  # fmt: skip
    yield Table("Responses that the models were not fitted to",
                ("response of", "model", "from → to", ">amplitude", ">error"), lines)  # fmt: skip


def _white(one: Check) -> str:
    if one.whiteness is None:
        return sentence(one.refused) or "–"
    return "white" if one.whiteness.white else f"coloured: {percent(100 * one.whiteness.outside)} of the lags outside"


def _apart(one: Check) -> str:
    if one.independence is None:
        return "–"
    return "independent" if one.independence.independent else f"correlated: {fixed(one.independence.worst, 1)} σ"
