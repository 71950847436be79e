"""Clients and services of other versions: each is named, and what to do."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgpack
import pytest
import zmq

from hilctl import __version__
from hilctl.client import Client
from hilctl.wire import MAJOR, MINOR, PROTOCOL
from hilctl.wire.decode import Malformed, decode_request
from hilctl.wire.errors import Code, Refused
from hilctl.wire.versions import newer_minor, other_program


@contextmanager
def another_service(replies: dict[str, dict[str, Any]], monkeypatch: Any, tmp_path: Any) -> Iterator[str]:
    """A service of another version: what it answers to each operation."""
    token = tmp_path / "token"
    token.write_text("t" * 64)
    token.chmod(0o600)
    monkeypatch.setenv("HILCTL_TOKEN", str(token))
    context: zmq.Context[Any] = zmq.Context()
    socket = context.socket(zmq.ROUTER)
    port = socket.bind_to_random_port("tcp://127.0.0.1")
    over = threading.Event()

    def serve() -> None:
        while not over.is_set():
            if socket.poll(20):
                peer, payload = socket.recv_multipart()
                asked = msgpack.unpackb(payload)
                reply = replies.get(asked["op"], refusal("unknown_op", "no such operation"))
                socket.send_multipart([peer, msgpack.packb({"id": asked["id"], **reply})])

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"tcp://127.0.0.1:{port}"
    finally:
        over.set()
        thread.join()
        socket.close(linger=0)
        context.term()


def refusal(code: str, message: str) -> dict[str, Any]:
    return {"ok": False, "error": {"code": code, "key": "op", "message": message}}


def test_what_an_older_service_does_not_know_is_explained(monkeypatch: Any, tmp_path: Any) -> None:
    hello = {"ok": True, "result": {"protocol": f"{MAJOR}.{MINOR - 1}"}}
    with another_service({"hello": hello}, monkeypatch, tmp_path) as where, pytest.raises(Refused) as refused:
        with_client(where)
    said = refused.value.message
    assert f"the service speaks protocol {MAJOR}.{MINOR - 1}, this client {PROTOCOL}" in said
    assert said.startswith("alarms: ") and "update hilctl on the rig PC" in said


def test_what_a_service_of_this_version_does_not_know_is_its_own_word(monkeypatch: Any, tmp_path: Any) -> None:
    for protocol in (PROTOCOL, f"{MAJOR}.{MINOR + 3}"):
        hello = {"ok": True, "result": {"protocol": protocol}}
        with another_service({"hello": hello}, monkeypatch, tmp_path) as where, pytest.raises(Refused) as refused:
            with_client(where)
        assert refused.value.message == "no such operation"


def with_client(where: str) -> None:
    rig = Client(where, lease="none")
    try:
        rig.alarms()
    finally:
        rig.close()


def test_a_service_of_another_major_version_is_refused_by_both_versions(monkeypatch: Any, tmp_path: Any) -> None:
    says = refusal("version", "the request speaks version 1, the service 2")
    with another_service({"hello": says}, monkeypatch, tmp_path) as where, pytest.raises(Refused) as refused:
        Client(where, lease="none")
    assert refused.value.code == Code.VERSION
    assert f"the service 2; this client speaks protocol {PROTOCOL}: use hilctl of one" in refused.value.message


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (MAJOR + 1, "the client is newer: update hilctl on the rig PC"),
        (MAJOR - 1, "the client is older: update it"),
        (None, f"send v: {MAJOR}"),
        ("1", f"send v: {MAJOR}"),
        (True, f"send v: {MAJOR}"),
    ],
)
def test_a_client_of_another_major_version_is_told_what_to_do(version: object, said: str) -> None:
    with pytest.raises(Malformed) as refused:
        decode_request(msgpack.packb({"v": version, "client": "x", "id": 1, "op": "hello", "args": {}}))
    assert refused.value.code == Code.VERSION and PROTOCOL in refused.value.message and said in refused.value.message


def test_a_client_of_a_newer_minor_version_is_noticed() -> None:
    assert newer_minor(0) == newer_minor(MINOR) == ""
    assert f"{MAJOR}.{MINOR + 1}" in newer_minor(MINOR + 1) and PROTOCOL in newer_minor(MINOR + 1)


def test_a_service_of_another_version_of_the_program_is_named_once_and_not_refused(
    monkeypatch: Any, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    hello = {"ok": True, "result": {"protocol": PROTOCOL, "version": "0.0.7"}}
    with another_service({"hello": hello}, monkeypatch, tmp_path) as where:
        for _ in range(2):
            Client(where, lease="none").close()
    (said,) = [record for record in caplog.records if record.name.startswith("hilctl.client")]
    assert said.levelname == "WARNING"
    assert f"the service is hilctl 0.0.7, this client {__version__}" in said.message
    assert "use hilctl of one version on both sides" in said.message


def test_of_a_service_of_the_same_version_nothing_is_said() -> None:
    assert other_program(__version__, __version__) == other_program(None, __version__) == ""
