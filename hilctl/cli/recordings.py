"""Verbs about recordings: record, export."""

import argparse
import time
from pathlib import Path

from hilctl.cli import connect
from hilctl.cli.arguments import count
from hilctl.cli.files import result_file, source_file
from hilctl.cli.output import json_line, note, say
from hilctl.errors import DONE, HilctlError, WrongUse


def record(parser: argparse.ArgumentParser) -> None:
    """The arguments of `record`."""
    connect.options(parser)
    parser.add_argument("action", metavar="ACTION", choices=("start", "stop"),
                        help="start or stop; there is one recording at a time")  # fmt: skip
    parser.add_argument(
        "name", nargs="?", default="", metavar="NAME", help="file name in the rig's recording folder (the date)"
    )
    parser.add_argument("--json", action="store_true",
                        help="path, first sample and last one on disk, as one JSON object")  # fmt: skip
    parser.set_defaults(do=_record)


def recordings(parser: argparse.ArgumentParser) -> None:
    """The arguments of `recordings`."""
    connect.options(parser)
    parser.add_argument("--get", metavar="NAME", default="", help="copy this one to here")
    parser.add_argument("--out", metavar="PATH", default="", help="the file to write, or its folder (NAME)")
    parser.add_argument("--delete", metavar="NAME", default="",
                        help="remove this one from the rig's disk; not a running or a required one")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="the list, or what was written or removed, as JSON")
    parser.set_defaults(do=_recordings)


def export(parser: argparse.ArgumentParser) -> None:
    """The arguments of `export`."""
    parser.add_argument("file", metavar="FILE", help="a recording")
    parser.add_argument("--csv", action="store_true", help="comma-separated values, every digit kept")
    parser.add_argument("--out", metavar="PATH", default="", help="the file to write (beside the recording)")
    parser.add_argument("--channels", nargs="+", default=[], metavar="CHANNEL", help="which ones (all)")
    parser.add_argument("--every", type=count(1, 1_000_000), default=1, metavar="N",
                        help="write one of every N samples (1)")  # fmt: skip
    parser.set_defaults(do=_export)


def _record(given: argparse.Namespace) -> int:
    if given.action == "stop" and given.name:
        raise WrongUse(f"record stop takes no NAME: {given.name!r} is one argument too many")
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
        raise HilctlError(f"the recording failed: {made['reason']}")
    return DONE


def _recordings(given: argparse.Namespace) -> int:
    if given.out and not given.get:
        raise WrongUse("--out names the file of --get NAME; give both")
    if given.get and given.delete:
        raise WrongUse("--get copies a recording, --delete removes it: give one of them")
    with connect.look(given) as rig:
        if given.delete:
            size = rig.delete(given.delete)
            told = json_line({"name": given.delete, "bytes": size})
            say(told if given.json else f"{given.delete} deleted, {size} bytes")
            return DONE
        if given.get:
            path = rig.download(given.get, given.out or given.get)
            say(json_line({"path": str(path)}) if given.json else f"{path}: {path.stat().st_size} bytes")
            return DONE
        found = rig.recordings()
        connect.note_clock(rig)
    if given.json:
        say(json_line(found))
        return DONE
    for one in found:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one["changed_ns"] * 1e-9))
        say(f"{one['name']}  {one['bytes']} bytes  {when}{'  is being recorded' if one['active'] else ''}")
    if not found:
        say("no recordings; `hilctl record start` begins one")
    return DONE


def _export(given: argparse.Namespace) -> int:
    from hilctl.recording.export import export_csv
    from hilctl.recording.reader import open_recording

    if not given.csv:
        raise WrongUse("no format given; add --csv")
    source = source_file("FILE", Path(given.file))
    target = Path(given.out) if given.out else source.with_suffix(".csv")
    if target.resolve() == source.resolve():
        raise WrongUse(f"--out {target}: would overwrite the recording; name another file")
    result_file("--out", target)
    try:
        opened = open_recording(source)
    except OSError as error:
        raise WrongUse(f"FILE {source}: is no recording ({error}); recordings are made by `hilctl record`") from None
    with opened as recording:
        if not recording.complete:
            note(f"{source}: not complete; what it holds is exported")
        rows = export_csv(recording, target, given.channels, given.every)
    say(f"{target}: {rows} rows")
    return DONE
