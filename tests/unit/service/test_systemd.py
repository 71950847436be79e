"""What reaches systemd's notification socket: a real one, bound by the test."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hilctl.service.systemd import Systemd, keep_alive_s

Made = Callable[[], Systemd]


@pytest.fixture
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.delenv("WATCHDOG_PID", raising=False)
        yield listener


@pytest.fixture
def made() -> Iterator[Made]:
    with ExitStack() as stack:

        def make() -> Systemd:
            systemd = Systemd()
            stack.callback(systemd.close)
            return systemd

        yield make


def messages(listener: socket.socket) -> list[str]:
    said = []
    try:
        while True:
            said.append(listener.recv(100).decode())
    except BlockingIOError:
        return said


def test_it_says_ready_lives_and_ends(
    heard: socket.socket, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "2")
    systemd = made()
    systemd.ready()
    systemd.alive()
    systemd.stopping()
    assert messages(heard) == ["READY=1", "WATCHDOG=1", "STOPPING=1"]


def test_a_sign_of_life_is_sent_twice_in_the_watchdogs_time_and_no_more(
    heard: socket.socket, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "10000000")
    systemd = made()
    for now_s in (100.0, 102.0, 104.9, 105.0, 105.1, 110.0):
        monkeypatch.setattr("time.monotonic", lambda now_s=now_s: now_s)
        systemd.alive()
    assert messages(heard) == ["WATCHDOG=1"] * 3


@pytest.mark.parametrize(("usec", "pid"), [(None, None), ("", None), ("soon", None), ("0", None), ("10000000", "1")])
def test_without_a_watchdog_for_this_process_there_are_no_signs_of_life(
    heard: socket.socket, made: Made, monkeypatch: pytest.MonkeyPatch, usec: str | None, pid: str | None
) -> None:
    for name, value in (("WATCHDOG_USEC", usec), ("WATCHDOG_PID", pid)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert keep_alive_s() == 0.0
    systemd = made()
    systemd.alive()
    assert messages(heard) == []


def test_a_full_socket_makes_the_loop_wait_for_nothing(
    heard: socket.socket, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "2")
    systemd = made()
    for _ in range(5000):  # more than any queue takes
        systemd.ready()
    assert 0 < len(messages(heard)) < 5000


def test_without_systemd_nothing_is_sent(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    monkeypatch.setenv("WATCHDOG_USEC", "2")
    systemd = made()
    systemd.ready()
    systemd.alive()
    systemd.close()
