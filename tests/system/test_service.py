"""The service and its clients, over real sockets, with the twin on the virtual clock."""

import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hilctl.client import Client, Code, Refused, private_service
from hilctl.recording.reader import open_recording
from hilctl.signals import NAMES
from hilctl.wire import PROTOCOL
from tests.system.service_parts import RIG, Raw, armed, core_of, refusal, settle, stands_still, until

pytestmark = pytest.mark.timeout(300)
SLOW = {"amplitude_m": 0.002, "frequency_hz": 1.0}
TRIANGLE = {"amplitude_m": 0.005, "speed_m_s": 0.05, "cycles": 2}


@pytest.fixture(scope="module")
def running():
    with armed(changes={"service.history_s": 10.0}) as both:
        yield both


@pytest.fixture
def service(running):
    return running[0]


@pytest.fixture
def rig(running):
    settle(running[1])
    return running[1]


def test_a_motion_is_tracked_and_all_of_it_can_be_fetched(rig):
    motion, outcome = rig.run("triangle", **TRIANGLE)
    samples = rig.samples(motion.first, outcome.last)
    assert set(samples) == set(NAMES)
    assert np.all(np.diff(samples["tick"]) == 1)
    assert np.all(samples["motion"] == motion.id)
    assert len(samples["tick"]) == pytest.approx(
        1000 * motion.seconds, abs=20
    )  # and as many ticks as it is planned ahead
    assert np.ptp(samples["position_m"]) == pytest.approx(0.01, rel=0.1)


def test_pages_join_to_what_one_page_holds(rig):
    motion, outcome = rig.run("triangle", **{**TRIANGLE, "cycles": 8})
    whole = rig.samples(motion.first, outcome.last)  # 57 channels: several pages
    narrow = rig.samples(motion.first, outcome.last, ["xr_m", "tick"])
    assert len(whole["tick"]) * 8 * len(NAMES) > 1 << 20
    assert whole["xr_m"].tobytes() == narrow["xr_m"].tobytes() and whole["tick"].tobytes() == narrow["tick"].tobytes()
    assert rig.samples(motion.first, outcome.last, ["xr_m"], every=7)["xr_m"].tobytes() == narrow["xr_m"][::7].tobytes()


