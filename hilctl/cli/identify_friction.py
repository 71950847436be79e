"""`hilctl identify friction`: prepares, measures, fits, reports."""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hilctl.cli.files import source_file
from hilctl.cli.identify_parts import (
    check,
    continues,
    figure,
    folder_of,
    interval,
    made_ready,
    outcome,
    preparing_s,
    recording,
    refuse_campaign,
    rig_of,
    tell_change,
)
from hilctl.cli.output import note, say, show
from hilctl.cli.progress import progress
from hilctl.cli.progress import show as show_progress
from hilctl.errors import WrongUse
from hilctl.identify import friction_sets

if TYPE_CHECKING:
    from hilctl.client import Client
    from hilctl.experiment.stages import Stages
    from hilctl.identify.friction import Campaign
    from hilctl.results.friction import Discarded, SlidingFit
    from hilctl.results.identified import FittedPoints, IdentifiedFriction


ORIGIN = "identify friction"


def run(given: argparse.Namespace) -> int:
    """Does it; returns the exit code."""
    from hilctl.experiment.stages import Stages
    from hilctl.identify.friction import BUDGET_S, CannotPlan

    check(given)
    if given.points:
        return _of_file(given)
    begun_s = time.monotonic()
    folder = Path(given.resume) if given.resume else folder_of(given, "friction")
    try:
        with progress() as bar:
            line = bar.add_task("connecting", total=None)
            with rig_of(given) as rig:
                expected = {"preparing": 0.0 if given.resume else preparing_s(given), "measuring": BUDGET_S}
                stages = Stages(expected, lambda text, now: show_progress(bar, line, text, now))
                campaign = _measure(rig, given, folder, stages)
                stages.say("fitting", 1.0)
                answer = _answer(campaign, rig, given.apply)
    except KeyboardInterrupt:
        if (folder / "campaign.json").exists():
            note(f"paused; finished speeds are in {folder}; {continues(given, folder)}")
        raise
    except CannotPlan as cannot:
        raise WrongUse(str(cannot)) from None
    except Exception:
        if (folder / "campaign.json").exists():
            note(f"finished speeds are kept in {folder}; {continues(given, folder)}")
        raise
    return outcome(given, answer, folder / "friction.json", begun_s, lambda told: _tell(campaign, told, given.apply))


def _of_file(given: argparse.Namespace) -> int:
    """Points from elsewhere: no rig takes part."""
    from hilctl.identify.friction.from_file import fit_elsewhere, read_points
    from hilctl.results.identified import FittedPoints

    driving = (given.rig, given.twin, given.connect, given.changes, given.resume, given.speeds, given.budget,
               given.apply)  # fmt: skip
    if any(driving):
        raise WrongUse("--points reads a file: leave RIG, --twin, --connect, --set, --resume, --speeds, --budget and "
                       "--apply out")  # fmt: skip
    begun_s, file = time.monotonic(), source_file("--points", Path(given.points))
    points, joint = read_points(file)
    fit = fit_elsewhere(points, joint=joint)
    told = FittedPoints(
        source=str(file), joint=joint, given=points.size, set_aside=len(fit.rejected), fit=fit.told()
    )  # fmt: skip
    return outcome(given, told, folder_of(given, "friction") / "fit.json", begun_s, _tell_points)


def _measure(rig: "Client", given: argparse.Namespace, folder: Path, stages: "Stages") -> "Campaign":
    from hilctl.experiment.own_loop import refuse_on
    from hilctl.identify.friction import BUDGET_S, Campaign

    refuse_on(rig, "friction")
    if given.resume:
        if given.twin:
            rig.arm()
        campaign = Campaign.resume(rig, folder)
    else:
        budget_s = BUDGET_S if given.budget is None else given.budget
        refuse_campaign(rig, given.speeds, budget_s)
        stages.expect("measuring", budget_s)
        prepared = made_ready(rig, given, stages.say)
        campaign = Campaign.begin(rig, folder, given.speeds, budget_s, prepared)
    whole_s = campaign.progress.seconds_left
    stages.expect("measuring", whole_s)
    stages.begin("measuring", _doing(campaign))
    with recording(rig):
        for _ in campaign.run():
            stages.say(_doing(campaign), 1 - campaign.progress.seconds_left / whole_s)
    return campaign


