"""Verbs about recordings: record, export."""

import argparse
from pathlib import Path

from hilctl.cli import connect
from hilctl.cli.errors import SaidNo, WrongUse
from hilctl.cli.output import json_line, note, say
from hilctl.errors import DONE


def record(parser: argparse.ArgumentParser) -> None:
    """The arguments of `record`."""
    connect.options(parser)
    parser.add_argument("action", choices=("start", "stop"), help="one recording at a time")
    parser.add_argument(
        "name", nargs="?", default="", metavar="NAME", help="its name in the rig's folder; not given: the date"
    )
    parser.add_argument("--json", action="store_true", help="path, first sample and last safe one as one JSON object")
    parser.set_defaults(do=_record)


def export(parser: argparse.ArgumentParser) -> None:
    """The arguments of `export`."""
    parser.add_argument("file", metavar="FILE", help="a recording")
    parser.add_argument("--csv", action="store_true", help="comma-separated values, every digit kept")
    parser.add_argument("--out", metavar="PATH", default="", help="where to; not given: beside the recording")
    parser.add_argument("--channels", nargs="+", default=[], metavar="CHANNEL", help="not given: all")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every how many samples one is written (1)")
    parser.set_defaults(do=_export)


def _record(given: argparse.Namespace) -> int:
    if given.action == "stop" and given.name:
        raise WrongUse("record stop takes no name")
    with connect.look(given) as rig:
        made = rig.ask("record", action=given.action, name=given.name, timeout_s=60.0)
    failed = given.action == "stop" and made["state"] == "failed"
    if given.json:
        say(json_line(made))
    elif given.action == "start":
        say(f"recording to {made['path']}")
    else:
        say(f"{made['path']}: samples {made['first']} to {made['flushed']}")
    if failed:
        raise SaidNo(f"the recording failed: {made['reason']}")
    return DONE


def _export(given: argparse.Namespace) -> int:
    from hilctl.recording.export import export_csv
    from hilctl.recording.reader import open_recording

    if not given.csv:
        raise WrongUse("say which format: --csv")
    if given.every < 1:
        raise WrongUse(f"--every {given.every}: must be at least 1")
    source = Path(given.file)
    target = Path(given.out) if given.out else source.with_suffix(".csv")
    if not source.is_file():
        raise WrongUse(f"{source}: no such file")
    if target.resolve() == source.resolve():
        raise WrongUse(f"{target}: would overwrite the recording")
    with open_recording(source) as recording:
        if not recording.complete:
            note(f"{source}: not complete; what it holds is exported")
        rows = export_csv(recording, target, given.channels, given.every)
    say(f"{target}: {rows} rows")
    return DONE
