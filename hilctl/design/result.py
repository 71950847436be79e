"""The result of tuning: gains, their prediction, and what was measured; also as plain values."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from msgspec import to_builtins

from hilctl.design.known import Known
from hilctl.design.margins import Margins
from hilctl.design.notches import Notched
from hilctl.design.predict import Prediction, falls
from hilctl.design.search import Design
from hilctl.params.finite import finite
from hilctl.results import proof
from hilctl.results.proof import Loop
from hilctl.results.response import Bandwidth, Response


class Measured(NamedTuple):
    """The loop of a rig, as measured."""

    loop: Response  # L
    follows: Response  # displacement over reference
    plant: Response  # load pressure over opening: where resonances stand out
    margins: Margins
    bandwidth: Bandwidth
    epoch: int
    seconds: float
    notes: tuple[str, ...]

    @property
    def crossover_hz(self) -> float:
        """The first frequency at which |L| has fallen to 1."""
        return falls(self.loop.hz, self.loop.gain, 0.0)


CURVE = 200  # points of a predicted response
MEANING = {
    "rise_db": "the gain of the whole loop may rise by so much before it is unstable",
    "fall_db": "it may fall by so much; no limit where the loop is stable without gain",
    "phase_deg": "so much more lag where the loop's gain is 1 makes it unstable",
    "modulus": "least distance of L from -1; its inverse is the peak of the sensitivity, Ms",
    "crossover_hz": "below it the feedback corrects; above it the feed-forward alone is at work",
    "minus_3_db_hz": "the table's displacement has fallen to 71 % of its reference",
    "minus_90_deg_hz": "it is a quarter of a period late",
}


class Tuning(NamedTuple):
    """Everything that tuning computed; None for a step that was not taken."""

    rig: str
    known: Known
    design: Design | None
    measured_before: Measured | None = None
    measured_after: Measured | None = None
    notched: Notched | None = None
    applied: tuple[int, ...] = ()  # epochs

    @property
    def values(self) -> dict[str, float]:
        """Every key to set."""
        return {**(self.design.values if self.design else {}), **(self.notched.values if self.notched else {})}

    def to_json(self) -> dict[str, Any]:
        """As plain values that JSON can hold."""
        d = self.design
        return {
            "rig": self.rig,
            "feedback": d.feedback if d else self.known.controller.law.feedback,
            "values": self.values,
            "source": self.known.source,
            "assumed": list(self.known.assumed),
            "spread": {name: list(ends) for name, ends in self.known.spread.items()},
            "wanted": d.wanted._asdict() if d else None,
            "decided_by": list(d.decided) if d else [],
            "position_gain_per_s": d.predicted.position_gain_per_s if d else None,
            "margins": _old(d.predicted) if d else None,
            "before": plain_prediction(d.before) if d else None,
            "predicted": plain_prediction(d.predicted) if d else None,
            "measured_before": plain_measured(self.measured_before),
            "measured_after": plain_measured(self.measured_after),
            "notches": _notches(self.notched),
            "applied": {"epochs": list(self.applied)} if self.applied else None,
            "meaning": MEANING,
        }


def _old(p: Prediction) -> dict[str, Any]:
    return {"stable": p.stable, "peak": p.worst.peak if p.worst else None, "worst": p.corner}


def predicted_loop(p: Prediction) -> Loop:
    """The nominal loop as a result holds it, at fewer points."""
    some = np.unique(np.linspace(0, len(p.hz) - 1, CURVE).astype(int))
    return Loop(
        margins=_margins(p.nominal), crossover_hz=finite(p.crossover_hz), minus_3_db_hz=finite(p.minus_3_db_hz),
        minus_90_deg_hz=finite(p.minus_90_deg_hz), hz=finite(p.hz[some]), loop=_curve(p.loop[some]),
        follows=_curve(p.follows[some]),
    )  # fmt: skip


def measured_loop(m: Measured) -> Loop:
    """The measured loop as a result holds it."""
    gain, phase = m.bandwidth
    return Loop(
        margins=_margins(m.margins), crossover_hz=finite(m.crossover_hz), minus_3_db_hz=gain.hz if gain else None,
        minus_90_deg_hz=phase.hz if phase else None, hz=finite(m.loop.hz), loop=_curve(m.loop.gain),
        follows=_curve(m.follows.gain),
    )  # fmt: skip


def plain_prediction(p: Prediction) -> dict[str, Any]:
    """With its responses, at fewer points."""
    plain = to_builtins(predicted_loop(p))
    return {
        **plain, "stable": p.stable, "nominal": plain["margins"], "worst": to_builtins(_margins(p.worst)),
        "corner": p.corner, "position_gain_per_s": p.position_gain_per_s,
    }  # fmt: skip


def plain_measured(m: Measured | None) -> dict[str, Any] | None:
    """With its responses."""
    if m is None:
        return None
    return {
        **to_builtins(measured_loop(m)), "epoch": m.epoch, "seconds": m.seconds, "notes": list(m.notes),
        "plant": to_builtins(_curve(m.plant.gain)), "loop_error": np.sqrt(m.loop.variance).tolist(),
    }  # fmt: skip


def _margins(margins: Margins | None) -> proof.Margins | None:
    """Infinite ones are null."""
    return None if margins is None else proof.Margins(**finite(margins))


def _notches(n: Notched | None) -> dict[str, Any] | None:
    if n is None:
        return None
    return {
        "values": n.values, "peaks": [peak._asdict() for peak in n.peaks], "why": n.why,
        "before": to_builtins(_margins(n.before)), "expected": to_builtins(_margins(n.after)),
    }  # fmt: skip


def _curve(gain: Any) -> proof.Curve:
    return proof.Curve(finite(np.abs(gain)), finite(np.rad2deg(np.unwrap(np.angle(gain)))))


def fragment(values: Mapping[str, float], remarks: list[str]) -> str:
    """The values in the form of a rig file."""
    lines = [f"# {remark}" for remark in remarks]
    table = ""
    for key, value in values.items():
        at, _, name = key.rpartition(".")
        if at != table:
            lines += [""] * bool(table) + [f"[{at}]"]
            table = at
        lines.append(f"{name} = {value:.5g}")
    return "\n".join(lines)
