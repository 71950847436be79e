"""Verbs about recordings: record, recordings, export. `export fmu RIG` stands in `fmu.py`."""

import argparse
import time
from pathlib import Path

from hilctl.cli import connect, fmu
from hilctl.cli.arguments import count, number
from hilctl.cli.files import result_file, source_file
from hilctl.cli.output import json_line, note, say
from hilctl.cli.progress import working
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
    parser.add_argument("file", metavar="FILE", help="a recording; or the word fmu, and a rig behind it")
    from hilctl.recording.export.formats import FORMATS

    kinds = parser.add_mutually_exclusive_group()
    for name, format in FORMATS.items():
        kinds.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=format.meaning)
    where = "the file to write; its ending may say the format (beside the recording; RIG.fmu)"
    parser.add_argument("--out", metavar="PATH", default="", help=where)
    parser.add_argument("--channels", nargs="+", default=[], metavar="CHANNEL", help="which ones (all)")
    parser.add_argument("--every", type=count(1, 1_000_000), default=1, metavar="N",
                        help="write one of every N samples (1)")  # fmt: skip
    instant = number(-fmu.EVER_S, fmu.EVER_S, "s")
    parser.add_argument("--from", type=instant, default=-fmu.EVER_S, metavar="S", dest="from_s",
                        help="begin with this time_s: the tick by the rate (the first sample)")  # fmt: skip
    parser.add_argument("--to", type=instant, default=fmu.EVER_S, metavar="S", dest="to_s",
                        help="end with this time_s (the last sample)")  # fmt: skip
    parser.add_argument("--alone", action="store_true", help="only this file of a recording that has several")
    fmu.options(parser)
    parser.add_argument("--json", action="store_true", help="path, rows and files, as one JSON object")
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
            with working(f"copying {given.get}") as tell:
                path = rig.download(given.get, given.out or given.get, tell)
            say(json_line({"path": str(path)}) if given.json else f"{path}: {path.stat().st_size} bytes")
            return DONE
        found = rig.recordings()
        connect.note_clock(rig)
    if given.json:
        say(json_line(found))
        return DONE
    for one in found:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one["changed_ns"] * 1e-9))
        say(f"{one['name']}  {one['bytes']} bytes  {when}{'  is being written' if one['active'] else ''}")
    if not found:
        say("no recordings; `hilctl record start` begins one")
    return DONE


def _export(given: argparse.Namespace) -> int:
    if fmu.asked(given):
        return fmu.run(given)
    from hilctl.recording.chain import Chain
    from hilctl.recording.export.formats import FORMATS
    from hilctl.recording.export.write import Choice, export

    by_ending = {format.suffix: name for name, format in FORMATS.items()}
    name = given.format or by_ending.get(Path(given.out).suffix)
    if name is None:
        raise WrongUse(f"no format given; add one of {', '.join(f'--{name}' for name in FORMATS)}")
    source = source_file("FILE", Path(given.file))
    target = Path(given.out) if given.out else source.with_suffix(FORMATS[name].suffix)
    if target.resolve() == source.resolve():
        raise WrongUse(f"--out {target}: would overwrite the recording; name another file")
    result_file("--out", target)
    with Chain(source, alone=given.alone) as chain:
        for path, end in chain.incomplete.items():
            note(f"{path}: {end}; what it holds is exported")
        if chain.missing and not given.alone:
            note(f"{chain.paths[0]} continues {chain.missing}, which is not beside it; the export begins after that")
        with working(f"exporting to {target.name}") as tell:
            rows = export(chain, name, target, Choice(given.channels, given.every, given.from_s, given.to_s), tell)
        files = [str(path) for path in chain.paths]
    if given.json:
        say(json_line({"path": str(target), "rows": rows, "files": files}))
        return DONE
    say(f"{target}: {rows} rows" + (f" of {len(files)} files" if len(files) > 1 else ""))
    return DONE
