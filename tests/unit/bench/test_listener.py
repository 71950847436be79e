"""A benchmark's listener whose service has ended gives up, and says so."""

import socket

import pytest

from hilctl.bench import telemetry
from hilctl.errors import HilctlError


def test_a_listener_that_receives_nothing_ends_and_says_what_may_be_the_cause(monkeypatch):
    monkeypatch.setattr(telemetry, "_SILENT_MS", 200)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # never listens
        endpoint = f"tcp://127.0.0.1:{nobody.getsockname()[1]}"
        said = r"for 0.2 s it received no block; did the service end"
        with telemetry._listener(endpoint) as listener, pytest.raises(HilctlError, match=said):
            listener.begin(0.0, 1.0)
