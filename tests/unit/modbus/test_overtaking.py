"""Over TCP the next tick's request overtakes one that is not answered yet: whatever a device answers, late or never."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.described.signals import DEVICE_TICK
from firmware_bridge.driver import COMMAND, READINGS
from firmware_bridge.modbus.exchange import rt_modbus_exchange
from firmware_bridge.modbus.record import TCP
from firmware_bridge.modbus.values import UINT16
from hilctl.rt.libc import monotonic_ns
from hilctl.signals import Status
from tests.unit.modbus.modbus_talk import Talk

DISPLACEMENT = 0  # of the readings
NEVER = 99  # answered
TICKS = st.lists(st.sampled_from([0, 0, 0, 0, 1, 2, 3, 5, NEVER]), min_size=1, max_size=60)  # after which it answers


class Device:
    """Answers requests in order, each so many ticks after it came, or never. The registers number the requests."""

    def __init__(self, talk: Talk, patience: list[int]) -> None:
        self.talk, self.patience = talk, patience
        self.waiting: list[tuple[int, int, int]] = []  # until which tick, number and transaction
        self.came = self.newest = 0

    def hear(self, tick: int) -> int:
        """Requests that have come."""
        self.talk.far.setblocking(False)
        try:
            data = self.talk.far.recv(4096)
        except BlockingIOError:
            return 0
        assert len(data) % 12 == 0
        for (transaction,) in struct.iter_unpack(">H10x", data):
            after = self.patience[self.came % len(self.patience)]
            self.came += 1
            if after != NEVER:
                self.waiting.append((tick + after, self.came, transaction))
        return len(data) // 12

    def answer(self, tick: int) -> None:
        """Those that are due, in the order in which they came: one that is slow holds up the next."""
        while self.waiting and self.waiting[0][0] <= tick:
            _, self.newest, transaction = self.waiting.pop(0)
            self.talk.hear(self.talk.answer([self.newest], transaction=transaction))


def overtaking(at_once=2):
    talk = Talk(TCP, 3, 5, read=(10, 1))
    own = talk.own
    own.answer_ns, own.lost_after, own.counter_raw, own.counter_mask = 10**15, 1000, -1, 0xFFFF
    talk.bus.at_once = at_once
    for place in (own.reading[DISPLACEMENT], own.reading[DEVICE_TICK]):
        place.request, place.word, place.kind, place.scale, place.stale_ns, place.fast = 0, 0, UINT16, 1.0, 10**15, 1
    return talk


class Loop:
    """Ticks without time: whatever has come is taken, and nothing is waited for."""

    def __init__(self, talk: Talk) -> None:
        self.talk, self.command, self.readings = talk, np.zeros(1, COMMAND)[0], np.zeros(1, READINGS)[0]

    def tick(self) -> int:
        self.command.periods, self.command.deadline_ns = 1, int(monotonic_ns())
        return int(rt_modbus_exchange(self.talk.state, self.command, self.readings))


@pytest.mark.parametrize(("at_once", "sent"), [(1, [1, 0, 0, 0]), (2, [1, 1, 0, 0])])
def test_at_most_so_many_requests_wait_for_a_device_that_is_silent(at_once, sent):
    with overtaking(at_once) as talk:
        device, loop, came = Device(talk, [NEVER]), Loop(talk), []
        for tick in range(4):
            assert loop.tick() == Status.TIMEOUT
            came.append(device.hear(tick))
        assert came == sent


def test_where_one_answer_is_lost_each_tick_has_its_request_all_the_same():
    with overtaking() as talk:
        device, loop = Device(talk, [0, 0, NEVER, 0, 0, 0]), Loop(talk)
        for tick in range(24):
            device.answer(tick)
            loop.tick()
            assert device.hear(tick) == 1, tick
        assert talk.bus.timeouts == talk.bus.sent // 6


@given(patience=TICKS)
def test_what_comes_late_is_taken_in_order_and_no_queue_grows(patience):
    with overtaking() as talk:
        device, loop = Device(talk, patience), Loop(talk)
        for tick in range(3 * len(patience)):
            device.answer(tick)
            newest, was = device.newest, int(loop.readings.device_tick)
            status = loop.tick()
            device.hear(tick)
            assert len(device.waiting) <= 2
            assert status == (Status.LATE if newest > was else Status.TIMEOUT)
            assert loop.readings.device_tick == newest
        assert talk.bus.strays == talk.bus.bad_replies == talk.bus.wrong_unit == 0
        lost = talk.bus.sent - talk.bus.answered - talk.bus.timeouts
        assert 0 <= lost <= 2


def test_an_answer_that_was_overtaken_says_nothing_of_the_outputs():
    with overtaking() as talk:
        talk.own.output[0].request = 0
        device, loop = Device(talk, [0]), Loop(talk)
        loop.tick()
        device.hear(0)
        loop.tick()  # overtakes
        device.answer(1)  # the first alone
        loop.tick()
        assert loop.readings.device_tick == 1 and talk.own.confirmed[0] == 0
        device.hear(2)
        device.answer(3)
        loop.tick()
        assert loop.readings.device_tick == 2 and talk.own.confirmed[0] == 0  # the third is under way already


def test_a_silent_device_is_lost_after_as_many_requests_as_the_rig_file_says():
    with overtaking() as talk:
        talk.own.lost_after, loop, seen = 3, Loop(talk), []
        for _ in range(6):
            seen.append(loop.tick())
            talk.bus.earlier_expires_ns = 0  # given up, before the one that overtook it would be
        assert seen == [*[Status.TIMEOUT] * 4, Status.CLOSED, Status.CLOSED] and talk.bus.fd == -1
        assert talk.bus.timeouts == 3


def test_the_answer_of_another_unit_to_what_was_overtaken_is_discarded_and_its_own_still_taken():
    with overtaking() as talk:
        device, loop = Device(talk, [NEVER]), Loop(talk)
        loop.tick()
        device.hear(0)
        first = int(talk.bus.transaction)
        loop.tick()  # overtakes
        talk.hear(talk.answer([7], transaction=first, unit=6) + talk.answer([8], transaction=first))
        assert loop.tick() == Status.LATE
        assert (talk.bus.wrong_unit, talk.bus.strays, int(loop.readings.device_tick)) == (1, 0, 8)


def test_an_exception_to_what_was_overtaken_is_counted_by_its_code():
    with overtaking() as talk:
        device, loop = Device(talk, [NEVER]), Loop(talk)
        loop.tick()
        device.hear(0)
        first = int(talk.bus.transaction)
        loop.tick()
        talk.hear(talk.answer([], exception=6, transaction=first))
        assert loop.tick() == Status.TIMEOUT
        assert (talk.bus.exceptions[6], talk.bus.bad_replies, talk.bus.answered) == (1, 0, 1)
