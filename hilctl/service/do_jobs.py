"""Requests about jobs: start, abort, look."""

import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from hilctl.errors import WRONG_USE
from hilctl.params import BadValues, Problem
from hilctl.service.doors import from_here
from hilctl.service.jobs import Job
from hilctl.service.lent import Pass
from hilctl.service.service import Asked, Service
from hilctl.service.tasks import Pace, Result, Task, finished
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import Arguments
from hilctl.wire.ops_jobs import KINDS

_CHECK_S = 30.0  # after that a start is answered although the command has not yet used the lease
_MOST_OPTIONS, _LONGEST = 64, 200
_FILES = 1024
_AGAIN = ("verify", "tune")  # they keep nothing that could be resumed


def start(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Answered once the command has accepted its options: it has used the lease, or has ended."""
    kind, options, earlier = _what(s, given)
    _refuse_now(s, kind, options)
    folder = earlier.folder if earlier is not None else ""
    try:
        number, folder = yield from finished(s.jobs.made(kind, folder))
    except OSError as error:
        raise _cannot(s.jobs.root, error) from None
    _refuse_now(s, kind, options)  # the disk may have taken its time
    loan = s.admission.lend(asked.who, f"job-{number}")
    resumes = earlier.job if earlier is not None else 0
    job = Job(number, kind, options, resumes, folder, asked.who.name, asked.who.role.word, time.time_ns())
    try:
        s.jobs.start(job, _order(s, job, loan), loan.id)
    except OSError as error:
        s.admission.lent.take_back(loan.id)
        raise _cannot(s.jobs.folder(job), error) from None
    until_s = time.monotonic() + _CHECK_S
    drives = _drives(kind, options)
    while not (job.commanded or job.over or (job.part and not drives)) and time.monotonic() < until_s:
        yield Pace.SLOW
    if job.state == "failed" and job.exit_code == WRONG_USE and not job.commanded:
        s.jobs.forget(job)
        option = re.search(r"--[a-z][a-z-]*", job.reason)
        raise Refused(Code.BAD_VALUE, job.reason, option[0] if option else "options")
    s.jobs.begun(job)
    return job.told()


def upload(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """A piece of a file that a job's options will name."""
    args, data = given.args, given.open["data"]
    try:
        received = yield from finished(s.files.submit(s.uploads.put, args.name, args.bytes, args.offset, data))
    except OSError as error:
        told = f"{args.name} cannot be written on the rig PC: {error.strerror}; check the space on its disk"
        raise Refused(Code.INTERNAL, told, "name") from None
    if received == args.bytes:
        s.audit.done(asked.who, asked.client, "job_upload", f"name={args.name!r} bytes={args.bytes}")
    return {"name": args.name, "received": received}


def abort(s: Service, asked: Asked, given: Arguments) -> Result:
    """Asks its process to end in order."""
    job = s.jobs.get(given.args.job)
    if job.over:
        raise Refused(Code.WRONG_MODE, f"job {job.job} is over: {job.state}", "job")
    s.jobs.abort(job, f"aborted by {asked.sender}")
    return job.told()


def delete(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Removes one from the disk. Its folder is as it was made, below that of all jobs."""
    job = s.jobs.get(given.args.job)
    running = s.jobs.running
    if running is not None and running.folder == job.folder:
        told = f"job {running.job} works in the folder of job {job.job}"
        raise Refused(Code.WRONG_MODE, f"{told}; wait for it, or `hilctl job abort {running.job}`", "job")
    gone, work = s.jobs.delete(job)
    try:
        yield from finished(work)
    except OSError as error:
        told = f"the folder {s.jobs.folder(job)} cannot be removed whole: {error.strerror}; remove it on the rig PC"
        raise Refused(Code.INTERNAL, told, "job") from None
    return {"jobs": gone}


def jobs(s: Service, asked: Asked, given: Arguments) -> Result:
    """All that are remembered."""
    return {"jobs": [job.told() for job in s.jobs.all()]}


def job(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """One, its output and its files."""
    found = s.jobs.get(given.args.job)
    files = yield from finished(s.files.submit(_files, s.jobs.folder(found)))
    kind, names = KINDS[found.kind], {one["name"] for one in files}
    first = max(given.args.first, found.count - len(found.lines))
    lines = list(found.lines)[max(0, len(found.lines) - (found.count - first)) :] if first < found.count else []
    return {
        **found.told(), "lines": lines, "first": first, "next": max(first, found.count), "files": files,
        "measured": [one for one in found.measured if one["number"] >= given.args.first_measured],
        "next_measured": found.points,
        "result": kind.result if kind.result in names else "", "page": kind.page if kind.page in names else "",
    }  # fmt: skip


def _cannot(place: Path, error: OSError) -> Refused:
    told = f"no job can be started in {place}: {error.strerror}; check who may write there, and the space on the disk"
    return Refused(Code.INTERNAL, told, "kind")


def _what(s: Service, given: Arguments) -> tuple[str, list[str], Job | None]:
    """The kind, its options, and the job that it resumes."""
    args, options = given.args, given.open["options"]
    long = [word for word in options if len(word) > _LONGEST or not word.isprintable()]
    if len(options) > _MOST_OPTIONS or long:
        allowed = f"must be at most {_MOST_OPTIONS} words of at most {_LONGEST} printable characters"
        raise BadValues([Problem("options", long[0][:20] if long else len(options), allowed)])
    if not args.resumes:
        if not args.kind:
            raise BadValues([Problem("kind", "", f"must be one of {', '.join(KINDS)}")])
        return args.kind, options, None
    earlier = s.jobs.get(args.resumes)
    if not earlier.over:
        raise Refused(Code.WRONG_MODE, f"resumes: job {earlier.job} still runs; abort it, or wait for it", "resumes")
    if args.kind not in ("", earlier.kind):
        raise BadValues([Problem("kind", args.kind, f"must be {earlier.kind}, as job {earlier.job} is, or left out")])
    if earlier.kind in _AGAIN:
        remedy = f"start another one: `hilctl job start {earlier.kind}`"
        raise BadValues([Problem("resumes", earlier.job, f"{earlier.kind} cannot be resumed", remedy)])
    return earlier.kind, options or earlier.options, earlier


def _refuse_now(s: Service, kind: str, options: list[str]) -> None:
    """What keeps a job from starting at this moment."""
    if s.asked_to_end:
        raise Refused(Code.GONE, "the service is ending: it starts no more jobs")
    s.core.need()
    running = s.jobs.running
    if running is not None:
        told = f"job {running.job} ({running.kind}, started by {running.by}) runs, and there is one at a time"
        raise Refused(Code.WRONG_MODE, f"{told}; wait for it, or `hilctl job abort {running.job}`", "job")
    if s.lease.held is None or "--takeover" in options or not _drives(kind, options):
        return
    told = f"the job takes the lease, which is held by {s.lease.held.holder} ({s.lease.held.kind})"
    raise Refused(Code.LEASE_HELD, f"{told}; its holder gives it back (`hilctl lease --release`)", "lease")


def _drives(kind: str, options: list[str]) -> bool:
    """Whether it takes the lease: `tune` may only compute."""
    return kind != "tune" or bool({"--measure", "--notches", "--apply"} & {*options})


def _order(s: Service, job: Job, loan: Pass) -> dict[str, Any]:
    """What its process is given."""
    kind, curve = KINDS[job.kind], s.admission.curve
    return {
        "endpoints": from_here(s.identity.endpoints), "rig": s.rig.name, "name": f"{job.by}/job-{job.job}",
        "token": loan.token, "public": loan.public, "secret": loan.secret, "server": curve.public if curve else "",
        "kind": job.kind, "words": [*kind.words, *([str(s.rig.path)] if kind.rig else []), *job.options],
        "folder": str(s.jobs.folder(job)), "resumes": bool(job.resumes), "by": job.by, "job": job.job,
        "folders": {one.job: str(s.jobs.folder(one)) for one in s.jobs.all()}, "uploads": str(s.uploads.folder),
    }  # fmt: skip


def _files(folder: Path) -> list[dict[str, Any]]:
    """What a folder holds, with what is below it; of links, nothing."""
    found: list[dict[str, Any]] = []
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            path = Path(place, name)
            if not path.is_symlink() and len(found) < _FILES:
                with suppress(FileNotFoundError):  # the job has put another file in its place meanwhile
                    found.append({"name": str(path.relative_to(folder)), "bytes": path.stat().st_size})
    return found
