"""`hilctl params`: the journal of a rig's parameters: who set what, when and why, over all runs."""

import argparse
import csv
import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import connect
from hilctl.cli.arguments import count
from hilctl.cli.files import result_file, source_file
from hilctl.cli.output import json_line, say
from hilctl.errors import DONE, WrongUse
from hilctl.wire.toml import toml_of

if TYPE_CHECKING:
    from hilctl.recording.journal import Record

_SHOWN = 20  # records
_FORMATS = {".csv": "every edit of the journal", ".jsonl": "the journal's records", ".toml": "one set, as a rig file's"}


def params(parser: argparse.ArgumentParser) -> None:
    """The arguments of `params`."""
    of = parser.add_subparsers(metavar="ACTION", required=True, help="log, diff, undo, export")
    log = of.add_parser("log", help="who set what, when and why: the newest records")
    _source(log)
    log.add_argument("keys", nargs="*", metavar="KEY", help="only these keys, or tables of them")
    log.add_argument("--last", type=count(1, 1_000_000), default=_SHOWN, metavar="N", help=f"how many ({_SHOWN})")
    log.add_argument("--all", action="store_true", help="all of them")
    log.add_argument("--json", action="store_true", help="one JSON object a line")
    log.set_defaults(do=_log)
    diff = of.add_parser("diff", help="how the parameters after one record differ from those after another")
    _source(diff)
    diff.add_argument("old", nargs="?", default="", metavar="OLD",
                      help="a record's number, or a date like 2026-05-01T14:30, local (the newest start)")  # fmt: skip
    diff.add_argument("new", nargs="?", default="", metavar="NEW", help="likewise (the newest record)")
    diff.add_argument("--json", action="store_true", help="key, old and new, as one JSON object")
    diff.set_defaults(do=_diff)
    undo = of.add_parser("undo", help="take the last set back, or that of a record")
    connect.options(undo, moves=True)
    undo.add_argument("--record", type=count(1, 1 << 62), default=None, metavar="NUMBER",
                      help="the set of this record; the others stay (the last set)")  # fmt: skip
    undo.add_argument("--origin", default="", metavar="TEXT", help="why; it is recorded with the change")
    undo.add_argument("--json", action="store_true", help="epoch and changes as one JSON object")
    undo.set_defaults(do=_undo)
    export = of.add_parser("export", help="write the journal, or one parameter set, into a file")
    _source(export)
    export.add_argument("out", metavar="OUT", help="; ".join(f"NAME{s}: {what}" for s, what in _FORMATS.items()))
    export.add_argument("--at", default="", metavar="WHEN",
                        help="with NAME.toml: a record's number, or a date (the newest record)")  # fmt: skip
    export.set_defaults(do=_export)


def _source(parser: argparse.ArgumentParser) -> None:
    connect.options(parser)
    parser.add_argument("--file", metavar="FILE", default="",
                        help="read this journal.jsonl of a rig's state directory; no service need run")  # fmt: skip


@contextmanager
def _records(given: argparse.Namespace) -> "Iterator[Callable[..., Iterator[Record]]]":
    """Reads the journal, from a service or a file, as often as it is asked to."""
    if given.file:
        from hilctl.recording.journal import read_journal

        path = source_file("--file", Path(given.file))
        yield lambda first=0, newest=0: iter([*read_journal(path)][-newest:] if newest else read_journal(path))
        return
    with connect.look(given) as rig:
        yield rig.journal


def _log(given: argparse.Namespace) -> int:
    with _records(given) as read:
        if given.keys:
            found = [made for record in read() if (made := _only(record, given.keys))["changed"]]
            shown: Iterable[Record] = found if given.all else found[-given.last :]
        else:
            shown = read(newest=0 if given.all else given.last)
        for record in shown:
            if given.json:
                say(json_line(record))
                continue
            for line in _lines(record):
                say(line)
    return DONE


def _only(record: "Record", keys: list[str]) -> "Record":
    """What it says of these keys."""
    named = [e for e in record["changed"] if any(e["key"] == k or e["key"].startswith(f"{k}.") for k in keys)]
    return {**record, "changed": named}


def _lines(record: "Record") -> Iterator[str]:
    undoes = f" takes epoch {record['undoes']} back;" if record["undoes"] else ""
    key = f" ({record['key'][:8]}…)" if len(record["key"]) > 16 else ""
    about = f"epoch {record['epoch']} of run {record['run']}"
    yield f"{record['number']}  {_when(record)}  {record['author']}{key}:{undoes} {record['origin']}  ({about})"
    for edit in record["changed"]:
        yield f"    {edit['key']}: {_shown(edit['old'])} → {_shown(edit['new'])}"


def _when(record: "Record") -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record["time_ns"] * 1e-9))


def _shown(value: Any) -> str:
    return "none" if value is None else str(toml_of(value))


