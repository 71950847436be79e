"""Events, the service's log, alarms, and recordings with their reports: black boxes first."""

import asyncio
import time
from typing import Any, ClassVar
from urllib.parse import quote

from nicegui import ui

from hilctl.panel.asking import ask, sure
from hilctl.panel.seat import safely
from hilctl.panel.views.view import View

_SHOWN = 200
_LINES = 200
_TOLD_FIRST = ("number", "time_ns", "kind", "tick")
_BLACK_BOX = "trip-"


class LogView(View):
    """The last tab."""

    name: ClassVar[str] = "Log and recordings"

    def build(self) -> None:
        """Draws it."""
        self._newest, self._recorded, self._listed, self._alarms_shown = -1, "", -1.0, -1
        with ui.element("section").classes("hil-card").style("width:100%"):
            ui.html("<h2>Recordings</h2>", sanitize=False)
            with ui.row().classes("hil-row"):
                self._name = ui.input("name (empty: the date)").props(
                    'dense outlined aria-label="name of the recording"'
                )
                self._record = ui.button("Start recording", on_click=self._record_it)
                ui.button("List again", on_click=self._list).props("flat")
            self._files = ui.column().style("width:100%;gap:.15rem")
        with ui.element("section").classes("hil-card").style("width:100%"):
            ui.html("<h2>Alarms that nobody has acknowledged</h2>", sanitize=False)
            self._alarms = ui.column().style("width:100%;gap:.15rem")
        with ui.element("div").classes("hil-grid"):
            with ui.element("section").classes("hil-card"):
                ui.html("<h2>Events, the newest first</h2>", sanitize=False)
                self._events = ui.column().style("width:100%;gap:0;max-height:26rem;overflow:auto")
            with ui.element("section").classes("hil-card"):
                ui.html("<h2>The service's log</h2>", sanitize=False)
                self._log = ui.column().style("width:100%;gap:0;max-height:26rem;overflow:auto")

    def shown(self) -> None:
        """Its tab was opened."""
        self._listed = -1.0
        self.refresh()

    def refresh(self) -> None:
        """As things are."""
        feed = self.desk.feed
        if feed.run is None or not feed.status or self.desk.seat is None:
            return
        self._record.set_text("Stop recording" if feed.status["recording"]["state"] == "on" else "Start recording")
        newest = feed.events[-1]["number"] if feed.events else -1
        if newest != self._newest:
            self._newest = newest
            self._events.clear()
            with self._events:
                for event in reversed(feed.events[-_SHOWN:]):
                    ui.label(_line(event)).classes("hil-mono")
            asyncio.create_task(self._read_log())  # noqa: RUF006  (it draws what it reads)
        files = f"{feed.status['recording']['path']}{feed.status['recording']['state']}{newest}"
        if files != self._recorded or self._listed < 0:
            self._recorded, self._listed = files, time.monotonic()
            asyncio.create_task(self._list())  # noqa: RUF006
        if feed.status["alarms"] != self._alarms_shown:
            self._alarms_shown = feed.status["alarms"]
            asyncio.create_task(self._list_alarms())  # noqa: RUF006

    async def _read_log(self) -> None:
        seat = self.desk.seat
        if seat is None:
            return
        lines, why = await asyncio.to_thread(safely, lambda: seat.client().log())
        self._log.clear()
        with self._log:
            for line in reversed((lines or [])[-_LINES:]):
                ui.label(f"{_clock(line['time_ns'])}  {line['level']:<7} {line['text']}").classes("hil-mono")
            if why:
                ui.label(f"✖ {why}")

    async def _list(self) -> None:
        seat = self.desk.seat
        if seat is None:
            return
        files, why = await asyncio.to_thread(safely, lambda: seat.client().recordings())
        files = sorted(files or [], key=lambda one: not one["name"].startswith(_BLACK_BOX))
        self._files.clear()
        with self._files:
            if why:
                ui.label(f"✖ {why}")
            if not files:
                ui.label("None yet. A trip makes one by itself: the black box.").classes("hil-note")
            for one in files:
                self._draw_file(one)

    def _draw_file(self, one: dict[str, Any]) -> None:
        name, black = one["name"], one["name"].startswith(_BLACK_BOX)
        with ui.row().classes("hil-row"):
            ui.label(("■ black box  " if black else "") + name).style("min-width:19rem;font-weight:600")
            runs = ", is being written" if one["active"] else ""
            ui.label(f"{one['bytes'] / 1e6:.1f} MB, {_clock(one['changed_ns'])}{runs}").classes("hil-note")
            if not one["active"]:
                ui.link("Report", f"/reports/{quote(name)}", new_tab=True)
                ui.link("Download", f"/recordings/{quote(name)}")
                if self.role == "commissioner":
                    ui.button("Delete…", on_click=lambda: self._delete(name)).props("flat dense")

    async def _delete(self, name: str) -> None:
        seat = self.desk.seat
        if seat is not None and await sure(f"Delete {name} from the rig's disk?", "Delete"):
            await ask(lambda: seat.client().delete(name), f"{name} is deleted.")
            await self._list()

    async def _record_it(self) -> None:
        seat, status = self.desk.seat, self.desk.feed.status
        if seat is None:
            return
        action = "stop" if status["recording"]["state"] == "on" else "start"
        named = {"name": self._name.value or ""} if action == "start" else {}
        await ask(lambda: seat.ask("record", action=action, timeout_s=60.0, **named), f"Recording: {action}.")
        self._listed = -1.0

    async def _list_alarms(self) -> None:
        seat = self.desk.seat
        if seat is None:
            return
        alarms, why = await asyncio.to_thread(safely, lambda: seat.client().alarms())
        self._alarms.clear()
        with self._alarms:
            if why or not alarms:
                ui.label(f"✖ {why}" if why else "None.").classes("hil-note")
            for one in reversed(alarms or []):
                with ui.row().classes("hil-row"):
                    sign = "▲ still there" if one["active"] else "△ earlier run" if one.get("earlier") else "△ over"
                    ui.label(
                        f"{_clock(one['last_ns'])}  {sign}  {one['kind']} [{one['key']}] ×{one['count']}: {one['text']}"
                    )
                    if self.role != "observer":
                        ui.button("Acknowledge", on_click=lambda number=one["number"]: self._seen(number)).props(
                            "dense outline"
                        )

    async def _seen(self, number: int) -> None:
        seat = self.desk.seat
        if seat is not None:
            await ask(lambda: seat.client().acknowledge(number), "Acknowledged.")
            await self._list_alarms()


def _clock(time_ns: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time_ns * 1e-9))


def _line(event: dict[str, Any]) -> str:
    rest = {key: value for key, value in event.items() if key not in _TOLD_FIRST and value not in ("", None)}
    said = " ".join(f"{key}={value}" for key, value in rest.items())
    return f"{_clock(event['time_ns'])}  tick {event['tick']}  {event['kind']}  {said}"
