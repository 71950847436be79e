"""The virtual clock: time passes only while something is going on, and the same commands give the same bytes."""

import threading

import numpy as np
import pytest

from hilctl.law.requests import RequestKind
from hilctl.law.state import STATE
from hilctl.loop import inprocess
from hilctl.loop.options import CoreOptions
from hilctl.signals import Mode, Trip
from tests.system.core_parts import ask, motion, running, settled, table, until

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(params=["process", "thread"])
def link(request):
    """The twin on the virtual clock, in its own process and on a thread of this one."""
    if request.param == "process":
        with running("twin", clock="virtual", service_timeout_s=0) as link:
            yield link
        return
    link = inprocess.start(table().settings(1), driver="twin", driver_config={}, facts=table().facts(virtual=True),
                           options=CoreOptions(clock="virtual", service_timeout_s=0))
    until(link, lambda: link.status.tick >= 0)
    yield link
    link.stop(20.0)
    link.close()


def _stands(link):
    """Waits until time stands still; returns the tick."""
    until(link, lambda: link.status.standing)
    return link.status.tick


def _sit(link, looks=200):
    """Looks at the core again and again while nothing is asked of it."""
    for _ in range(looks):
        link.beat()
        link.status  # noqa: B018


def test_time_stands_still_until_something_is_asked(link):
    assert _stands(link) == 0
    _sit(link)
    assert link.status.tick == 0
    assert link.status.rows == 1


def test_time_passes_while_arming_and_moving_and_then_stands(link):
    assert ask(link, RequestKind.ARM).refusal == 0
    until(link, lambda: settled(link))
    armed = link.status
    assert armed.mode == Mode.HOLD
    _sit(link)
    assert link.status.tick == armed.tick
    assert ask(link, RequestKind.TRACK, motion("move", position_m=0.01, duration_s=1.0)).refusal == 0
    until(link, lambda: link.drain(10_000) is not None and link.status.motion_done_id == 1)
    until(link, lambda: settled(link))
    assert 900 < link.status.tick - armed.tick < 1200


def test_a_refused_request_costs_no_time(link):
    tick = _stands(link)
    answer = ask(link, RequestKind.TRACK, motion("move", position_m=0.01))
    assert answer.refusal != 0
    assert answer.tick == tick + 1
    assert _stands(link) == tick


def test_time_passes_until_the_tick_that_is_asked_for_and_no_further(link):
    link.run_until(777)
    until(link, lambda: link.status.tick >= 777)
    assert _stands(link) == 777
    rows = link.drain(10_000)
    assert rows["tick"].tolist() == list(range(778))
    assert rows["time_ns"].tolist() == [k * 1_000_000 for k in range(778)]
    assert not rows["wake_ns"].any()
    assert not rows["law_ns"].any()


def test_a_stall_is_skipped_at_once_counted_and_blamed_on_the_host(link):
    link.run_until(10)
    until(link, lambda: link.status.tick == 10)
    link.stall(45)
    link.run_until(60)
    until(link, lambda: link.status.tick == 60)
    _stands(link)
    rows, status = link.drain(10_000), link.status
    assert rows["tick"].tolist() == [*range(11), *range(56, 61)]
    assert rows["skipped"].tolist() == [0] * 11 + [45] + [0] * 4
    assert status.blamed["wake"] == status.missed == status.late_in_a_row_most == 45
    assert status.late_in_a_row == 0


def test_a_full_ring_makes_time_wait_for_its_reader(link):
    size = len(link.memory.rows)
    link.run_until(3 * size)
    until(link, lambda: link.status.rows == size)
    _sit(link)
    assert link.status.rows == size
    taken = [link.drain(1000)]
    until(link, lambda: link.status.rows == size + 1000)
    while sum(map(len, taken)) < 3 * size + 1:
        until(link, lambda: link.status.rows > link.rows_read)
        taken.append(link.drain(1000))
    ticks = np.concatenate([t["tick"] for t in taken])
    assert ticks.tolist() == list(range(3 * size + 1))
    assert link.status.rows_lost == 0


