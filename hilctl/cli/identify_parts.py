"""The common parts of the commands of `hilctl identify`: the rig, its preparation, the result."""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from hilctl.cli import connect
from hilctl.cli.arguments import number
from hilctl.cli.files import result_folder
from hilctl.cli.output import note, pairs, say
from hilctl.cli.progress import progress, show
from hilctl.errors import DONE, HilctlError, WrongUse

if TYPE_CHECKING:
    from hilctl.client import Client
    from hilctl.experiment.course import Course
    from hilctl.results.identified import Applied
    from hilctl.results.prepared import Prepared

Answer = TypeVar("Answer", bound=Struct)


def twin_options(parser: argparse.ArgumentParser) -> None:
    """RIG --twin, for a private twin."""
    parser.add_argument("rig", nargs="?", default="", metavar="RIG", help="with --twin: a rig file, or a preset's name")
    parser.add_argument("--twin", action="store_true", help="a private twin of RIG, on the virtual clock")
    parser.add_argument("--set", dest="changes", nargs="+", action="extend", default=[], metavar="KEY=VALUE",
                        help="with --twin: values laid over the rig file")  # fmt: skip


def options(parser: argparse.ArgumentParser, kind: str) -> None:
    """The options of every campaign."""
    twin_options(parser)
    connect.options(parser, moves=True)
    parser.add_argument("--out", default="", metavar="DIR", help=f"for samples and results (out/{kind}-DATE)")
    parser.add_argument("--stands-at", type=number(-5, 5, "m"), default=None, metavar="M",
                        help="also zero displacement: the table's position now, from mid-stroke")  # fmt: skip
    parser.add_argument("--no-prepare", dest="prepare", action="store_false", help="no zeroing, arming and warm-up")
    parser.add_argument("--json", action="store_true", help="the result as one JSON object")


def apply_option(parser: argparse.ArgumentParser) -> None:
    """--apply, for a result that can be set."""
    parser.add_argument("--apply", action="store_true", help="apply the result; `hilctl set --undo` undoes it")


def resume_option(parser: argparse.ArgumentParser) -> None:
    """--resume, for a campaign whose legs are kept."""
    parser.add_argument("--resume", default="", metavar="DIR", help="go on with what was begun in this directory")


def continues(given: argparse.Namespace, folder: Path) -> str:
    """How what is kept in this folder is continued."""
    job = getattr(given, "job", 0)
    return f"`hilctl job resume {job}` continues" if job else f"continue with --resume {folder}"


_BEGUN_WITH = ("out", "speeds", "budget", "elements", "curve", "center")


def check(given: argparse.Namespace) -> None:
    """WrongUse where options contradict each other."""
    if getattr(given, "resume", ""):
        settled = [name for name in _BEGUN_WITH if getattr(given, name, None) not in (None, "")]
        if settled:
            told = " and ".join(f"--{name}" for name in settled)
            raise WrongUse(f"--resume continues in its directory, as it was begun: leave {told} out")
    if given.twin and not given.rig:
        raise WrongUse("--twin needs RIG: a rig file, or a preset's name")
    if given.rig and not given.twin:
        raise WrongUse(f"RIG needs --twin: `{given.rig} --twin` for a private twin; the running rig takes no RIG")
    if given.twin and given.connect:
        raise WrongUse("--twin starts a service of its own: leave --connect out")
    if given.changes and not given.twin:
        raise WrongUse("--set is for --twin; `hilctl set` changes a running rig")
    if given.twin and getattr(given, "apply", False):
        raise WrongUse("--apply is for a running rig: a private twin ends with this command")


def campaign(
    given: argparse.Namespace, kind: str, measured: Callable[..., Answer], tell: Callable[[Answer], None]
) -> int:
    """Runs `measured(rig, given, folder, tell)` on the rig, saves its answer as KIND.json, and prints it.

    It tells what it does, and how far it is.
    """
    begun_s = time.monotonic()
    folder = Path(given.resume) if given.resume else folder_of(given, kind)
    with progress() as bar:
        line = bar.add_task("connecting", total=None)
        with rig_of(given) as rig:
            answer = measured(rig, given, folder, lambda text, now: show(bar, line, text, now))
    return outcome(given, answer, folder / f"{kind}.json", begun_s, tell)


def outcome(
    given: argparse.Namespace, answer: Answer, file: Path, begun_s: float, tell: Callable[[Answer], None]
) -> int:
    """Saves the answer and prints it; returns the exit code."""
    from hilctl.results.stored import as_json

    answer = replace(answer, wall_seconds=time.monotonic() - begun_s)
    keep(answer, file)
    if given.json:
        say(as_json(answer, indent=0).decode().rstrip())
    else:
        tell(answer)
        say(str(file))
    return DONE


def keep(answer: Struct, file: Path) -> None:
    """Writes the answer; a number that is not finite becomes null."""
    from hilctl.experiment import store
    from hilctl.results.stored import as_json

    file.parent.mkdir(parents=True, exist_ok=True)
    store.write(file, as_json(answer))


