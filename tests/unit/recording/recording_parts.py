"""A small recording of every kind of content."""

from pathlib import Path
from typing import Any

import numpy as np

from hilctl.loop.box import WIDTH
from hilctl.recording.layout import Change, Event, Header, Known, Taken
from hilctl.recording.recorder import Recorder
from hilctl.service.inputs import TYPES

ROWS = 20


def small_recording(path: Path, **header: Any) -> Path:
    """Twenty rows, an event, a change, and what a replay needs."""
    recorder, began = Recorder(3600.0, 1000), {"machine.m": 500.0}
    whole = Header("table", "schema = 1\n", "run", "abc", 1000.0, "real", 3, began, 41, b"s", types=TYPES)
    recorder.start(path, whole._replace(**header), 0).result(10)
    recorder.input(Known(3, 0, 0, 0, b"state", b"carried", b""))
    recorder.rows(0, np.zeros((ROWS, WIDTH), np.int64))
    recorder.input(Taken(1, 1, 50, 0, 1, 0, 0.0, 0.0, b"request"))
    recorder.event(Event(0, "mode", 49, 99, {"mode": "hold"}))
    recorder.change(Change(4, 49, 98, "me", "test", "machine.m", 500.0, 501.0))
    recorder.close()
    return path
