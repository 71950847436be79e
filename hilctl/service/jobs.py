"""The jobs: one that runs, and those that are remembered, also from earlier runs of the service.

    state/RIG/jobs/N.json    what is known of job N: written at its start and at its end
    state/RIG/jobs/N-KIND/   its folder: samples, result, page; kept when the job is forgotten

A job is a client like any other: what it may do is lent to it (hilctl.service.lent), and it takes the lease by itself.
If the service dies its jobs end, and are remembered as `lost`.
"""

import json
import logging
import shutil
import signal
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from hilctl import __version__
from hilctl.access.files import write_secret
from hilctl.errors import NO_LONGER_VALID, WRONG_USE
from hilctl.service.lent import Lent
from hilctl.service.worker import LINES, Worker
from hilctl.wire import places
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops_jobs import FIELDS, KINDS, LIVE, MEASURED

log = logging.getLogger(__name__)

REMEMBERED = 32
_EVERY_S = 1.0  # progress is an event at most this often
_POINTS, _LAST_POINTS = 2, 100  # that are events with one look, and at the end
_PATIENCE_S = 90.0  # for a job that was asked to end: the table's way to rest, and off; then it is killed
_LINES_KEPT = 50  # on the disk
_LONGEST = 2000  # characters of a reason


@dataclass
class Job:
    """One job, as its file has it."""

    job: int
    kind: str
    options: list[str]
    resumes: int
    folder: str  # its name below that of all jobs
    by: str
    role: str
    begun_ns: int
    state: str = "running"
    part: str = ""
    fraction: float | None = None
    left_s: float | None = None
    ended_ns: int | None = None
    exit_code: int | None = None
    reason: str = ""
    commanded: bool = False  # it has used the lease: its options are checked
    count: int = 0  # of lines that it has printed
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=LINES))
    points: int = 0  # that it has measured
    measured: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=MEASURED))  # the newest of them

    @property
    def over(self) -> bool:
        """Whether its process has ended."""
        return self.state not in LIVE

    def told(self) -> dict[str, Any]:
        """As `jobs` lists it."""
        return {name: getattr(self, name) for name in FIELDS}


@dataclass
class _Running:
    job: Job
    worker: Worker
    id: str  # what was lent to it
    end_s: float = 0.0  # when it was asked to end
    why: str = ""
    told_s: float = 0.0
    point: int = 0  # the next that is to be an event


class Jobs:
    """Starts, watches, ends and remembers. One thread, the wire's, touches it; the disk is another's."""

    def __init__(self, root: Path, lent: Lent, tell: Callable[..., None], disk: Executor) -> None:
        self.root = root
        self._lent, self._tell, self._disk = lent, tell, disk
        self._running: _Running | None = None
        self._begun = 0  # the job that was last said to have started
        self._jobs = _remembered(root)
        self.gone: Callable[[str], None] = lambda id: None  # called when what was lent to a job is void

    @property
    def running(self) -> Job | None:
        """The one that runs."""
        return self._running.job if self._running is not None else None

    @property
    def pid(self) -> int | None:
        """The process of the one that runs."""
        return self._running.worker.pid if self._running is not None else None

    def all(self) -> list[Job]:
        """The newest first."""
        return [self._jobs[number] for number in sorted(self._jobs, reverse=True)]

    def get(self, number: int) -> Job:
        """The job of this number, or a refusal."""
        if number not in self._jobs:
            known = ", ".join(str(n) for n in sorted(self._jobs)) or "none"
            raise Refused(Code.GONE, f"job: no job {number} is remembered; known: {known}", "job")
        return self._jobs[number]

    def folder(self, job: Job) -> Path:
        """Where its files are."""
        return self.root / job.folder

    def made(self, kind: str, folder: str) -> "Future[tuple[int, str]]":
        """A number and a folder for a new job; the folder of another one, if that is given."""
        return self._disk.submit(_made, self.root, max(self._jobs, default=0), kind, folder)

    def start(self, job: Job, order: dict[str, Any], id: str) -> None:
        """Starts its process."""
        worker = Worker(order, self.folder(job))
        self._running = _Running(job, worker, id)
        self._jobs[job.job] = job
        for number in sorted(self._jobs)[:-REMEMBERED]:
            del self._jobs[number]
            self._disk.submit(_record(self.root, number).unlink, missing_ok=True)
        self._keep(job)

    def commands(self, id: str) -> None:
        """Who bears this has used the lease."""
        if self._running is not None and self._running.id == id:
            self._running.job.commanded = True

    def forget(self, job: Job) -> None:
        """A job that came to nothing, for its options were refused."""
        self._jobs.pop(job.job, None)
        self._disk.submit(_record(self.root, job.job).unlink, missing_ok=True)
        if not job.resumes:
            self._disk.submit(self.folder(job).rmdir)  # which fails where it holds something

    def delete(self, job: Job) -> "tuple[list[int], Future[None]]":
        """Removes it, its folder, and the other jobs that worked there."""
        shared = [one.job for one in self._jobs.values() if one.folder == job.folder]
        for number in shared:
            del self._jobs[number]
        return sorted(shared), self._disk.submit(_removed, self.root, job.folder, shared)

    def abort(self, job: Job, why: str) -> None:
        """Asks it to end in order."""
        now = self._running
        if now is None or now.job is not job or job.state == "aborting":
            return
        self.begun(job)
        job.state, now.why, now.end_s = "aborting", why, time.monotonic()
        self._told("aborting", job, reason=why)
        now.worker.end()

    def look(self, now_s: float) -> None:
        """What the one that runs says; whether it has ended."""
        now = self._running
        if now is None:
            return
        job, code = now.job, now.worker.look()
        job.lines, job.count = now.worker.lines, now.worker.count
        job.measured, job.points = now.worker.measured, now.worker.points
        changed = _progress(job, now.worker.progress)
        if code is not None:
            self._ended(now, code)
            return
        if changed and job.commanded and now_s > now.told_s + _EVERY_S:
            now.told_s = now_s
            self.begun(job)
            self._told("progress", job)
        if job.commanded:
            self._measured(now, _POINTS)
        if self._lent.role(now.id) is None:
            self.abort(job, f"{job.by} was revoked")
        if now.end_s and now_s > now.end_s + _PATIENCE_S:
            now.worker.kill()

    def kill(self) -> None:
        """Ends the one that runs, at once."""
        if self._running is not None:
            self._running.worker.kill()

    def _ended(self, now: _Running, code: int) -> None:
        job, self._running = now.job, None
        self._lent.take_back(now.id)
        self.gone(now.id)
        aborted = job.state == "aborting"
        job.exit_code, job.ended_ns, job.left_s = code, time.time_ns(), None
        job.reason = "" if code == 0 else _reason(job, code)
        if code == 0 or (code == NO_LONGER_VALID and job.kind == "verify"):
            job.state, job.reason = "done", ""
        elif aborted:
            job.state, job.reason = "aborted", now.why
        else:
            job.state = "died" if code < 0 else "failed"
        if code != WRONG_USE or job.commanded:
            self.begun(job)
            self._measured(now, _LAST_POINTS)
            self._told("ended", job, exit_code=code, reason=job.reason)
        self._keep(job)

    def _measured(self, now: _Running, most: int) -> None:
        """The next points as events: a few at a time, however many come."""
        job = now.job
        if job.points <= now.point:
            return
        for point in [one for one in job.measured if one["number"] >= now.point][:most]:
            self.begun(job)
            now.point = point["number"] + 1
            self._told("measured", job, measured=point)

    def _told(self, action: str, job: Job, **more: Any) -> None:
        self._tell("job", action=action, job=job.job, job_kind=job.kind, state=job.state, by=job.by, part=job.part,
                   fraction=job.fraction, left_s=job.left_s, **more)  # fmt: skip

    def begun(self, job: Job) -> None:
        """It is more than an attempt: said once, before anything else is said of it."""
        if job.job != self._begun:
            self._begun = job.job
            self._told("started", job)

    def _keep(self, job: Job) -> None:
        values = {**asdict(job), "lines": list(job.lines)[-_LINES_KEPT:], "measured": list(job.measured)}
        self._disk.submit(_written, _record(self.root, job.job), json.dumps(values))


