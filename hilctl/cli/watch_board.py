"""The live table of `hilctl watch`, in as many lines and columns as there are: how the rig is, then its channels."""

import math
import textwrap
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hilctl.cli.channels import is_code, meaning, shown
from hilctl.cli.watch_spark import DOTS_PER_CHARACTER, sparks
from hilctl.cli.watch_traces import MOST_GROUPS, Traces
from hilctl.client.status_text import lease_text, link_text, loop_text, mode_text, recording_text
from hilctl.signals import Mode, Trip

if TYPE_CHECKING:
    from hilctl.cli.watch_source import Away, Found
    from hilctl.client.telemetry import Block

_VALUE, _EXTREME = 15, 11
_NARROWEST_MEANING = 20
_NARROWEST_SPARK, _WIDEST_SPARK = 6, MOST_GROUPS // DOTS_PER_CHARACTER
_SPARK_BESIDE_MEANING = 60
_FEWEST_CHANNELS = 3  # before lines of the head give way
_TRIP_LINES = 3

PLAIN, STRONG, ALARM, NOTE = "", "bold", "bold red", "yellow"


class Line(NamedTuple):
    """A line that fits, and its colour; what it means stands in its words."""

    text: str
    style: str = PLAIN


@dataclass
class View:
    """What is shown. `dots`: whether the terminal has braille characters."""

    found: "Found"
    traces: Traces
    dots: bool
    away: str = ""
    since_s: float = 0.0
    times_back: int = 0
    status: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.status = dict(self.found.status)

    def take(self, block: "Block") -> None:
        """Every sample counts; mode, motion and trip are as fresh as the newest one, the rest as the last status."""
        if not block.count:
            return
        self.traces.take(block.columns)
        mode, motion, trip = (int(block.columns[name][-1]) for name in ("mode", "motion", "trip"))
        self.status |= {"mode": Mode(mode).name.lower(), "motion": motion}
        if not trip:
            self.status["trip"] = None
        elif not self.status["trip"]:
            self.status["trip"] = {"name": Trip(trip).name.lower(), "text": "`hilctl status` says more"}

    def lose(self, away: "Away") -> None:
        """The service is away."""
        if not self.away:
            self.since_s = time.time()
        self.away = away.why


def board(view: View, width: int, height: int) -> list[Line]:
    """At most `height` lines of at most `width` characters."""
    head = _head(view, width)
    while len(head) > 1 and height - len(head) - 2 < min(_FEWEST_CHANNELS, len(view.traces.names)):
        head.pop()  # the last ones are those that matter least
    lines = [*head, *_table(view, width, height - len(head))]
    return [Line(_cut(line.text, width, view), line.style) for line in lines[: max(height, 0)]]


def _head(view: View, width: int) -> list[Line]:
    status, hello = view.status, view.found.hello
    plant = "twin" if hello["twin"] else "rig"
    mode = f"mode {mode_text(status)}"
    lines = [Line(f"{status['rig']}: {mode}   ({plant}, {status['clock']} clock, {hello['rate_hz']:g} Hz)", STRONG)]
    if view.away:
        since = time.strftime("%H:%M:%S", time.localtime(view.since_s))
        lines.append(Line(f"AWAY       since {since}, values are old: {view.away}", ALARM))
    lines += _trip(status["trip"], width)
    lines.append(Line(f"lease      {lease_text(status['lease'])}"))
    lines.append(Line(f"loop       {loop_text(status['core'])}"))
    if status["state"] != "running":
        lines.append(Line(f"service    {status['state']} {status['gone']}".rstrip(), ALARM))
    lines.append(Line(f"link       {link_text(status['link'])}", PLAIN if status["link"]["state"] == "open" else ALARM))
    lines.append(Line(f"recording  {recording_text(status['recording'])}"))
    if status["warnings"]:
        lines.append(Line(f"warnings   {', '.join(status['warnings'])}", NOTE))
    if view.times_back and not view.away:
        times = "once" if view.times_back == 1 else f"{view.times_back} times"
        lines.append(Line(f"service    was away {times} since this began", NOTE))
    return lines


def _trip(trip: dict[str, Any] | None, width: int) -> list[Line]:
    if not trip:
        return [Line("trip       none")]
    text = f"TRIPPED    {trip['name'].replace('_', ' ')}: {trip['text']}; then `hilctl reset`"
    wrapped = textwrap.wrap(text, max(width, 20), subsequent_indent=" " * 11, max_lines=_TRIP_LINES, placeholder=" …")
    return [Line(line, ALARM) for line in wrapped]


def _table(view: View, width: int, room: int) -> list[Line]:
    """A title, and a line a channel; where the room ends, a line that says what is not shown."""
    traces = view.traces
    names = traces.names
    count = len(names) if len(names) < room else max(0, room - 2)  # beside the title, and what is said of the rest
    wide = max(map(len, names))
    spark = width - wide - _VALUE - 2 * _EXTREME - 4
    extremes = spark >= _NARROWEST_SPARK
    rest = spark - _SPARK_BESIDE_MEANING - 2
    meanings = rest >= _NARROWEST_MEANING
    spark = min(_SPARK_BESIDE_MEANING if meanings else spark, _WIDEST_SPARK)
    groups = max(1, spark * (DOTS_PER_CHARACTER if view.dots else 1))
    low, high = traces.groups(groups)
    lowest, highest = np.fmin.reduce(low, axis=1).tolist(), np.fmax.reduce(high, axis=1).tolist()
    curves = sparks(low[:count], high[:count], plain=not view.dots)
    title = _row(wide, "channel", "value", *(("min", "max") if extremes else ()))
    if extremes:
        title += f" last {traces.seconds:.3g} s"
    lines = [Line(title, STRONG)]
    for k, name in enumerate(names[:count]):
        value = traces.newest.get(name, view.found.row.get(name))
        cells = [name, "" if value is None else shown(name, value)]
        if extremes:
            cells += [_extreme(name, lowest[k]), _extreme(name, highest[k])]
        text = _row(wide, *cells)
        if extremes:
            text += f" {curves[k]}" + (f"  {meaning(name)}" if meanings else "")
        lines.append(Line(text.rstrip()))
    if count < len(names):
        more = len(names) - count
        lines.append(Line(f"{more} more: --channels NAME … chooses, a taller window shows more; Ctrl-C ends", NOTE))
    return lines


def _row(wide: int, name: str, value: str, *extremes: str) -> str:
    return " ".join((f"{name:<{wide}}", f"{value:>{_VALUE}}", *(f"{cell:>{_EXTREME}}" for cell in extremes)))


def _extreme(name: str, value: float) -> str:
    """In the unit of the value beside it; a code has neither."""
    return "" if is_code(name) or math.isnan(value) else shown(name, value).split(" ")[0]


def _cut(text: str, width: int, view: View) -> str:
    return text if len(text) <= width else text[: max(0, width - 1)] + ("…" if view.dots else "~")
