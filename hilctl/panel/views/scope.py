"""The scope: any channels at the loop's full rate, with trigger, cursors, plane and spectrum."""

import asyncio
import time
from typing import Any, ClassVar

from nicegui import ui

from hilctl.panel.capture import Capture, fetch
from hilctl.panel.figures import axis, grid_of, line, options
from hilctl.panel.measures import between, spectrum
from hilctl.panel.scope import Caught
from hilctl.panel.seat import safely
from hilctl.panel.trigger import KINDS, BadTrigger, Trigger
from hilctl.panel.units import shown
from hilctl.panel.view import MOST_TRACES
from hilctl.panel.views.view import View

WINDOWS = {
    0.01: "10 ms", 0.02: "20 ms", 0.05: "50 ms", 0.1: "0.1 s", 0.2: "0.2 s", 0.5: "0.5 s", 1.0: "1 s", 2.0: "2 s",
    5.0: "5 s", 10.0: "10 s", 30.0: "30 s", 60.0: "1 min", 120.0: "2 min", 300.0: "5 min", 600.0: "10 min",
}  # fmt: skip
STATES = {"live": "▶ live", "frozen": "❚❚ frozen", "armed": "◌ waits for the trigger", "caught": "● captured"}
READ = ("at_first", "at_last", "change", "slope", "mean", "rms", "peak_to_peak")
_HELP = (
    "Wheel or + −: zoom. Drag or ← →: move. With cursors: drag them, or ← → (Shift: faster), C changes between A and "
    "B. Each column of the picture shows its lowest and highest sample."
)


