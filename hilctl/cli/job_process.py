"""`python -m hilctl.cli.job_process`: a command of `hilctl`, run as a job by the service that starts this process.

The order comes on standard input: where the service is, what is shown there, the words. What a job may not name (the
rig, another service, places on the rig's disk) is refused before anything begins, as wrong options are. `job:N` stands
for the folder of job N, `upload:NAME` for a file that a client has sent.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from hilctl.cli import progress
from hilctl.cli.job_reports import Reports
from hilctl.cli.main import parser_for, run
from hilctl.errors import DONE, WRONG_USE, HilctlError, WrongUse, one_line
from hilctl.experiment import measured
from hilctl.service.run import die_with_parent

# Options by the name of their value, and why a job does not take them.
REFUSED = {
    "twin": "a job drives the rig of its service",
    "changes": "`hilctl set` changes the rig of the service",
    "connect": "a job drives the rig of its service",
    "key": "a job has the rights of who started it",
    "telemetry": "a job drives the rig of its service",
    "out": "a job has a folder of its own; `hilctl job result` copies it",
    "save": "a job writes into its own folder; `hilctl job result` copies it",
    "points": "files of the rig's PC are not named in a job; without a rig it needs no job",
    "record": "files of the rig's PC are not named in a job; without a rig it needs no job",
    "check": "files of the rig's PC are not named in a job; without a rig it needs no job",
    "again": "files of the rig's PC are not named in a job; without a rig it needs no job",
    "workers": "a job is one process",
    "cluster": "a job connects to its service only",
}
NAMES_A_JOB = ("source", "curve", "folder", "history")  # values that may be job:N, job:N/FILE or upload:NAME
_BEGUN_WITH = {  # a campaign goes on as it was begun: without these
    "speeds": None, "budget": None, "elements": None, "curve": "", "center": None, "excitation": "", "band": "",
    "amplitude": 0.0, "carrier": None,
}  # fmt: skip
_JOB, _UPLOAD = "job:", "upload:"


def main() -> int:
    """Reads the order and obeys."""
    die_with_parent()
    order = json.load(sys.stdin.buffer)
    words = order["words"]
    sys.argv = ["hilctl", *words]
    _assign(order)
    reports = Reports(order["progress"])
    progress.listen(reports.progress)
    measured.listen(reports.measured)
    try:
        given = parser_for(words).parse_args(words)
    except SystemExit as ended:
        if ended.code == DONE:
            print("hilctl: --help: refused in a job: it is no work; leave --help out", file=sys.stderr)
        return WRONG_USE
    try:
        adapt(given, order)
    except HilctlError as error:
        print(f"hilctl: {one_line(error.text)}", file=sys.stderr)
        return error.exit_code
    try:
        return run(given)
    finally:
        reports.flush()


def adapt(given: argparse.Namespace, order: dict[str, Any]) -> None:
    """The command of a job: in its own folder. WrongUse for what a job does not take."""
    for name, why in {**REFUSED, **({} if order["kind"] == "tune" else {"rig": REFUSED["connect"]})}.items():
        value = getattr(given, name, None)
        if value not in (None, "", False, []):
            option = {"rig": "RIG", "changes": "--set"}.get(name, f"--{name}")
            named = option if value is True else f"{option} {_words(value)}"
            raise WrongUse(f"{named}: refused in a job: {why}; leave {option} out", key=option)
    if isinstance(getattr(given, "json", False), str) and given.json:
        raise WrongUse(f"--json {given.json}: refused in a job: {REFUSED['out']}; leave --json out", key="--json")
    folders = {int(number): Path(folder) for number, folder in order["folders"].items()}
    for name in NAMES_A_JOB:
        value = getattr(given, name, "")
        if isinstance(value, list):
            setattr(given, name, [str(_place(name, one, folders, Path(order["uploads"]))) for one in value])
        elif value:
            setattr(given, name, str(_place(name, value, folders, Path(order["uploads"]))))
    if getattr(given, "resume", False):
        raise WrongUse("--resume: refused in a job: `hilctl job resume N` resumes job N; leave --resume out",
                       key="--resume")  # fmt: skip
    given.out, given.job = order["folder"], order["job"]
    if order["resumes"]:
        _resume(given)
    if order["kind"] == "commission":
        given.author = given.author or order["by"]


def _words(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _resume(given: argparse.Namespace) -> None:
    """It goes on in its folder, in the way of its command; or completes what is there. Where nothing was begun, it
    begins."""
    if not any(Path(given.out).iterdir()):
        return
    if hasattr(given, "only"):
        given.resume = not given.only
        return
    given.resume, given.out = given.out, ""
    for name, default in _BEGUN_WITH.items():
        if hasattr(given, name):
            setattr(given, name, default)


def _place(name: str, value: str, folders: dict[int, Path], uploads: Path) -> Path:
    """The folder of a job, a file in it, or one that was sent."""
    option = {"source": "DIR", "folder": "--from"}.get(name, f"--{name}")
    if value.startswith(_UPLOAD):
        sent = uploads / Path(value.removeprefix(_UPLOAD)).name
        if not sent.is_file():
            remedy = f"send it first: `hilctl job upload {sent.name or 'FILE'}`"
            raise WrongUse(f"{option} {value}: no such file was sent; {remedy}", key=option)
        return sent
    number, _, inside = value.removeprefix(_JOB).partition("/")
    if not value.startswith(_JOB) or not number.isdecimal() or ".." in Path(inside).parts:
        example = f"{_JOB}3" + ("/friction.json" if name == "curve" else "")
        what = f"must be the folder of a job, or a file in it, like {example}, or one that was sent, like upload:my.csv"
        if name == "history":
            what = f"send it first: `hilctl job upload {value}`; then name it {_UPLOAD}{Path(value).name}"
        raise WrongUse(f"{option} {value}: {what}", key=option)
    if int(number) not in folders:
        known = ", ".join(str(n) for n in sorted(folders)) or "none"
        raise WrongUse(f"{option} {value}: no job {number} is remembered; known: {known}", key=option)
    return folders[int(number)] / inside


def _assign(order: dict[str, Any]) -> None:
    from hilctl.access.keys import ClientKey
    from hilctl.client.access import Access, Place, assign

    key = None
    if order["public"]:
        key = ClientKey(order["name"], order["rig"], order["public"], order["secret"], order["server"])
    assign(Place(order["endpoints"]["commands"], Access(key, order["token"])))


if __name__ == "__main__":
    sys.exit(main())
