"""What reaches the loop from outside at a tick's boundary, and how it answers."""

import pytest

from hilctl.law.requests import Refusal, RequestKind
from hilctl.loop import layout
from hilctl.loop.layout import ANSWER_SLOTS, ANSWERS, HEARTBEAT, HURRY, MAIL, REQUEST_SLOTS, REQUESTS
from hilctl.loop.listen import AT_ONCE, rt_take_requests, rt_take_settings, rt_watch_service
from hilctl.loop.mailbox import MIDDLE_FIRST, READER_FIRST, WRITER_FIRST, mail_put
from hilctl.loop.ring import LOST, READ, WRITTEN
from hilctl.signals import Action, Mode, Trip
from tests.forms import changed
from tests.unit.loop.given import Shared

pytestmark = pytest.mark.usefixtures("forms")


def take(rig, tick=77):
    rt_take_requests(rig.memory, rig.words, rig.loop, rig.state, tick)


def asked(*kinds, mode=Mode.OFF, begun=0):
    """A rig with requests that wait; the queues have run for a while."""
    rig = Shared(mode)
    rig.words[REQUESTS + READ] = rig.words[REQUESTS + WRITTEN] = begun
    rig.words[ANSWERS + READ] = rig.words[ANSWERS + WRITTEN] = begun
    requests = layout.requests.of(rig.memory)
    for k, kind in enumerate(kinds):
        requests[(begun + k) % REQUEST_SLOTS].kind, requests[(begun + k) % REQUEST_SLOTS].id = kind, 900 + k
        rig.words[REQUESTS + WRITTEN] += 1
    return rig


def test_settings_are_adopted_when_there_are_new_ones():
    rig = Shared()
    rig.loop.mail_front = READER_FIRST
    new = rig.settings[READER_FIRST].copy()
    new.epoch, new.law.pid.kp_per_m = 42, 3.25
    rig.settings[WRITER_FIRST] = new
    before = rig.state.copy()
    rt_take_settings(rig.memory, rig.words, rig.loop, rig.state)
    assert changed(before, rig.state) == {}
    assert (rig.loop.mail_front, rig.loop.changed) == (READER_FIRST, 0)
    assert mail_put(rig.words, MAIL, WRITER_FIRST) == MIDDLE_FIRST
    rt_take_settings(rig.memory, rig.words, rig.loop, rig.state)
    assert (rig.state.epoch, rig.state.now.law.pid.kp_per_m) == (42, 3.25)
    assert (rig.loop.mail_front, rig.loop.changed) == (WRITER_FIRST, 1)
    rig.loop.changed = 0
    rt_take_settings(rig.memory, rig.words, rig.loop, rig.state)
    assert rig.loop.changed == 0, "once"
    rig.settings[MIDDLE_FIRST] = new
    rig.settings[MIDDLE_FIRST].epoch = 43
    mail_put(rig.words, MAIL, MIDDLE_FIRST)
    rt_take_settings(rig.memory, rig.words, rig.loop, rig.state)
    assert (rig.state.epoch, rig.loop.mail_front) == (43, MIDDLE_FIRST)


@pytest.mark.parametrize("begun", [0, 2 * REQUEST_SLOTS - 1])
def test_each_request_gets_its_answer_in_its_order(begun):
    rig = asked(RequestKind.STOP, RequestKind.TRACK, begun=begun)
    take(rig)
    answers = layout.answers.of(rig.memory)
    found = [answers[(begun + k) % ANSWER_SLOTS].item() for k in range(2)]
    assert found == [(900, Refusal.ACCEPTED, 77), (901, Refusal.WRONG_MODE, 77)]
    assert (rig.words[REQUESTS + READ], rig.words[ANSWERS + WRITTEN]) == (begun + 2, begun + 2)
    assert (rig.loop.request, rig.loop.changed) == (901, 1)


def test_a_request_acts_on_the_rig():
    rig = asked(RequestKind.OFF, mode=Mode.HOLD)
    take(rig)
    assert rig.state.mode == Mode.NULL


def test_without_a_request_nothing_changes():
    rig = asked()
    before = rig.words.copy()
    take(rig)
    assert (rig.words == before).all()
    assert (rig.loop.request, rig.loop.changed) == (0, 0)


