"""What changes nothing, asked again while it is under way: done once, and each message answered."""

import pytest

from hilctl.client import Client, private_service
from tests.system.service_parts import RIG, Raw, refusal

pytestmark = pytest.mark.timeout(120)
LONG = {"kind": "chirp", "parameters": {"amplitude_m": 0.002, "start_hz": 0.5, "end_hz": 10.0, "duration_s": 600.0}}
TIMES = 5  # more than one client may have under way


@pytest.fixture(scope="module")
def service():
    with private_service(RIG) as service:
        yield service


def test_a_check_that_is_sent_again_is_computed_once_and_answered_each_time(service):
    with Client(service.commands), Raw(service.commands) as raw:  # the lease is with somebody else
        message = raw.message("check_motion", **LONG)
        for _ in range(TIMES):
            raw.send(message)
        replies = [raw.receive() for _ in range(TIMES)]
    assert all(reply["ok"] for reply in replies), [reply.get("error") for reply in replies]
    assert replies.count(replies[0]) == TIMES


def test_a_request_that_waits_is_one_however_often_it_is_sent(service):
    with Client(service.commands, lease="none") as looker, Raw(service.commands) as raw:
        first = looker.log()[-1]["number"] + 1
        waits = raw.message("log", first=first, wait_s=60.0)
        for _ in range(TIMES):
            raw.send(waits)
        raw.send(raw.message("status"))
        assert raw.receive()["result"]["wire"]["waiting"] == 1
        refusal(looker.arm)  # is a line of the log
        replies = [raw.receive() for _ in range(TIMES)]
        assert replies.count(replies[0]) == TIMES and "refused arm" in replies[0]["result"]["lines"][0]["text"]
        raw.send(waits)  # it was answered: now it is done again
        assert raw.receive()["result"]["lines"][: len(replies[0]["result"]["lines"])] == replies[0]["result"]["lines"]
