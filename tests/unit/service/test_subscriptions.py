"""Who listens to what, over real sockets: as many as there are, however they came, went, or lied about it."""

import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import zmq
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hilctl.service.doors import Door
from hilctl.service.subscriptions import OF_ALL, OF_ONE, Line, Subscriptions, inode_of
from hilctl.service.telemetry import Topics, listen

BLOCK, STATUS = b"block", b"status"
# ZMTP 3.0, RFC 23: who it is, a command of 26 bytes, and short messages.
_GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
_READY = b"\x04\x1a\x05READY\x0bSocket-Type\x00\x00\x00\x04XSUB"


def _message(content: bytes) -> bytes:
    return bytes((0, len(content))) + content


class Server:
    """What the service does with subscriptions, and its clients, in another context."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack, ours, self._theirs = stack, zmq.Context(), zmq.Context()
        stack.callback(ours.destroy, linger=0)
        stack.callback(self._theirs.destroy, linger=0)
        door = Door("127.0.0.1", 0)
        stack.callback(door.close)
        self.where, self._endpoint, self.socket = ("127.0.0.1", door.port), door.endpoint, listen(ours, door, 100)
        self.topics = Topics(self.socket, BLOCK, STATUS)

    def client(self, kind: int, *topics: bytes) -> "zmq.Socket[bytes]":
        """One that has come, and of which the server has not taken in anything."""
        client = self._theirs.socket(kind)
        client.setsockopt(zmq.LINGER, 0)
        for topic in topics:
            client.subscribe(topic)
        self._stack.enter_context(client)
        with client.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED) as monitor:
            client.connect(self._endpoint)
            assert monitor.poll(10_000)
            client.disable_monitor()
        return client

    def hears(self, **listeners: int) -> bool:
        """Whether it comes to know these."""
        for _ in range(2000):
            self.topics.learn()
            if self.topics.listeners == listeners:
                return True
            self.socket.poll(5)
        return False


@pytest.fixture
def server() -> Iterator[Server]:
    with ExitStack() as stack:
        yield Server(stack)


def test_who_goes_without_a_word_is_counted_no_longer(server):
    for _ in range(3):
        stays = server.client(zmq.SUB, BLOCK)
        for topics in ((BLOCK,), (BLOCK, STATUS), (b"",)):
            goes = server.client(zmq.SUB, *topics)
            blocks, statuses = (sum(topic.startswith(t) for t in topics) for topic in (BLOCK, STATUS))
            assert server.hears(block=1 + blocks, status=statuses)
            goes.close()
            assert server.hears(block=1, status=0)
        assert server.topics.wanted == {BLOCK}
        stays.close()
        assert server.hears(block=0, status=0) and not server.topics.wanted


def test_who_comes_more_often_than_the_budget_and_goes_again_is_no_flood(server):
    for _ in range(OF_ONE + 10):
        client = server.client(zmq.SUB, BLOCK)
        assert server.hears(block=1, status=0)
        client.close()
        assert server.hears(block=0, status=0)
    assert not server.topics.flood


def test_a_proxy_that_passes_on_a_subscription_for_each_of_its_clients_is_one_listener(server):
    proxy = server.client(zmq.XSUB)
    for _ in range(OF_ONE + 10):
        proxy.send(b"\x01block")
    assert server.hears(block=1, status=0) and not server.topics.flood
    for _ in range(OF_ONE + 9):
        proxy.send(b"\x00block")
    proxy.send(b"\x01status")
    assert server.hears(block=1, status=1)
    proxy.send(b"\x00block")
    assert server.hears(block=0, status=1)


def test_who_ends_what_it_has_not_leaves_the_others_theirs(server):
    listens = server.client(zmq.SUB, BLOCK)
    assert server.hears(block=1, status=0)
    with socket.create_connection(server.where) as liar:  # a socket of zmq would not send it
        liar.sendall(_GREETING + _READY)
        with liar.makefile("rb") as said:
            assert said.read(len(_GREETING + _READY)).startswith(_READY[:8], len(_GREETING))
        liar.sendall(b"".join(_message(m) for m in 3 * [b"\x00block"] + [b"\x01status"]))
        assert server.hears(block=1, status=1)
    server.socket.send(BLOCK)
    assert listens.poll(10_000) and listens.recv() == BLOCK


def test_a_message_that_is_no_subscription_takes_nobodys_away(server):
    server.client(zmq.XSUB).send(b"what?")
    assert server.socket.poll(10_000)
    first, second = server.client(zmq.SUB, BLOCK), server.client(zmq.SUB, STATUS)
    assert server.hears(block=1, status=1)
    for topic, client in ((BLOCK, first), (STATUS, second)):
        server.socket.send(topic)
        assert client.poll(10_000) and client.recv() == topic


@pytest.mark.parametrize(("lines", "each"), [(1, OF_ONE), (OF_ALL // OF_ONE, OF_ONE)])
def test_the_budget_is_of_one_and_of_all(lines, each):
    subscriptions = Subscriptions()
    ends = [socket.socket() for _ in range(lines)]
    known = [Line(f"{n}", end.fileno(), inode_of(end.fileno())) for n, end in enumerate(ends)]
    for line in known:
        for k in range(each):
            subscriptions.add(line, b"%d" % k)
    assert not subscriptions.flood
    subscriptions.add(known[-1], b"one more")
    assert subscriptions.flood == known[-1].sender
    for end in ends:
        end.close()


class Comings(RuleBasedStateMachine):
    """Connections that come, subscribe, unsubscribe and go; descriptors are used again at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0
        self.subscriptions = Subscriptions(lambda: self.now_s)
        self.there: list[tuple[socket.socket, Line, set[bytes]]] = []
        self.looked = True

    @rule(sender=st.sampled_from("ab"))
    def comes(self, sender: str) -> None:
        """Another connection, often with the descriptor of one that has gone."""
        end = socket.socket()
        self.there.append((end, Line(sender, end.fileno(), inode_of(end.fileno())), set()))

    @precondition(lambda self: self.there)
    @rule(data=st.data(), prefix=st.sampled_from([b"", b"block", b"status"]), on=st.booleans())
    def asks(self, data: st.DataObject, prefix: bytes, on: bool) -> None:
        """Also twice for the same, and for the end of what it never had."""
        _, line, has = data.draw(st.sampled_from(self.there))
        (self.subscriptions.add if on else self.subscriptions.remove)(line, prefix)
        (has.add if on else has.discard)(prefix)

    @precondition(lambda self: self.there)
    @rule(data=st.data(), late=st.booleans())
    def goes(self, data: st.DataObject, late: bool) -> None:
        """zmq tells of it before or after it has closed the descriptor."""
        gone = data.draw(st.sampled_from(self.there))
        self.there.remove(gone)
        for prefix in gone[2] if late else ():
            self.subscriptions.remove(None, prefix)
        if late:
            self.subscriptions.look()
        gone[0].close()
        for prefix in () if late else gone[2]:
            self.subscriptions.remove(None, prefix)
        self.looked = False

    @rule()
    def looks(self) -> None:
        self.now_s += 0.1
        self.subscriptions.look()
        self.looked = True

    @invariant()
    def counts(self) -> None:
        """Nobody is forgotten, ever; and after a look nobody is counted who is not there."""
        expected = Counter(prefix for _, _, has in self.there for prefix in has)
        assert self.subscriptions.prefixes >= expected
        if self.looked:
            assert self.subscriptions.prefixes == expected

    def teardown(self) -> None:
        for end, _, _ in self.there:
            end.close()


TestComings = Comings.TestCase
TestComings.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
