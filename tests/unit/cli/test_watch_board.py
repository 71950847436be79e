"""The live table fits, and says what matters, whatever the size of the terminal."""

import numpy as np
import pytest

from hilctl.cli.watch_board import ALARM, View, board
from hilctl.cli.watch_source import Away, Found
from hilctl.cli.watch_traces import Traces
from hilctl.client.telemetry import Block
from hilctl.signals import CHANNELS, NAMES, Mode, Trip

HELLO = {"rig": "a-rig", "twin": False, "rate_hz": 1000.0}
TRIP = {"name": "position", "text": "0.0512 m, limit 0.05 m (limits.position.max_m): out of its travel; go back"}
STATUS = {
    "rig": "a-rig", "mode": "hold", "arming": "none", "motion": 0, "clock": "real", "state": "running", "trip": None,
    "warnings": ["pressure_age"], "lease": {"kind": "attended", "holder": "a test of " + "x" * 100},
    "link": {"driver": "twin", "state": "open", "errors": {}, "reconnects": 0, "lost": 0, "ages_ms": {}},
    "recording": {"state": "recording", "path": "/a/long/path/" + "y" * 100},
    "core": {"blamed": {"wake": 2}, "ran": 10, "missed": 2, "rows_lost": 0},
}  # fmt: skip


def block(**values):
    columns = {c.name: np.zeros(20, "<" + c.kind) for c in CHANNELS}
    columns["tick"] = np.arange(20)
    for name, value in values.items():
        columns[name][-1] = value
    return Block(0, 20, columns, "run")


def view(names=NAMES, *, dots=True, **status):
    made = View(Found(HELLO, {**STATUS, **status}, names, {}), Traces(names, 1000.0, 10.0), dots)
    made.take(block(mode=Mode.TRACK, motion=4, trip=Trip.POSITION if status.get("trip") else 0, position_m=0.0123))
    return made


@pytest.mark.parametrize("width", [1, 20, 40, 59, 80, 81, 132, 250, 900])
@pytest.mark.parametrize("height", [1, 2, 5, 8, 24, 50, 200])
def test_nothing_is_wider_or_longer_than_the_terminal(width, height):
    for names in (("xr_m",), NAMES):
        lines = board(view(names, trip=TRIP), width, height)
        assert 0 < len(lines) <= height
        assert max(len(line.text) for line in lines) <= width and not any("\n" in line.text for line in lines)


def test_in_80_by_24_every_line_of_the_head_and_what_is_left_out_is_there():
    text = [line.text for line in board(view(trip=TRIP), 80, 24)]
    assert text[0].startswith("a-rig: mode track, motion 4   (rig, real clock, 1000 Hz)")
    assert text[1].startswith("TRIPPED    position: 0.0512 m, limit 0.05 m (limits.position.max_m)")
    joined = " ".join(line.strip() for line in text)
    assert "`hilctl reset`" in joined and "10 ticks ran, 2 missed (wake 2)" in joined and "pressure_age" in joined
    title = next(k for k, line in enumerate(text) if line.startswith("channel"))
    shown = sum(line.split(" ")[0] in NAMES for line in text[title:])
    assert text[-1].startswith(f"{len(NAMES) - shown} more: --channels NAME … chooses") and shown >= 10


def test_a_value_has_its_unit_and_its_extremes():
    line = next(line.text for line in board(view(("position_m",)), 80, 24) if line.text.startswith("position_m"))
    assert line.split()[:5] == ["position_m", "12.3000", "mm", "0.0000", "12.3000"]
    assert line.endswith(("⡇", "⢸")), "the one sample that is not zero"


def test_an_alarm_is_a_word_and_not_only_a_colour():
    gone = {"driver": "modbus", "state": "lost", "since_s": 2.0, "reason": "no reply", "attempts": 0}
    lost = view(trip=TRIP, link={**STATUS["link"], **gone}, state="ended", gone="the core was killed")
    lost.lose(Away("nobody listens"))
    alarms = {line.text.split(" ")[0] for line in board(lost, 80, 24) if line.style == ALARM and line.text[0] != " "}
    assert alarms == {"TRIPPED", "AWAY", "service", "link"}
    assert any("LOST for 2.0 s" in line.text for line in board(lost, 80, 24))


def test_a_trip_is_on_the_screen_before_the_next_status_and_gone_with_the_reset():
    made = view()
    made.take(block(trip=Trip.POSITION))
    assert board(made, 80, 24)[1].text.startswith("TRIPPED    position")
    made.take(block())
    assert board(made, 80, 24)[1].text == "trip       none"


def test_a_terminal_without_these_characters_has_others():
    lines = board(view(dots=False), 60, 24)
    assert all(line.text.isascii() or "…" in line.text for line in lines[6:])