def _diff(given: argparse.Namespace) -> int:
    from hilctl.recording.journal import START, differences, values_after

    with _records(given) as read:
        records = list(read())
    new = _find(records, given.new, records[-1]["number"])
    newest_start = next(r["number"] for r in reversed(records) if r["kind"] == START and r["number"] <= new)
    old = _find(records, given.old, newest_start)
    found = differences(values_after(records, old), values_after(records, new))
    if given.json:
        say(json_line({"old": old, "new": new, "changed": found}))
        return DONE
    for edit in found:
        say(f"{edit['key']}: {_shown(edit['old'])} → {_shown(edit['new'])}")
    if not found:
        say(f"nothing differs between the records {old} and {new}")
    return DONE


def _find(records: "list[Record]", word: str, otherwise: int) -> int:
    """The record of this number, or the last one up to this date."""
    if not word:
        return otherwise
    first, last = records[0]["number"], records[-1]["number"]
    if word.isdecimal():
        if not first <= int(word) <= last:
            raise WrongUse(f"no record {word}; the journal holds {first} to {last}")
        return int(word)
    try:
        until_ns = datetime.fromisoformat(word).timestamp() * 1e9
    except ValueError:
        raise WrongUse(f"{word!r} is neither a record's number nor a date like 2026-05-01T14:30") from None
    before = [r["number"] for r in records if r["time_ns"] <= until_ns]
    if not before:
        raise WrongUse(f"{word}: the journal begins at {_when(records[0])}")
    return int(before[-1])


def _undo(given: argparse.Namespace) -> int:
    with connect.command(given) as rig:
        if given.record is None:
            made = rig.ask("undo", origin=given.origin or "undo")
        else:
            record = next(rig.journal(given.record), None)
            if record is None or record["number"] != given.record:
                raise WrongUse(f"no record {given.record}; `hilctl params log` lists them")
            values = _taken_back(record, rig.get())
            made = rig.ask("set", values=values, origin=given.origin or f"takes record {given.record} back")
    if given.json:
        say(json_line(made))
        return DONE
    for edit in made["changed"]:
        say(f"{edit['key']}: {_shown(edit['old'])} → {_shown(edit['new'])}")
    say(f"epoch {made['epoch']}")
    return DONE


def _taken_back(record: "Record", active: dict[str, Any]) -> dict[str, Any]:
    """The values before the record, where those after it are still active."""
    if not record["changed"]:
        raise WrongUse(f"record {record['number']} changed nothing")
    since = [e for e in record["changed"] if repr(active.get(e["key"])) != repr(e["new"])]
    if since:
        key, now = since[0]["key"], _shown(active.get(since[0]["key"]))
        raise WrongUse(f"{key} is {now} now, and record {record['number']} made it {_shown(since[0]['new'])}: it was "
                       f"changed since; `hilctl params log {key}` shows when, `hilctl set` changes it")  # fmt: skip
    return {edit["key"]: edit["old"] for edit in record["changed"]}


def _export(given: argparse.Namespace) -> int:
    out = result_file("OUT", Path(given.out))
    if out.suffix not in _FORMATS:
        raise WrongUse(f"OUT {out}: must end in {', '.join(_FORMATS)}")
    if given.at and out.suffix != ".toml":
        raise WrongUse("--at chooses one set, for NAME.toml")
    from hilctl.client.save import write_whole

    with _records(given) as read:
        records = list(read())
    number = _find(records, given.at, records[-1]["number"])
    text = {".csv": _csv, ".jsonl": _jsonl, ".toml": _toml}[out.suffix](records, number)
    write_whole(out, text)
    say(f"{out}: {f'the parameters after record {number}' if out.suffix == '.toml' else f'{len(records)} records'}")
    return DONE


def _csv(records: "list[Record]", number: int) -> str:
    import io

    out = io.StringIO(newline="")
    table = csv.writer(out)
    names = ("number", "kind", "time_ns", "run", "epoch", "tick", "author", "key", "origin")
    table.writerow((*names[:-2], "author_key", "origin", "key", "old", "new"))
    for record in records:
        for edit in record["changed"]:
            table.writerow((*(record[n] for n in names), edit["key"], json.dumps(edit["old"]), json.dumps(edit["new"])))
    return out.getvalue()


def _jsonl(records: "list[Record]", number: int) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _toml(records: "list[Record]", number: int) -> str:
    from hilctl.params.tables import nested
    from hilctl.recording.journal import values_after
    from hilctl.wire.toml import tables_of

    values = {k: v for k, v in values_after(records, number).items() if v is not None}
    record = next(r for r in reversed(records) if r["number"] <= number)
    head = f"# the parameters after record {number} of the journal: {_when(record)}, run {record['run']}"
    return "\n".join([head, *tables_of(nested(values), {}), ""])
