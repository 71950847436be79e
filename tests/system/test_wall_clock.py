"""The wall clock of samples over the wire, and a client whose clock differs by hours."""

import time
from contextlib import closing

import pytest

from hilctl.cli.main import main
from hilctl.client import Client, private_service
from hilctl.client.wall import WallClock
from tests.system.service_parts import ARMS_FAST, LATE_HOST, RIG, refusal

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]
HOURS_NS = 5 * 3600 * 10**9


@pytest.fixture(scope="module")
def service():
    with private_service(RIG, clock="real", changes={**ARMS_FAST, **LATE_HOST}) as service:
        yield service


def heard(rig, topic):
    with closing(rig.subscribe(topic, timeout_s=30.0)) as telemetry:
        return next(telemetry)


def test_samples_are_dated_by_the_wall_clock_within_what_the_service_tells(service):
    with Client(service.commands, lease="none") as rig:
        first = rig.status()["history"]["end"]
        before_ns = time.time_ns()
        rig.pass_time(0.2)
        after_ns = time.time_ns()
        samples = rig.samples(first, channels=["tick", "time_ns", "wake_ns", "skipped"])
        clock = rig.wall_clock()
    wall_ns, dated = clock.of_times(samples["time_ns"]), 0
    for at_ns, sampled_ns in zip(wall_ns, samples["time_ns"], strict=True):
        assert at_ns == clock.of_times(int(sampled_ns))
        dated += before_ns <= at_ns <= after_ns
    assert dated > 50
    # A tick's own time: when it was due, which no late wake-up moves.
    due_ns = samples["time_ns"] - samples["wake_ns"] + samples["skipped"] * clock.period_ns
    assert (clock.of_ticks(samples["tick"]) == clock.of_times(due_ns)).all()
    assert clock.tick_at(clock.of_ticks(int(samples["tick"][9]))) == samples["tick"][9]


def test_hello_status_and_telemetry_tell_the_same_offset(service):
    with Client(service.commands, lease="none") as rig:
        block = heard(rig, "block")
        told = [WallClock.of(rig.hello), rig.wall_clock()]
    assert {clock.offsets for clock in told} == {((0, block.wall["offset_ns"]),)}
    assert told[0].tick0_ns in (None, told[1].tick0_ns)
    assert abs(rig.clock_gap.ahead_s) <= rig.clock_gap.uncertainty_s  # it is the same clock


def test_a_motion_begins_at_a_wall_time_of_the_rig_pc_and_not_before(service):
    with Client(service.commands) as rig:
        rig.arm()
        at_ns = time.time_ns() + 300_000_000
        (item,) = rig.queue({"kind": "move", "parameters": {"position_m": 0.001}, "at_ns": at_ns})
        done, clock = rig.wait_queued(item), rig.wall_clock()
        assert done["state"] == "done" and done["tick"] >= done["due_tick"]
        assert 0 <= clock.of_ticks(done["due_tick"]) - at_ns < clock.period_ns
        passed = {"kind": "move", "parameters": {"position_m": 0.0}, "at_ns": time.time_ns() - HOURS_NS}
        refused = refusal(rig.queue, passed)  # as of a client whose clock is hours behind
        assert "is 18000 s ago by the rig PC's clock" in refused.message and "clocks differ" in refused.message
        (item,) = rig.queue({"kind": "move", "parameters": {"position_m": 0.0},
                             "channel": "tick", "level": float(rig.status()["tick"] + 200)})  # fmt: skip
        done = rig.wait_queued(item)
        assert done["state"] == "done" and done["tick"] > done["due_tick"]
        rig.off()


def test_a_client_hours_away_is_told_and_drives_all_the_same(service, monkeypatch, capsys):
    real_ns = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real_ns() - HOURS_NS)
    for words in (["status"], ["events"], ["recordings"]):
        assert main([*words, "--connect", service.commands]) == 0
        assert "this computer's clock is 5 h behind the rig PC's" in capsys.readouterr().err
    with Client(service.commands) as rig:
        rig.arm()
        motion, outcome = rig.run("triangle", amplitude_m=0.001, speed_m_s=0.02, cycles=1)
        assert outcome.why == "done"
        dated_ns = rig.wall_clock().of_times(rig.samples(motion.first, outcome.last, ["time_ns"])["time_ns"])
        assert abs(dated_ns[0] - real_ns()) < 60 * 10**9  # by the rig PC's clock
        rig.off()
    monkeypatch.undo()
    assert main(["status", "--connect", service.commands]) == 0
    assert "clock is" not in capsys.readouterr().err


def test_virtual_time_is_no_wall_time():
    with private_service(RIG) as service, Client(service.commands, lease="none") as rig:
        assert rig.hello["wall"] is None and heard(rig, "status").body["wall"] is None
        assert "ticks alone" in str(refusal(rig.wall_clock))
