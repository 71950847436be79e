"""What reaches the loop from outside, at a tick's boundary: parameter sets, requests, the end of the run."""

from typing import Any

from hilctl.law.requests import REQUEST
from hilctl.law.settings import SETTINGS
from hilctl.law.tick import rt_adopt, rt_hurry, rt_request, rt_trip
from hilctl.loop import layout
from hilctl.loop.intake import IntakeKind, rt_note
from hilctl.loop.layout import ANSWER_SLOTS, ANSWERS, HEARTBEAT, HURRY, MAIL, REQUEST_SLOTS, REQUESTS
from hilctl.loop.mailbox import rt_mail_take, rt_mail_waits
from hilctl.loop.parked import rt_answer, rt_begin_parked, rt_call_off, rt_is_parked, rt_park
from hilctl.loop.ring import READ, rt_claim, rt_done, rt_waiting
from hilctl.rt.atomics import load_acquire
from hilctl.rt.jit import jit
from hilctl.rt.records import record_at
from hilctl.signals import Action, Trip

AT_ONCE = 8  # requests handled in one tick; the others wait for the next
SECOND_NS = 1_000_000_000

_SETTINGS_AT, _SETTINGS_SIZE = layout.settings.at, SETTINGS.itemsize
_REQUESTS_AT, _REQUEST_SIZE = layout.requests.at, REQUEST.itemsize


@jit()
def rt_take_settings(memory: Any, words: Any, loop: Any, state: Any) -> None:
    """Adopts the newest parameter set, if there is a new one."""
    if rt_mail_waits(words, MAIL):
        loop.mail_front = rt_mail_take(words, MAIL, loop.mail_front)
        rt_adopt(state, record_at(memory, _SETTINGS_AT + loop.mail_front * _SETTINGS_SIZE, SETTINGS))
        rt_note(memory, words, loop, IntakeKind.SETTINGS.value, state.epoch, 0, 0.0, 0.0)
        loop.changed = 1


@jit()
def rt_take_requests(memory: Any, words: Any, loop: Any, state: Any, tick: int) -> None:
    """Hands waiting requests to the law and answers each. `tick` is the first that sees them. One that waits for its
    tick or its level is parked; any other calls that off."""
    for _ in range(min(rt_waiting(words, REQUESTS), AT_ONCE)):
        if not rt_call_off(memory, words, loop, tick):
            return
        slot = words[REQUESTS + READ] & (REQUEST_SLOTS - 1)
        request = record_at(memory, _REQUESTS_AT + slot * _REQUEST_SIZE, REQUEST)
        if rt_is_parked(request, tick):
            rt_park(loop, request)
        else:
            place = rt_claim(words, ANSWERS, ANSWER_SLOTS)
            if place < 0:
                return
            refusal = rt_request(state, request, tick)
            rt_note(memory, words, loop, IntakeKind.REQUEST.value, request.id, refusal, 0.0, 0.0)
            rt_answer(memory, words, place, request.id, refusal, tick)
        loop.request = request.id
        loop.changed = 1
        rt_done(words, REQUESTS, 1)
    rt_begin_parked(memory, words, loop, state, tick)


@jit()
def rt_watch_service(memory: Any, words: Any, loop: Any, options: Any, state: Any, now_ns: int) -> None:
    """Begins the end of the run when the service is silent, or when the core's main thread says so."""
    if loop.status.ending == 0:
        reason, silent_ns = load_acquire(words, HURRY), 0
        if reason == 0 and options.service_timeout_ns > 0:
            silent_ns = now_ns - max(load_acquire(words, HEARTBEAT), loop.begun_ns)
            if silent_ns > options.service_timeout_ns:
                reason = Trip.SERVICE_LOST.value
        if reason == 0:
            return
        loop.status.ending = reason
        loop.hurry_left = options.hurry_ticks
        loop.changed = 1
        silent_s, limit_s = silent_ns / SECOND_NS, options.service_timeout_ns / SECOND_NS
        rt_trip(state, reason, Action.STOP.value, silent_s, limit_s)
        rt_note(memory, words, loop, IntakeKind.END.value, reason, 0, silent_s, limit_s)
    loop.hurry_left -= 1 + loop.skipped
    rt_hurry(state)