def test_no_more_requests_than_a_tick_has_time_for_are_handled_at_once():
    rig = asked(*[RequestKind.STOP] * (AT_ONCE + 1))
    take(rig)
    assert (rig.words[REQUESTS + READ], rig.loop.request) == (AT_ONCE, 900 + AT_ONCE - 1)
    take(rig)
    assert (rig.words[REQUESTS + READ], rig.loop.request) == (AT_ONCE + 1, 900 + AT_ONCE)


def test_a_request_waits_while_there_is_no_place_for_its_answer():
    rig = asked(RequestKind.OFF, mode=Mode.HOLD)
    rig.words[ANSWERS + WRITTEN] = ANSWER_SLOTS
    take(rig)
    assert (rig.state.mode, rig.words[REQUESTS + READ], rig.words[ANSWERS + LOST]) == (Mode.HOLD, 0, 0)
    rig.words[ANSWERS + READ] = 1
    take(rig)
    assert (rig.state.mode, rig.words[REQUESTS + READ]) == (Mode.NULL, 1)


def watched(mode=Mode.TRACK, heartbeat_ns=2000, begun_ns=1000, timeout_ns=500_000_000):
    rig = Shared(mode, service_timeout_ns=timeout_ns, hurry_ticks=300)
    rig.words[HEARTBEAT], rig.loop.begun_ns = heartbeat_ns, begun_ns
    return rig


def watch(rig, now_ns):
    rt_watch_service(rig.memory, rig.words, rig.loop, rig.options, rig.state, now_ns)
    return int(rig.loop.status.ending)


@pytest.mark.parametrize(("heartbeat_ns", "begun_ns"), [(2000, 1000), (1000, 2000), (0, 2000)])
def test_a_service_is_silent_since_its_last_sign_of_life_or_the_start(heartbeat_ns, begun_ns):
    rig = watched(Mode.TRACK, heartbeat_ns, begun_ns)
    before = rig.loop.copy()
    assert watch(rig, 500_002_000) == 0
    assert changed(before, rig.loop) == {}
    assert rig.state.mode == Mode.TRACK
    assert watch(rig, 500_002_001) == Trip.SERVICE_LOST


def test_a_silent_service_ends_the_run_by_a_stop_that_leads_to_off():
    rig = watched()
    rig.loop.skipped = 2
    assert watch(rig, 750_002_000) == Trip.SERVICE_LOST
    assert (rig.loop.hurry_left, rig.loop.changed) == (297, 1)
    guard = rig.state.guard
    assert (guard.trip, guard.trip_action) == (Trip.SERVICE_LOST, Action.STOP)
    assert (guard.trip_value, guard.trip_limit) == (0.75, 0.5)
    assert (rig.state.mode, rig.state.off_after) == (Mode.STOP, 1)
    rig.loop.changed, rig.loop.skipped = 0, 0
    assert watch(rig, 0) == Trip.SERVICE_LOST
    assert (rig.loop.hurry_left, rig.loop.changed, rig.state.guard.trips) == (296, 0, guard.trips)


@pytest.mark.parametrize("timeout_ns", [0, 500_000_000])
def test_the_main_thread_can_end_the_run_whether_the_service_is_watched_or_not(timeout_ns):
    rig = watched(Mode.HOLD, timeout_ns=timeout_ns)
    assert watch(rig, 3000) == 0
    rig.words[HURRY] = Trip.SHUTDOWN
    assert watch(rig, 900_000_000) == Trip.SHUTDOWN
    assert (rig.state.guard.trip, rig.state.guard.trip_value) == (Trip.SHUTDOWN, 0.0)
    assert (rig.state.mode, rig.loop.hurry_left) == (Mode.NULL, 299)


def test_a_service_that_is_not_watched_may_be_silent_for_ever():
    assert watch(watched(timeout_ns=0), 2**60) == 0
    assert watch(watched(timeout_ns=1), 2**60) == Trip.SERVICE_LOST


def test_once_the_run_ends_whatever_comes_to_hold_is_switched_off():
    rig = watched(Mode.HOLD)
    rig.loop.status.ending, rig.loop.hurry_left = Trip.SHUTDOWN, 9
    watch(rig, 0)
    assert (rig.state.mode, rig.loop.hurry_left, rig.state.guard.trip) == (Mode.NULL, 8, 0)
