"""A motion that waits in the loop, and begins at exactly its tick, or with the tick after the sample in which a channel
passes a level. So it begins as late as neither the service nor its process can make it.

    parked --its tick, its sample--> handed to the law, and answered as it answers
    parked --another request, the word CALLED_OFF--> answered as called off; it never begins

One waits at the most: any request that comes after it calls it off, and a stop above all. Periods that are missed at
its tick do not hold it back: it begins with the next tick that runs.
"""

import math
from typing import Any

from hilctl.law.requests import Edge, Refusal, RequestKind
from hilctl.law.tick import rt_request
from hilctl.loop import layout
from hilctl.loop.intake import IntakeKind, rt_note
from hilctl.loop.layout import ANSWER_SLOTS, ANSWERS, CALLED_OFF
from hilctl.loop.ring import rt_claim, rt_publish
from hilctl.params import record_of
from hilctl.rt.atomics import load_acquire
from hilctl.rt.jit import jit
from hilctl.rt.records import record_at, rt_copy
from hilctl.signals import NAMES, SAMPLE

_ANSWERS_AT, _ANSWER, _ANSWER_SIZE = layout.answers.at, layout.ANSWER, layout.ANSWER.itemsize
_WHOLE, _REAL = record_of([("value", "i8")]), record_of([("value", "f8")])
_IS_WHOLE = tuple(int(SAMPLE[name].kind == "i") for name in NAMES)
_BYTES = 8  # of a channel


@jit()
def rt_is_parked(request: Any, tick: int) -> bool:
    """Whether a request is one that waits."""
    return bool(request.kind == RequestKind.TRACK and (request.at_tick > tick or request.edge != Edge.NONE))


@jit()
def rt_park(loop: Any, request: Any) -> None:
    """It waits from here on."""
    rt_copy(request, loop.parked)
    loop.parked_before, loop.parked_passed = math.nan, 0


@jit()
def rt_answer(memory: Any, words: Any, place: int, id: int, refusal: int, tick: int) -> None:
    """Into the place that was claimed for it."""
    answer = record_at(memory, _ANSWERS_AT + place * _ANSWER_SIZE, _ANSWER)
    answer.id, answer.refusal, answer.tick = id, refusal, tick
    rt_publish(words, ANSWERS)


@jit()
def rt_call_off(memory: Any, words: Any, loop: Any, tick: int) -> bool:
    """It never begins; False where there is no place for the answer yet."""
    if loop.parked.id == 0:
        return True
    place = rt_claim(words, ANSWERS, ANSWER_SLOTS)
    if place < 0:
        return False
    rt_answer(memory, words, place, loop.parked.id, Refusal.CALLED_OFF.value, tick)
    loop.parked.id, loop.changed = 0, 1
    return True


@jit()
def rt_begin_parked(memory: Any, words: Any, loop: Any, state: Any, tick: int) -> None:
    """Hands it to the law, where its time has come. `tick` is the first that sees it."""
    parked = loop.parked
    if parked.id == 0:
        return
    if load_acquire(words, CALLED_OFF) >= parked.id:
        rt_call_off(memory, words, loop, tick)
        return
    if loop.parked_passed == 0 if parked.edge != Edge.NONE else tick < parked.at_tick:
        return
    place = rt_claim(words, ANSWERS, ANSWER_SLOTS)
    if place < 0:
        return
    refusal = rt_request(state, parked, tick)
    rt_note(memory, words, loop, IntakeKind.REQUEST.value, parked.id, refusal, 0.0, 0.0)
    rt_answer(memory, words, place, parked.id, refusal, tick)
    parked.id, loop.changed = 0, 1


@jit()
def rt_watch_level(memory: Any, loop: Any, sample_at: int) -> None:
    """Whether the channel that it waits for has passed its level in this sample."""
    parked = loop.parked
    if parked.id == 0 or parked.edge == Edge.NONE:
        return
    at = sample_at + parked.channel * _BYTES
    value = record_at(memory, at, _REAL).value
    if _IS_WHOLE[parked.channel] != 0:
        value = float(record_at(memory, at, _WHOLE).value)
    before, loop.parked_before = loop.parked_before, value
    up = parked.edge == Edge.ABOVE or parked.edge == Edge.RISING
    there = math.isfinite(value) and (value >= parked.level if up else value <= parked.level)
    if there and (parked.edge == Edge.RISING or parked.edge == Edge.FALLING):
        there = math.isfinite(before) and not (before >= parked.level if up else before <= parked.level)
    if there:
        loop.parked_passed = 1
