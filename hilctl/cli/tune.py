"""`hilctl tune RIG`: gains with margins for the machine that the rig file says, or that was identified.

hilctl tune table-500                                predicted; changes nothing
hilctl tune table-500 --from out/dynamics-…          for the machine that was identified there
hilctl tune table-500 --twin --measure               on a private twin: measured under the old gains and the new
hilctl tune table-500 --measure --apply              on the running rig: measured, set, measured again
hilctl tune table-500 --notches --apply              the gains stay; notches for what the measured loop shows
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import connect, identify_parts, rig_options, tune_told
from hilctl.cli.arguments import number
from hilctl.cli.files import result_file, result_folder
from hilctl.cli.output import as_json, note, pairs, say, text_of
from hilctl.cli.progress import working
from hilctl.errors import DONE, WrongUse

if TYPE_CHECKING:
    from hilctl.client import Client
    from hilctl.design.known import Known
    from hilctl.design.result import Tuning
    from hilctl.rig import Rig

LAWS = ("three_state", "pid")
ORIGIN = "hilctl tune"


def tune(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tune`."""
    rig_options.options(parser, twin="with --measure: a private twin of RIG, on the virtual clock")
    parser.add_argument("--feedback", choices=LAWS, help="which law; not given: the one that the rig file uses")
    parser.add_argument("--from", dest="folder", default="", metavar="DIR",
                        help="the machine that `identify dynamics` or `identify plant` has found there")  # fmt: skip
    parser.add_argument("--gain-margin", type=number(0, 40, "dB"), default=6.0, metavar="DB",
                        help="wanted gain margin, in dB (6)")  # fmt: skip
    parser.add_argument("--phase-margin", type=number(0, 85, "degrees"), default=45.0, metavar="DEG",
                        help="wanted phase margin, in degrees (45)")  # fmt: skip
    parser.add_argument("--modulus-margin", type=number(0.1, 0.9), default=0.5, metavar="M",
                        help="wanted modulus margin: smallest distance of the loop from -1 (0.5)")  # fmt: skip
    parser.add_argument("--measure", action="store_true",
                        help="drive the rig, and tell its bandwidth and margins")  # fmt: skip
    parser.add_argument("--notches", action="store_true",
                        help="leave the gains; measure, and design notches for what the loop shows")  # fmt: skip
    parser.add_argument("--apply", action="store_true",
                        help="set them in the running service; `hilctl set --undo` undoes")  # fmt: skip
    parser.add_argument("--save", default="", metavar="FILE", help="write them as TOML that a rig file can include")
    parser.add_argument("--out", default="", metavar="DIR", help="also write the result there, as tune.json")
    parser.add_argument("--json", action="store_true", help="all of it as one JSON object")
    connect.options(parser, moves=True)
    parser.set_defaults(do=_tune)


def _tune(given: argparse.Namespace) -> int:
    rig = rig_options.load(given)
    _check(given, rig)
    with working(f"tuning {rig.name}") as tell, _service(given, rig) as service:
        begun, steps = count(), _steps(given)
        made = _made(given, rig, service, lambda text: tell(min(next(begun), steps), steps, text))
    if given.save:
        Path(given.save).write_text(tune_told.fragment(made) + "\n", encoding="utf-8")
    if given.out:
        from hilctl.client.save import write_whole

        write_whole(Path(given.out) / "tune.json", text_of(made.to_json()))
    if given.json:
        as_json(made.to_json())
    else:
        say(tune_told.fragment(made) if made.values else "# nothing to set")
        for text in tune_told.lines(made):
            note(text)
    if given.save:
        note(f"written to {given.save}")
    if made.applied and not given.twin:
        note(f"set in the running service, epoch {made.applied[-1]}; `hilctl set --undo` takes it back")
    return DONE


def _steps(given: argparse.Namespace) -> int:
    """How many things are announced; a search that finds gains early leaves some out."""
    from hilctl.design.search import INTEGRALS_HZ
    from hilctl.identify.frequency.open_loop import SEEDS

    drives = given.measure or given.notches
    measured = (2 if given.apply or given.twin else 1) * len(SEEDS) if drives else 0
    return measured + (0 if given.notches else len(INTEGRALS_HZ))


def _check(given: argparse.Namespace, rig: "Rig") -> None:
    from hilctl.experiment.own_loop import refuse_own_loop

    refuse_own_loop(rig.tables.law.feedback, "tune")
    if given.twin and not (given.measure or given.notches):
        raise WrongUse("--twin is for what is measured: give --measure or --notches with it, or leave it out")
    if given.twin and given.connect:
        raise WrongUse("--twin starts a service of its own: leave --connect out")
    if given.notches and (given.feedback or given.folder):
        raise WrongUse("--notches leaves the gains as they are: leave --feedback and --from out")
    if given.measure and given.feedback not in (None, rig.tables.law.feedback):
        raise WrongUse(f"--measure drives the active controller, {rig.tables.law.feedback}: leave --feedback out")
    if given.save:
        result_file("--save", Path(given.save))
    if given.out:
        result_folder("--out", Path(given.out)).mkdir(parents=True, exist_ok=True)


@contextmanager
def _service(given: argparse.Namespace, rig: "Rig") -> "Iterator[Client | None]":
    """What is driven, or set; None where nothing is."""
    if given.twin:
        from hilctl.client import Client, private_service

        changes = pairs(given.changes)
        with private_service(given.rig, changes=changes) as service, Client(service.commands, name="tune") as client:
            client.arm()
            yield client
    elif given.measure or given.notches or given.apply:
        given.connect = given.connect or rig.name
        with connect.attended(given, "tune", restore=True) as client:
            yield client
    else:
        yield None


def _made(given: argparse.Namespace, rig: "Rig", service: "Client | None", tell: Any) -> "Tuning":
    from hilctl.design.margins import Wanted
    from hilctl.design.notches import design_notches
    from hilctl.design.result import Tuning
    from hilctl.design.search import design

    wanted = Wanted(given.gain_margin, given.phase_margin, given.modulus_margin)
    drives = given.measure or given.notches
    before = _measured(service, tell) if drives else None
    known = _known(given, rig)
    found, notched = None, None
    if given.notches:
        assert before is not None
        notched = design_notches(before.loop, _law(service), rig.dt_s, wanted)
    else:
        found = design(known, rig.friction, rig.dt_s, given.feedback or rig.tables.law.feedback, wanted, tell)
    made = Tuning(rig.name, known, found, before, None, notched)
    if service is not None and made.values and (given.apply or given.twin):
        epoch = service.set(made.values, origin=ORIGIN)
        made = made._replace(applied=(epoch,))
        if drives:
            service.pass_time(float(service.get("law.blend_s")["law.blend_s"]) + 0.5)
            made = made._replace(measured_after=_measured(service, tell))
    return made


def _known(given: argparse.Namespace, rig: "Rig") -> "Known":
    from hilctl.design.known import from_folder, from_rig_file

    return from_folder(rig.controller, given.folder) if given.folder else from_rig_file(rig.controller)


def _measured(service: "Client | None", tell: Any) -> Any:
    from hilctl.experiment.facts import read_facts
    from hilctl.identify.frequency.open_loop import measure

    assert service is not None
    with identify_parts.recording(service):
        return measure(service, read_facts(service), tell)


def _law(service: "Client | None") -> Any:
    from hilctl.experiment.facts import read_facts

    assert service is not None
    return read_facts(service).controller.law
