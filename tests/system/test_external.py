"""Positions that a client sends while the table moves: tracked as they are, refused whole, at rest where they end."""

import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hilctl.client import Client, Refused, private_service
from hilctl.client.external import External
from tests.system.cli_parts import serving
from tests.system.service_parts import ARMS_FAST, LATE_HOST, RIG, arms, core_of, environment, until

H = 0.01
BEHIND = 5  # intervals from a position to the head of the reference, as docs/motions.md says


def swell(seconds=3.0, hz=2.0, interval_s=H):
    """A sine that rises from rest and falls to it."""
    t = np.arange(0.0, seconds + interval_s / 2, interval_s)
    s = np.clip(np.minimum(t, seconds - t), 0, 1)
    return 0.01 * np.sin(2 * math.pi * hz * t) * s**4 * (35 + s * (-84 + s * (70 - 20 * s)))


@pytest.fixture(scope="module")
def service():
    with private_service(RIG) as running:
        yield running


@pytest.fixture
def rig(service):
    with Client(service.commands) as client:
        if client.status()["mode"] == "off":
            client.arm()
        client.run("move", position_m=0.0)
        yield client
        client.stop()


def tracked(rig, reference):
    outcome = rig.wait(reference.motion)
    return outcome, rig.samples(reference.motion.first, outcome.last, ["tick", "xr_m", "error_m"])


def test_what_was_sent_is_the_reference_a_known_time_later(rig):
    sent = swell()
    reference = External(rig, interval_s=H, buffer_s=0.1)
    for at in range(0, len(sent), 7):
        reference.feed(sent[at : at + 7])
    reference.feed([], last=True)
    outcome, rows = tracked(rig, reference)
    assert outcome.why == "done"
    off = {k: np.abs(rows["xr_m"][k::10][: len(sent)] - sent).max() for k in range(40, 90)}
    late = min(off, key=lambda k: off[k])
    assert 1000 * H * BEHIND <= late <= 1000 * H * BEHIND + 20  # the head leads by some ticks
    assert off[late] < 1e-7
    assert np.abs(rows["error_m"]).max() < 5e-4


def test_on_the_virtual_clock_time_waits_for_the_next_position(rig):
    reference = External(rig, interval_s=H, buffer_s=0.1)
    reference.feed(np.zeros(9))
    before = rig.status()["core"]["due"]
    assert rig.status()["core"]["due"] == before
    reference.feed(np.zeros(21))
    until(lambda: rig.status()["core"]["due"] - before >= 290, "what the positions are enough for")
    assert rig.status()["core"]["due"] - before <= 301
    reference.feed([], last=True)
    assert rig.wait(reference.motion).why == "done"


def test_what_runs_dry_is_decelerated_within_the_limits_and_held(rig):
    sent, limits = swell(), rig.get("limits.stopping", "limits.acceleration")
    reference = External(rig, interval_s=H, buffer_s=0.1)
    reference.feed(sent[:150])
    rig.pass_time(4.0)
    outcome, _ = tracked(rig, reference)
    assert (outcome.why, outcome.trip, outcome.mode) == ("dry", "", "hold")
    after = rig.samples(outcome.last, outcome.last + 500, ["ar_m_s2", "vr_m_s", "mode"])
    most = limits["limits.stopping.deceleration_m_s2"] + np.abs(rig.samples(outcome.last, outcome.last)["ar_m_s2"][0])
    assert np.abs(after["ar_m_s2"]).max() < most
    assert after["vr_m_s"][-1] == 0.0
    over = [event for event in rig.events() if event["kind"] == "motion_over"][-1]
    assert (over["motion"], over["why"]) == (reference.motion.id, "dry")
    with pytest.raises(Refused, match=r"wrong_mode.*is over: it ran dry"):
        reference.feed(sent[150:])


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ([0.02], r"bad_value: the first position is 0.02 m, and the table is held at .*move to 0.02 m first"),
        ([0.0, math.nan], r"bad_value: position 1 is nan, must be finite"),
        ([0.0] * 5 + [0.04] * 20, r"limit: acceleration reaches .*limits.acceleration.max_m_s2.*position \d of"),
    ],
)
def test_what_is_refused_is_refused_whole_and_the_rest_goes_on(rig, sent, said):
    reference = External(rig, interval_s=H, buffer_s=0.1)
    with pytest.raises(Refused, match=said):
        reference.feed(sent)
    reference.feed(np.zeros(20), last=True)
    outcome, rows = tracked(rig, reference)
    assert outcome.why == "done"
    assert not rows["xr_m"].any()


def test_positions_come_in_order_to_the_motion_that_runs_and_none_comes_after_the_last(rig):
    with pytest.raises(Refused, match=r"no external reference runs|is over"):
        rig.ask("feed", data=b"")
    reference = External(rig, interval_s=H, buffer_s=0.1)
    reference.feed(np.zeros(4))
    with pytest.raises(Refused, match="first is 3, expected 4"):
        rig.ask("feed", motion=reference.motion.id, first=3, data=bytes(8))
    with pytest.raises(Refused, match=r"motion 999999 is no external reference"):
        rig.ask("feed", motion=999_999, first=4, data=bytes(8))
    reference.feed(np.zeros(4), last=True)
    with pytest.raises(Refused, match=r"its last position was sent already|is over"):
        reference.feed([0.0])
    assert rig.wait(reference.motion).why == "done"


