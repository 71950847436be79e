"""A lost link is reconnected by the whole handshake, again and again, and nothing waits for it."""

import threading
import time

import numpy as np
import pytest

from firmware_bridge.driver import DriverError
from hilctl.law.settings import SETTINGS
from hilctl.loop.keeper import Keeper
from hilctl.loop.layout import DEVICE_LINK, RELINK
from hilctl.loop.lost import LOST, OPEN
from hilctl.loop.memory import make
from hilctl.loop.options import CoreOptions
from hilctl.loop.voice import Voice
from hilctl.signals import Status

OPTIONS = CoreOptions(reconnect_first_s=0.001, reconnect_longest_s=0.01)


class Device:
    """A driver whose device answers once it is `there`, and is what the rig file says once it is `right`."""

    def __init__(self):
        self.calls, self.there, self.right, self.knows = [], True, True, {}
        self.blocks = None

    def open(self):
        self.calls.append("open")
        if self.blocks is not None:
            self.blocks.wait(60)
        if not self.there:
            raise DriverError("COM7: nobody there")

    def check(self):
        self.calls.append("check")
        return [] if self.right else ["firmware 2 instead of 3", "no end stop"]

    def arm(self):
        self.calls.append("arm")

    def disarm(self):
        self.calls.append("disarm")
        raise OSError("the port is gone")

    def close(self):
        self.calls.append("close")

    def health(self):
        return {"boot": 7, **self.knows}


class Heard(Voice):
    """Everything that was said."""

    def __init__(self):
        super().__init__(None)
        self.said = []

    def _send(self, message):
        self.said.append(message)

    def events(self):
        return [(m["event"], m["body"]) for m in self.said if "event" in m]

    def link(self, **told):
        self.said.append({"link": told})
        self.newest = told


class Stand:
    """A keeper at work on a device."""

    def __init__(self):
        self.memory = make(np.zeros(1, SETTINGS)[0], OPTIONS, 1)
        self.device, self.voice = Device(), Heard()
        self.keeper = Keeper(self.memory, OPTIONS, self.voice, "serial")

    def lose(self, cause=Status.CLOSED):
        self.memory.loop.health.cause = cause
        self.memory.words[DEVICE_LINK] = LOST

    def until(self, condition):
        give_up_s = time.monotonic() + 30
        while not condition():
            assert time.monotonic() < give_up_s, self.voice.said
            time.sleep(0.001)

    def is_open(self):
        return self.memory.words[DEVICE_LINK] == OPEN


@pytest.fixture
def stand():
    made = Stand()
    yield made
    assert made.keeper.end(30.0) is not None
    made.memory.close()


def test_while_the_link_is_open_the_driver_is_left_alone_and_its_counters_are_told(stand):
    stand.keeper.start(stand.device)
    stand.until(lambda: stand.voice.said)
    assert stand.voice.said[0] == {"link": {"attempts": 0, "reason": "", "reconnects": 0, "detail": {"boot": 7}}}
    assert stand.device.calls == []


def test_a_lost_link_gets_the_whole_handshake_and_only_then_is_open(stand):
    stand.device.knows = {"reason": "COM7: unplugged"}
    stand.lose()
    stand.keeper.start(stand.device)
    stand.until(stand.is_open)
    assert stand.device.calls == ["disarm", "close", "open", "check", "arm"]
    stand.until(lambda: len(stand.voice.events()) == 2)
    (lost, why), (back, how) = stand.voice.events()
    assert (lost, why["driver"], why["reason"]) == (
        "link_lost", "serial", "the port or connection is gone: COM7: unplugged"
    )  # fmt: skip
    assert (back, how["attempts"], how["detail"]["boot"]) == ("link_back", 1, 7)
    stand.until(lambda: stand.voice.newest["reconnects"] == 1)


def test_each_new_reason_of_a_failing_attempt_is_told_once_and_a_failed_check_closes_again(stand):
    stand.device.there = False
    stand.lose(Status.TIMEOUT)
    stand.keeper.start(stand.device)
    stand.until(lambda: stand.device.calls.count("open") >= 4)
    assert stand.voice.newest["reason"] == "COM7: nobody there"
    stand.device.right, stand.device.there = False, True
    stand.until(lambda: stand.device.calls.count("check") >= 3)
    assert "arm" not in stand.device.calls and not stand.is_open()
    stand.device.right = True
    stand.until(stand.is_open)
    stand.until(lambda: stand.voice.events()[-1][0] == "link_back")
    told = [(kind, body["reason"]) for kind, body in stand.voice.events()]
    assert told[:-1] == [
        ("link_lost", "no answer for 1 s"),
        ("link_failed", "COM7: nobody there"),
        ("link_failed", "firmware 2 instead of 3; no end stop"),
    ]
    assert stand.device.calls[-4:] == ["close", "open", "check", "arm"]


def test_a_driver_made_of_several_says_which_of_them_is_gone(stand):
    stand.device.knows = {"amplifier": {"sent": 3}, "transducers": {"reason": "COM8: unplugged"}}
    stand.lose()
    stand.keeper.start(stand.device)
    stand.until(stand.is_open)
    assert stand.voice.events()[0][1]["reason"].endswith("is gone: transducers: COM8: unplugged")


def test_pauses_double_up_to_the_longest(stand, monkeypatch):
    stand.device.there = False
    pauses, wait = [], stand.keeper._over.wait
    monkeypatch.setattr(stand.keeper._over, "wait", lambda pause_s: pauses.append(pause_s) or wait(0.001))
    stand.lose()
    stand.keeper.start(stand.device)
    stand.until(lambda: len(pauses) > 7)
    assert pauses[1:7] == [0.001, 0.002, 0.004, 0.008, 0.01, 0.01]


def test_a_pause_is_cut_short_where_the_next_attempt_is_asked_for_now(stand):
    stand.keeper._options = OPTIONS._replace(reconnect_first_s=3600.0, reconnect_longest_s=3600.0)
    stand.device.there = False
    stand.lose()
    stand.keeper.start(stand.device)
    stand.until(lambda: len(stand.voice.events()) == 2)  # lost, and the first attempt has failed
    stand.device.there = True
    stand.memory.words[RELINK] = 1
    stand.until(stand.is_open)
    assert stand.memory.words[RELINK] == 0 and stand.voice.newest["reconnects"] == 1


def test_a_link_that_answered_was_given_up_because_somebody_asked(stand):
    stand.lose(Status.OK)
    stand.keeper.start(stand.device)
    stand.until(stand.is_open)
    kind, body = stand.voice.events()[0]
    assert (kind, body["asked"], body["reason"]) == ("link_lost", True, "it was asked to be opened again")


def test_an_attempt_that_does_not_return_holds_nobody_up_and_gives_the_device_back_when_it_does(stand):
    stand.device.blocks = threading.Event()
    stand.lose()
    stand.keeper.start(stand.device)
    stand.until(lambda: "open" in stand.device.calls)
    assert stand.keeper.end(0.01) is None
    stand.device.blocks.set()
    assert stand.keeper.end(30.0) is not None
    assert stand.device.calls[-1] == "close" and "arm" not in stand.device.calls
    assert not stand.is_open()


def test_a_bug_in_the_driver_is_a_reason_and_no_end(stand, monkeypatch):
    stand.lose()
    monkeypatch.setattr(stand.device, "check", lambda: 1 / 0)
    stand.keeper.start(stand.device)
    stand.until(lambda: stand.device.calls.count("open") > 2)
    assert stand.voice.newest["reason"] == "ZeroDivisionError: division by zero"
