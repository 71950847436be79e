"""Doors: where the service listens, whatever becomes of the sockets behind them."""

import socket

import pytest
import zmq

from hilctl.access.keys import new_pair
from hilctl.service.doors import Door, guard
from tests.system.service_parts import until


class Admits:
    def __init__(self, *keys: str) -> None:
        self.keys, self.asked = keys, []

    def callback(self, domain: str, key: bytes) -> bool:
        self.asked.append(domain)
        return key.decode() in self.keys


@pytest.fixture
def context():
    made = zmq.Context()
    yield made
    made.destroy(linger=0)


def knock(context, door, server, pair):
    """A client that sends something."""
    client = context.socket(zmq.DEALER)
    client.curve_serverkey, client.curve_publickey = server.public.encode(), pair.public.encode()
    client.curve_secretkey = pair.secret.encode()
    client.connect(door.endpoint)
    client.send(b"knock", zmq.NOBLOCK)
    return client


def behind(context, door):
    router = context.socket(zmq.ROUTER)
    door.open(router)
    return router


def test_without_a_guard_nobody_comes_in(context):
    server, pair = new_pair(), new_pair()
    door = Door("127.0.0.1", 0, server)
    router, client = behind(context, door), knock(context, door, server, pair)
    assert not router.poll(1000)
    client.close(linger=0)
    router.close(linger=0)
    door.close()


def test_the_guard_lets_in_whom_it_knows_also_behind_a_new_socket(context):
    server, known, unknown = new_pair(), new_pair(), new_pair()
    door, admits = Door("127.0.0.1", 0, server, "a-domain"), Admits(known.public)
    watchman = guard(context, admits)
    watchman.configure_curve_callback(domain="a-domain", credentials_provider=admits)
    router = behind(context, door)
    other = knock(context, door, server, unknown)
    client = knock(context, door, server, known)
    assert router.poll(5000) and router.recv_multipart()[1] == b"knock" and not router.poll(300)
    router.close(linger=0)
    router = behind(context, door)  # its port was never free
    until(lambda: client.send(b"again", zmq.NOBLOCK) or router.poll(200), "the client's return")
    assert router.recv_multipart()[1] == b"again"
    assert set(admits.asked) == {"a-domain"}
    watchman.stop()
    for one in (client, other, router):
        one.close(linger=0)
    door.close()


def test_a_door_that_is_shut_keeps_who_is_there_and_lets_others_wait(context):
    door = Door("127.0.0.1", 0)
    router = behind(context, door)
    inside = context.socket(zmq.DEALER)
    inside.connect(door.endpoint)
    inside.send(b"1")
    assert router.poll(5000) and router.recv_multipart()[1] == b"1"
    door.shut()
    outside = context.socket(zmq.DEALER)
    outside.connect(door.endpoint)
    outside.send(b"2")
    inside.send(b"3")
    assert router.poll(5000) and router.recv_multipart()[1] == b"3" and not router.poll(300)
    door.let()
    assert router.poll(20_000) and router.recv_multipart()[1] == b"2"
    for one in (inside, outside, router):
        one.close(linger=0)
    door.close()


def test_a_port_that_is_taken_is_an_error():
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        Door("127.0.0.1", taken.getsockname()[1])