@pytest.mark.slow
def test_more_than_the_memory_holds_has_to_wait(rig):
    reference, piece = External(rig, interval_s=1.0, buffer_s=10.0), np.zeros(6000)

    def fills():
        while True:
            reference.feed(piece)

    with pytest.raises(Refused, match=r"busy: .* s of it have not been tracked yet"):
        fills()
    assert 100_000 < reference.fed.next < 140_000
    rig.stop()
    assert rig.wait(reference.motion).why == "stopped"


def test_an_interval_shorter_than_the_loops_is_refused_with_its_key(rig):
    with pytest.raises(Refused, match=r"bad_value: interval_s: 0.0005 refused, must be at least the loop's period"):
        External(rig, interval_s=0.0005)


def test_a_client_that_falls_silent_leaves_a_table_that_is_held():
    with private_service(RIG, changes={"service.lease_timeout_s": 1.0}) as running:
        lost = Client(running.commands)
        lost.take()
        lost.arm()
        lost.run("move", position_m=0.0)
        reference = External(lost, interval_s=H, buffer_s=0.1)
        reference.feed(swell()[:60])
        lost.close()
        with Client(running.commands, lease="none") as watcher:
            until(lambda: watcher.status()["trip"], "the loss of the lease")
            assert watcher.status()["trip"]["name"] == "lease_lost"
            assert watcher.wait(reference.motion).mode == "hold"


def test_positions_for_a_core_that_is_gone_are_refused():
    with private_service(RIG) as running, Client(running.commands) as rig:
        rig.arm()
        rig.run("move", position_m=0.0)
        reference = External(rig, interval_s=H, buffer_s=0.1)
        os.kill(core_of(running), signal.SIGKILL)
        until(lambda: rig.status()["gone"], "the end of the core")
        with pytest.raises(Refused, match=r"gone: the core ended"):
            reference.feed(np.zeros(20))


FEEDER = """
import sys, time
import numpy as np
from hilctl.client import Client
from hilctl.client.external import External
where, seconds, buffer_s = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
with Client(where) as rig:
    reference = External(rig, interval_s=0.001, buffer_s=buffer_s)
    t, least, sent, began = np.arange(0.0, seconds, 0.001), 1e9, 0, time.monotonic()
    x = 0.005 * np.sin(2 * np.pi * t) * np.clip(np.minimum(t, seconds - t), 0, 1) ** 5
    x[-1] = x[-2]
    while sent < len(x):
        due = min(int(1000 * (time.monotonic() - began + buffer_s)), len(x))
        if due > sent:
            least, sent = min(least, reference.feed(x[sent:due]).ahead_s), due
        time.sleep(0.01)
    reference.feed([], last=True)
    print(rig.wait(reference.motion).why, least)
"""


@pytest.mark.realtime
@pytest.mark.parametrize(("seconds", "buffer_s"), [
    (6, 0.3), pytest.param(600, 0.1, marks=[pytest.mark.long, pytest.mark.timeout(900)]),
])  # fmt: skip
def test_another_process_leads_the_table_at_the_loops_rate(seconds, buffer_s):
    with private_service(RIG, clock="real", changes={**ARMS_FAST, **LATE_HOST}) as running:
        with Client(running.commands) as rig:
            assert arms(rig)
            rig.run("move", position_m=0.0)
        told = [running.commands, str(seconds), str(buffer_s)]
        done = subprocess.run([sys.executable, "-c", FEEDER, *told], env=environment(), text=True, capture_output=True,
                              timeout=seconds + 60, check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[0] == "done"


@pytest.mark.slow
def test_a_program_that_writes_positions_is_tracked_from_the_command_line(tmp_path: Path):
    with serving(tmp_path) as (shell, _, _):
        shell.run("arm")
        shell.run("move", "0", "--wait")
        file = tmp_path / "positions.txt"
        file.write_text("\n".join(f"{x:.9f}" for x in swell(2.0)) + "\n")
        told = shell.json("track", "external", str(file), "--interval", str(H), "--buffer", "0.1")
        assert told["outcome"] == "done"
        piped = shell.start("track", "external", "--interval", str(H), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        out, _ = piped.communicate(file.read_text(), timeout=60)
        assert piped.returncode == 0
        assert "external reference, a position every 10 ms" in out
        file.write_text("0.0\nabc\n")
        said = shell.run("track", "external", str(file), "--interval", str(H), code=2).stderr
        assert f"{file}, line 2: 'abc' is no number" in said
        assert "no such file" in shell.run("track", "external", "missing", "--interval", str(H), code=2).stderr
