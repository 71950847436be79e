"""`hilctl job`: commissioning, campaigns, tuning and verification on the rig's PC, run by its service.

hilctl job start commission                          also from elsewhere: --connect tcp://rig-pc:9870 --key carol.key
hilctl job start commission -- --only friction       options of the command stand behind --
hilctl job resume 3                                  goes on in the folder of job 3
hilctl job upload shake.csv                          then: hilctl job start commission -- --history upload:shake.csv
hilctl job list
hilctl job result 3 --out copy
"""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import connect
from hilctl.cli.arguments import count
from hilctl.cli.files import result_folder, source_file
from hilctl.cli.output import as_json, json_line, note, say
from hilctl.cli.progress import working
from hilctl.errors import DONE, RIG_SAID_NO
from hilctl.wire.ops_jobs import KINDS, LIVE, MAX_JOB

if TYPE_CHECKING:
    from hilctl.client import Client, Jobs

_SHOWN_LINES = 10
_LOOK_S = 2.0  # how often a wait looks how far the job is


def job(parser: argparse.ArgumentParser) -> None:
    """The arguments of `job`."""
    actions = parser.add_subparsers(metavar="ACTION", required=True, parser_class=type(parser),
                                    help="`hilctl job ACTION --help` explains it")  # fmt: skip
    for name, declare, text in (
        ("start", _start_options, "start a job; options of its command follow after --"),
        ("resume", _resume_options, "go on in the folder of a job, with its options or others that follow after --"),
        ("upload", _upload_options, "send a file for a job; its options call it upload:NAME"),
        ("list", _list_options, "list the jobs that are remembered, the newest first"),
        ("show", _show_options, "show the progress of a job, its last lines of output, its files"),
        ("wait", _wait_options, "wait until a job is over; exit code 0 when it is done, 1 when it is not"),
        ("abort", _abort_options, "end a job in order: the table comes to rest, parameters are restored"),
        ("delete", _delete_options, "remove a job that is over from the rig's disk, with its files"),
        ("result", _result_options, "print the result document of a job, or copy its files"),
    ):
        below = actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        connect.options(below)
        declare(below)


def _start_options(parser: Any) -> None:
    parser.add_argument("kind", metavar="KIND", choices=tuple(KINDS), help=", ".join(KINDS))
    _begins(parser)
    parser.set_defaults(job=0)


def _resume_options(parser: Any) -> None:
    _which(parser)
    _begins(parser)
    parser.set_defaults(kind="")


def _begins(parser: Any) -> None:
    parser.add_argument("--json", action="store_true", help="the job as one JSON object")
    parser.rest = "options"
    parser.set_defaults(do=_start)


def _upload_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="of this computer")
    parser.set_defaults(do=_upload)


def _list_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as one JSON list")
    parser.set_defaults(do=_list)


def _show_options(parser: argparse.ArgumentParser) -> None:
    _which(parser)
    parser.add_argument("--json", action="store_true", help="with all kept lines, as one JSON object")
    parser.set_defaults(do=_show)


def _wait_options(parser: argparse.ArgumentParser) -> None:
    _which(parser)
    parser.set_defaults(do=_wait)


def _abort_options(parser: argparse.ArgumentParser) -> None:
    _which(parser)
    parser.add_argument("--wait", action="store_true", help="until it has ended")
    parser.set_defaults(do=_abort)


def _delete_options(parser: argparse.ArgumentParser) -> None:
    _which(parser)
    parser.set_defaults(do=_delete)


def _result_options(parser: argparse.ArgumentParser) -> None:
    _which(parser)
    parser.add_argument("--out", default="", metavar="DIR", help="copy all files of the job below this folder instead")
    parser.set_defaults(do=_result)


def _which(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("job", type=count(1, MAX_JOB), metavar="JOB", help="its number, as `hilctl job list` shows it")


def _jobs(rig: "Client") -> "Jobs":
    from hilctl.client import Jobs

    return Jobs(rig)


def _start(given: argparse.Namespace) -> int:
    from hilctl.client.status_text import job_text

    with connect.look(given) as rig:
        made = _jobs(rig).start(given.kind, *given.options, resumes=given.job)
    if given.json:
        say(json_line(made))
    else:
        say(job_text(made))
        note(f"it goes on by itself: `hilctl job wait {made['job']}`, `hilctl job abort {made['job']}`")
    return DONE if made["state"] in ("running", "done") else RIG_SAID_NO


def _upload(given: argparse.Namespace) -> int:
    source_file("FILE", Path(given.file))
    with connect.look(given) as rig:
        say(_jobs(rig).upload(given.file))
    return DONE


def _list(given: argparse.Namespace) -> int:
    from hilctl.client.status_text import job_text

    with connect.look(given) as rig:
        found = _jobs(rig).all()
    if given.json:
        say(json_line(found))
        return DONE
    for one in found:
        say(f"{time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(1e-9 * one['begun_ns']))}  {job_text(one)}")
    if not found:
        say("no jobs; `hilctl job start KIND` starts one")
    return DONE


def _show(given: argparse.Namespace) -> int:
    with connect.look(given) as rig:
        found = _jobs(rig).show(given.job)
    if given.json:
        as_json(found)
    else:
        _tell(found)
    return DONE


def _wait(given: argparse.Namespace) -> int:
    from hilctl.client.status_text import job_text

    with connect.look(given) as rig:
        jobs, seen = _jobs(rig), ""
        while (found := jobs.wait(given.job, _LOOK_S))["state"] in LIVE:
            if found["part"] != seen:
                note(job_text(found))
            seen = found["part"]
    _tell(found)
    return _code(found)


def _abort(given: argparse.Namespace) -> int:
    from hilctl.client.status_text import job_text

    with connect.look(given) as rig:
        jobs = _jobs(rig)
        found = jobs.abort(given.job)
        if given.wait:
            found = jobs.wait(given.job)
    say(job_text(found))
    return DONE


def _delete(given: argparse.Namespace) -> int:
    with connect.look(given) as rig:
        gone = _jobs(rig).delete(given.job)
    say(f"deleted: {', '.join(map(str, gone))}")
    return DONE


def _result(given: argparse.Namespace) -> int:
    with connect.look(given) as rig:
        jobs = _jobs(rig)
        if given.out:
            with working(f"copying the files of job {given.job}") as tell:
                copied = jobs.copy(given.job, result_folder("--out", Path(given.out)), tell)
            for path in copied:
                say(str(path))
        else:
            as_json(jobs.result(given.job))
    return DONE


def _code(found: dict[str, Any]) -> int:
    """That of its command, where it was done."""
    return int(found["exit_code"]) if found["state"] == "done" else RIG_SAID_NO


def _tell(found: dict[str, Any]) -> None:
    from hilctl.client.status_text import job_text

    say(job_text(found))
    for line in found["lines"][-_SHOWN_LINES:]:
        say(f"    {line}")
    if found["state"] not in LIVE and found["files"]:
        say(f"files: {len(found['files'])}; `hilctl job result {found['job']} --out DIR` copies them")
