"""`hilctl identify presliding`: prepares, drives reversals, judges, reports; applies the friction model if asked."""

import argparse
import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import identify_parts as parts
from hilctl.cli.files import source_file
from hilctl.cli.output import say
from hilctl.errors import WrongUse

if TYPE_CHECKING:
    from hilctl.client import Client
    from hilctl.results.identified import IdentifiedReversals

ORIGIN = "identify presliding"
_KEYS = ("friction", "law.feed.inverse", "limits.position")


def run(given: argparse.Namespace) -> int:
    """Does it; returns the exit code."""
    parts.check(given)
    curve = _curve_in(Path(given.curve)) if given.curve else None
    return parts.campaign(given, "presliding", functools.partial(_measured, curve=curve), _tell)


def _measured(rig: "Client", given: argparse.Namespace, folder: Path, tell: Any, *,
              curve: Mapping[str, Any] | None) -> "IdentifiedReversals":  # fmt: skip
    from hilctl.experiment.own_loop import refuse_on
    from hilctl.experiment.stages import Stages
    from hilctl.identify.presliding import WORK, identify_presliding
    from hilctl.identify.presliding.judge_told import steps
    from hilctl.identify.presliding.plan import BUDGET_S, planned
    from hilctl.params.tables import nested
    from hilctl.results.identified import Applied, IdentifiedReversals, answer

    refuse_on(rig, "presliding")
    before = rig.get(*_KEYS)
    if curve is None:
        believed = nested({key: value for key, value in before.items() if value is not None})
        curve = _checked(believed["friction"], "the active friction")
    centre_m = given.center
    if centre_m is None:
        centre_m = 0.5 * (before["limits.position.min_m"] + before["limits.position.max_m"])
    budget_s = BUDGET_S if given.budget is None else given.budget
    asked = {"curve": dict(curve), "center_m": centre_m, "budget_s": budget_s, "elements": given.elements or 0}
    begun = parts.begun_as(rig, given, folder, WORK, asked)
    asked = begun.asked
    swings = planned(rig, asked["curve"], asked["budget_s"])  # whatever it refuses, it refuses before the rig moves
    driven_s = sum(one.seconds(rig.hello["rate_hz"]) for one in swings)
    stages = Stages({"preparing": parts.preparing_s(given), "reversals": driven_s}, tell)
    with parts.measuring(rig, given, begun, folder, stages.say) as prepared:
        stages.begin("reversals")
        found = identify_presliding(rig, **asked, tell=stages.say)
    sets = steps(found, rig.get(*_KEYS))
    applied = None
    if given.apply and sets:
        stages.say("applying the friction model", 1.0)
        applied = Applied([rig.set(one, origin=ORIGIN) for one in sets])
    return answer(
        IdentifiedReversals, found.told(), rig=begun.rig, curve=asked["curve"], prepared=prepared, folder=str(folder),
        sets=sets, applied=applied,
    )  # fmt: skip


def _curve_in(path: Path) -> Mapping[str, Any]:
    """The sliding curve in a JSON file: a [friction] table, or the result of an identification."""
    source_file("--curve", path)
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise WrongUse(f"{path} is not a JSON file: {error}") from None
    if isinstance(held, Mapping) and held.get("fit_refused"):
        raise WrongUse(f"{path} holds points, but no friction model: {held['fit_refused']}")
    for way in (("fit", "table"), ("friction", "table"), ("friction",), ("table",), ()):
        table = held
        for name in way:
            table = table.get(name) if isinstance(table, Mapping) else None
        if isinstance(table, Mapping) and "fs" in table:
            return _checked(table, str(path))
    raise WrongUse(f"{path} holds no sliding curve: a table with fc, fs, vs and sigma, or an identification's result")


def _checked(table: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    from hilctl.identify.presliding.model_curve import curve_of

    try:
        curve_of(table)
    except ValueError as error:
        raise WrongUse(f"{where}: {error}; name a file with --curve, as from `hilctl identify friction`") from None
    return table


def _tell(answer: "IdentifiedReversals") -> None:
    say(f"friction: {_NAMES[answer.choice]}" + ("" if answer.certain else ", not certain"))
    say("probability: " + ", ".join(f"{name} {100 * value:.3g} %" for name, value in answer.probabilities.items())
        + f"; chosen from {100 * answer.decided_from:g} % on")  # fmt: skip
    for name, p in answer.parameters.items():
        value = f"at least {parts.figure(p.low)}" if p.high is None else parts.figure(p.value)
        known = "" if p.high is None else f"   {parts.interval(p.low, p.high)}"
        say(f"  {name:8} {value} {p.unit}".rstrip() + known)
    for name, ratio in answer.sides.items():
        within = parts.interval(ratio.low, ratio.high)
        say(f"  {name}, negative over positive side: {parts.figure(ratio.value)}   {within}")
    say(f"why: {answer.why}")
    for reason in answer.reasons:
        say(f"loops: {reason}")
    say(f"advice: {answer.advice}")
    for warning in answer.warnings:
        say(f"note: {warning}")
    say(f"rig time {answer.rig_seconds:.0f} s, elapsed {answer.wall_seconds:.0f} s")
    parts.tell_change(answer.sets, ORIGIN, answer.applied)


_NAMES = {
    "undecided": "undecided, see the probabilities",
    "static": "static, it jumps at a reversal",
    "lugre": "LuGre, bristles that bend before they slip",
    "gms": "GMS, elements that slip one after another",
    "dahl": "Dahl, a spring that gives way along the path",
}
