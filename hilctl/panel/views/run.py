"""Arm, move, stop, and see beforehand what a motion will do."""

from typing import Any, ClassVar

from nicegui import ui

from hilctl.panel.asking import ask, sure
from hilctl.panel.fields import Form
from hilctl.panel.figures import curves, grid_of
from hilctl.panel.units import shown
from hilctl.panel.views.view import View

WATCHED = ("position_m", "velocity_m_s", "error_m", "load_pressure_pa", "friction_n", "u_cmd", "supply_pressure_pa",
           "oil_temperature_degc")  # fmt: skip
_POINTS = 600


class RunView(View):
    """The first tab."""

    name: ClassVar[str] = "Run"
    lively: ClassVar[bool] = True

    def build(self) -> None:
        """Draws it."""
        self._kind = "triangle"
        self._drawn_for = ""  # the run whose motions are drawn; once it is known whose page this is, and what was typed
        self._checked: dict[str, Any] | None = None
        with ui.element("div").classes("hil-grid"):
            with ui.element("section").classes("hil-card"):
                ui.html("<h2>Rig</h2>", sanitize=False)
                self._why = ui.label().classes("hil-note")
                with ui.row().classes("hil-row"):
                    self._arm = ui.button("Arm…", on_click=self._arm_it)
                    self._hold = ui.button("Hold", on_click=lambda: self._simple("hold"))
                    self._off = ui.button("Off…", on_click=self._off_it)
                    self._reset = ui.button("Reset the trip", on_click=lambda: self._simple("reset"))
                self._supply = ui.label()
                self._limits = ui.label().classes("hil-note")
            with ui.element("section").classes("hil-card"):
                ui.html("<h2>Now</h2>", sanitize=False)
                self._values = {}
                with ui.element("div").classes("hil-now"):
                    for name in WATCHED:
                        with ui.element("div"):
                            ui.label(name)
                            self._values[name] = ui.label("–")
        with ui.element("section").classes("hil-card").style("width:100%"):
            ui.html("<h2>Motion</h2>", sanitize=False)
            self._motion = ui.column().style("width:100%;gap:.6rem;min-height:8rem")

    # --- the rig

    def refresh(self) -> None:
        """As things are."""
        feed = self.desk.feed
        run, status = feed.run, feed.status
        if run is None or not status:
            return
        if run.id != self._drawn_for and self.desk.seat is not None:
            self._drawn_for = run.id
            self._draw_motion()
        units = {channel["name"]: channel["unit"] for channel in run.describe["channels"]}
        newest = run.samples.newest()
        for name, label in self._values.items():
            label.set_text(shown(newest.get(name), units.get(name, "")))
        mode, tripped = status["mode"], bool(status["trip"])
        self._why.set_text(
            "" if self.may_command else f"You look on (role {self.role}). Take the lease at the top to command the rig."
        )
        self._arm.set_enabled(self.may_command and mode == "off" and not tripped)
        self._hold.set_enabled(self.may_command and mode == "track")
        self._off.set_enabled(self.role != "observer" and mode != "off")
        self._reset.set_enabled(self.may_command and tripped)
        supply = status["supply"]
        self._supply.set_text(f"Supply {supply['level']}, {shown(supply['pressure_pa'], 'Pa')}")
        warnings = ", ".join(status["warnings"])
        self._limits.set_text(f"⚠ passed now: {warnings}" if warnings else "No limit is passed.")
        if self._drawn_for:
            self._start.set_enabled(self.may_command and mode == "hold")

    async def _arm_it(self) -> None:
        question = "Arm the rig? The supply comes up, the valve is enabled, and the table makes two small movements."
        if await sure(question, "Arm"):
            await self._simple("arm")

    async def _off_it(self) -> None:
        question = "Switch off? The valve ramps to null and the supply goes down. A table with a weight may sink."
        if await sure(question, "Switch off"):
            await self._simple("off")

    async def _simple(self, op: str) -> None:
        seat = self.desk.seat
        if seat is not None:
            await ask(lambda: seat.ask(op))

    # --- the motion

    def _draw_motion(self) -> None:
        run = self.desk.feed.run
        self._motion.clear()
        with self._motion:
            kinds = [kind for kind in run.describe["motions"] if kind not in ("waveform", "external")] if run else []
            if self._kind not in kinds and kinds:
                self._kind = kinds[0]
            with ui.row().classes("hil-row"):
                choice = ui.select(kinds, value=self._kind if kinds else None, label="kind", on_change=self._choose)
                choice.props('dense outlined aria-label="kind of motion"').style("width:10rem")
                self._fields = ui.row().classes("hil-row")
            with ui.row().classes("hil-row"):
                ui.button("Check and preview", on_click=self._check).props("outline")
                self._start = ui.button("Start…", on_click=self._start_it)
                self._start.set_enabled(False)
            self._said = ui.label().props("role=status").style("max-width:60rem")
            self._figures = ui.element("div").classes("hil-grid")
        if run:
            self._draw_fields()

    def _choose(self, change: Any) -> None:
        self._kind = change.value
        self._draw_fields()

    def _draw_fields(self) -> None:
        run, seat = self.desk.feed.run, self.desk.seat
        self._fields.clear()
        self._stale()
        if run is None:
            return
        kept = seat.typed.setdefault(f"motion/{self._kind}", {}) if seat is not None else {}
        with self._fields:
            self._form = Form(run.describe["motions"][self._kind], kept, self._stale)

    def shown(self) -> None:
        """Its tab was opened."""
        self.refresh()

    def _stale(self) -> None:
        """What was checked is not what is typed."""
        self._checked = None
        self._said.set_text("")
        self._figures.clear()

    async def _check(self) -> dict[str, Any] | None:
        seat, kind = self.desk.seat, self._kind
        values, why = self._form.values()
        if seat is None or why:
            self._said.set_text(f"✖ {why}" if why else "")
            return None
        found = await ask(lambda: seat.client().check_motion(kind, _POINTS, **values), quiet=True)
        if not found:
            self._said.set_text(f"✖ {found.why}")
            return None
        checked: dict[str, Any] = found.value
        refused = checked.get("refused")
        if refused:
            self._said.set_text(f"✖ {refused['message']}  [{refused['key']}]")
        else:
            warnings = "".join(f"\n⚠ {one}" for one in checked["warnings"])
            self._said.set_text(f"✔ {checked['text']}{warnings}")
        self._draw_preview(checked)
        self._checked = None if refused else {"kind": kind, "values": values, "text": checked["text"]}
        return self._checked

    def _draw_preview(self, checked: dict[str, Any]) -> None:
        self._figures.clear()
        preview = checked.get("preview")
        if not preview:
            return
        with self._figures:
            for name, unit in (("position_m", "m"), ("velocity_m_s", "m/s"), ("acceleration_m_s2", "m/s²")):
                limits = checked["limits"][name]
                chart = curves(
                    preview["t_s"].tolist(), {name: preview[name].tolist()}, "s", unit, (limits["low"], limits["high"])
                )
                grid_of(chart, f"{name} of the motion")

    async def _start_it(self) -> None:
        seat = self.desk.seat
        checked = self._checked or await self._check()
        if seat is None or checked is None:
            return
        if await sure(f"Start this motion?\n{checked['text']}", "Start"):
            motion = await ask(lambda: seat.ask("track", kind=checked["kind"], parameters=checked["values"]))
            if motion:
                ui.notify(f"Motion {motion.value['motion']} runs.", type="positive")
