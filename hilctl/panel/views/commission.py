"""The whole work on a rig as a job: options, plan, progress, what it found, undo."""

from typing import Any, ClassVar

from nicegui import ui

from hilctl.client import Jobs
from hilctl.panel.asking import ask, sure
from hilctl.panel.figures import COLOURS, axis, grid_of, options
from hilctl.panel.jobs import Followed, start
from hilctl.panel.views.job_view import JobView


class CommissionView(JobView):
    """The fourth tab."""

    name: ClassVar[str] = "Commission"
    kinds: ClassVar[tuple[str, ...]] = ("commission",)

    def build(self) -> None:
        """Draws it."""
        with ui.element("section").classes("hil-card").style("width:100%"):
            ui.html("<h2>Commission the rig</h2>", sanitize=False)
            ui.label(
                "Measures distortion and tracking, identifies machine and friction, compensates it, and measures "
                "again. The table moves over its whole stroke. What is identified is applied as one set; Undo takes it "
                "back."
            ).classes("hil-note")
            with ui.row().classes("hil-row"):
                self._budget = ui.number("friction campaign [s]", value=90, min=10).props(
                    'dense outlined aria-label="budget"'
                )
                self._speeds = ui.input("speeds [m/s], empty: 24").props('dense outlined aria-label="speeds"')
                self._sines = ui.input("sines [Hz]", value="0.5 1 2 5").props('dense outlined aria-label="sines"')
                self._warm = ui.number("warm-up [s]", value=10, min=0).props('dense outlined aria-label="warm-up"')
                self._learn = ui.checkbox("also learn the drive signals (ILC)")
                self._tune = ui.checkbox("also tune the gains")
            with ui.row().classes("hil-row"):
                self._plan = ui.button("Plan", on_click=self._plan_it).props("outline")
                self._go = ui.button("Start…", on_click=self._start_it)
                self._undo = ui.button("Undo the last set…", on_click=self._undo_it).props("outline")
        self.build_job()
        self._found = ui.element("div").classes("hil-grid")

    def refresh(self) -> None:
        """As things are."""
        super().refresh()
        free = not self.desk.feed.status.get("job")
        may = self.role == "commissioner"
        self._go.set_enabled(may and free)
        self._plan.set_enabled(may and free)
        self._undo.set_enabled(self.may_command and may)

    def _options(self) -> list[str]:
        words = [] if self._budget.value is None else ["--budget", f"{self._budget.value:g}"]
        for option, box in (("--speeds", self._speeds), ("--sines", self._sines)):
            given = (box.value or "").replace(",", " ").split()
            words += [option, *given] if given else []
        words += [] if self._warm.value is None else ["--warm-up", f"{self._warm.value:g}"]
        return words + ["--learn"] * bool(self._learn.value) + ["--tune"] * bool(self._tune.value)

    async def _plan_it(self) -> None:
        seat = self.desk.seat
        if seat is not None:
            words = [*self._options(), "--plan", "--takeover"]  # of nothing: a plan takes no lease
            if await ask(lambda: Jobs(seat.client()).start("commission", *words)):
                self.output.open()

    async def _start_it(self) -> None:
        seat = self.desk.seat
        lease = self.desk.feed.status.get("lease")
        if seat is None:
            return
        others = f"\n{lease['holder']} holds the lease, and loses it." if lease and not seat.holds else ""
        if await sure(
            f"Start commissioning? The rig is armed, and the table moves by itself for minutes.{others}", "Start"
        ):
            options = self._options() + (["--takeover"] if others else [])
            if await start(seat, "commission", options):
                ui.notify("Commissioning has begun. It goes on if this page is closed.", type="positive")

    async def _undo_it(self) -> None:
        seat = self.desk.seat
        if seat is not None and await sure("Take the last parameter set back, whole?", "Undo"):
            answer = await ask(lambda: seat.ask("undo", origin="operator's page"))
            if answer:
                ui.notify(f"Undone: active as epoch {answer.value['epoch']}.", type="positive")

    def draw(self, job: Followed) -> None:
        """Distortion before and after, the parameters, the warnings."""
        before, after = _distortion(job)
        self._found.clear()
        with self._found:
            if before:
                with ui.element("section").classes("hil-card"):
                    ui.html("<h2>Distortion of the acceleration (THD)</h2>", sanitize=False)
                    grid_of(_bars(before, after), "distortion before and after")
                    for hz in sorted(before):
                        if hz in after:
                            better = before[hz] / after[hz] if after[hz] else float("inf")
                            sign = "✔" if better > 1 else "✖ worse:"
                            ui.label(
                                f"{sign} {hz:g} Hz: {before[hz]:.3g} % → {after[hz]:.3g} %, {better:.3g} times less"
                            )
            if job.result is not None:
                self._draw_result(job.result)

    def _draw_result(self, result: dict[str, Any]) -> None:
        with ui.element("section").classes("hil-card hil-wide"):
            ui.html("<h2>Parameters</h2>", sanitize=False)
            columns = [
                {"name": k, "label": k, "field": k, "align": "left"} for k in ("key", "value", "interval", "origin")
            ]
            found = {
                **_named("", result.get("plant")),
                **_named("friction.", (result.get("friction") or {}).get("parameters")),
            }
            rows = [
                {"key": key, "value": _number(q["value"], q["unit"]), "origin": q["origin"],
                 "interval": f"{_number(q['low'], '')} to {_number(q['high'], '')}" if q["low"] is not None else ""}
                for key, q in found.items()
            ]  # fmt: skip
            ui.table(columns=columns, rows=rows, row_key="key").props("dense flat")
        with ui.element("section").classes("hil-card"):
            ui.html("<h2>Said of it</h2>", sanitize=False)
            for one in result.get("warnings") or ["Nothing."]:
                ui.label(f"⚠ {one}" if isinstance(one, str) and one != "Nothing." else str(one))
            for one in result.get("failed") or []:
                ui.label(f"✖ {one}")
            sent = "active" if result.get("epoch") else "not applied"
            ui.label(
                f"The identified parameters are {sent}"
                + (f" as epoch {result['epoch']}." if result.get("epoch") else ".")
            )


