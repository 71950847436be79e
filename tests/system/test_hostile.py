"""Requests that somebody has spoilt, by the thousand, at a rig that stands: nothing moves, nothing grows."""

import os
import random
from pathlib import Path

import pytest

from hilctl.signals import Mode
from hilctl.wire.decode import MAX_REQUEST
from hilctl.wire.encode import encode_request
from hilctl.wire.ops import OPS
from tests.fuzz.messages import GIVEN
from tests.fuzz.mutate import mutated
from tests.system.service_parts import ARMS_FAST, LATE_HOST, Raw, armed

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(1800)]

COUNT = round(100_000 * float(os.environ.get("HILCTL_SLOW_SHARE", "1")))
UNHURRIED = {"service.rate_per_s": 1e5, "service.burst": 100_000}
AT_ONCE = 200  # requests on their way
ENDS = ("off", "stop", "shutdown")  # what anybody may do, and what ends the test
ALLOWED = [op for op in OPS if op not in ENDS]
ROWS = 2000  # that are looked at after each of these


def resident_mb(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) / 256


@pytest.mark.parametrize("count", [4000, pytest.param(COUNT, marks=pytest.mark.slow)])
def test_nothing_that_is_sent_without_the_lease_moves_the_rig(count):
    chance = random.Random(1)
    with armed(clock="real", changes={**ARMS_FAST, **LATE_HOST, **UNHURRIED}) as (service, rig):
        before, seen, began = None, [], rig.status()["history"]["end"]
        with Raw(service.commands) as raw:
            seeds = [encode_request("me", k, op, GIVEN.get(op, {}), "", raw.access) for k, op in enumerate(ALLOWED)]
            for at in range(0, count, AT_ONCE):
                messages = [mutated(chance, seeds, 2 * MAX_REQUEST) for _ in range(min(AT_ONCE, count - at))]
                messages = [one for one in messages if not any(word.encode() in one for word in ENDS)]
                for message in messages:
                    raw.send(message or b"\0")
                for _ in messages:
                    raw.receive()
                newest = rig.status()["history"]["end"]
                seen.append(rig.samples(max(began, newest - ROWS), newest - 1, ("mode", "motion", "xr_m")))
                before = before or resident_mb(service.pid)
        assert resident_mb(service.pid) - before < 40
        status = rig.status()
        assert (status["mode"], status["trip"], status["motion"]) == ("hold", None, 0) and not rig.lease_lost
        assert {int(mode) for rows in seen for mode in rows["mode"]} == {Mode.HOLD}
        assert {int(motion) for rows in seen for motion in rows["motion"]} == {0}
        assert len({float(x) for rows in seen for x in rows["xr_m"]}) == 1
