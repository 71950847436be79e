"""Answers as people read them."""

import json
import math

from rich.console import Console

from hilctl.cli.bench import table
from hilctl.cli.channels import shown
from hilctl.cli.output import as_json, json_line
from hilctl.client.status_text import lines

_HELLO = {"twin": True, "rate_hz": 1000.0, "endpoints": {"commands": "tcp://127.0.0.1:1"}}
_TIMES = {"p50_ns": 1000.0, "p99_ns": 2000.0, "p999_ns": 3000.0, "max_ns": 4000}
_STATUS = {
    "rig": "r", "mode": "hold", "arming": "none", "motion": 0, "clock": "real", "epoch": 3, "state": "running",
    "link": {"driver": "twin", "state": "open", "errors": {}, "reconnects": 0, "lost": 0, "ages_ms": {}},
    "gone": "", "trip": None, "warnings": [], "position_m": 0.0125, "lease": None, "uptime_s": 3.0,
    "recording": {"state": "off", "path": ""},
    "core": {"blamed": {"wake": 2, "exchange": 0}, "ran": 10, "missed": 2, "rows_lost": 0, "messages": [],
             "last_ten_seconds": {"wake": _TIMES},
             "granted": {"fifo": False, "priority": 0, "locked": True, "cpu": -1, "awake": False}},
}  # fmt: skip


def printed(what):
    console = Console(width=100)
    with console.capture() as out:
        console.print(what)
    return out.get()


def test_codes_are_shown_by_name_and_numbers_with_units():
    assert shown("mode", 3) == "track"
    assert shown("trip", 5) == "tracking_error"
    assert shown("xr_m", 0.0125) == "12.5000 mm"
    assert shown("load_pressure_pa", 2.5e6) == "2.5000 MPa"
    assert shown("motion", 7) == "7"


def test_what_is_not_finite_is_null_in_json(capsys):
    as_json({"a": math.nan, "b": [math.inf, 1.5], "c": {"d": -math.inf}})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [None, 1.5], "c": {"d": None}}
    assert json.loads(json_line((1, math.nan))) == [1, None]


def test_the_status_names_mode_place_and_missed_ticks():
    text = "\n".join(lines(_STATUS, _HELLO))
    assert text.startswith("r: hold")
    assert "12.500 mm" in text
    assert "2 missed (wake 2)" in text
    assert "p99 2.0" in text
    assert "ordinary priority, memory locked, not pinned" in text


def test_a_trip_is_told_with_value_limit_key_and_remedy():
    trip = {"name": "velocity", "text": "too fast: 1.2 m/s, limit 1 m/s (limits.velocity.max_m_s); go slower"}
    text = "\n".join(lines({**_STATUS, "trip": trip}, _HELLO))
    for part in ("velocity", "1.2", "limit 1 m/s", "limits.velocity", "too fast", "go slower", "hilctl reset"):
        assert part in text


def test_a_ratio_stands_beside_the_figure_of_its_name():
    out = printed(
        table({"bench": "x", "figures": {"1000": {"p50": 12.3}}, "ratio": {"1000": {"p50": 1.25}, "all": 2.0}})
    )
    row = next(line for line in out.splitlines() if "1000 / p50" in line)
    assert "12.3" in row
    assert "1.25" in row
    assert any("all" in line and "2" in line for line in out.splitlines())
