"""The newest rows outlive the service, whichever stretch of the ring it had taken."""

from pathlib import Path

import numpy as np
import pytest

from hilctl.loop import memory
from hilctl.loop.box import WIDTH, Box, save, saved
from hilctl.loop.layout import ROWS
from hilctl.loop.options import CoreOptions
from hilctl.loop.ring import WRITTEN


@pytest.mark.parametrize(("taken", "written"), [(0, 5), (30, 40), (100, 100), (137, 150), (5000, 5100)])
def test_what_the_service_took_and_what_is_left_in_the_ring_join(taken: int, written: int, tmp_path: Path) -> None:
    made = memory.make(np.zeros(1, memory.layout.SETTINGS)[0], CoreOptions(row_slots=4096), 7)
    box = Box(64)
    for row in range(taken):
        box.need(row + 1)
        box.samples[row % 64] = box.readings[row % 64] = row
    box.samples[taken % 64] = -1  # it died while it wrote over the oldest
    box.hold(taken)
    for row in range(max(0, written - 4096), written):
        made.rows.view(np.int64).reshape(len(made.rows), -1)[row % 4096] = row
        made.readings.view(np.int64).reshape(len(made.rows), -1)[row % 4096] = row
    made.words[ROWS + WRITTEN] = written
    for story in (b"first", b"second", b"x" * (1 << 24)):  # the last one is too long
        box.tell(story)
    facts, story, parts = saved(save(box.fd, made, tmp_path, 7, 40))
    box.close()
    made.close()
    assert story == b"second" and facts["width"] == WIDTH
    rows = np.concatenate([words for _, words in parts])
    assert [first for first, _ in parts] == [max(0, taken - 40), taken]
    assert rows[:, 0].tolist() == rows[:, -1].tolist() == list(range(max(0, taken - 40), written))
    assert [path.name for path in tmp_path.iterdir()] == ["7.box"]
