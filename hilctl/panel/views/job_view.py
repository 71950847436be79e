"""What the pages of long work share: the job that runs or ran last, its progress, its lines, abort, its files."""

import asyncio
from typing import Any, ClassVar
from urllib.parse import quote

from nicegui import ui

from hilctl.client.status_text import job_text
from hilctl.panel.asking import ask, sure
from hilctl.panel.jobs import Followed
from hilctl.panel.seat import safely
from hilctl.panel.views.view import View


class JobView(View):
    """Follows the newest job of its kinds."""

    kinds: ClassVar[tuple[str, ...]]
    lively: ClassVar[bool] = True

    def build_job(self) -> None:
        """The part of the page that is about the job."""
        self.job: Followed | None = None
        self._reading = False
        self._turn = 0
        self._drawn: Any = None
        with ui.element("section").classes("hil-card").style("width:100%"):
            with ui.row().classes("hil-row").style("width:100%"):
                ui.html("<h2>Job</h2>", sanitize=False)
                self._choice = ui.select({}, label="which", on_change=self._choose).props(
                    'dense outlined aria-label="job"'
                )
                self._choice.style("min-width:22rem")
                self._abort = ui.button("Abort…", on_click=self._abort_it).props("outline color=negative")
            self._said = ui.label("No job yet.").props("role=status")
            self._bar = ui.linear_progress(value=0, show_value=False).props('aria-label="progress"')
            self._files = ui.row().classes("hil-row")
            with ui.expansion("Output").props("dense").style("width:100%") as self.output:
                self._lines = ui.label().classes("hil-mono")

    def refresh(self) -> None:
        """Reads what is new, four times a second at most and one request at a time."""
        self._turn += 1
        if self.desk.seat is None or self.desk.feed.run is None or self._reading:
            return
        running = bool(self.desk.feed.status.get("job"))
        if running or self._turn % 8 == 1 or (self.job is not None and not self.job.over):
            self._reading = True
            asyncio.create_task(self._read())  # noqa: RUF006  (it draws what it reads)

    async def _read(self) -> None:
        seat = self.desk.seat
        try:
            if seat is None:
                return
            found, why = await asyncio.to_thread(safely, lambda: seat.ask("jobs"))
            if why:
                self._said.set_text(f"✖ {why}")
                return
            own = {one["job"]: one for one in found["jobs"] if one["kind"] in self.kinds}
            named = {number: job_text(one)[:110] for number, one in own.items()}
            if named != self._choice.options:
                newest = next(iter(own), None)
                fresh = newest is not None and newest not in self._choice.options
                self._choice.set_options(named, value=newest if fresh else self._choice.value)
            if self.job is not None:
                await self.job.read(seat)
                self._draw_job(self.job)
        finally:
            self._reading = False

    def _choose(self, change: Any) -> None:
        if change.value is not None:
            self.job = Followed(int(change.value))
            self._drawn = None

    def _draw_job(self, job: Followed) -> None:
        if job.why:
            self._said.set_text(f"✖ {job.why}")
            return
        about = job.about
        self._said.set_text(job_text(about))
        self._bar.set_value(1.0 if about["state"] == "done" else about["fraction"] or 0.0)
        self._abort.set_enabled(about["state"] == "running" and self.role != "observer")
        now = (job.number, len(job.lines), len(job.measured), about["state"], job.result is not None)
        if now == self._drawn:
            return
        self._drawn = now
        self._lines.set_text("\n".join(job.lines))
        self._files.clear()
        with self._files:
            if about["page"]:
                ui.link("Open the report", f"/jobs/{job.number}/{quote(about['page'])}", new_tab=True)
            if about["result"]:
                ui.link("Result (JSON)", f"/jobs/{job.number}/{quote(about['result'])}", new_tab=True)
        self.draw(job)

    def draw(self, job: Followed) -> None:
        """What this page shows of it; called when there is something new."""

    async def _abort_it(self) -> None:
        seat, job = self.desk.seat, self.job
        if seat is not None and job is not None:
            question = f"Abort job {job.number}? The table comes to rest, and the parameters are those before it."
            if await sure(question, "Abort the job"):
                await ask(lambda: seat.ask("job_abort", job=job.number))
