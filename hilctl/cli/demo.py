"""`hilctl demo`: a simulated rig, its true parameters withheld, commissioned over the wire like any rig."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import commission_told
from hilctl.cli.arguments import count
from hilctl.cli.files import result_file, result_folder
from hilctl.cli.output import note, say
from hilctl.cli.progress import progress, show
from hilctl.errors import DONE, HilctlError, NoFigures, WrongUse

if TYPE_CHECKING:
    from hilctl.client import Client
    from hilctl.commission import Commissioning
    from hilctl.commission.tracking import Run
    from hilctl.results.commissioned import Commissioned

RIG = "table-500"
FRICTION = "lugre"
AUTHOR = "hilctl demo"


def demo(parser: argparse.ArgumentParser) -> None:
    """The arguments of `demo`."""
    parser.add_argument("--out", default="out/demo", metavar="DIR", help="for figures, report and results (out/demo)")
    parser.add_argument("--json", default="", metavar="FILE", help="also write the JSON object here")
    parser.add_argument("--seed", type=count(0, 2**32 - 1), default=1, metavar="N",
                        help="for noise and true parameters (1)")  # fmt: skip
    parser.add_argument("--friction", default=FRICTION, metavar="NAME", help=f"the twin's friction model ({FRICTION})")
    parser.set_defaults(do=_demo)


def _demo(given: argparse.Namespace) -> int:
    from hilctl import rig
    from hilctl.client import Client, private_service
    from hilctl.commission import CommissionFailed
    from hilctl.demo.truth import hidden
    from hilctl.loop.core import rt_run
    from hilctl.rt.jit import is_warm

    result_folder("--out", Path(given.out))
    if given.json:
        result_file("--json", Path(given.json))
    changes = hidden(rig.load(RIG, twin=True), given.friction, given.seed)
    rig.load(RIG, twin=True, changes=changes)  # wrong use is reported before anything starts
    folder = _emptied(Path(given.out))
    with progress() as bar:
        start = "starting the twin" if is_warm(rt_run) else "compiling the loop, once per version: a minute"
        line = bar.add_task(start, total=None)

        def tell(text: str) -> None:
            bar.update(line, description=text)

        with private_service(RIG, changes=changes) as service, Client(service.commands, name="demo") as client:
            alone, work = _drive(client, folder, given.seed, tell, lambda text, now: show(bar, line, text, now))
            try:
                work.run()
                failed = ""
            except CommissionFailed as fault:
                failed = str(fault)
            work.result.truth = {key.removeprefix("twin."): value for key, value in changes.items()}
            _beside(work.result, alone)
            kept = commission_told.keep(work.work.notes, given.json)
        tell("drawing the report")
        kept += commission_told.report(work.result, folder)
        kept += _pictures([*alone, *work.runs], folder)
    if failed:
        commission_told.files(kept)
        raise HilctlError(failed)
    commission_told.tell(work.result)
    for run in alone:
        if run.trip:
            say(f"tripped: PID, {run.task.text}: {run.trip['name'].replace('_', ' ')}; reset and armed again")
    commission_told.files(kept)
    return DONE


def _drive(
    client: "Client", folder: Path, seed: int, tell: Any, show: Any
) -> "tuple[list[Run], Commissioning]":  # fmt: skip
    """PID alone first; then the work, ready to begin, which shows how far it is."""
    from hilctl.commission import Commissioning, How
    from hilctl.demo.course import COURSE, under_pid
    from hilctl.demo.quake import quake

    alone = list(under_pid(client, COURSE, tell))
    how = How(folder, tasks=COURSE, histories=(quake(seed),), learn_hz=(0.5, 1.0, 2.0, 5.0), author=AUTHOR)
    work = Commissioning(client, how, lambda text: show(text, work.progress))
    return alone, work


def _beside(result: "Commissioned", alone: "list[Run]") -> None:
    """Adds the figures of PID alone."""
    from hilctl.commission.worth import worth

    for row, run in zip(result.tracking, alone, strict=False):
        row.pid = worth(run)


def _pictures(runs: "list[Run]", folder: Path) -> list[Path]:
    from hilctl.demo.figures import draw

    try:
        return draw(runs, folder)
    except NoFigures:
        return []  # the report says so


def _emptied(folder: Path) -> Path:
    """Removes an earlier demonstration: a commissioning never overwrites another. WrongUse where it is none."""
    from hilctl.experiment import course

    if course.is_begun(folder) and course.author_of(folder) != AUTHOR:
        raise WrongUse(f"--out {folder}: it holds a commissioning that is no demonstration; name another folder")
    if course.forgotten(folder):
        note(f"{folder}: an earlier demonstration is replaced")
    return folder
