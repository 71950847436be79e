"""Parts whose workers are lost."""

import os
import signal
from concurrent.futures import Future

import pytest

from hilctl.errors import HilctlError
from hilctl.study import spread
from hilctl.study.spread import Local

SPOILT = 2


def part(number):
    """What a worker computes; the spoilt part ends the worker."""
    if number == SPOILT:
        os.kill(os.getpid(), signal.SIGKILL)
    return bytes([number])


class Parts:
    """Five of them."""

    total = 5

    def __init__(self, goes_on):
        self.goes_on, self.kept, self.given_up = goes_on, {}, {}

    def missing(self):
        return list(range(self.total))

    def call(self, number):
        return part, number

    def keep(self, number, content):
        self.kept[number] = content

    def told(self, number):
        return f"part {number}"

    def without(self, number, why):
        self.given_up[number] = why
        return self.goes_on


class Fragile:
    """A worker that is lost with all that was sent to it, as soon as the spoilt part is among that."""

    def count(self):
        return 1

    def executor(self):
        return self

    def submit(self, what, number):
        return Future()

    def lost(self, error):
        return isinstance(error, ConnectionResetError)


def settled(out, **_):
    """In place of waiting."""
    for future, number in out.items():
        if SPOILT in out.values():
            future.set_exception(ConnectionResetError("the worker is gone"))
        else:
            future.set_result(bytes([number]))
    return set(out), set()


def spread_out(work, workers):
    spread.spread(work, workers, lambda done, of: None)


def test_a_part_that_ends_every_worker_is_given_up_and_no_other_is_blamed(monkeypatch):
    monkeypatch.setattr(spread, "wait", settled)
    work = Parts(goes_on=True)
    spread_out(work, Fragile())
    assert work.kept == {number: bytes([number]) for number in range(5) if number != SPOILT}
    assert list(work.given_up) == [SPOILT] and "look at memory" in work.given_up[SPOILT]


def test_work_that_makes_no_sense_without_it_ends_there(monkeypatch):
    monkeypatch.setattr(spread, "wait", settled)
    with pytest.raises(HilctlError, match="part 2: 4 workers were lost while they computed this"):
        spread_out(Parts(goes_on=False), Fragile())


@pytest.mark.slow
def test_processes_of_this_machine_are_replaced_and_the_other_parts_done():
    work, workers = Parts(goes_on=True), Local(1)
    try:
        spread_out(work, workers)
    finally:
        workers.close()
    assert sorted(work.kept) == [0, 1, 3, 4] and list(work.given_up) == [SPOILT]
