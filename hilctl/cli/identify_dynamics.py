"""`hilctl identify dynamics`: drive or read records, identify, report; see docs/dynamics.md.

hilctl identify dynamics table-500 --twin --out DIR             a simulated rig, faster than real time
hilctl identify dynamics --excitation multisine --resume DIR    the rest of an interrupted study
hilctl identify dynamics table-500 --record bench.csv --map displacement=Weg:mm reference=Soll:mm
"""

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hilctl.cli import identify_choices, identify_dynamics_stages
from hilctl.cli import identify_parts as parts
from hilctl.cli.arguments import number
from hilctl.cli.files import source_file
from hilctl.cli.output import json_line, note, say
from hilctl.cli.progress import progress, show
from hilctl.errors import WrongUse

if TYPE_CHECKING:
    from hilctl.client import Client
    from hilctl.experiment.facts import Facts
    from hilctl.identify.dynamics.study import Study
    from hilctl.identify.frequency.drive import Run
    from hilctl.identify.frequency.plan import Asked
    from hilctl.identify.frequency.record import Experiment
    from hilctl.results.dynamics import IdentifiedDynamics
    from hilctl.results.prepared import Prepared

ORIGIN = "identify dynamics"


def options(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parts.options(parser, "dynamics")
    parts.apply_option(parser)
    parser.add_argument("--resume", default="", metavar="DIR", help="continue the study in this directory")
    parser.add_argument("--excitation", default="", metavar="LIST",
                        help="some of multisine,sweep,stepped,plant (default: all that suit the rig)")  # fmt: skip
    parser.add_argument("--band", default="", metavar="LOW:HIGH",
                        help="driven band in Hz (1:100); with --record: the band that was driven")  # fmt: skip
    parser.add_argument("--amplitude", type=number(0, 5, "m"), default=0.0, metavar="M",
                        help="largest displacement from the centre (default: a share of the rig's limits)")  # fmt: skip
    parser.add_argument("--carrier", type=number(0, 20, "m/s"), default=None, metavar="M_S",
                        help="speed of a slow motion under sines that are too slow to slide alone; 0: none "
                        "(default: from the rig's friction model)")  # fmt: skip
    parser.add_argument("--input", default="", metavar="CHANNEL", help="input of the response (xd_m)")
    parser.add_argument("--output", default="", metavar="CHANNEL", help="output of the response (displacement_m)")
    parser.add_argument("--load-pressure", action="store_true", help="also use the load pressure as an output")
    identify_choices.options(parser)
    parser.add_argument("--record", nargs="+", action="extend", default=[], metavar="FILE",
                        help="recordings instead of experiments: of `hilctl record`, or CSV with a header")  # fmt: skip
    parser.add_argument("--check", nargs="+", action="extend", default=[], metavar="FILE",
                        help="with --record: recordings for validation only")  # fmt: skip
    parser.add_argument("--map", nargs="+", action="extend", default=[], dest="columns",
                        metavar="CHANNEL=COLUMN[:UNIT]", help="with --record: the column of a channel")  # fmt: skip
    parser.add_argument("--rate", type=number(0, 1e6, "Hz"), default=0.0, metavar="HZ",
                        help="with --record: sampling rate of a CSV without times")  # fmt: skip
    parser.add_argument("--no-tune", dest="tunes", action="store_false",
                        help="propose no gains for the identified machine")  # fmt: skip
    parser.add_argument("--no-report", dest="draws", action="store_false", help="no report.html")
    parser.add_argument("--events", action="store_true", help="progress as JSON lines on standard error")
    parser.set_defaults(do=run)


def run(given: argparse.Namespace) -> int:
    """Runs the command; returns the exit code."""
    asked = _asked(given)
    begun_s = time.monotonic()
    folder = Path(given.resume) if given.resume else parts.folder_of(given, "dynamics")
    with progress() as bar:
        line = bar.add_task("connecting", total=None)
        begun = None if given.record else 0.0 if given.resume else parts.preparing_s(given)
        stages = identify_dynamics_stages.Study(begun, lambda text, now: show(bar, line, text, now))

        def tell(text: str, done: int | None = None, of: int | None = None, **more: Any) -> None:
            stages.hear(text, **more)
            if given.events:
                note(json_line({"event": text, "done": done, "of": of, **more}))

        study, prepared, epochs = _of_files(given, asked, tell) if given.record else _of_rig(given, asked, folder, tell)
        tell("writing")
        answer = _answer(study, folder, prepared, epochs, draws=given.draws)
    return parts.outcome(given, answer, folder / "study.json", begun_s, lambda told: _tell(study, told))


def _tell(study: "Study", answer: "IdentifiedDynamics") -> None:
    from hilctl.cli.identify_dynamics_told import tell_study

    tell_study(study, answer)
    if answer.report:
        say(answer.report)


def _asked(given: argparse.Namespace) -> "Asked":
    """The options; WrongUse if they contradict each other."""
    from hilctl.identify.frequency.plan import Asked, check_asked

    if given.record:
        driving = (given.twin, given.connect, given.changes, given.resume, given.apply, given.excitation)
        if any(driving) or given.carrier is not None:
            raise WrongUse("--record evaluates recordings and drives nothing: leave --twin, --connect, --set, "
                           "--resume, --apply, --carrier and --excitation out; RIG may name the rig file")  # fmt: skip
    else:
        parts.check(given)
        if given.columns or given.rate or given.check:
            raise WrongUse("--map, --rate and --check are for --record")
    if given.resume and (
        given.out or given.band or given.amplitude or given.excitation or given.carrier is not None
    ):
        raise WrongUse("--resume continues the stored plan: leave --out, --band, --amplitude, --carrier and "
                       "--excitation out")  # fmt: skip
    low, high = _band(given.band)
    asked = Asked(
        excitations=tuple(word.strip() for word in given.excitation.split(",") if word.strip()),
        start_hz=low, end_hz=high, amplitude_m=given.amplitude, carrier_m_s=given.carrier,
        input=given.input, output=given.output, load_pressure=given.load_pressure,
        **identify_choices.choices_of(given),
    )  # fmt: skip
    check_asked(asked)
    return asked


def _band(text: str) -> tuple[float, float]:
    if not text:
        return 0.0, 0.0
    try:
        low, high = (float(word) for word in text.split(":"))
    except ValueError:
        raise WrongUse(f"--band {text}: must be LOW:HIGH in Hz, like 1:100") from None
    return low, high


def _of_rig(
    given: argparse.Namespace, asked: "Asked", folder: Path, tell: Any
) -> "tuple[Study, Prepared | None, list[int] | None]":
    """The study of the driven or stored motions; what preparing did; the epochs of applied parameters."""
    from hilctl.identify.frequency.drive import Run

    try:
        if given.resume and not (stored := Run.resume(None, folder)).left:
            return _study(given, stored, asked, tell), stored.header.prepared, None
        with parts.rig_of(given) as rig:
            driven = _driven(rig, given, asked, folder, tell)
            study = _study(given, driven, asked, tell)
            from hilctl.identify.dynamics.judge import proposed

            changes = proposed(study.grey)
            epochs = [rig.set(changes, origin=ORIGIN)] if given.apply and changes else None
            return study, driven.header.prepared, epochs
    except KeyboardInterrupt:
        _kept_so_far(given, folder, "paused; ")
        raise
    except Exception:
        _kept_so_far(given, folder, "")
        raise


def _kept_so_far(given: argparse.Namespace, folder: Path, word: str) -> None:
    if (folder / "dynamics.json").exists():
        note(f"{word}finished motions are kept in {folder}; {parts.continues(given, folder)}")


def _driven(rig: "Client", given: argparse.Namespace, asked: "Asked", folder: Path, tell: Any) -> "Run":
    from hilctl.experiment.facts import read_facts
    from hilctl.identify.dynamics.analyse import plant_of
    from hilctl.identify.frequency.drive import Run
    from hilctl.identify.frequency.plan import legs_of

    if given.resume:
        if given.twin:
            rig.arm()
        driven = Run.resume(rig, folder)
        header = driven.header
        plant_of(header.facts).choices(header.facts, _over(header.asked, asked))
    else:
        facts = read_facts(rig)
        plant_of(facts).choices(facts, asked)  # refused before anything moves
        prepared = parts.made_ready(rig, given, tell)
        facts = read_facts(rig)
        plant = plant_of(facts)
        asked = msgspec.structs.replace(asked, excitations=asked.excitations or plant.excitations)
        tell("planning")
        legs = legs_of(asked, facts)
        if "plant" in asked.excitations:
            legs += plant.legs(rig, facts)
        driven = Run.begin(rig, folder, asked, facts, legs, command=_command(), prepared=prepared)
    with parts.recording(rig):
        _show(driven, tell)
        for _ in driven.drive():
            _show(driven, tell)
    return driven


def _show(driven: "Run", tell: Any) -> None:
    p = driven.progress
    tell(f"{p.name or 'driven'}, {p.seconds_left:.0f} s of the rig's time left", p.done, p.of, motion=p.name,
         seconds_left=p.seconds_left)  # fmt: skip


def _study(given: argparse.Namespace, driven: "Run", asked: "Asked", tell: Any) -> "Study":
    from hilctl.identify.dynamics.analyse import plant_of, study_of
    from hilctl.identify.dynamics.tuned import with_tuning

    header = driven.header
    study = study_of(
        driven.experiments(), plant_of(header.facts), header.facts, _over(header.asked, asked), rig=header.facts.rig,
        command=header.command, tell=tell,
    )  # fmt: skip
    return with_tuning(study, header.facts, tell) if given.tunes else study


def _over(then: "Asked", now: "Asked") -> "Asked":
    """The motions stay as driven; the options of the evaluation may change."""
    looked_at = ("input", "output", "load_pressure", "fixed", "free", "tied", "starts")
    more = {key: getattr(now, key) for key in looked_at if getattr(now, key)}
    return msgspec.structs.replace(then, **more)


def _of_files(
    given: argparse.Namespace, asked: "Asked", tell: Any
) -> "tuple[Study, Prepared | None, list[int] | None]":
    """The study of recordings."""
    from hilctl.identify.dynamics.analyse import plant_of, study_of
    from hilctl.identify.dynamics.rig_plant import RigPlant
    from hilctl.identify.dynamics.tuned import with_tuning
    from hilctl.identify.frequency.intake import read_record
    from hilctl.identify.frequency.intake_record import experiment_of

    mapping: dict[str, str] = {}
    for word in given.columns:
        key, mark, column = word.partition("=")
        if not mark or not key or not column:
            raise WrongUse(f"--map {word}: must be CHANNEL=COLUMN, or CHANNEL=COLUMN:UNIT")
        mapping[key] = column
    facts = _facts_of_file(given.rig) if given.rig else None
    if facts:
        plant_of(facts).choices(facts, asked)
    band = (asked.start_hz, asked.end_hz) if asked.end_hz else None
    experiments: list[Experiment] = []
    for role, files in (("fit", given.record), ("check", given.check)):
        for file in files:
            source_file("--record" if role == "fit" else "--check", Path(file))
            tell(f"reading {file}")
            foreign = read_record(file, mapping, rate_hz=given.rate)
            facts = facts or foreign.facts
            names = (asked.input or "xd_m", asked.output or "displacement_m")
            experiments.append(experiment_of(foreign, *names, role=role, band_hz=band))  # type: ignore[arg-type]
    plant = plant_of(facts) if facts else RigPlant()
    rig = facts.rig if facts else Path(given.record[0]).stem
    study = study_of(experiments, plant, facts, asked, rig=rig, command=_command(), tell=tell)
    return with_tuning(study, facts, tell) if given.tunes else study, None, None


def _facts_of_file(rig: str) -> "Facts":
    """The values of a rig file, in the form in which a service reports them."""
    from hilctl import rig as rigs
    from hilctl.experiment.facts import Facts
    from hilctl.service.store import values_of

    loaded = rigs.load(rig)
    return Facts(loaded.name, 1 / loaded.dt_s, 1, values_of(loaded))


def _command() -> str:
    import shlex

    return "hilctl " + shlex.join(sys.argv[1:])


def _answer(
    study: "Study", folder: Path, prepared: "Prepared | None", epochs: list[int] | None, *, draws: bool
) -> "IdentifiedDynamics":
    """The answer, and the report."""
    from hilctl.identify.dynamics.judge import proposed
    from hilctl.identify.dynamics.written import told
    from hilctl.report.dynamics.page import write_report
    from hilctl.results.dynamics import IdentifiedDynamics
    from hilctl.results.identified import Applied, answer

    folder.mkdir(parents=True, exist_ok=True)
    changes = proposed(study.grey)
    page = write_report(study, folder, epochs or ()) if draws else None
    return answer(
        IdentifiedDynamics, told(study), prepared_rig=prepared, folder=str(folder), sets=[changes] if changes else [],
        applied=Applied(epochs) if epochs else None, report=page and str(page),
    )  # fmt: skip
