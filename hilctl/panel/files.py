"""Files of the rig's PC, passed on to a browser: recordings, files of jobs, and the report of a recording.

A report is made by `hilctl report` in a process of its own: a recording that is spoilt ends that, and not the page.
"""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote

from hilctl.client import Client
from hilctl.client.download import pieces
from hilctl.errors import HilctlError
from hilctl.panel.feed import Feed
from hilctl.panel.seat import said

if TYPE_CHECKING:
    from fastapi import FastAPI

_REPORT_S = 300.0
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
_SAFE = {  # a file of the rig's PC runs no script here, except what a page brings along itself, and reaches nothing
    "Content-Security-Policy": "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:; script-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
}


class Files:
    """Reads with connections of its own, as the page's key may."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._folder = tempfile.TemporaryDirectory(prefix="hilctl-panel-")
        self._making: dict[str, asyncio.Lock] = {}

    def close(self) -> None:
        """Removes what was copied."""
        self._folder.cleanup()

    def routes(self, app: "FastAPI") -> None:
        """What a browser may ask for."""
        from fastapi import Response
        from fastapi.responses import PlainTextResponse, StreamingResponse

        def stream(name: str, job: int, *, shown: bool) -> Response:
            kind = _KINDS.get(PurePosixPath(name).suffix, "application/octet-stream") if shown else ""
            way = "inline" if kind else "attachment"
            headers = {"Content-Disposition": f"{way}; filename*=UTF-8''{quote(PurePosixPath(name).name)}", **_SAFE}
            try:
                client = self._feed.where.client("panel-files")
                first = (found := pieces(client, name, job)).__next__()
            except StopIteration:
                client.close()
                return Response(b"", media_type=kind or "application/octet-stream", headers=headers)
            except HilctlError as error:
                return PlainTextResponse(said(error), status_code=404)
            return StreamingResponse(_rest(client, first, found), media_type=kind or "application/octet-stream",
                                     headers=headers)  # fmt: skip

        @app.get("/recordings/{name:path}")
        def recording(name: str) -> Response:
            return stream(name, 0, shown=False)

        @app.get("/jobs/{job}/{name:path}")
        def of_job(job: int, name: str) -> Response:
            return stream(name, job, shown=True)

        @app.get("/reports/{name:path}")
        async def report(name: str) -> Response:
            try:
                page = await self.report(name)
            except HilctlError as error:
                return PlainTextResponse(said(error), status_code=404)
            return Response(page, media_type=_KINDS[".html"], headers=_SAFE)

    async def report(self, name: str) -> bytes:
        """The page of a recording; made once."""
        async with self._making.setdefault(name, asyncio.Lock()):
            folder = Path(self._folder.name) / quote(name, safe="")
            done = next(folder.glob("*.html"), None) if folder.is_dir() else None
            if done is None:
                folder.mkdir(exist_ok=True)
                file = folder / PurePosixPath(name).name
                await asyncio.to_thread(self._copy, name, file)
                try:
                    done = await _made(file, folder)
                finally:
                    file.unlink(missing_ok=True)
            return await asyncio.to_thread(done.read_bytes)

    def _copy(self, name: str, file: Path) -> None:
        file.unlink(missing_ok=True)
        with self._feed.where.client("panel-files") as client:
            client.download(name, file)


async def _made(file: Path, folder: Path) -> Path:
    words = (sys.executable, "-m", "hilctl", "report", str(file), "--out", str(folder))
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*words, stdout=pipe, stderr=pipe)
    try:
        _, errors = await asyncio.wait_for(process.communicate(), _REPORT_S)
    except TimeoutError:
        process.kill()
        raise HilctlError(f"report of {file.name}: not made within {_REPORT_S:g} s; use `hilctl report`") from None
    page = next(folder.glob("*.html"), None)
    if process.returncode or page is None:
        text = errors.decode(errors="replace").strip().splitlines()
        raise HilctlError(f"report of {file.name}: {text[-1] if text else f'ended with {process.returncode}'}")
    return page


def _rest(client: Client, first: bytes, found: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield first
        yield from found
    finally:
        client.close()
