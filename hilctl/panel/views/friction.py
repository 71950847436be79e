"""The friction curve as a campaign measures it, the model over it, and what the reversals show."""

from typing import Any, ClassVar

from nicegui import ui

from hilctl.panel.asking import sure
from hilctl.panel.figures import COLOURS, axis, grid_of, line, options
from hilctl.panel.jobs import Followed, start
from hilctl.panel.views.job_view import JobView

_SURE = 1.96  # standard deviations: 95 %
_WAYS = {1: ("forward", "circle", COLOURS[0]), -1: ("backward", "rect", COLOURS[1])}


class FrictionView(JobView):
    """The third tab."""

    name: ClassVar[str] = "Friction"
    kinds: ClassVar[tuple[str, ...]] = ("friction", "commission")

    def build(self) -> None:
        """Draws it."""
        with ui.element("section").classes("hil-card").style("width:100%"):
            ui.html("<h2>Measure friction</h2>", sanitize=False)
            ui.label("Triangles of constant speed in both directions, at many speeds.").classes("hil-note")
            with ui.row().classes("hil-row"):
                self._budget = ui.number("rig time [s]", value=150, min=10).props('dense outlined aria-label="budget"')
                self._speeds = ui.input("speeds [m/s], empty: 24").props('dense outlined aria-label="speeds"')
                self._apply = ui.checkbox("apply the result")
                self._go = ui.button("Start…", on_click=self._start_it)
        self.build_job()
        with ui.element("div").classes("hil-grid"):
            with ui.element("section").classes("hil-card").style("grid-column:1/-1"):
                ui.html("<h2>Friction over speed</h2>", sanitize=False)
                self._chart = grid_of(_curve([], None), "friction over speed").style("height:380px")
            with ui.element("section").classes("hil-card"):
                ui.html("<h2>Residuals of the fit</h2>", sanitize=False)
                self._left = grid_of(_residuals(None), "residuals of the fit")
            with ui.element("section").classes("hil-card"):
                ui.html("<h2>What a reversal shows</h2>", sanitize=False)
                self._reversed = grid_of(_reversal(None), "friction since a reversal")
            with ui.element("section").classes("hil-card"):
                ui.html("<h2>Friction model</h2>", sanitize=False)
                self._model = ui.column().style("gap:.15rem")

    def refresh(self) -> None:
        """As things are."""
        super().refresh()
        self._go.set_enabled(self.role == "commissioner" and not self.desk.feed.status.get("job"))

    async def _start_it(self) -> None:
        seat = self.desk.seat
        if seat is None or not await sure(
            "Measure friction? The rig is armed, and the table moves by itself.", "Start"
        ):
            return
        speeds = (self._speeds.value or "").replace(",", " ").split()
        words = ([] if self._budget.value is None else ["--budget", f"{self._budget.value:g}"]) + (
            ["--speeds", *speeds] if speeds else []) + ["--apply"] * bool(self._apply.value)  # fmt: skip
        await start(seat, "friction", words)

    def draw(self, job: Followed) -> None:
        """Points as they come; with a result, the points that the fit saw, and its curve."""
        fit = (job.result or {}).get("fit")
        measured = [one for one in job.measured if one["kind"] == "friction"]
        campaign = (job.result or {}).get("campaign") or job.result or {}
        points = measured or campaign.get("points") or []
        for chart, drawn in (
            (self._chart, _curve(points, fit)),
            (self._left, _residuals(fit)),
            (self._reversed, _reversal((job.result or {}).get("presliding"))),
        ):
            chart.options.clear()
            chart.options.update(drawn)
            chart.update()
        self._model.clear()
        with self._model:
            if fit is None:
                ui.label(f"{len(points)} points so far." if points else "No points yet.").classes("hil-note")
                return
            ui.label(fit["why"]).style("font-weight:600")
            for name, q in fit["parameters"].items():
                interval = f"[{_number(q['low'])}, {_number(q['high'])}]"
                ui.label(f"{name} = {_number(q['value'])} {q['unit']}   {interval}, {q['origin']}")
            turned = (job.result or {}).get("presliding")
            if isinstance(turned, dict) and turned.get("why"):
                ui.label(f"Reversals: {turned['why']}")
            for flag in fit["flags"]:
                ui.label(f"⚠ {flag['text']}; {flag['remedy']}  [{flag['code']}]")