class ScopeView(View):
    """The second tab."""

    name: ClassVar[str] = "Scope"
    lively: ClassVar[bool] = True

    def build(self) -> None:
        """Draws it."""
        self._capture: Capture | None = None
        self._fetched: Caught | None = None
        self._pair: tuple[int, int] | None = None
        self._run = ""
        self._length = self.desk.scope.window_s  # as the list of windows shows it
        self.desk.on_cursors, self.desk.on_capture = self._cursors, self.refresh
        scope = self.desk.scope
        with ui.row().classes("hil-row"):
            self._channels = ui.select(self._names(), value=list(scope.channels), multiple=True, label="channels",
                                       on_change=self._choose)  # fmt: skip
            self._channels.props(f'dense outlined use-chips max-values={MOST_TRACES} aria-label="channels"')
            self._channels.style("min-width:16rem;max-width:44rem")
            self._window = ui.select(WINDOWS, value=scope.window_s, label="window", on_change=self._wide)
            self._window.props('dense outlined aria-label="window"').style("width:7rem")
            self._go = ui.button("Freeze", on_click=self._freeze).props("outline").style("min-width:6rem")
            ui.button("Cursors").props("outline").on("click", js_handler="() => window.hilctl.cursors()")
            ui.button("Spectrum", on_click=self._draw_spectrum).props("outline")
            ui.checkbox("an axis each", on_change=self._apart)
            self._state = ui.label().props("role=status").style("font-weight:700")
        ui.html('<canvas class="hil-scope" tabindex="0" role="img" aria-label="scope"></canvas>', sanitize=False).style(
            "width:100%"
        )
        ui.label(_HELP).classes("hil-note")
        self._table = ui.column().style("width:100%")
        self._spectrum = ui.column().style("width:100%")
        with ui.element("div").classes("hil-grid"):
            self._draw_trigger()
            self._draw_plane()

    def _names(self) -> list[str]:
        samples = self.desk.feed.samples()
        return list(samples.names) if samples is not None else list(self.desk.scope.channels)

    def _draw_trigger(self) -> None:
        names = self._names()
        with ui.element("section").classes("hil-card"):
            ui.html("<h2>Trigger</h2>", sanitize=False)
            with ui.row().classes("hil-row"):
                self._kind = ui.select(dict(KINDS), value="rising", label="when").props(
                    'dense outlined aria-label="when"'
                )
                self._on = ui.select(names, value="position_m" if "position_m" in names else None, label="channel")
                self._on.props('dense outlined aria-label="trigger channel"').style("width:13rem")
                self._level = ui.number("level (unit of the channel)", value=0.0).props(
                    'dense outlined aria-label="level"'
                )
                self._event = ui.input("kind of event", value="mode").props("dense outlined").style("width:9rem")
                self._pre = ui.number("before [s]", value=0.1, min=0).props('dense outlined aria-label="before"')
                self._post = ui.number("after [s]", value=0.4, min=0).props('dense outlined aria-label="after"')
                for box in (self._pre, self._post, self._level):
                    box.style("width:9rem")
            with ui.row().classes("hil-row"):
                ui.button("Capture once", on_click=lambda: self._arm(again=False))
                ui.button("Again and again", on_click=lambda: self._arm(again=True)).props("outline")
                ui.button("Back to live", on_click=self._live).props("flat")
                self._save = ui.button("Save the capture (CSV)", on_click=self._download).props("outline")
                self._save.set_enabled(False)
            self._caught = ui.label().props("role=status")

    def _draw_plane(self) -> None:
        names = self._names()
        with ui.element("section").classes("hil-card"):
            ui.html("<h2>One channel over another (XY)</h2>", sanitize=False)
            with ui.row().classes("hil-row"):
                x = ui.select(names, value="velocity_m_s" if "velocity_m_s" in names else None, label="x")
                y = ui.select(names, value="friction_n" if "friction_n" in names else None, label="y")
                for box, name in ((x, "x channel"), (y, "y channel")):
                    box.props(f'dense outlined aria-label="{name}"').style("width:13rem")
                ui.button("Show XY", on_click=lambda: self._plane((x.value, y.value) if x.value and y.value else None))
                ui.button("Over time", on_click=lambda: self._plane(None)).props("flat")

    # --- what is asked

    def _choose(self, change: Any) -> None:
        self.desk.scope.show(channels=list(change.value or ()))
        self.desk.wake()

    def _wide(self, change: Any) -> None:
        if change.value != self._length:
            self.desk.scope.show(window_s=float(change.value))
            self.desk.wake()
            self.refresh()

    def _freeze(self) -> None:
        scope = self.desk.scope
        if scope.state == "live":
            scope.freeze()
        else:
            scope.live()
        self.desk.wake()
        self.refresh()

    def _live(self) -> None:
        self.desk.scope.live()
        self.desk.wake()
        self.refresh()

    def _apart(self, change: Any) -> None:
        self.desk.apart = bool(change.value)
        self.desk.wake()

    def _plane(self, pair: tuple[str, str] | None) -> None:
        self.desk.scope.plane(pair)
        self.desk.wake()

    def _arm(self, *, again: bool) -> None:
        trigger = Trigger(
            self._kind.value, self._on.value or "", _number(self._level.value), str(self._event.value or "").strip(),
            _number(self._pre.value), _number(self._post.value),
        )  # fmt: skip
        try:
            self.desk.scope.arm(trigger, again=again)
        except BadTrigger as error:
            ui.notify(error.text, type="negative")
        self.desk.wake()
        self.refresh()

    # --- what comes

    def refresh(self) -> None:
        """As things are."""
        scope, run = self.desk.scope, self.desk.feed.run
        if run is not None and run.id != self._run:
            self._run = run.id
            self._channels.set_options(self._names(), value=list(scope.channels))
        self._show_length()
        self._state.set_text(STATES[scope.state])
        self._go.set_text("Freeze" if scope.state == "live" else "Live")
        if scope.caught is not None and scope.caught != self._fetched:
            self._fetched = scope.caught
            asyncio.create_task(self._whole(scope.caught))  # noqa: RUF006  (it shows its outcome itself)

    def _show_length(self) -> None:
        """The window that is seen: one of the list; or what was captured or zoomed to, as an entry of its own."""
        seen_s, samples = self.desk.scope.shown_s, self.desk.feed.samples()
        tick_s = 1.0 / samples.rate_hz if samples is not None else 0.0
        nearest = min(WINDOWS, key=lambda one: abs(one - seen_s))
        length = nearest if abs(nearest - seen_s) <= 1.5 * tick_s else seen_s
        if length != self._length:
            self._length = length
            self._window.set_options({length: shown(length, "s", 3), **WINDOWS}, value=length)

    async def _whole(self, caught: Caught) -> None:
        """Every sample of it, as soon as it is over."""
        seat, run, began_s = self.desk.seat, self.desk.feed.run, time.monotonic()
        if seat is None or run is None:
            return
        newest, channels = self.desk.newest, self.desk.scope.channels
        got, why = await asyncio.to_thread(
            safely, lambda: fetch(seat.client(), caught, channels, newest, run.hello["rate_hz"])
        )
        if why:
            self._caught.set_text(f"✖ {why}")
            return
        self._capture = got
        self._save.set_enabled(True)
        missing = f", {got.missing} ticks were missed or are gone" if got.missing else ", none is missing"
        what = f"● {got.ran} samples of {len(channels)} channels around tick {caught.tick}"
        self._caught.set_text(f"{what}{missing} (fetched in {time.monotonic() - began_s:.2f} s)")

    def _download(self) -> None:
        if self._capture is not None:
            ui.download(self._capture.csv(), f"capture-tick-{self._capture.caught.tick}.csv", "text/csv")

    def _cursors(self, pair: tuple[int, int] | None) -> None:
        self._pair = pair
        samples, run = self.desk.feed.samples(), self.desk.feed.run
        self._table.clear()
        if pair is None or samples is None or run is None:
            return
        units = {channel["name"]: channel["unit"] for channel in run.describe["channels"]}
        seconds = (pair[1] - pair[0]) / samples.rate_hz
        rows = []
        for name in self.desk.scope.channels:
            read = between(samples, name, *pair)
            unit = units.get(name, "")
            rows.append(
                {"channel": name, **{key: shown(read[key], f"{unit}/s" if key == "slope" else unit) for key in READ}}
            )
        heads = ("channel", "A", "B", "B − A", "slope", "mean", "rms", "peak to peak")
        columns = [
            {"name": key, "label": head, "field": key, "align": "left" if key == "channel" else "right"}
            for key, head in zip(("channel", *READ), heads, strict=True)
        ]  # fmt: skip
        with self._table:
            hz = f", 1/(B − A) = {shown(1 / seconds, 'Hz')}" if seconds else ""
            ui.label(f"B − A: {shown(seconds, 's', 6)}, {pair[1] - pair[0]} ticks{hz}")
            ui.table(columns=columns, rows=rows, row_key="channel").props('dense flat aria-label="cursors"')

    async def _draw_spectrum(self) -> None:
        scope, samples, run = self.desk.scope, self.desk.feed.samples(), self.desk.feed.run
        at = scope.window()
        if samples is None or run is None or at is None:
            return
        first, last = self._pair or (at.first, at.last - 1)
        found = await asyncio.to_thread(lambda: {name: spectrum(samples, name, first, last) for name in scope.channels})
        units = {channel["name"]: channel["unit"] for channel in run.describe["channels"]}
        self._spectrum.clear()
        with self._spectrum:
            groups: dict[str, list[dict[str, Any]]] = {}
            for k, (name, one) in enumerate(found.items()):
                kept = [(hz, a) for hz, a in zip(one["hz"], one["amplitude"], strict=True) if hz > 0 and a > 0]
                made = line(name, [hz for hz, _ in kept], [a for _, a in kept], k)
                groups.setdefault(units.get(name, ""), []).append(made)
                said = one["why"]
                if not said:
                    of = f"{shown(one['fundamental_hz'], 'Hz')}, {one['cycles']} cycles"
                    said = f"THD {one['thd_percent']:.3g} % of {of}"
                ui.label(f"{name}: {said}").classes("hil-note")
            with ui.element("div").classes("hil-grid"):
                for unit, series in groups.items():
                    chart = options(series, axis("frequency", "Hz", log=True), axis("amplitude", unit, log=True))
                    grid_of(chart, f"spectrum [{unit}]")


def _number(value: Any) -> float:
    return float(value) if value is not None else 0.0
