"""The charts that change seldom, by the bundled ECharts: axes with units, limits as dashed lines."""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

COLOURS = ("#2b7de9", "#e0662f", "#17a589", "#9b59e0", "#b8922e", "#d1478b")
_TYPES = ("solid", "dashed", "dotted")


def axis(name: str, unit: str, *, log: bool = False, middle: bool = True) -> dict[str, Any]:
    """One with its unit."""
    shown = f"{name} [{unit}]" if name and unit else name or unit
    made: dict[str, Any] = {"type": "log" if log else "value", "name": shown, "scale": not log,
                            "nameTextStyle": {"color": "#8a94a3"}, "axisLabel": {"color": "#8a94a3"},
                            "splitLine": {"lineStyle": {"color": "#8884"}}}  # fmt: skip
    return made | ({"nameLocation": "middle", "nameGap": 26} if middle else {})


def line(name: str, x: Sequence[float], y: Sequence[float], number: int = 0, **more: Any) -> dict[str, Any]:
    """One curve: it differs from the others in its dashes as well."""
    style = {"width": 1.6, "type": _TYPES[number // len(COLOURS) % 3]}
    return {
        "type": "line", "name": name, "data": [list(pair) for pair in zip(x, y, strict=True)], "showSymbol": False,
        "lineStyle": style, "color": COLOURS[number % len(COLOURS)], **more,
    }  # fmt: skip


def options(series: list[dict[str, Any]], x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    """A chart."""
    return {
        "animation": False, "backgroundColor": "transparent", "tooltip": {"trigger": "axis"},
        "grid": {"left": 64, "right": 18, "top": 34, "bottom": 44},
        "legend": {"top": 2, "textStyle": {"color": "#8a94a3"}, "data": [one["name"] for one in series if one["name"]]},
        "xAxis": x, "yAxis": y | {"nameLocation": "middle", "nameGap": 48}, "series": series,
    }  # fmt: skip


def curves(
    x: Sequence[float], named: Mapping[str, Sequence[float]], x_unit: str, y_unit: str,
    limits: tuple[float | None, float | None] = (None, None), x_name: str = "time",
) -> dict[str, Any]:  # fmt: skip
    """Over one x."""
    series = [line(name, x, y, k) for k, (name, y) in enumerate(named.items())]
    marks = [{"yAxis": one} for one in limits if one is not None]
    if marks and series:
        series[0]["markLine"] = {
            "data": marks, "symbol": "none", "silent": True, "lineStyle": {"type": "dashed", "color": "#c0392b"},
            "label": {"formatter": "limit", "position": "insideEndTop", "color": "#c0392b"},
        }  # fmt: skip
        series.append(_reach(x[0], [one for one in limits if one is not None]))
    return options(series, axis(x_name, x_unit), axis("", y_unit))


def _reach(x: float, limits: Sequence[float]) -> dict[str, Any]:
    """Nothing to see: the axis reaches as far as the limits."""
    return {"type": "line", "name": "", "data": [[x, one] for one in limits], "showSymbol": False,
            "lineStyle": {"width": 0}, "tooltip": {"show": False}}  # fmt: skip


def grid_of(chart: dict[str, Any], label: str) -> Any:
    """Draws it."""
    return ui.echart(chart).classes("hil-figure").props(f'role=img aria-label="{label}"')
