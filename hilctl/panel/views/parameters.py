"""Parameters by group: active, in the rig file, and edited; the difference before it is sent; journal and undo."""

import asyncio
import time
from functools import partial
from typing import Any, ClassVar

from nicegui import ui

from hilctl.panel.asking import ask, sure
from hilctl.panel.fields import bounds_of, parsed, text_of, wrong
from hilctl.panel.seat import safely
from hilctl.panel.views.view import View

_SETS = 30  # of the journal that are listed


class ParametersView(View):
    """The fifth tab."""

    name: ClassVar[str] = "Parameters"

    def build(self) -> None:
        """Draws it."""
        self._epoch, self._run = -1, ""
        self._active: dict[str, Any] = {}
        self._file: dict[str, Any] = {}  # of those that differ from it
        self._rows: dict[str, dict[str, Any]] = {}  # what is drawn, by key
        with ui.row().classes("hil-row"):
            self._filter = ui.input("find a key or a meaning", on_change=self._draw).props("dense outlined clearable")
            self._filter.style("width:17rem")
            self._review = ui.button("Review the changes…", on_click=self._review_them)
            ui.button("Discard what was typed", on_click=self._discard).props("flat")
            ui.button("Undo the last set…", on_click=self._undo).props("outline")
            ui.button("Journal", on_click=self._journal).props("outline")
            self._said = ui.label().props("role=status")
        self._list = ui.column().style("width:100%;gap:.2rem")
        self._draw()

    @property
    def _declared(self) -> dict[str, dict[str, Any]]:
        run = self.desk.feed.run
        return {one["key"]: one for one in run.describe["parameters"]} if run is not None else {}

    @property
    def _edits(self) -> dict[str, str]:
        return self.desk.seat.edits if self.desk.seat is not None else {}

    def _draw(self) -> None:
        """Groups; the fields of one are made when it is opened."""
        sought = (self._filter.value or "").lower()
        groups: dict[str, list[dict[str, Any]]] = {}
        for key, one in self._declared.items():
            if sought in key.lower() or sought in one["meaning"].lower():
                groups.setdefault(key.rpartition(".")[0], []).append(one)
        self._list.clear()
        self._rows.clear()
        with self._list:
            for group, members in groups.items():
                box = ui.expansion(f"[{group}]  {len(members)}").props("dense").style("width:100%")
                drawn = {"yes": False}

                def fill(change: Any = None, box: Any = box, members: Any = members, drawn: Any = drawn) -> None:
                    if not drawn["yes"] and (change is None or change.value):
                        drawn["yes"] = True
                        with box:
                            for one in members:
                                self._draw_row(one)

                box.on_value_change(fill)
                if sought:
                    fill()
                    box.open()
            if not groups:
                ui.label("No parameter has this in its key or meaning." if self._declared else "No service yet.")
        self._tell()

    def _draw_row(self, one: dict[str, Any]) -> None:
        key = one["key"]

        def typed(change: Any) -> None:
            if str(change.value) == text_of(self._active.get(key)):
                self._edits.pop(key, None)
            else:
                self._edits[key] = str(change.value)
            self._mark(key)
            self._tell()

        with ui.row().classes("hil-row").style("width:100%"):
            now = self._edits.get(key, text_of(self._active.get(key, one["value"])))
            box = ui.input(key, value=now, on_change=typed, validation=partial(wrong, one))
            box.props(f'dense outlined suffix="{one["unit"]}" aria-label="{key}"').style("width:23rem")
            mark = ui.label().style("width:13rem;font-weight:600")
            ui.label(f"{one['meaning']}. {bounds_of(one)}").classes("hil-note").style("flex:1 1 18rem;min-width:14rem")
        self._rows[key] = {"box": box, "mark": mark}
        self._mark(key)

    def _mark(self, key: str) -> None:
        row = self._rows.get(key)
        if row is None:
            return
        said = []
        if key in self._edits:
            said.append(f"✎ active: {text_of(self._active.get(key)) or 'unset'}")
        if key in self._file:
            said.append(f"≠ rig file: {text_of(self._file[key]) or 'unset'}")
        row["mark"].set_text("  ".join(said))

    def _tell(self) -> None:
        count = len(self._edits)
        self._review.set_enabled(bool(count))
        self._said.set_text(f"✎ {count} typed, not sent" if count else f"epoch {self._epoch}: nothing typed")

    # --- as things are

    def refresh(self) -> None:
        """Reads what is active when the epoch is another."""
        feed = self.desk.feed
        if feed.run is None or self.desk.seat is None or not feed.status:
            return
        if feed.run.id != self._run or feed.status["epoch"] != self._epoch:
            if feed.run.id != self._run:
                self._draw()
            self._run, self._epoch = feed.run.id, feed.status["epoch"]
            asyncio.create_task(self._read())  # noqa: RUF006  (it draws what it reads)

    async def _read(self) -> None:
        seat = self.desk.seat
        if seat is None:
            return
        got, why = await asyncio.to_thread(safely, lambda: (seat.client().get(), seat.client().changes()))
        if why:
            self._said.set_text(f"✖ {why}")
            return
        self._active, changes = got
        self._file = {edit["key"]: edit["old"] for edit in changes["differs"]}
        for key, row in self._rows.items():
            if key not in self._edits:
                row["box"].set_value(text_of(self._active.get(key)))
            self._mark(key)
        self._tell()

    # --- what is asked

    def _discard(self) -> None:
        self._edits.clear()
        for key, row in self._rows.items():
            row["box"].set_value(text_of(self._active.get(key)))
            self._mark(key)
        self._tell()

    async def _review_them(self) -> None:
        """The difference, and why; then it is sent as a whole, based on the epoch that was read."""
        seat, declared = self.desk.seat, self._declared
        if seat is None:
            return
        values, problems, rows = dict[str, Any](), list[str](), []
        for key, typed in self._edits.items():
            value, why = parsed(declared[key], typed) if key in declared else (None, f"{key}: this rig has no such key")
            problems += [why] if why else []
            values[key] = value
            rows.append({"key": key, "old": text_of(self._active.get(key)) or "unset", "new": typed or "unset",
                         "unit": declared.get(key, {}).get("unit", "")})  # fmt: skip
        with (
            ui.dialog().props("persistent no-esc-dismiss") as dialog,
            ui.card().style("min-width:34rem;max-width:60rem"),
        ):
            ui.label(f"{len(rows)} changes, based on epoch {self._epoch}").style("font-weight:700")
            columns = [{"name": k, "label": k, "field": k, "align": "left"} for k in ("key", "old", "new", "unit")]
            ui.table(columns=columns, rows=rows, row_key="key").props("dense flat")
            for why in problems:
                ui.label(f"✖ {why}").props("role=alert")
            origin = ui.input("why (stands in the journal)", value="operator's page").style("width:100%")
            origin.props('maxlength=80 aria-label="why"')
            with ui.row().classes("hil-row").style("align-self:end"):
                ui.button("Cancel", on_click=lambda: dialog.submit("")).props("flat autofocus")
                send = ui.button("Send", on_click=lambda: dialog.submit(origin.value or "operator's page"))
                send.set_enabled(not problems)
        said = await dialog
        dialog.clear()
        dialog.delete()
        if not said:
            return
        answer = await ask(lambda: seat.ask("set", values=values, origin=said, expects=self._epoch))
        if answer:
            for key in values:
                self._edits.pop(key, None)
            ui.notify(f"Active as epoch {answer.value['epoch']}.", type="positive")
            await self._read()

    async def _undo(self) -> None:
        seat = self.desk.seat
        if seat is None:
            return
        found = await ask(lambda: seat.client().changes())
        if not found or not found.value["sets"]:
            ui.notify("No set is left to undo in this run.")
            return
        last = found.value["sets"][-1]
        text = "\n".join(f"{e['key']}: {text_of(e['new'])} → {text_of(e['old'])}" for e in last["changed"][:12])
        if await sure(f"Undo epoch {last['epoch']} by {last['author']}?\n{text}", "Undo"):
            answer = await ask(lambda: seat.ask("undo", origin="operator's page", expects=self._epoch))
            if answer:
                ui.notify(f"Undone: active as epoch {answer.value['epoch']}.", type="positive")

    async def _journal(self) -> None:
        seat = self.desk.seat
        if seat is None:
            return
        found = await ask(lambda: list(seat.client().journal(newest=_SETS)))
        if not found:
            return
        with ui.dialog().props("no-esc-dismiss") as dialog, ui.card().style("min-width:40rem;max-width:72rem"):
            ui.label("Journal: the newest changes of this rig, over all runs").style("font-weight:700")
            for one in reversed(found.value):
                when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one["time_ns"] * 1e-9))
                head = f"{when}  epoch {one['epoch']}  {one['author']}: {one['origin'] or one['kind']}"
                lines = [f"    {e['key']}: {text_of(e['old'])} → {text_of(e['new'])}" for e in one["changed"][:20]]
                ui.label("\n".join([head, *lines])).classes("hil-mono")
            ui.button("Close", on_click=dialog.close).props("flat autofocus")
        dialog.open()
