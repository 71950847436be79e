"""A client and what it does while a service is slow, silent or gone: against a socket that answers as it is told."""

import itertools
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
import zmq

from hilctl.client import Client, NoReply, ServiceGone
from hilctl.client import client as the_client
from hilctl.client import connection as the_connection
from hilctl.client.console import keep_secret

Answer = Callable[[dict[str, Any]], dict[str, Any] | None]


class Fake:
    """A service: `answer` gives the result of a request, or None where it keeps silent."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answer: Answer = lambda request: {"clock": "real", "heartbeat_s": 60.0, "run": "r", "token": "secret",
                                          "lost_after_s": 120.0}
        self._socket = zmq.Context.instance().socket(zmq.ROUTER)
        self._socket.setsockopt(zmq.LINGER, 0)
        port = self._socket.bind_to_random_port("tcp://127.0.0.1")
        self.endpoint = f"tcp://127.0.0.1:{port}"
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while not self._end.is_set():
            if not self._socket.poll(5):
                continue
            peer, payload = self._socket.recv_multipart()
            request = msgpack.unpackb(payload)
            self.asked.append(request)
            result = self.answer(request)
            if result is not None:
                self._socket.send_multipart([peer, msgpack.packb({"id": request["id"], "ok": True, "result": result})])
        self._socket.close()

    def die(self) -> None:
        """Its socket closes, as a killed process's does."""
        self._end.set()
        self._thread.join()


@pytest.fixture
def fake() -> Iterator[Fake]:
    made = Fake()
    yield made
    made.die()


@pytest.fixture
def client(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """A client that is a hundred times less patient."""
    monkeypatch.setattr(the_connection, "_AGAIN_S", 0.01)
    monkeypatch.setattr(the_connection, "_LOOK_S", 0.01)
    made = Client(fake.endpoint, lease="none", timeout_s=20.0)
    fake.asked.clear()
    yield made
    made.close()


def over(why: str, first: int = 5) -> dict[str, Any]:
    return {"why": why, "first": first, "last": 9, "tick": 9, "trip": "", "mode": "hold"}


def test_a_wait_without_end_is_cut_into_slices_that_the_service_ends_by_itself(fake: Fake, client: Client) -> None:
    answers = iter([over("timeout", 5), over("timeout", 6), over("mode", 7)])
    fake.answer = lambda request: next(answers)
    outcome = client.wait_mode("hold")
    assert (outcome.why, outcome.first) == ("mode", 5)  # from where the waiting began
    assert [r["args"]["timeout_s"] for r in fake.asked] == [the_client._LOOK_S] * 3
    assert len({r["id"] for r in fake.asked}) == 3


def test_a_wait_for_a_motion_tells_the_motions_own_first_sample(fake: Fake, client: Client) -> None:
    answers = iter([over("timeout", 5), over("done", 3)])
    fake.answer = lambda request: next(answers)
    assert client.wait(17).first == 3
    assert [r["args"]["motion"] for r in fake.asked] == [17, 17]


def test_a_wait_with_an_end_is_asked_once_and_says_that_it_timed_out(fake: Fake, client: Client) -> None:
    fake.answer = lambda request: over("timeout")
    outcome = client.wait(17, timeout_s=0.5)
    assert (outcome.why, outcome.done) == ("timeout", False)
    assert [r["args"]["timeout_s"] for r in fake.asked] == [0.5]


def test_a_service_that_hangs_in_the_middle_of_a_wait_is_noticed_after_one_slice(
    fake: Fake, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(the_client, "_LOOK_S", 0.05)
    client.timeout_s = 0.05
    fake.answer = lambda request: over("timeout") if len(fake.asked) == 1 else None
    with pytest.raises(NoReply, match="does the service run") as told:
        client.wait(17)
    assert not isinstance(told.value, ServiceGone)


def test_a_service_that_dies_in_the_middle_of_a_wait_is_named_gone(fake: Fake, client: Client) -> None:
    asked = threading.Event()

    def silence(request: dict[str, Any]) -> None:
        asked.set()

    fake.answer = silence
    killer = threading.Thread(target=lambda: (asked.wait(20.0), fake.die()))
    killer.start()
    with pytest.raises(ServiceGone, match=f"nobody listens at {fake.endpoint}"):
        client.wait(17)
    killer.join()


def test_where_nobody_ever_listened_a_client_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ServiceGone, match=str(port)):
        Client(f"tcp://127.0.0.1:{port}", timeout_s=60.0)


def test_a_request_without_an_answer_is_sent_again_the_same(fake: Fake, client: Client) -> None:
    count = itertools.count()
    fake.answer = lambda request: {"tick": 1} if next(count) >= 2 else None
    client.reset()
    assert len(fake.asked) >= 3
    assert all(request == fake.asked[0] for request in fake.asked)


def test_after_a_shutdown_nothing_more_is_asked(fake: Fake) -> None:
    with Client(fake.endpoint) as rig:
        rig.shutdown()
        assert fake.asked[-1]["op"] == "shutdown"
        count = len(fake.asked)
    assert len(fake.asked) == count


def test_the_heart_of_a_client_learns_that_its_service_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(the_connection, "_LOOK_S", 0.01)
    fake = Fake()
    fake.answer = lambda request: {"heartbeat_s": 0.01, "token": "secret", "lost_after_s": 2.0}
    with Client(fake.endpoint) as rig:
        fake.die()
        beats = threading.Event()
        while not rig.lease_lost:
            beats.wait(0.01)
        assert "nobody listens" in rig.lease_lost


def console(fake: Fake, *, held: bool, mode: str) -> list[str]:
    """A command with the console's lease, which is held by an earlier one or free; what it asks for at its end."""
    token = "secret" if held else "new"
    fake.answer = lambda request: {"run": "r", "token": token, "mode": mode}
    rig = Client(fake.endpoint, lease="none")
    rig._identity.token = "secret" if held else ""
    rig.take("console")
    fake.asked.clear()
    rig.release()
    rig.close()
    return [f"{r['op']} {r['args'].get('action', '')}".strip() for r in fake.asked]


@pytest.mark.parametrize(
    ("held", "mode", "ends_with"),
    [
        (False, "off", ["status", "lease release"]),
        (False, "hold", ["status"]),
        (True, "off", []),
        (True, "hold", []),
    ],
)
def test_a_console_command_gives_back_what_was_free_before_and_serves_nothing_now(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, held: bool, mode: str, ends_with: list[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    keep_secret("r", "secret" if held else "")
    assert console(fake, held=held, mode=mode) == ends_with


def test_while_the_lease_is_quiet_what_only_reads_does_not_show_it_even_when_it_is_sent_again(
    fake: Fake, client: Client
) -> None:
    client._identity.token = "secret"

    def answer(request: dict[str, Any]) -> dict[str, Any] | None:
        if not client._identity.quiet:  # the first is lost, and the person leaves
            client._identity.quiet = True
            return None
        return over("mode")

    fake.answer = answer
    client.wait_mode("hold")
    assert [request.get("lease", "") for request in fake.asked[:2]] == ["secret", ""]
    client.hold()
    assert fake.asked[-1]["lease"] == "secret"
