"""A pending `wait` that keeps the lease, for programs that send no beats: as long as their connection stands."""

import subprocess
import sys

import pytest

from hilctl.client import Client, Code
from tests.system.service_parts import ARMS_FAST, LATE_HOST, Raw, armed, environment, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(120)]

CALM = {
    **ARMS_FAST, **LATE_HOST, "limits.late.action": "warn", "service.timeout_s": 10.0,
    "service.lease_timeout_s": 0.5, "service.heartbeat_s": 0.1,
}  # fmt: skip

# A program that takes the lease, says so, waits, and prints what came of it.
WAITS = """
import sys
from tests.system.service_parts import Raw
with Raw(sys.argv[1]) as raw:
    token = raw.ask("lease", action="take", kind="attended")["result"]["token"]
    raw.send(raw.message("wait", lease=token, seconds=600.0, keep_lease=True))
    print(token, flush=True)
    raw.receive(600)
"""


@pytest.fixture
def free():
    """A rig in hold that nobody commands, and a client that looks on."""
    with armed(clock="real", changes=CALM) as (service, first), Client(service.commands, lease="none") as looker:
        first.release()
        yield service, looker


def waited(raw, token, **how):
    raw.send(raw.message("wait", lease=token, seconds=600.0, timeout_s=1.5, **how))
    return raw.receive()


def taken(raw):
    return raw.ask("lease", action="take", kind="attended")["result"]["token"]


def test_while_it_waits_a_program_needs_no_beats(free):
    service, looker = free
    with Raw(service.commands) as raw:
        answer = waited(raw, taken(raw), keep_lease=True)  # three times as long as the holder may be silent
        assert answer["result"]["why"] == "timeout"
        assert looker.status()["lease"] is not None
        until(lambda: looker.status()["lease"] is None, "the loss, without a wait")


def test_a_wait_that_does_not_ask_for_it_keeps_nothing(free):
    service, looker = free
    with Raw(service.commands) as raw:
        waited(raw, taken(raw))
        assert looker.status()["lease"] is None
        assert any(one["kind"] == "lease_lost" for one in looker.events())


def test_a_program_that_is_killed_while_it_waits_loses_the_lease(free):
    service, looker = free
    words = [sys.executable, "-c", WAITS, service.commands]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment()) as program:
        token = program.stdout.readline().strip()
        looker.pass_time(1.0)
        assert looker.status()["lease"] is not None
        program.kill()
        until(lambda: looker.status()["lease"] is None, "the loss of the lease")
    with Raw(service.commands) as raw:  # by another program, perhaps with the same descriptor
        assert waited(raw, token, keep_lease=True)["error"]["code"] == Code.NO_LEASE


def test_only_the_holder_keeps_it(free):
    service, _ = free
    with Raw(service.commands) as holder, Raw(service.commands) as other:
        taken(holder)
        answer = waited(other, "", keep_lease=True)
        assert answer["error"]["code"] == Code.LEASE_HELD
        assert "wait with keep_lease needs the lease" in answer["error"]["message"]


def test_a_wait_that_is_sent_again_by_another_connection_keeps_it_when_the_first_one_ends(free):
    service, looker = free
    with Raw(service.commands) as first:
        message = first.message("wait", id=1 << 20, lease=taken(first), seconds=600.0, keep_lease=True)
        first.send(message)
        with Raw(service.commands, client=first.client) as second:
            second.send(message)
            until(lambda: looker.status()["wire"]["waiting"] == 1, "the wait")
            second.ask("status")  # by now the second one has come as well
            assert looker.status()["wire"]["waiting"] == 1
            first.socket.close()
            looker.pass_time(1.5)  # three times as long as the holder may be silent
            assert looker.status()["lease"] is not None
        until(lambda: looker.status()["lease"] is None, "the loss of the lease")
