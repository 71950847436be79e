"""`hilctl identify friction`: prepares, measures, fits, reports."""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from hilctl.cli.identify_parts import (
    check,
    figure,
    folder_of,
    interval,
    made_ready,
    outcome,
    progress,
    recording,
    refuse_campaign,
    rig_of,
)
from hilctl.cli.output import note, say, show
from hilctl.errors import WrongUse

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from hilctl.client import Client
    from hilctl.identify.friction import Campaign
    from hilctl.results.friction import Discarded, SlidingFit
    from hilctl.results.identified import IdentifiedFriction


def run(given: argparse.Namespace) -> int:
    """Does it; returns the exit code."""
    from hilctl.identify.friction import CannotPlan

    check(given)
    begun_s = time.monotonic()
    folder = Path(given.resume) if given.resume else folder_of(given, "friction")
    try:
        with progress() as bar:
            line = bar.add_task("connecting", total=None)
            with rig_of(given) as rig:
                campaign = _measure(rig, given, folder, bar, line)
            bar.update(line, description="fitting")
            answer = _answer(campaign)
    except KeyboardInterrupt:
        if (folder / "campaign.json").exists():
            note(f"paused; finished speeds are in {folder}; continue with --resume {folder}")
        raise
    except CannotPlan as cannot:
        raise WrongUse(str(cannot)) from None
    except Exception:
        if (folder / "campaign.json").exists():
            note(f"finished speeds are kept in {folder}; continue with --resume {folder}")
        raise
    return outcome(given, answer, folder / "friction.json", begun_s, lambda told: _tell(campaign, told))


def _measure(
    rig: "Client", given: argparse.Namespace, folder: Path, bar: "Progress", line: "TaskID"
) -> "Campaign":  # fmt: skip
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
        prepared = made_ready(rig, given, lambda text: bar.update(line, description=text))
        campaign = Campaign.begin(rig, folder, given.speeds, budget_s, prepared)
    with recording(rig):
        _show(campaign, bar, line)
        for _ in campaign.run():
            _show(campaign, bar, line)
    return campaign


def _show(campaign: "Campaign", bar: "Progress", line: "TaskID") -> None:
    p = campaign.progress
    what = f"{p.speed_m_s:g} m/s" if p.speed_m_s else "measured"
    text = f"{what}, {p.seconds_left:.0f} s of rig time left"
    bar.update(line, description=text, total=p.of, completed=p.done)


def _answer(campaign: "Campaign") -> "IdentifiedFriction":
    """The points, and the friction model that fits them."""
    from hilctl.identify.friction import campaign_of, fit_friction, points_of
    from hilctl.params import BadValues
    from hilctl.results.identified import IdentifiedFriction, answer

    fit, refused = None, ""
    try:
        fit = fit_friction(points_of(campaign)).told()
    except BadValues as bad:
        refused = str(bad)
    return answer(IdentifiedFriction, campaign_of(campaign), fit=fit, fit_refused=refused)


def _tell(campaign: "Campaign", answer: "IdentifiedFriction") -> None:
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
    say(f"rig time {answer.rig_seconds:.0f} s, elapsed {answer.wall_seconds:.0f} s")


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
