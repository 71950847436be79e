"""Jobs: commissioning, campaigns, tuning and verification, run by the service on its own host.

with Client("tcp://rig-pc:9870", key="carol.key", lease="none") as rig:
    jobs = Jobs(rig)
    job = jobs.start("commission", "--only", "friction")
    jobs.wait(job["job"])            # or later, from another program: jobs.all() has it
    print(jobs.result(job["job"]))

A job goes on without the program that started it.
"""

import json
from functools import partial
from pathlib import Path
from typing import Any

from hilctl.client.client import Client
from hilctl.client.download import Progress, download, pieces, unheard
from hilctl.errors import HilctlError
from hilctl.wire.op import MAX_CHUNK

_START_S = 60.0  # its command is loaded, and its options are checked


class Jobs:
    """The jobs of one service."""

    def __init__(self, rig: Client) -> None:
        self._rig = rig

    def start(self, kind: str = "", *options: str, resumes: int = 0) -> dict[str, Any]:
        """Starts one; Refused (`bad_value`) where its options are wrong. `resumes`: continues that job."""
        named = {"kind": kind} if kind else {}
        return self._rig.ask("job_start", timeout_s=_START_S, options=list(options), resumes=resumes, **named)

    def upload(self, file: str | Path, name: str = "", progress: Progress = unheard) -> str:
        """Sends a file for a job; what its options call it."""
        data, name = Path(file).read_bytes(), name or Path(file).name
        for offset in range(0, max(len(data), 1), MAX_CHUNK):
            piece = data[offset : offset + MAX_CHUNK]
            self._rig.ask("job_upload", name=name, bytes=len(data), offset=offset, data=piece)
            progress(offset + len(piece), len(data))
        return f"upload:{name}"

    def all(self) -> list[dict[str, Any]]:
        """Those that are remembered, the newest first."""
        found: list[dict[str, Any]] = self._rig.ask("jobs")["jobs"]
        return found

    def show(self, job: int, first: int = 0, first_measured: int = 0) -> dict[str, Any]:
        """One: its progress, its lines of output from `first` on, what it has measured from there on, its files."""
        points = {"first_measured": first_measured} if first_measured else {}
        return self._rig.ask("job", job=job, first=first, **points)

    def abort(self, job: int) -> dict[str, Any]:
        """Ends it in order; `wait` says when it has ended."""
        return self._rig.ask("job_abort", job=job)

    def delete(self, job: int) -> list[int]:
        """Removes it from the rig's disk, with its files; the numbers of all that worked in its folder."""
        found: list[int] = self._rig.ask("job_delete", job=job, timeout_s=60.0)["jobs"]
        return found

    def wait(self, job: int, timeout_s: float = 0.0) -> dict[str, Any]:
        """Until it is over, or for `timeout_s`; then as `show`."""
        self._rig.wait_job(job, timeout_s)
        return self.show(job)

    def result(self, job: int) -> dict[str, Any]:
        """Its result document, as docs/results.md describes it."""
        found = self.show(job)
        if not found["result"]:
            why = found["reason"] or f"it is {found['state']}"
            remedy = f"`hilctl job show {job}` shows its output"
            raise HilctlError(f"job {job} has left no result: {why}", remedy=remedy)
        data: dict[str, Any] = json.loads(b"".join(pieces(self._rig, found["result"], job)))
        return data

    def copy(self, job: int, folder: str | Path, progress: Progress = unheard) -> list[Path]:
        """Copies its files below a folder here, each whole or not at all; a file that exists is never overwritten."""
        target = Path(folder)
        made, files = [], self.show(job)["files"]
        before, total = 0, sum(one["bytes"] for one in files)
        for one in files:
            path = target / one["name"]
            path.parent.mkdir(parents=True, exist_ok=True)
            made.append(download(self._rig, one["name"], path, job, partial(_of_all, progress, before, total)))
            before += one["bytes"]
        return made


def _of_all(progress: Progress, before: int, total: int, done: int, of: int) -> None:
    progress(before + done, total)
