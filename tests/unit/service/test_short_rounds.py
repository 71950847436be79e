"""What short rounds have passed on, the watch has seen: a whole round shows it what came after."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from firmware_bridge.driver import READINGS
from hilctl.service.app import App
from hilctl.service.history import History
from hilctl.signals import NAMES, SAMPLE
from hilctl.wire.encode import words_of_rows


def _history(rows: int) -> History:
    history = History(8)  # it turns
    for tick in range(rows):
        row = np.zeros(1, SAMPLE)
        row["tick"] = tick
        history.append(words_of_rows(row), np.zeros((1, READINGS.itemsize // 8), np.int64))
    return history


@pytest.mark.parametrize(("sent", "seen"), [
    (0, range(5, 11)), (5, range(5, 11)), (8, range(8, 11)), (10, range(10, 11)), (11, range(10, 11)),
])  # fmt: skip
def test_the_watch_sees_what_was_not_passed_on_and_the_newest_row_in_any_case(sent: int, seen: range) -> None:
    looked: list[int] = []

    def look(first: int, words: Any) -> list[Any]:
        ticks = words[:, NAMES.index("tick")].tolist()
        assert ticks[0] == first
        looked.extend(ticks)
        return []

    app: Any = SimpleNamespace(
        service=SimpleNamespace(
            core=SimpleNamespace(history=_history(11)),
            recorder=SimpleNamespace(active=False),
            watch=SimpleNamespace(look=look),
        ),
        telemetry=SimpleNamespace(sent=sent),
    )
    App._show(app, 5)
    assert looked == list(seen)
