"""The head of the page: what the rig does, who commands it, and stop."""

from typing import Any

from nicegui import ui

from hilctl.client.status_text import lease_text
from hilctl.panel.asking import ask, sure
from hilctl.panel.desk import Desk

SIGNS = {"off": "○", "standby": "◔", "hold": "◼", "track": "▶", "stop": "▽", "null": "▽"}


class Head:
    """Always in sight."""

    def __init__(self, desk: Desk, dark: Any) -> None:
        self._desk = desk
        with ui.header(elevated=True).classes("hil-head").style("padding:.45rem .8rem"):
            self._mode = ui.label("…").classes("hil-mode").props('role=status aria-label="Mode"')
            with ui.column().style("gap:0"):
                self._rig = ui.label()
                self._state = ui.label().classes("hil-note")
            ui.space()
            with ui.row().classes("hil-row"):
                self._lease = ui.label().props('role=status aria-label="Lease"')
                self._take = ui.button("Take the lease", on_click=self._take_it).props(
                    "dense color=white text-color=black"
                )
                self._give = ui.button("Give it back", on_click=self._give_back).props("dense outline color=white")
                ui.button("◐", on_click=dark.toggle).props('flat dense color=white aria-label="Dark or light"')
                ui.button("■ STOP  Esc").classes("hil-stop").props('color=negative aria-label="Stop"')
        self._trip = ui.column().classes("hil-trip bg-negative text-white").props("role=alert")
        with self._trip:
            self._trip_name = ui.label().style("font-size:1.3rem;font-weight:700")
            self._trip_text = ui.label()
        self._note = (
            ui.label().classes("bg-warning text-black").style("width:100%;padding:.4rem .8rem").props("role=alert")
        )
        self._trip.set_visibility(False)
        self._note.set_visibility(False)
        self._take.set_visibility(False)  # until it is known whether somebody holds the lease
        self._give.set_visibility(False)

    def tick(self) -> None:
        """Between two messages: only what has ended."""
        if self._desk.feed.gone:
            self.refresh()

    def refresh(self) -> None:
        """As things are."""
        feed, seat = self._desk.feed, self._desk.seat
        status, run = feed.status, feed.run
        if feed.gone or run is None or not status:
            self._mode.set_text("? no service")
            self._state.set_text(feed.gone or "connecting")
            return
        mode = status["mode"]
        step = f": {status['arming'].replace('_', ' ')}" if mode == "standby" else ""
        self._mode.set_text(f"{SIGNS.get(mode, '?')} {mode.upper()}{step}")
        kind = "simulated rig" if run.hello["twin"] else "rig"
        self._rig.set_text(f"{status['rig']}  ({kind}, {status['clock']} clock, {run.hello['rate_hz']:g} Hz)")
        motion = f", motion {status['motion']}" if status["motion"] else ""
        missed = f", {status['core']['missed']} ticks missed" if status["core"]["missed"] else ""
        job = f", job {status['job']['job']}: {status['job']['part'] or status['job']['kind']}" if status["job"] else ""
        self._state.set_text(f"epoch {status['epoch']}{motion}{missed}, recording {status['recording']['state']}{job}")
        trip = status["trip"]
        self._trip.set_visibility(bool(trip))
        if trip:
            self._trip_name.set_text(f"▲ TRIPPED: {trip['name'].replace('_', ' ')}  [{trip['key']}]")
            self._trip_text.set_text(f"{trip['text']}; then “Reset the trip” on the page Run")
        ending = status["state"] != "running"
        if ending:
            self._mode.set_text("? " + ("ENDING" if status["state"] == "ending" else "NO LOOP"))
            self._state.set_text(f"{status['gone'] or 'the service ends'}; start it again with `hilctl run`")
        if seat is not None:
            self._lease.set_text(f"Lease: {'● yours' if seat.holds else lease_text(status['lease'])}")
            self._take.set_visibility(not seat.holds and run.hello["role"] != "observer")
            self._take.set_text("Take over the lease…" if status["lease"] else "Take the lease")
            self._give.set_visibility(seat.holds)
            self._note.set_visibility(bool(seat.lost))
            self._note.set_text(f"⚠ The lease was lost: {seat.lost}")

    async def _take_it(self) -> None:
        seat, lease = self._desk.seat, self._desk.feed.status.get("lease")
        if seat is None:
            return
        if lease and not await sure(f"Take the lease from {lease['holder']}? A running motion continues.", "Take over"):
            return
        if await ask(lambda: seat.take(seat.name, takeover=bool(lease)), "You hold the lease."):
            self.refresh()

    async def _give_back(self) -> None:
        seat = self._desk.seat
        if seat is not None:
            await ask(seat.give, "The lease is free.")
            self.refresh()
