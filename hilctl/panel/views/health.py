"""How well the loop keeps its time, how the link is, and who listens."""

import os
from typing import Any, ClassVar

import numpy as np
from nicegui import ui

from hilctl.client.status_text import link_text
from hilctl.panel.figures import COLOURS, axis, grid_of, options
from hilctl.panel.units import shown
from hilctl.panel.views.view import View

STAGES = {"wake_ns": "wake-up latency", "exchange_ns": "exchange", "law_ns": "controller"}
_EDGES_US = np.geomspace(0.5, 50_000.0, 61)
_SPAN_S = 60.0
_TOPICS = {"block": "samples", "event": "events", "status": "status", "scope": "scope, for PlotJuggler"}


class HealthView(View):
    """The sixth tab."""

    name: ClassVar[str] = "Health"

    def build(self) -> None:
        """Draws it."""
        with ui.element("div").classes("hil-grid"):
            with ui.element("section").classes("hil-card"):
                ui.html("<h2>Loop</h2>", sanitize=False)
                self._loop = Rows()
            with ui.element("section").classes("hil-card"):
                ui.html("<h2>Link</h2>", sanitize=False)
                self._link = Rows()
            with ui.element("section").classes("hil-card"):
                ui.html("<h2>Listeners</h2>", sanitize=False)
                self._listeners = Rows()
            with ui.element("section").classes("hil-card"):
                ui.html("<h2>Service and host</h2>", sanitize=False)
                self._host = Rows()
        ui.label(f"Times of each tick over the last {_SPAN_S:g} s").style("font-weight:700")
        with ui.element("div").classes("hil-grid"):
            self._charts = {name: grid_of(_histogram(name, None), STAGES[name]) for name in STAGES}

    def refresh(self) -> None:
        """As things are."""
        feed = self.desk.feed
        status, run = feed.status, feed.run
        if run is None or not status:
            return
        core, link, wire = status["core"], status["link"], status["wire"]
        rows = {"ticks that ran": str(core["ran"]), "ticks missed": f"{core['missed']} of {core['due']}"}
        rows |= {f"missed because of {_stage(stage)}": str(count) for stage, count in core["blamed"].items()}
        rows |= {"samples lost": str(core["rows_lost"])}
        for stage, times in core.get("last_ten_seconds", {}).items():
            rows[f"{_stage(stage)} p50 / p99 / most"] = " / ".join(
                shown(times[key], "ns", 3) for key in ("p50_ns", "p99_ns", "max_ns")
            )
        granted = core["granted"]
        rows["scheduler"] = (f"SCHED_FIFO {granted['priority']}" if granted["fifo"] else "⚠ not real time") + (
            ", memory locked" if granted["locked"] else ", ⚠ memory not locked")  # fmt: skip
        self._loop.fill(rows)
        rows = {"state": link_text(link), "exchanges": str(link["exchanges"])}
        rows |= {f"errors: {name.replace('_', ' ')}": str(count) for name, count in link["errors"].items() if count}
        rows |= {
            f"age of {name}": f"{age['newest']:.2f} ms, oldest {age['oldest']:.2f} ms"
            for name, age in link["ages_ms"].items()
        }
        self._link.fill(rows)
        listening = wire.get("listeners", {})  # an older service does not tell
        self._listeners.fill({
            **{f"connections for {_TOPICS[topic]}": str(count) for topic, count in listening.items()},
            "samples received by this panel": str(feed.received),
            "samples lost by this panel": f"⚠ {feed.lost}" if feed.lost else "0",
            "delay of the newest sample": "–" if feed.late_s is None else f"{1e3 * feed.late_s:.0f} ms",
            "open pages": str(feed.pages), "pages that show the scope": str(feed.lively),
        })  # fmt: skip
        load = os.getloadavg()
        self._host.fill({
            "up": f"{status['uptime_s']:.0f} s", "requests that wait": str(wire["waiting"]),
            "requests refused": str(wire["refused"]), "replies without a reader": str(wire["replies_lost"]),
            "recording": f"{status['recording']['state']}, {status['recording']['lost']} samples lost",
            "alarms not acknowledged": str(status["alarms"]), "version": run.hello["version"],
            "protocol": run.hello["protocol"],
            "load of the panel's host": f"{load[0]:.2f} on {os.cpu_count()} processors",
        })  # fmt: skip
        samples = run.samples
        for name, chart in self._charts.items():
            values = samples.between(samples.rows([name])[0], samples.end - int(_SPAN_S * samples.rate_hz), samples.end)
            chart.options.update(_histogram(name, values[np.isfinite(values)] * 1e-3))
            chart.update()


def _stage(name: str) -> str:
    return STAGES[f"{name}_ns"]


class Rows:
    """Names with texts. Texts change in place; the elements are made once for the same names."""

    def __init__(self) -> None:
        self._box = ui.element("div").classes("hil-values")
        self._labels: dict[str, Any] = {}

    def fill(self, rows: dict[str, str]) -> None:
        """Shows these."""
        if list(self._labels) != list(rows):
            self._box.clear()
            with self._box:
                self._labels = {
                    name: (ui.label(name), ui.label().style("font-variant-numeric:tabular-nums"))[1] for name in rows
                }
        for name, text in rows.items():
            self._labels[name].set_text(text)


def _row(name: str) -> Any:
    ui.label(name)
    return ui.label().style("font-variant-numeric:tabular-nums")


def _histogram(name: str, values_us: Any) -> dict[str, Any]:
    counts = np.zeros(len(_EDGES_US) - 1) if values_us is None else np.histogram(values_us, _EDGES_US)[0]
    middles = np.sqrt(_EDGES_US[1:] * _EDGES_US[:-1])
    data = [[float(f"{x:.3g}"), int(n)] for x, n in zip(middles, counts, strict=True) if n]
    series = {"type": "bar", "name": STAGES[name], "data": data, "barWidth": 5,
              "color": COLOURS[list(STAGES).index(name)]}  # fmt: skip
    return options(
        [series], axis("time", "µs", log=True) | {"min": 0.5, "max": 50_000}, axis("ticks", "", log=True) | {"min": 0.8}
    )
