"""Waiting for whoever asks, over real sockets: nothing that has come is slept over, however the sockets were used."""

import os
from collections.abc import Iterator

import pytest
import zmq
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.service.doorbell import Doorbell

_LONG_MS, _SOON_MS = 5_000, 20


@pytest.fixture
def pair() -> Iterator[tuple["zmq.Socket[bytes]", "zmq.Socket[bytes]"]]:
    """A socket that answers, and one that asks it."""
    context = zmq.Context()
    answers, asks = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
    answers.bind("tcp://127.0.0.1:*")
    asks.connect(answers.getsockopt_string(zmq.LAST_ENDPOINT))
    yield answers, asks
    context.destroy(linger=0)


def _waits(bell: Doorbell) -> list["zmq.Socket[bytes]"]:
    """What it gives when something is there: a change that brings nothing may end a wait before."""
    for _ in range(5):
        found = bell.wait(_LONG_MS)
        if found:
            return found
    return []


def test_a_message_ends_the_wait(pair):
    answers, asks = pair
    bell = Doorbell(answers)
    asks.send(b"one")
    assert _waits(bell) == [answers]


def test_a_message_that_is_left_there_rings_again(pair):
    answers, asks = pair
    bell = Doorbell(answers)
    asks.send(b"one")
    asks.send(b"two")
    for text in (b"one", b"two"):
        assert _waits(bell) == [answers]
        assert _waits(bell) == [answers]
        assert answers.recv_multipart()[1] == text
        bell.used()
    assert bell.wait(_SOON_MS) == []


def test_what_came_in_while_the_socket_was_used_rings(pair):
    """zmq takes it in with whatever is done to the socket, and its descriptor then says nothing of it."""
    answers, asks = pair
    bell = Doorbell(answers)
    asks.send(b"one")
    assert _waits(bell) == [answers]
    sender, _ = answers.recv_multipart()
    asks.send(b"two")
    assert asks.poll(0, zmq.POLLOUT)
    while not answers.getsockopt(zmq.EVENTS) & zmq.POLLIN:  # so it is in
        pass
    answers.send_multipart([sender, b"reply"])
    bell.used()
    assert bell.wait(_LONG_MS) == [answers]


def test_a_subscription_rings_too(pair):
    answers, _ = pair
    publishes, listens = answers.context.socket(zmq.XPUB), answers.context.socket(zmq.SUB)
    publishes.bind("tcp://127.0.0.1:*")
    bell = Doorbell(answers, publishes)
    assert bell.wait(_SOON_MS) == []
    listens.subscribe("block")
    listens.connect(publishes.getsockopt_string(zmq.LAST_ENDPOINT))
    assert _waits(bell) == [publishes]
    assert publishes.recv() == b"\x01block"
    for socket in (publishes, listens):
        socket.close()


def test_a_descriptor_beside_them_rings_while_it_is_readable(pair):
    answers, asks = pair
    out, into = os.pipe()
    bell = Doorbell(answers, beside=out)
    assert bell.wait(_SOON_MS) == []
    os.write(into, b"x")
    assert bell.wait(_LONG_MS) == [out]
    asks.send(b"one")
    while _waits(bell) != [answers, out]:
        pass
    os.read(out, 1)
    assert bell.wait(_LONG_MS) == [answers]
    os.close(into)
    assert bell.wait(_LONG_MS)[-1] == out
    os.close(out)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["ask", "take", "reply", "look"]), max_size=30))
def test_whatever_is_done_nothing_is_slept_over(steps):
    context = zmq.Context()
    try:
        answers, asks = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
        answers.bind("inproc://desk")
        asks.connect("inproc://desk")
        bell, waiting, senders = Doorbell(answers), 0, []
        for step in steps:
            if step == "ask":
                asks.send(b"x")
                waiting += 1
            elif step == "take" and waiting:
                assert _waits(bell) == [answers]
                senders.append(answers.recv_multipart()[0])
                waiting -= 1
                bell.used()
            elif step == "reply" and senders:
                answers.send_multipart([senders.pop(), b"y"])
                bell.used()
            elif step == "look":
                assert bool(waiting) == bool(_waits(bell) if waiting else bell.wait(0))
    finally:
        context.destroy(linger=0)
