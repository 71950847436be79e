"""What the loop took from outside, noted in its order: with the readings, all that a replay needs.

The loop notes what it took and when; what was in it the service knows, for it sent it. An entry is of the tick that
runs, or, on the virtual clock, comes between two ticks. A full list loses the newest, which is counted.
"""

from enum import IntEnum
from typing import Any

from hilctl.loop import layout
from hilctl.loop.layout import INTAKE, INTAKE_SLOTS, INTAKES
from hilctl.loop.ring import rt_claim, rt_lose, rt_publish
from hilctl.rt.jit import jit
from hilctl.rt.records import record_at

_AT, _SIZE = layout.intakes.at, INTAKE.itemsize


class IntakeKind(IntEnum):
    """What was taken; `id` says which one."""

    LOST = 0  # entries that found no place: never written by the loop
    SETTINGS = 1  # a parameter set, by its epoch
    REQUEST = 2  # by its id; `refusal` is the answer
    END = 3  # the end of the run, by the trip that it is
    LINK_BACK = 4  # the link to the device is open again
    POINTS = 5  # of an external reference: how many coefficients there are; `refusal` 1: no more come
    RELINK = 6  # the link to the device was given up because somebody asked for it


@jit()
def rt_note(memory: Any, words: Any, loop: Any, kind: int, id: int, refusal: int, value: float, limit: float) -> None:
    """One entry."""
    place = rt_claim(words, INTAKES, INTAKE_SLOTS)
    if place < 0:
        rt_lose(words, INTAKES)
        return
    entry = record_at(memory, _AT + place * _SIZE, INTAKE)
    entry.kind, entry.tick, entry.between = kind, loop.status.tick, loop.between
    entry.id, entry.refusal, entry.value, entry.limit = id, refusal, value, limit
    rt_publish(words, INTAKES)