@contextmanager
def rig_of(given: argparse.Namespace) -> "Iterator[Client]":
    """The running rig, or a private twin. One that moves is refused, and stopped where it is taken over."""
    if not given.twin:
        moves = _moves(given)
        with connect.attended(given, "identify", restore=True) as rig:
            if moves:
                rig.stop()
            yield rig
        return
    from hilctl import rig as rigs
    from hilctl.client import Client, private_service

    changes = pairs(given.changes)
    rigs.load(given.rig, twin=True, changes=changes)  # wrong use is reported before anything starts
    with private_service(given.rig, changes=changes) as service, Client(service.commands, name="identify") as client:
        yield client


@contextmanager
def looked_at(given: argparse.Namespace) -> "Iterator[Client]":
    """The running rig without its lease, or a private twin."""
    if given.twin:
        with rig_of(given) as rig:
            yield rig
        return
    with connect.look(given) as rig:
        yield rig


def _moves(given: argparse.Namespace) -> bool:
    with connect.look(given) as rig:
        mode = rig.status()["mode"]
    moves = mode in ("track", "stop")
    if moves and not given.takeover:
        raise HilctlError(f"the rig is in {mode}: a motion runs, and is not ended unasked; `hilctl stop` or --takeover")
    return moves


def refuse_campaign(rig: "Client", speeds_m_s: Sequence[float] | None, budget_s: float) -> None:
    """WrongUse where no friction campaign fits into the rig's limits and the budget: before anything moves."""
    from hilctl.experiment.facts import read_facts
    from hilctl.identify.friction import CannotPlan, plan

    try:
        plan(read_facts(rig), speeds_m_s, budget_s)
    except CannotPlan as cannot:
        raise WrongUse(f"--speeds, --budget: {cannot}") from None


def preparing_s(given: argparse.Namespace) -> float:
    """How long `made_ready` may take."""
    from hilctl.experiment.prepare import WARM_UP_S
    from hilctl.experiment.stages import ARMING_S, PREPARING_S

    return PREPARING_S + WARM_UP_S if given.prepare else ARMING_S


def made_ready(rig: "Client", given: argparse.Namespace, tell: Callable[[str], None]) -> "Prepared | None":
    """Zeroes, arms and warms up; with --no-prepare only arms a twin."""
    from hilctl.experiment.prepare import prepare

    if given.prepare:
        return prepare(rig, stands_at_m=given.stands_at, tell=tell)
    if given.twin:
        rig.arm()
    return None


@contextmanager
def measuring(rig: "Client", given: argparse.Namespace, begun: "Course", folder: Path,
              tell: Callable[[str], None]) -> "Iterator[Prepared | None]":  # fmt: skip
    """Prepared, recorded, and every leg kept in the folder. What it holds already is not measured again."""
    from hilctl.experiment import course, journal
    from hilctl.experiment.prepare import prepare, prepare_again

    (course.resumed if given.resume else course.begun)(folder, begun)
    made = course.prepared(folder)
    try:
        if made is not None:
            prepare_again(rig, made, tell=tell)
        elif given.prepare:
            made = prepare(rig, stands_at_m=given.stands_at, tell=tell)
            course.keep_prepared(folder, made)
        elif given.twin:
            rig.arm()
        with journal.kept(folder / course.LEGS), recording(rig):
            yield made
    except (KeyboardInterrupt, Exception):
        if not given.twin or given.out:
            note(f"finished legs are kept in {folder}; {continues(given, folder)}")
        raise


def begun_as(rig: "Client", given: argparse.Namespace, folder: Path, work: str,
             asked: Mapping[str, Any]) -> "Course":  # fmt: skip
    """What begins, under the active parameters; to go on, with what was asked for then. Offsets may have changed."""
    from hilctl.experiment import course
    from hilctl.experiment.facts import OFFSETS, read_facts

    facts = read_facts(rig)
    values = {key: value for key, value in facts.values.items() if key not in OFFSETS}
    before = course.opened(folder, work).asked if given.resume else asked
    return course.now(facts.rig, facts.rate_hz, values, before, work=work)


@contextmanager
def recording(rig: "Client") -> "Iterator[None]":
    """A recording beside the campaign, on a real rig where none runs yet."""
    if rig.hello["clock"] == "virtual" or rig.status()["recording"].get("state") == "recording":
        yield
        return
    with rig.record():
        yield


def folder_of(given: argparse.Namespace, kind: str) -> Path:
    """The folder of the campaign, which can be written."""
    return result_folder("--out", Path(given.out or f"out/{kind}-{datetime.now():%Y%m%d-%H%M%S}"))


def figure(value: float | None) -> str:
    """Five digits, or a question mark."""
    return "?" if value is None else f"{value:.5g}"


def interval(low: float | None, high: float | None) -> str:
    """Both ends; an open one as a question mark."""
    return f"[{figure(low)}, {figure(high)}]"


def tell_change(sets: Sequence[Mapping[str, Any]], origin: str, applied: "Applied | None") -> None:
    """Reports the applied set, or prints the commands that apply it, one line a set."""
    from hilctl.results.identified import set_line

    if applied:
        undo = " ".join(["`hilctl set --undo`"] + [f"{len(applied.epochs)} times"] * (len(applied.epochs) > 1))
        say(f"active since epoch {applied.epochs[-1]}; {undo} undoes it")
    elif not sets:
        say("nothing to set: all values are active")
    else:
        say("nothing was set; to apply the result:")
        for one in sets:
            say(f"  {set_line(one, origin)}")