def _doing(campaign: "Campaign") -> str:
    now = campaign.progress
    return f"{now.done} of {now.of} speeds measured" + (f", {now.speed_m_s:g} m/s" if now.speed_m_s else "")


def _answer(campaign: "Campaign", rig: "Client", apply: bool) -> "IdentifiedFriction":
    """The points, and the friction model that fits them; applied if asked, where all of it is identified."""
    from hilctl.identify.friction import identified
    from hilctl.results.identified import Applied

    made, sets, applied = identified(campaign), [], None
    fit = made.fit
    if fit is not None:
        in_force = rig.get(*friction_sets.KEYS)
        model = friction_sets.holder(fit.table, in_force)
        sets = friction_sets.steps(friction_sets.changes(fit.table, in_force, model), in_force)
        if apply and sets and not _open(fit):
            applied = Applied([rig.set(one, origin=ORIGIN) for one in sets])
    return replace(made, sets=sets, applied=applied)


def _open(fit: "SlidingFit") -> list[str]:
    """The parameters that these data do not identify."""
    return [name for name, one in fit.parameters.items() if not one.identified]


def _tell(campaign: "Campaign", answer: "IdentifiedFriction", apply: bool) -> None:
    from hilctl.identify.friction import table

    show(table(campaign))
    for reason, count in _reasons(answer.windows.discarded).items():
        say(f"discarded at {reason}" + (f" ({count} windows)" if count > 1 else ""))
    for remark in answer.remarks:
        say(f"note: {remark}")
    if answer.fit is None:
        say(f"no friction model: {answer.fit_refused}")
    else:
        _tell_fit(answer.fit)
        if apply and not answer.applied and (unknown := _open(answer.fit)):
            say(f"not applied: {', '.join(unknown)} not identified; measure at more speeds")
        tell_change(answer.sets, ORIGIN, answer.applied)
    say(f"rig time {answer.rig_seconds:.0f} s, elapsed {answer.wall_seconds:.0f} s")


def _tell_points(answer: "FittedPoints") -> None:
    fit = answer.fit
    aside = f", {answer.set_aside} of them set aside" if answer.set_aside else ""
    say(f"{answer.given} points{aside}; the curve explains {fit.fit_percent:.4g} % of all of them")
    _tell_fit(fit)
    speed, force = ("rad/s", "N·m") if answer.joint else ("m/s", "N")
    for one in fit.rejected:
        far = f"{one.deviations:.2g} standard errors from the curve, at most {one.limit:.2g}"
        say(f"set aside: {one.force_n:.4g} {force} at {one.speed_m_s:.4g} {speed}, {far}")


def _reasons(discarded: "list[Discarded]") -> dict[str, int]:
    """The first reason of each speed, and how many windows it has."""
    first: dict[float, str] = {}
    count: dict[float, int] = {}
    for one in discarded:
        first.setdefault(one.speed_m_s, one.reason)
        count[one.speed_m_s] = count.get(one.speed_m_s, 0) + 1
    return {f"{speed:g} m/s: {reason}": count[speed] for speed, reason in sorted(first.items())}


def _tell_fit(fit: "SlidingFit") -> None:
    say(f"friction model: {fit.why}")
    for name, p in fit.parameters.items():
        known = "" if p.identified else "   not identified"
        say(f"  {name:8} {figure(p.value)} {p.unit}   {interval(p.low, p.high)}{known}".rstrip())
    for flag in fit.flags:
        say(f"note: {flag}")
