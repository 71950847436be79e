"""What tests of the loop begin with: the shared memory, and in it a rig that is off."""

from typing import Any

import numpy as np

from hilctl.law.tick import rt_start
from hilctl.loop import layout
from hilctl.loop.mailbox import MIDDLE_FIRST, READER_FIRST
from hilctl.signals import Mode
from tests.unit.law.given import settings

PERIOD_NS = 1_000_000
ROW_SLOTS = 4


class Shared:
    """The memory as the loop sees it."""

    def __init__(self, mode: Mode = Mode.OFF, **options: int) -> None:
        self.memory = np.zeros(layout.size_of(ROW_SLOTS), np.uint8)
        self.words = layout.words.of(self.memory)
        self.options, self.loop, self.state = (
            region.of(self.memory)[0] for region in (layout.options, layout.loop, layout.law)
        )
        self.knots = layout.knots.of(self.memory)[0].knots
        self.words[layout.HELD] = layout.FREE
        self.words[layout.MAIL] = MIDDLE_FIRST
        self.loop.row_slots = ROW_SLOTS
        self.settings = layout.settings.of(self.memory)
        self.settings[READER_FIRST] = settings()
        rt_start(self.state, self.settings[READER_FIRST], 0)
        self.state.mode = mode
        self.options.period_ns = PERIOD_NS
        for name, value in options.items():
            self.options[name] = value

    def rows(self) -> Any:
        """The ring of samples."""
        return layout.rows(ROW_SLOTS).of(self.memory).view(np.recarray)
