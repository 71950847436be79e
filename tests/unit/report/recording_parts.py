"""Recordings for pages: the same sine under two sets of parameters, and a black box."""

from pathlib import Path
from typing import Any

import numpy as np

from hilctl.recording.layout import Change, Event, Header
from hilctl.recording.writer import Writer
from hilctl.signals import SAMPLE, Mode

RATE_HZ, MOTION = 1000.0, 4000  # ticks of a motion, and as many of rest after it
PEAK_M = 0.0123  # of the error, in a single sample: the last one of the first motion
SINE = {"motion_kind": "sine", "parameters": {"amplitude_m": 0.02, "frequency_hz": 1.0},
        "text": "sine of ±20 mm at 1 Hz, 4 s in all"}  # fmt: skip
TICK = 3000  # of the trip
HEADER = Header("table", "schema = 1\n", "run", "abc", RATE_HZ, "virtual", 3, {"law.feed.inverse": 0.0}, 41, b"state")


def samples(count: int) -> Any:
    """A table that swings, its error less after the parameters changed; one channel without any number."""
    made = np.zeros(count, SAMPLE)
    ticks = np.arange(count)
    made["tick"] = ticks
    t = ticks / RATE_HZ
    for name in ("xr_m", "position_m", "displacement_m"):
        made[name] = 0.02 * np.sin(2 * np.pi * t)
    made["error_m"] = np.where(ticks < MOTION, 1e-3, 1e-4) * np.cos(2 * np.pi * t)
    made["supply_pressure_pa"] = np.nan
    made["motion"] = np.where(ticks % (2 * MOTION) < MOTION, 1 + ticks // (2 * MOTION), 0)
    made["mode"] = np.where(made["motion"] > 0, Mode.TRACK, Mode.HOLD)
    return made


def two_motions(path: Path) -> Path:
    """A recording: a motion, a change, the motion again; five samples missing, and a warning."""
    rows = samples(4 * MOTION)
    rows["error_m"][MOTION - 1] = PEAK_M
    events = []
    for number in (1, 2):
        first = 2 * MOTION * (number - 1)
        events += [("planned", {"motion": number, **SINE}), ("motion", {"motion": number, "first": first}),
                   ("motion_over", {"motion": number, "why": "done", "first": first, "last": first + MOTION - 1})]
    events.append(("warning", {"limit": "read_back"}))
    change = Change(4, MOTION + 1, 0, "me", "test", "law.feed.inverse", 0.0, 1.0)
    writer = Writer(path, HEADER, 0)
    told = [Event(number, kind, 0, 0, body) for number, (kind, body) in enumerate(events)]
    gap = 3 * MOTION
    writer.write([(0, rows[:gap]), (gap + 5, rows[gap + 5 :])], told, [change])
    writer.close()
    return path


def black_box(path: Path) -> Path:
    """What a trip of the tracking error leaves."""
    cause = {"trip": "tracking_error", "key": "limits.tracking_error", "unit": "m", "value": -0.02, "limit": 0.01,
             "text": "the table did not follow its reference: -0.02 m, limit 0.01 m (limits.tracking_error.max_m); "
             "check supply, valve and gains", "remedy": "check supply, valve and gains", "action": "null"}  # fmt: skip
    link = {"driver": "twin", "errors": 0}
    told = {
        "tick": TICK, "cause": cause, "status": {"link": link}, "status_after": {"link": {**link, "errors": 2}},
        "consequences": [{"number": 1, "kind": "trip", "tick": TICK, "time_ns": 0, **cause},
                         {"number": 2, "kind": "mode", "tick": TICK + 40, "time_ns": 0, "mode": "off", "was": "null"}],
        "log": [{"number": 0, "time_ns": 0, "level": "info", "logger": "hilctl", "text": "a line <of> it"}],
    }  # fmt: skip
    writer = Writer(path, HEADER, 0)
    change = Change(4, 17, 0, "me", "test", "limits.tracking_error.max_m", 0.03, 0.01)
    writer.write([(0, samples(TICK + 500))], [], [change])
    writer.describe_trip(told)
    writer.close()
    return path
