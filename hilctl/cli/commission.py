"""`hilctl commission [RIG [--twin]]`: measures friction, identifies and compensates it, and reports the improvement.

hilctl commission table-500 --twin --json out.json     a private twin, as fast as it computes
hilctl commission table-500                            the service of that rig, on this host
hilctl commission --connect tcp://127.0.0.1:9870
hilctl commission --only reversals,compensation --out DIR
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import commission_plan, commission_told, connect, identify_parts
from hilctl.cli.arguments import BUDGET, SPEED, number
from hilctl.cli.files import result_file, source_file
from hilctl.cli.output import note
from hilctl.cli.progress import progress, show
from hilctl.errors import DONE, HilctlError, WrongUse
from hilctl.results.commissioned import PARTS

if TYPE_CHECKING:

    from hilctl.commission import How
    from hilctl.commission.history import History

LEARNED_HZ = (0.5, 1.0, 2.0, 5.0)
PEAK_M = 0.05


def commission(parser: argparse.ArgumentParser) -> None:
    """The arguments of `commission`."""
    parser.add_argument("rig", nargs="?", default="", metavar="RIG", help="a rig file, or a preset's name (the only "
                        "service on this host)")  # fmt: skip
    parser.add_argument("--twin", action="store_true", help="a private twin of RIG, on the virtual clock")
    parser.add_argument("--set", dest="changes", nargs="+", action="extend", default=[], metavar="KEY=VALUE",
                        help="with --twin: values laid over the rig file")  # fmt: skip
    connect.options(parser, moves=True)
    parser.add_argument("--out", default="", metavar="DIR", help="for samples, results, figures and the report "
                        "(out/commission-DATE)")  # fmt: skip
    parser.add_argument("--resume", action="store_true", help="with --out: go on with the commissioning in DIR; "
                        "what was measured is not measured again")  # fmt: skip
    parser.add_argument("--only", default="", metavar="PART[,PART]", help="measure these parts alone, and "
                        f"complete the result in --out DIR: {', '.join(PARTS)}")  # fmt: skip
    parser.add_argument("--json", default="", metavar="FILE", help="also write the JSON object here")
    parser.add_argument("--stands-at", type=number(-5, 5, "m"), default=None, metavar="M",
                        help="also zero displacement: the table's position now, from mid-stroke")  # fmt: skip
    parser.add_argument("--speeds", nargs="+", type=SPEED, default=None, metavar="M/S",
                        help="speeds of the friction campaign (24 from 0.001 to 0.8)")  # fmt: skip
    parser.add_argument("--budget", type=BUDGET, default=None, metavar="S", help="rig time for the friction campaign "
                        "(90)")  # fmt: skip
    parser.add_argument("--sines", nargs="+", type=number(0.05, 20, "Hz"), default=None, metavar="HZ",
                        help="sines whose distortion is measured (0.5 1 2 5)")  # fmt: skip
    parser.add_argument("--warm-up", type=number(0, 3600, "s"), default=10.0, metavar="S",
                        help="how long the oil is warmed up first (10)")  # fmt: skip
    parser.add_argument("--learn", action="store_true", help="iterative learning control (ILC): also learn the drive "
                        "signals of the sines")  # fmt: skip
    parser.add_argument("--tune", action="store_true", help="compute gains for the identified machine, apply them, and "
                        "measure bandwidth and margins before and after")  # fmt: skip
    parser.add_argument("--history", action="append", default=[], metavar="FILE.csv",
                        help="an earthquake or another history, tracked before and after")  # fmt: skip
    parser.add_argument("--peak", type=number(1e-6, 5, "m"), default=PEAK_M, metavar="M",
                        help=f"peak displacement to which histories are scaled ({PEAK_M:g})")  # fmt: skip
    parser.add_argument("--author", default="", metavar="NAME", help="the author in the report (USER@HOST)")
    commission_plan.option(parser)
    parser.set_defaults(do=_commission, job=0)


def _commission(given: argparse.Namespace) -> int:
    from hilctl.commission import CommissionFailed, Commissioning

    _check(given)
    if given.plan:
        with identify_parts.looked_at(given) as rig:
            commission_plan.tell(rig, _how(given, Path(given.out)))
        return DONE
    folder = identify_parts.folder_of(given, "commission")
    how = _how(given, folder)
    with progress() as bar:
        line = bar.add_task("connecting", total=None)
        with identify_parts.rig_of(given) as rig:
            if how.does("friction"):
                identify_parts.refuse_campaign(rig, how.speeds_m_s, how.campaign_s)
            work = Commissioning(rig, how, lambda text: show(bar, line, text, work.progress))
            try:
                with identify_parts.recording(rig):
                    work.run()
                failed = ""
            except CommissionFailed as fault:
                failed = str(fault)
            finally:
                kept = commission_told.keep(work.work.notes, given.json)
        bar.update(line, description="drawing the report", seconds_left=0.0)
        kept += commission_told.report(work.result, folder)
    if failed:
        commission_told.files(kept)
        raise HilctlError(failed)
    commission_told.tell(work.result)
    commission_told.files(kept)
    return DONE


def _check(given: argparse.Namespace) -> None:
    if given.twin and not given.rig:
        raise WrongUse("--twin needs RIG: a rig file, or a preset's name")
    if given.rig and given.connect:
        raise WrongUse("RIG and --connect both name the rig: leave one out")
    if given.resume and not given.out:
        raise WrongUse("--resume needs --out DIR: the folder of the commissioning that goes on")
    given.only = _parts(given.only)
    if given.changes and not given.twin:
        raise WrongUse("--set is for --twin; `hilctl set` changes a running rig")
    for file in given.history:
        source_file("--history", Path(file))
    if given.json:
        result_file("--json", Path(given.json))
    if given.rig and not given.twin:
        from hilctl import rig as rigs

        given.connect = rigs.load(given.rig).name
        note(f"the service of {given.connect} on this host; --twin for a private twin")


def _how(given: argparse.Namespace, folder: Path) -> "How":

    from hilctl.commission import How
    from hilctl.commission.how import CAMPAIGN_S
    from hilctl.commission.sines import FREQUENCIES_HZ

    return How(
        folder, stands_at_m=given.stands_at, warm_up_s=given.warm_up,
        speeds_m_s=tuple(given.speeds) if given.speeds else None,
        sines_hz=tuple(given.sines) if given.sines else FREQUENCIES_HZ,
        campaign_s=CAMPAIGN_S if given.budget is None else given.budget,
        learn_hz=LEARNED_HZ if given.learn or "learning" in given.only else (),
        tune=given.tune or "gains" in given.only, histories=_histories(given), author=given.author, resume=given.resume,
        only=given.only, command=_again(sys.argv[1:], given.job),
        job=bool(given.job),
    )  # fmt: skip


def _parts(text: str) -> tuple[str, ...]:
    """The parts that are named, in the order of the work."""
    from hilctl.params import nearest

    asked = [name.strip() for name in text.split(",") if name.strip()]
    for name in asked:
        if name not in PARTS:
            near, known = nearest(name, tuple(PARTS)), ", ".join(PARTS)
            listed = near if known in near else f"{near} The parts are {known}"
            raise WrongUse(f"--only: no part {name!r}; {listed}", key="--only")
    return tuple(part for part in PARTS if part in asked)


def _again(words: Sequence[str], job: int) -> str:
    """The command without its folder and files, and without its parts: to be completed."""
    kept, skip = ["hilctl", *(["job", "resume", str(job), "--"] if job else [])], False
    for word in words[bool(job) :]:
        name, given, _ = word.partition("=")
        if not skip and name not in (*_ONE_RUN, "--resume"):
            kept.append(word)
        skip = not skip and name in _ONE_RUN and not given
    return shlex.join(kept)


_ONE_RUN = ("--out", "--json", "--only")


def _histories(given: argparse.Namespace) -> "tuple[History, ...]":
    from hilctl.commission.history import read_history
    from hilctl.params import BadValues, Problem

    found: list[Any] = []
    for file in given.history:
        try:
            found.append(read_history(Path(file), given.peak))
        except (OSError, UnicodeDecodeError) as error:
            raise BadValues([Problem(file, "", f"cannot be read: {error}")]) from None
    return tuple(found)