def test_time_waits_for_whoever_still_wants_to_fetch(link):
    size = len(link.memory.rows)
    link.held(0)
    link.run_until(2 * size)
    until(link, lambda: link.drain(10_000) is not None and link.rows_read == size)
    _sit(link)
    assert link.status.rows == size
    link.held(500)
    until(link, lambda: link.drain(10_000) is not None and link.rows_read == size + 500)
    _sit(link)
    assert link.status.rows == size + 500
    link.held(None)
    until(link, lambda: link.drain(10_000) is not None and link.status.tick == 2 * size)


def test_a_parameter_set_takes_effect_and_its_blend_lets_time_pass(link):
    assert ask(link, RequestKind.ARM).refusal == 0
    until(link, lambda: settled(link))
    tick = link.status.tick
    record = table().settings(2)
    record.law.three_state.kd_per_m *= 1.1
    link.put_settings(record)
    until(link, lambda: link.status.epoch == 2 and settled(link))
    assert link.status.blend == 1.0
    blend_ticks = round(table().controller.law.blend_s * 1000)
    assert abs(link.status.tick - tick - blend_ticks) <= 1


def test_a_copy_of_the_state_is_whole_and_says_where_it_belongs(link):
    link.run_until(50)
    until(link, lambda: link.status.tick == 50)
    link.snapshot()
    copy = until(link, link.snapshot_ready)
    assert (copy.tick, copy.row) == (50, 51)
    state = np.frombuffer(copy.state, STATE)[0]
    assert int(state["tick"]) == 50
    assert int(state["epoch"]) == 1


def test_a_run_that_is_ended_in_motion_stops_first(link):
    assert ask(link, RequestKind.ARM).refusal == 0
    until(link, lambda: settled(link))
    assert ask(link, RequestKind.TRACK, motion("sine", amplitude_m=0.02, frequency_hz=1.0)).refusal == 0
    until(link, lambda: link.status.rows - link.rows_read == len(link.memory.rows))  # it waits, in motion
    link.drain(10_000)
    until(link, lambda: link.status.rows - link.rows_read == len(link.memory.rows))
    assert link.stop(20.0) == 0
    status = link.status
    assert Mode(status.mode) == Mode.OFF
    assert Trip(status.trip) == Trip.SHUTDOWN


def test_a_thread_that_waits_for_the_end_leaves_what_the_core_says_to_the_one_that_reads(link, monkeypatch):
    said, readers = link._runner.said, set()

    def listened():
        readers.add(threading.current_thread())
        return said()

    monkeypatch.setattr(link._runner, "said", listened)
    stopper = threading.Thread(target=link.stop, args=(20.0,))
    stopper.start()
    ended = False
    while not ended:  # it may have ended before this thread looks for the first time
        ended = not stopper.is_alive() and link.poll() is not None
        link.messages  # noqa: B018
    stopper.join()
    assert readers == {threading.current_thread()}
    assert link.status.state == "ended"


def _session() -> bytes:
    """A session with everything in it: arming, a motion, another parameter set, a stop. Every row's bytes."""
    with running("twin", clock="virtual", service_timeout_s=0) as link:
        rows = []
        until(link, lambda: settled(link, rows))
        assert ask(link, RequestKind.ARM).refusal == 0
        until(link, lambda: settled(link, rows))
        triangle = motion("triangle", amplitude_m=0.01, speed_m_s=0.05, cycles=2)
        assert ask(link, RequestKind.TRACK, triangle).refusal == 0
        until(link, lambda: settled(link, rows))
        record = table().settings(2)
        record.law.three_state.ki_per_m_s *= 0.5
        link.put_settings(record)
        until(link, lambda: link.status.epoch == 2 and settled(link, rows))
        assert ask(link, RequestKind.OFF).refusal == 0
        until(link, lambda: settled(link, rows))
        assert link.status.mode == Mode.OFF
        return np.concatenate(rows).tobytes()


def test_the_same_commands_give_the_same_bytes():
    first, second = _session(), _session()
    assert len(first) > 1_000_000
    assert first == second