def _number(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, int | float) else "–"


def _curve(points: list[dict[str, Any]], fit: dict[str, Any] | None) -> dict[str, Any]:
    """Measured forces with their intervals, counted against the motion; the model through them."""
    series: list[dict[str, Any]] = []
    for way, (name, symbol, colour) in _WAYS.items():
        own = sorted((p for p in points if p["direction"] == way), key=lambda p: float(p["speed_m_s"]))
        series.append({"type": "scatter", "name": name, "symbol": symbol, "symbolSize": 8, "color": colour,
                       "data": [[p["speed_m_s"], p["force_n"]] for p in own]})  # fmt: skip
        bars = [[[p["speed_m_s"], p["force_n"] + side * _SURE * p["std_n"]] for side in (-1, 1)]
                for p in own if p.get("std_n")]  # fmt: skip
        series[-1]["markLine"] = {
            "symbol": "none", "silent": True, "lineStyle": {"type": "solid", "color": colour},
            "label": {"show": False}, "data": [[{"coord": low}, {"coord": high}] for low, high in bars],
        }  # fmt: skip
        if fit is not None:
            seen = fit["points"]
            model = sorted((abs(v), way * f) for v, f in zip(seen["speed_m_s"], seen["curve_n"], strict=True)
                           if f is not None and v * way > 0)  # fmt: skip
            series.append({"type": "line", "name": f"model, {name}", "data": [list(p) for p in model], "color": colour,
                           "showSymbol": False, "lineStyle": {"type": "solid" if way > 0 else "dashed"}})  # fmt: skip
    return options(series, _speeds(points), axis("friction against the motion", "N"))


def _speeds(points: list[dict[str, Any]]) -> dict[str, Any]:
    """From somewhat below the slowest on."""
    least = min((p["speed_m_s"] for p in points), default=None)
    return axis("speed", "m/s", log=True) | ({"min": float(f"{0.8 * least:.1g}")} if least else {})


def _residuals(fit: dict[str, Any] | None) -> dict[str, Any]:
    series: list[dict[str, Any]] = []
    for way, (name, symbol, colour) in _WAYS.items():
        seen = fit["points"] if fit is not None else {"speed_m_s": [], "residual_n": []}
        data = [[abs(v), way * f] for v, f in zip(seen["speed_m_s"], seen["residual_n"], strict=True)
                if f is not None and v * way > 0]  # fmt: skip
        series.append(
            {"type": "scatter", "name": name, "symbol": symbol, "symbolSize": 7, "color": colour, "data": data}
        )
    return options(series, axis("speed", "m/s", log=True), axis("measured − model", "N"))


def _reversal(found: dict[str, Any] | None) -> dict[str, Any]:
    """Friction over the distance since the motion turned: measured, and what each model makes of it."""
    turn = (
        found["evidence"]["turn"]
        if found and found.get("evidence")
        else {"distance_m": [], "measured_n": [], "laws_n": {}}
    )
    x_um = [1e6 * x for x in turn["distance_m"]]
    data = [list(pair) for pair in zip(x_um, turn["measured_n"], strict=False)]
    series: list[dict[str, Any]] = [
        {"type": "scatter", "name": "measured", "symbolSize": 4, "color": "#8a94a3", "data": data}
    ]
    for k, (name, force) in enumerate(turn["laws_n"].items()):
        pairs = sorted((x, f) for x, f in zip(x_um, force, strict=False) if x is not None and f is not None)
        series.append(line(name, [x for x, _ in pairs], [f for _, f in pairs], k))
    return options(series, axis("distance since the reversal", "µm"), axis("friction", "N"))
