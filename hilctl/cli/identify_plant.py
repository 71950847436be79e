"""`hilctl identify plant`: prepares, drives sines and chirps, fits, reports; applies the result if asked."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import identify_parts as parts
from hilctl.cli.output import say, show

if TYPE_CHECKING:
    from hilctl.client import Client
    from hilctl.results.identified import IdentifiedPlant
    from hilctl.results.quantity import Quantity

ORIGIN = "identify plant"


def run(given: argparse.Namespace) -> int:
    """Does it; returns the exit code."""
    parts.check(given)
    return parts.campaign(given, "plant", _measured, _tell)


def _measured(rig: "Client", given: argparse.Namespace, folder: Path, tell: Any) -> "IdentifiedPlant":
    from hilctl.experiment.own_loop import refuse_on
    from hilctl.experiment.stages import PLANT_S, Stages
    from hilctl.identify.plant import identify_plant
    from hilctl.identify.plant.judge import WORK
    from hilctl.results.identified import Applied, IdentifiedPlant, answer

    refuse_on(rig, "plant")
    begun = parts.begun_as(rig, given, folder, WORK, {})
    stages = Stages({"preparing": parts.preparing_s(given), "machine": PLANT_S}, tell)
    with parts.measuring(rig, given, begun, folder, stages.say) as prepared:
        stages.begin("machine")
        fit = identify_plant(rig, stages.say)
    changes = fit.changes()
    applied = None
    if given.apply and changes:
        stages.say("applying the parameters", 1.0)
        applied = Applied([rig.set(changes, origin=ORIGIN)])
    return answer(
        IdentifiedPlant, fit.evidence(), rig=begun.rig, plant=fit.told, prepared=prepared, folder=str(folder),
        sets=[changes] if changes else [], applied=applied,
    )  # fmt: skip


def _tell(answer: "IdentifiedPlant") -> None:
    reasons = list(dict.fromkeys(q.reason for q in answer.plant.values()))
    marks = {reason: chr(ord("a") + i) for i, reason in enumerate(reasons)}
    show(_table(answer.plant, marks))
    for reason, mark in marks.items():
        say(f"{mark}: {reason}")
    for flag in answer.flags:
        say(f"note: {flag}")
    for note in answer.notes:
        say(f"note: {note}")
    say(f"rig time {answer.rig_seconds:.0f} s, elapsed {answer.wall_seconds:.0f} s")
    parts.tell_change(answer.sets, ORIGIN, answer.applied)


def _table(plant: "Mapping[str, Quantity]", marks: Mapping[str, str]) -> Any:
    from rich.table import Table

    made = Table(title="The machine", title_justify="left")
    for name in ("", "unit", "before", "value", "95 %", "origin"):
        made.add_column(name, justify="right" if name in ("before", "value") else "left", no_wrap=True)
    for key, q in plant.items():
        before = "" if q.before is None else parts.figure(q.before)
        value, known = ("not identified", "")
        if q.value is not None:  # of what these data leave open, it is null
            value, known = parts.figure(q.value), parts.interval(q.low, q.high)
        made.add_row(key, q.unit, before, value, known, marks[q.reason])
    return made
