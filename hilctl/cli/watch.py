"""`hilctl watch`: channels as they change; on a terminal a table that fits it, elsewhere lines.

`watch_source` yields what the service sends; `watch_traces` keeps minima and maxima, to which every sample counts;
`watch_spark` draws them, and `watch_board` lays them out beside the status.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from hilctl.cli import connect
from hilctl.cli.arguments import number
from hilctl.errors import DONE

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from hilctl.cli.watch_board import View

WATCHED = (
    "mode", "motion", "trip", "position_m", "velocity_m_s", "xr_m", "error_m", "load_pressure_pa", "friction_n",
    "u_cmd",
)  # fmt: skip
_REDRAW_S = 0.2
_PAUSE_S = 0.15  # after each drawing: what comes meanwhile waits in the socket, and is taken with one awakening
_WITHOUT_DOTS = ("linux",)  # terminals whose fonts have no braille characters


def watch(parser: argparse.ArgumentParser) -> None:
    """The arguments of `watch`."""
    connect.options(parser)
    parser.add_argument("--channels", nargs="+", default=list(WATCHED), metavar="CHANNEL", help="which ones, or `all`")
    parser.add_argument("--window", type=number(1, 3600, "s"), default=10.0, metavar="S",
                        help="on a terminal: seconds to which minimum, maximum and curve belong (10)")  # fmt: skip
    parser.add_argument("--once", action="store_true", help="the newest sample, and no more")
    parser.add_argument("--json", action="store_true", help="one JSON object a sample; with --once, one")
    parser.set_defaults(do=_watch)


def _watch(given: argparse.Namespace) -> int:
    from hilctl.cli.output import json_line, note, say
    from hilctl.cli.watch_source import seen

    if given.once:
        return _once(given)
    from rich.console import Console

    console = Console()
    try:
        coming = seen(given, given.channels)
        if given.json:
            _lines(coming, lambda row: say(json_line(row)))
        elif not console.is_terminal or console.is_dumb_terminal:  # a file or a pipe: a line an instant
            from hilctl.cli.channels import rows

            _lines(coming, lambda row: say("  ".join(f"{name} {value}" for name, value in rows(row))))
        else:
            _live(coming, console, given.window)
    except KeyboardInterrupt:
        note("")
    return DONE


def _once(given: argparse.Namespace) -> int:
    from hilctl.cli.channels import rows
    from hilctl.cli.output import as_json, say
    from hilctl.cli.watch_source import Found, seen

    first = next(seen(given, given.channels))
    assert isinstance(first, Found)
    if given.json:
        as_json(first.row)
    else:
        for name, value in rows(first.row):
            say(f"{name:<24} {value}")
    return DONE


def _lines(coming: Iterator[Any], show: Callable[[dict[str, Any]], None]) -> None:
    """The newest sample, five times a second."""
    from hilctl.cli.output import note
    from hilctl.cli.watch_source import Away, Found
    from hilctl.client.telemetry import Block

    away, due_s = False, 0.0
    for one in coming:
        if isinstance(one, Found):
            if away:
                note(f"the service of {one.hello['rig']} is back, run {one.hello['run']}")
            names, away = one.names, False
            show(one.row)
        elif isinstance(one, Away):
            if not away:
                note(f"the service is away: {one.why}; waiting for it")
            away = True
        elif isinstance(one, Block) and one.count and time.monotonic() >= due_s:
            due_s = time.monotonic() + _REDRAW_S
            show({name: one.columns[name][-1].item() for name in names})


def _live(coming: Iterator[Any], console: "Console", window_s: float) -> None:
    from rich.live import Live

    from hilctl.cli.watch_source import Away, Found
    from hilctl.client.telemetry import Block, Status

    dots = console.encoding.startswith("utf") and os.environ.get("TERM") not in _WITHOUT_DOTS
    first = next(coming)  # without a service nothing is drawn, and the error stands in the terminal
    view = _view(first, window_s, dots=dots)
    due_s = 0.0
    with Live(_drawn(view, console), console=console, screen=True, auto_refresh=False) as screen:
        for one in coming:
            if isinstance(one, Block):
                view.take(one)
            elif isinstance(one, Status):
                view.status = one.body
            elif isinstance(one, Away):
                view.lose(one)
                due_s = 0.0
            elif isinstance(one, Found):
                times = view.times_back + 1
                view = _view(one, window_s, dots=dots)
                view.times_back = times
            now_s = time.monotonic()
            if now_s >= due_s:
                due_s = now_s + _REDRAW_S
                screen.update(_drawn(view, console), refresh=True)
                time.sleep(_PAUSE_S)


def _view(found: Any, window_s: float, *, dots: bool) -> "View":
    from hilctl.cli.watch_board import View
    from hilctl.cli.watch_traces import Traces

    return View(found, Traces(found.names, found.hello["rate_hz"], window_s), dots)


def _drawn(view: "View", console: "Console") -> "RenderableType":
    from rich.text import Text

    from hilctl.cli.watch_board import board

    made = Text(no_wrap=True, overflow="crop", end="")
    for k, line in enumerate(board(view, console.width, console.height)):
        made.append("\n" if k else "").append(line.text, line.style)
    return made
