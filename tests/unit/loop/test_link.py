"""The service's side, with a core that does what it is told."""

import os
import socket
import subprocess
import sys

import numpy as np
import pytest

from hilctl.law.reference.motion import Kind
from hilctl.law.requests import REQUEST, RequestKind
from hilctl.law.settings import SETTINGS
from hilctl.loop import layout, mailbox
from hilctl.loop.link import Busy, Link, QueueFull
from hilctl.loop.memory import make
from hilctl.loop.options import CoreOptions
from hilctl.loop.outside import Reader, Writer
from hilctl.loop.runner import CoreProcess
from hilctl.loop.spawn import Spawned


class Silent:
    """A runner that never says or does anything."""

    def poll(self):
        return None

    def end(self):
        pass

    def wait(self, timeout_s):
        return None

    def kill(self):
        pass

    def said(self):
        return []

    def close(self):
        pass


class Core:
    """The other side of the memory, by hand."""

    def __init__(self):
        self.memory = make(np.zeros(1, SETTINGS)[0], CoreOptions(clock="virtual"), 1)
        self.link = Link(self.memory, Silent(), "null", CoreOptions(clock="virtual"))
        self._requests = Reader(self.memory.words, layout.REQUESTS, self.memory.requests)
        self._answers = Writer(self.memory.words, layout.ANSWERS, self.memory.answers)

    def answer(self, refusal=0, tick=3):
        for request in self._requests.take(1000):
            assert self._answers.put((int(request.id), refusal, tick))

    def motion_done(self, motion):
        self.memory.statuses[self.memory.words[layout.STATUSES] % layout.STATUS_SLOTS].motion_done_id = motion
        self.memory.words[layout.STATUSES] += 1


@pytest.fixture
def core():
    made = Core()
    yield made
    made.link.close()


def _request(kind=RequestKind.STOP, **fields):
    request = np.zeros(1, REQUEST)[0]
    request.kind = kind
    for name, value in fields.items():
        request[name] = value
    return request


def _waveform(core, motion):
    bank = core.link.put_knots(np.full(4, float(motion)))
    request = _request(RequestKind.TRACK, bank=bank)
    request.motion.id, request.motion.kind = motion, Kind.WAVEFORM
    core.link.ask(request)
    return bank


def test_requests_are_numbered_from_one_and_answered_by_number(core):
    assert [core.link.ask(_request()) for _ in range(3)] == [1, 2, 3]
    core.answer(refusal=2, tick=17)
    assert core.link.answers() == [(1, 2, 17), (2, 2, 17), (3, 2, 17)]
    assert core.link.answers() == []


def test_a_flood_of_requests_is_bounded_and_ends_when_they_are_answered(core):
    for _ in range(layout.REQUEST_SLOTS):
        core.link.ask(_request())
    with pytest.raises(QueueFull):
        core.link.ask(_request())
    core.answer()
    with pytest.raises(QueueFull):  # its answers have not been fetched: they would find no place
        core.link.ask(_request())
    core.link.answers()
    assert core.link.ask(_request()) == layout.REQUEST_SLOTS + 1


def test_a_waveform_never_lands_on_one_that_a_motion_still_needs(core):
    first, second = _waveform(core, 10), _waveform(core, 11)
    assert {first, second} == {0, 1}
    with pytest.raises(Busy):
        core.link.put_knots(np.zeros(4))
    core.motion_done(10)
    assert _waveform(core, 12) == first
    assert core.memory.knots[second].knots[0] == 11.0
    assert core.memory.knots[first].knots[0] == 12.0


def test_a_refused_waveform_gives_its_bank_back(core):
    _waveform(core, 10), _waveform(core, 11)
    core.answer(refusal=1)
    core.link.answers()
    assert _waveform(core, 12) in (0, 1)


def test_a_waveform_too_long_for_a_bank_is_refused(core):
    with pytest.raises(ValueError, match="longer than a bank"):
        core.link.put_knots(np.zeros(300_000))


def test_of_several_parameter_sets_the_newest_waits_for_the_loop(core):
    for epoch in (5, 6, 7):
        record = np.zeros(1, SETTINGS)[0]
        record.epoch = epoch
        core.link.put_settings(record)
    middle = core.memory.words[layout.MAIL]
    assert middle & mailbox.FRESH
    assert core.memory.settings[middle & mailbox.SLOT].epoch == 7


def test_before_the_first_tick_the_status_says_so(core):
    status = core.link.status
    assert (status.started, status.tick, status.due, status.ran) == (False, -1, 0, 0)
    assert status.since_start["wake"].number == 0


def test_one_copy_of_the_state_at_a_time(core):
    assert core.link.snapshot_ready() is None
    core.link.snapshot()
    core.link.snapshot()
    assert core.memory.words[layout.SNAPSHOT_ASKED] == 1
    assert core.link.snapshot_ready() is None
    core.memory.snapshot.tick = 9
    core.memory.words[layout.SNAPSHOT_DONE] = 1
    copy = core.link.snapshot_ready()
    assert copy.tick == 9
    assert len(copy.state) == layout.STATE.itemsize


def test_a_stall_waits_for_the_virtual_clock(core):
    core.link.stall(45)
    assert core.memory.words[layout.STALL] == 45


def test_rows_held_are_told_and_let_go(core):
    core.link.held(100)
    assert core.memory.words[layout.HELD] == 100
    core.link.held(None)
    assert core.memory.words[layout.HELD] == layout.FREE


@pytest.mark.parametrize("described", [True, False])
def test_the_end_of_a_core_is_seen_with_and_without_a_descriptor_of_its_process(described, monkeypatch):
    """A kernel before 5.3 has none."""
    if not described:
        monkeypatch.setattr(os, "pidfd_open", refuse)
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    program = [sys.executable, "-c", "input()"]  # until its input ends
    with its, subprocess.Popen(program, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        core = CoreProcess(Spawned(process, ours))
        assert core.poll() is None
        process.stdin.close()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert core.poll() == core.wait(0.0) == 1
        core.close()
        assert core.poll() == 1


def refuse(*_):
    raise OSError