def test_twenty_lines_without_hilctl_drive_the_rig(tmp_path):
    example = Path(__file__).resolve().parents[2] / "docs" / "examples" / "plain_client.py"
    assert "hilctl" not in {
        line.split()[1] for line in example.read_text().splitlines() if line.startswith(("import", "from"))
    }
    with private_service(RIG) as service:
        done = subprocess.run(
            [sys.executable, example, service.commands], capture_output=True, text=True, timeout=120, check=False
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("done: largest error")


def test_what_is_not_for_this_mode_is_refused_and_changes_nothing(rig):
    before = rig.status()
    assert refusal(rig.arm).code == Code.WRONG_MODE
    rig.ask("track", kind="sine", parameters={"amplitude_m": 0.001, "frequency_hz": 1.0})
    assert refusal(rig.track, "triangle", **TRIANGLE).code == Code.WRONG_MODE
    assert refusal(rig.zero, "displacement").code == Code.WRONG_MODE
    assert refusal(rig.release).code == Code.WRONG_MODE
    rig.take()
    rig.stop()
    assert rig.status()["last_motion"] == before["last_motion"] + 1
    assert refusal(rig.ask, "record", action="stop").code == Code.WRONG_MODE


def test_a_second_writer_is_refused_and_the_first_keeps_control(service, rig):
    with Client(service.commands, lease="none") as other:
        for call in (
            lambda: other.track("triangle", **TRIANGLE),
            lambda: other.set({"law.blend_s": 0.1}),
            other.arm,
            other.hold,
            other.reset,
            other.undo,
            lambda: other.zero("displacement"),
            other.shutdown,
            lambda: other.upload("x", [0.0] * 20, "displacement", interval_s=0.1),
        ):
            assert refusal(call).code == Code.LEASE_HELD
        assert refusal(other.take).code == Code.LEASE_HELD
    assert rig.run("triangle", **TRIANGLE)[1].why == "done"


def test_anybody_may_stop(service, rig):
    motion = rig.track("sine", amplitude_m=0.01, frequency_hz=2.0)
    with Client(service.commands, lease="none") as other:
        assert other.stop().why == "mode"
    outcome = rig.wait(motion)
    assert outcome.why == "stopped" and outcome.mode == "hold"
    at_rest = rig.samples(rig.status()["history"]["end"] - 1, channels=["vr_m_s"])
    assert at_rest["vr_m_s"][-1] == 0.0


def test_a_motion_that_would_pass_a_limit_is_refused_with_instant_and_key(rig):
    before = rig.status()["history"]["end"]
    refused = refusal(rig.track, "triangle", amplitude_m=0.05, speed_m_s=5.0, cycles=1)
    assert refused.code in (Code.LIMIT, Code.BAD_VALUE)
    refused = refusal(rig.track, "sine", amplitude_m=0.09, frequency_hz=20.0, cycles=1)
    assert refused.code == Code.LIMIT and refused.key.startswith("limits.") and "t = " in refused.message
    assert rig.status()["history"]["end"] == before  # no virtual time has passed
    assert refusal(rig.track, "sin", amplitude_m=0.01, frequency_hz=1.0).code == Code.BAD_VALUE


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused_in_every_command(rig, value):
    before = rig.status()
    for call in (
        lambda: rig.move(value),
        lambda: rig.set({"machine.m": value}),
        lambda: rig.pass_time(value),
        lambda: rig.track("triangle", **{**TRIANGLE, "speed_m_s": value}),
        lambda: rig.zero("displacement", to=value),
        lambda: rig.upload("x", [0.0, value] * 10, "displacement", interval_s=0.1),
    ):
        assert refusal(call).code == Code.BAD_VALUE
    after = rig.status()
    assert (after["epoch_asked"], after["mode"], after["tick"]) == (
        before["epoch_asked"],
        before["mode"],
        before["tick"],
    )


def test_a_set_is_all_or_nothing_and_audited(rig, service):
    before, epoch = rig.get(), rig.status()["epoch"]
    refused = refusal(rig.set, {"machine.m": 505.0, "law.pid.kp_per_m": -3.0, "law.blend": 1.0})
    assert "law.pid.kp_per_m" in refused.message and "law.blend" in refused.message
    assert rig.get() == before and rig.status()["epoch"] == epoch
    mark = rig.ask("events")["next"]
    with rig.record() as path:
        assert (
            rig.set({"machine.m": before["machine.m"] + 5, "friction.fc": before["friction.fc"] + 1}, origin="a test")
            == epoch + 1
        )
        assert rig.get("machine.m")["machine.m"] == before["machine.m"] + 5
        assert rig.undo() == epoch + 2
    assert rig.get() == before
    told = [e for e in rig.events(mark) if e["kind"] == "set"]
    assert [e["origin"] for e in told] == ["a test", "undo"]
    assert {"key": "machine.m", "old": before["machine.m"], "new": before["machine.m"] + 5} in told[0]["changed"]
    with open_recording(path) as recording:
        assert [(c["key"], c["epoch"], c["origin"]) for c in recording.changes] == [
            ("machine.m", epoch + 1, "a test"),
            ("friction.fc", epoch + 1, "a test"),
            ("machine.m", epoch + 2, "undo"),
            ("friction.fc", epoch + 2, "undo"),
        ]
        assert all(c["author"] == told[0]["author"] for c in recording.changes)


def test_a_set_while_tracking_changes_the_epoch_of_the_samples(rig):
    with rig.record() as path:  # endless, and faster than memory is long
        motion = rig.track("sine", amplitude_m=0.002, frequency_hz=1.0)
        before = rig.get("limits.velocity")["limits.velocity.max_m_s"]
        epoch = rig.set({"limits.velocity.max_m_s": 0.9 * before, "law.blend_s": 0.25})
        rig.stop()
    with open_recording(path) as recording:
        seen = recording.columns("epoch", "motion")
    own = seen["epoch"][seen["motion"] == motion.id]
    assert set(np.unique(own)) == {epoch - 1, epoch}
    assert np.all(np.diff(own) >= 0)
    assert refusal(rig.undo).key == "limits.velocity.max_m_s"  # it would loosen the limit
    rig.off()
    rig.undo()


def test_a_command_that_comes_twice_is_done_once(service, rig):
    with Raw(service.commands, "twice") as raw:
        token = _hand_over(raw)
        message = raw.message("move", id=100, lease=token, position_m=0.001)
        raw.send(message)
        raw.send(message)
        first, second = raw.receive(), raw.receive()
        assert first == second and first["ok"]
        number = first["result"]["motion"]
        raw.send(raw.message("move", id=100, lease=token, position_m=0.002))
        assert raw.receive()["error"]["code"] == "bad_message"
        assert raw.ask("wait", motion=number)["result"]["why"] == "done"
        assert raw.ask("status")["result"]["last_motion"] == number
    rig.take(takeover=True)


def _hand_over(raw):
    return raw.ask("lease", action="takeover", kind="console")["result"]["token"]


def test_a_motion_that_was_stopped_in_the_tick_that_began_it_was_stopped(service, rig):
    mark, before = rig.ask("events")["next"], rig.status()["last_motion"]
    with Raw(service.commands) as raw:
        token, core = _hand_over(raw), core_of(service)
        os.kill(core, signal.SIGSTOP)
        try:
            until(lambda: stands_still(core), "every thread of the core at a stop")
            raw.send(raw.message("track", id=1001, lease=token, kind="sine", parameters=SLOW))
            until(lambda: raw.ask("status")["result"]["last_motion"] == before + 1, "the motion on its way to the loop")
            raw.send(raw.message("stop", id=1002))
            raw.ask("status")
        finally:
            os.kill(core, signal.SIGCONT)
        replies = {reply["id"]: reply["result"] for reply in (raw.receive(), raw.receive())}
        motion = replies[1001]["motion"]
        assert motion == before + 1 and replies[1002]["tick"] == replies[1001]["tick"]
        over = raw.ask("wait", motion=motion)["result"]
    assert (over["why"], over["trip"], over["mode"]) == ("stopped", "", "hold")
    told = [event for event in rig.events(mark) if event["kind"] == "motion_over"]
    assert [(event["motion"], event["why"]) for event in told] == [(motion, "stopped")]
    assert over["last"] == over["first"] - 1 and told[0]["last"] == over["last"]  # no sample is its own


def test_waits_are_answered_when_they_are_over_out_of_order(service, rig):
    motion = rig.track("sine", amplitude_m=0.002, frequency_hz=1.0)
    with Raw(service.commands) as raw:
        raw.send(raw.message("wait", id=1, motion=motion.id))
        raw.send(raw.message("wait", id=2, mode="off", timeout_s=0.05))
        assert raw.receive()["id"] == 2
        rig.ask("stop")
        reply = raw.receive()
        assert reply["id"] == 1 and reply["result"]["why"] == "stopped"


def test_off_is_waited_for_where_a_trip_is_held_whether_it_was_asked_for_or_comes_by_itself():
    trips = {"limits.tracking_error.max_m": 5e-4, "limits.tracking_error.action": "stop"}
    with armed(changes={**trips, "limits.escalation.hold_s": 3.0}) as (_, rig):
        for ask in (rig.off, lambda: rig.pass_time(4.0) and rig.wait_mode("off", 30.0)):
            outcome = rig.wait(rig.track("sine", amplitude_m=0.03, frequency_hz=3.0))
            assert (outcome.why, outcome.trip, outcome.mode) == ("tripped", "tracking_error", "hold")
            outcome = ask()
            assert (outcome.why, outcome.mode, outcome.trip) == ("mode", "off", "tracking_error")
            rig.reset()
            rig.pass_time(2.0)  # until the table stands
            rig.arm()


def test_an_uploaded_history_is_followed(rig):
    times = np.arange(0, 2, 0.01)
    seconds = rig.upload("wave", 0.003 * np.sin(2 * np.pi * times) ** 3, "displacement", interval_s=0.01)
    assert seconds == pytest.approx(1.99)
    motion, outcome = rig.run("waveform", upload="wave")
    assert np.ptp(rig.samples(motion.first, outcome.last, ["xr_m"])["xr_m"]) == pytest.approx(0.006, rel=0.1)
    assert refusal(rig.track, "waveform", upload="nothing").code == Code.BAD_VALUE


def test_zero_makes_a_sensor_read_what_it_should(rig):
    rig.wait(rig.move(0.004))
    rig.off()
    rig.pass_time(1.0)
    before = rig.get("sensors.displacement.offset")["sensors.displacement.offset"]
    done = rig.zero("displacement", to=0.0, samples=500)
    assert done["new"] - before == pytest.approx(0.004, abs=3e-4)
    rig.undo()
    assert refusal(rig.zero, "acceleration", samples=100_000).code == Code.WRONG_MODE
    assert refusal(rig.zero, "displacment").code == Code.BAD_VALUE


def test_what_memory_no_longer_holds_is_gone_unless_it_is_recorded(rig):
    rig.pass_time(12.0)
    status = rig.status()["history"]
    assert status["first"] > 0
    assert refusal(rig.samples, 0, 10).code == Code.GONE
    with rig.record() as path:
        start = rig.status()["recording"]["first"]
        rig.pass_time(15.0)
        assert rig.status()["history"]["first"] > start
        old = rig.samples(start, start + 3000, ["tick", "position_m"])
        assert np.all(np.diff(old["tick"]) == 1) and len(old["tick"]) == 3001
        with open_recording(path) as recording:  # while it is being written
            assert recording.columns("position_m", end=3001)["position_m"].tobytes() == old["position_m"].tobytes()


def kept_from(rig, number):
    """The first sample that has not been read yet; None where that one is gone before time waits."""
    try:
        return rig.ask("fetch", first=number, last=number, channels=["tick"], keep=True)["first"] + 1
    except Refused as refused:
        if refused.code != Code.GONE:
            raise
        return None


def test_virtual_time_waits_for_who_keeps(rig):
    first = until(lambda: kept_from(rig, rig.status()["history"]["end"]), "a sample that is still there")
    rig.track("sine", amplitude_m=0.002, frequency_hz=1.0)
    rig.ask("fetch", first=first, last=first, channels=["tick"], keep=True)
    standing = until(
        lambda: (a := rig.status()["history"]["end"]) == rig.status()["history"]["end"] and a > first and a
    )
    samples = rig.samples(first + 1, standing - 1, ["tick"])
    assert np.all(np.diff(samples["tick"]) == 1)  # nothing of it was lost, however long we took
    assert rig.stop().why == "mode"


def test_a_client_can_build_itself_from_what_is_described(rig):
    told = rig.describe()
    assert {c["name"] for c in told["channels"]} == set(NAMES)
    assert {"move", "triangle", "sine", "chirp", "waveform"} <= set(told["motions"])
    for parameter in told["parameters"]:
        if parameter["kind"] in ("float", "int"):
            left_open = parameter["value"] is None and not parameter["required"]
            assert left_open or parameter["low"] <= parameter["value"] <= parameter["high"], parameter["key"]
    assert {p["key"] for p in told["parameters"]} | {"friction.model"} == set(rig.get())


def test_another_major_version_is_refused_saying_both(service):
    with Raw(service.commands) as raw:
        assert raw.ask("hello", protocol=2)["error"]["code"] == "version"
        raw.send(raw.message("hello").replace(b"\xa1v\x01", b"\xa1v\x09"))
        error = raw.receive()["error"]
        assert error["code"] == "version" and "9" in error["message"] and "1" in error["message"]


def test_the_status_tells_how_many_listen_to_what(service, rig):
    def listening():
        return rig.status()["wire"]["listeners"]

    before = listening()
    stream = rig.subscribe("status", "event", timeout_s=10.0)
    next(stream)
    until(lambda: listening() == {**before, "status": before["status"] + 1, "event": before["event"] + 1}, "its count")
    stream.close()
    until(lambda: listening() == before, "the end of it")


def test_telemetry_brings_every_sample_events_and_the_last_status(service, rig):
    stream = rig.subscribe(timeout_s=10.0)
    kinds, blocks = set(), []
    motion = None
    for message in stream:
        kinds.add(type(message).__name__)
        if kinds >= {"Status"} and motion is None:
            motion = rig.track("triangle", **TRIANGLE)
        if type(message).__name__ == "Block":
            blocks.append(message)
            if motion is not None and message.first + message.count > motion.first + 1000:
                break
    assert kinds == {"Status", "Block", "Event"} or kinds == {"Status", "Block"}
    ends = [b.first + b.count for b in blocks]
    assert [b.first for b in blocks[1:]] == ends[:-1]
    whole = rig.samples(blocks[0].first, ends[-1] - 1, ["u_cmd"])
    assert np.concatenate([b.columns["u_cmd"] for b in blocks]).tobytes() == whole["u_cmd"].tobytes()


def test_the_same_commands_give_the_same_bytes_however_slow_the_client():
    def session(slow: bool) -> bytes:
        with armed() as (_, rig):
            for kind, parameters in (("triangle", TRIANGLE), ("move", {"position_m": 0.002})):
                if slow:
                    for _ in range(200):
                        rig.status()
                rig.run(kind, **parameters)
                rig.set({"law.blend_s": 0.1 if kind == "triangle" else 0.2})
            return b"".join(column.tobytes() for column in rig.samples(0).values())

    assert session(False) == session(True)


def test_a_private_service_takes_its_files_with_it():
    with private_service(RIG) as service:
        folder = service.folder
        assert (folder / "hilctl" / RIG / "endpoints.json").exists()
        with Client(service.commands, lease="console", name="first") as first:
            first.arm()
        with Client(service.commands, lease="console", name="second") as rig:  # this user's own file hands it on
            assert rig.status()["lease"]["holder"].startswith("first")
            assert refusal(rig.track, "triangle").code == Code.BAD_VALUE
            rig.off()
            assert rig.status()["lease"] is None
    assert not folder.exists()


def test_hello_says_to_a_client_of_another_version_what_to_do(service):
    with Client(service.commands, lease="none") as rig:
        assert rig.hello["protocol"] == PROTOCOL and rig.hello["notice"] == ""
        assert "protocol 1.99" in rig.ask("hello", minor=99)["notice"]
        refused = refusal(rig.ask, "hello", protocol=2)
        assert refused.code == Code.VERSION and "update hilctl on the rig PC" in refused.message


def test_arming_with_proof_finds_signs_and_null_again_and_the_supply_is_reported(rig):
    assert rig.status()["supply"]["level"] == "high" and rig.status()["supply"]["pressure_pa"] > 1e6

    def steps(**how):
        rig.off()
        assert rig.status()["supply"]["level"] == "off"
        mark = rig.ask("events")["next"]
        rig.arm(**how)
        return [event["step"] for event in rig.events(mark) if event["kind"] == "arming"]

    plain, proved, after = steps(), steps(prove=True), steps()
    assert not any("bump" in step for step in plain)
    assert any("bump" in step for step in proved)
    assert after == plain


def test_the_twins_link_is_opened_again_in_off_alone(rig):
    assert refusal(rig.reconnect).code == Code.WRONG_MODE
    rig.off()
    before = rig.status()["link"]["reconnects"]
    assert rig.reconnect()["reconnects"] == before + 1
    rig.arm()