def _progress(job: Job, said: dict[str, Any]) -> bool:
    """Notes how far it is; whether that is news."""
    before = (job.part, job.fraction)
    job.part = str(said.get("part", job.part))[:200]
    for name in ("fraction", "left_s"):
        value = said.get(name)
        setattr(job, name, float(value) if isinstance(value, (int, float)) else None)
    return before != (job.part, job.fraction)


def _reason(job: Job, code: int) -> str:
    """What its command said at its end."""
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    lines = [line for line in job.lines if not line.lstrip().startswith("example: ")]
    errors = [at for at, line in enumerate(lines) if line.startswith("hilctl")]
    said = lines[errors[-1] :] if errors else lines[-1:]
    text = " ".join(line.strip() for line in said)[:_LONGEST]
    return text.partition(": ")[2] if errors else text or f"exit code {code}"


def _record(root: Path, number: int) -> Path:
    return root / f"{number}.json"


def _written(path: Path, text: str) -> None:
    try:
        write_secret(path, text)
    except OSError as error:  # the job goes on; the next run of the service does not remember it
        log.error("the record of a job, %s, cannot be written: %s", path, error.strerror)


def _made(root: Path, last: int, kind: str, folder: str) -> tuple[int, str]:
    places.own_directory(root)
    names = [path.stem.partition("-")[0] for path in root.iterdir()]
    number = max([last, *(int(name) for name in names if name.isdecimal())]) + 1
    if not folder:
        folder = f"{number}-{kind}"
        (root / folder).mkdir(mode=0o700)
    return number, folder


def _removed(root: Path, folder: str, numbers: list[int]) -> None:
    if (root / folder).is_dir():  # links are removed, never followed
        shutil.rmtree(root / folder)
    for number in numbers:
        _record(root, number).unlink(missing_ok=True)


def _remembered(root: Path) -> dict[int, Job]:
    """Those that the disk knows, with what this version knows of each. What cannot be read is left out, and named."""
    found: dict[int, Job] = {}
    known = {one.name for one in fields(Job)}
    numbers = sorted((int(path.stem) for path in root.glob("*.json") if path.stem.isdecimal()), reverse=True)
    for number in numbers[:REMEMBERED]:
        try:
            values = json.loads(_record(root, number).read_text())
            lines, measured = deque(values["lines"], maxlen=LINES), deque(values.get("measured", ()), maxlen=MEASURED)
            kept = {name: value for name, value in values.items() if name in known}
            job = Job(**{**kept, "lines": lines, "measured": measured})
            if job.kind not in KINDS or job.job != number or Path(job.folder).name != job.folder or not job.folder:
                raise ValueError(f"job {job.job}, {job.kind!r} in {job.folder!r}")
        except (OSError, ValueError, TypeError, KeyError) as error:
            log.warning("%s is damaged, or of another version than hilctl %s (%s: %s): this job is not listed, its "
                        "files stay; delete the record to be rid of this line",
                        _record(root, number), __version__, type(error).__name__, error)  # fmt: skip
            continue
        if not job.over:
            job.state, job.reason, job.left_s = "lost", "the service ended before the job did", None
        found[number] = job
    return found