def _named(where: str, found: Any) -> dict[str, dict[str, Any]]:
    """Quantities by their key."""
    return {f"{where}{k}": q for k, q in (found or {}).items() if isinstance(q, dict) and "origin" in q}


def _number(value: Any, unit: str) -> str:
    return f"{value:.5g} {unit}".rstrip() if isinstance(value, int | float) else "–"


def _distortion(job: Followed) -> tuple[dict[float, float], dict[float, float]]:
    """By frequency, in %: of the result, else as measured so far."""
    if job.result is not None and job.result.get("thd"):
        found = job.result["thd"]
        return (
            {float(hz): one["before"] for hz, one in found.items() if one["before"] is not None},
            {float(hz): one["after"] for hz, one in found.items() if one["after"] is not None},
        )
    points = [one for one in job.measured if one["kind"] == "distortion"]
    when = {"before": dict[float, float](), "after": dict[float, float]()}
    for one in points:
        when[one["when"]][one["frequency_hz"]] = one["percent"]
    return when["before"], when["after"]


def _bars(before: dict[float, float], after: dict[float, float]) -> dict[str, Any]:
    names = [f"{hz:g}" for hz in sorted(before)]
    series = [
        {"type": "bar", "name": name, "color": COLOURS[k], "data": [values.get(hz) for hz in sorted(before)],
         "label": {"show": True, "position": "top", "color": "#8a94a3"}}
        for k, (name, values) in enumerate((("before", before), ("after", after)))
    ]  # fmt: skip
    for one in series:
        one["data"] = [None if value is None else float(f"{value:.3g}") for value in one["data"]]
    return options(series, axis("frequency", "Hz") | {"type": "category", "data": names}, axis("THD", "%", log=True))
