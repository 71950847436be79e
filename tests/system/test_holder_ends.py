"""Whoever commands ends, by any signal: the table comes to rest, the parameters are as before, the lease is free."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hilctl.client import Client, Code, Refused, private_service
from hilctl.service.admission import this_user
from tests.system.service_parts import ARMS_FAST, LATE_HOST, RIG, ROOM, Raw, armed, core_of, environment, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]

_CALM = {
    **ARMS_FAST,
    "service.timeout_s": 10.0,  # of a busy host, not of a fault
    **LATE_HOST,
    "limits.late.action": "warn",
}
_SOON = {"service.lease_timeout_s": 0.5, "service.heartbeat_s": 0.1}
SINE = {"amplitude_m": 0.005, "frequency_hz": 1.0}


def command(*words, **named):
    """A command that hears SIGHUP, though these tests may run under nohup."""
    line = ["env", "--default-signal=HUP", sys.executable, "-m", "hilctl", *words]
    return subprocess.Popen(line, text=True, env=environment(), **named)


def moving(rig, commanded):
    """The status once the table moves. Whoever commands may not have ended before."""

    def status():
        seen = rig.status()
        moves = seen["mode"] == "track" and seen["motion"]
        assert moves or commanded.poll() is None, commanded.stderr.read()
        return moves and seen

    return until(status, "a motion")


def at_rest(rig):
    """The status once nothing moves, and nobody holds the lease."""
    return until(lambda: (s := rig.status())["mode"] in ("hold", "off") and s["lease"] is None and s, "rest")


def rests(rig):
    """Whether the table stays where it is from now on."""
    first = rig.status()["history"]["end"]
    rig.pass_time(0.3)
    seen = rig.samples(first, None, ["position_m", "mode"])
    return np.ptp(seen["position_m"]) < 1e-3


SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL)


@pytest.mark.slow
def test_commission_that_is_ended_by_any_signal_while_the_table_moves_leaves_it_at_rest_and_as_it_was(tmp_path):
    """All at once: most of it is waiting for the rig. In one test, so that all of it is run again where the host stood
    still."""
    with ThreadPoolExecutor(len(SIGNALS)) as pool:
        ended = [pool.submit(ended_by, number, tmp_path / number.name) for number in SIGNALS]
    wrong = [error for future in ended if (error := future.exception())]
    if wrong:
        raise BaseExceptionGroup("ended by a signal", wrong)


def ended_by(number, folder):
    """Everything that must hold once the signal has ended a commissioning in its first motion."""
    with private_service(RIG, clock="real", changes=_CALM) as service, Client(service.commands, lease="none") as rig:
        before = rig.get()
        words = ["--out", str(folder / "c"), "--stands-at", "0.001", "--warm-up", "60"]
        work = command("commission", "--connect", service.commands, *words, stderr=subprocess.PIPE)
        with work:
            status = moving(rig, work)
            assert status["lease"]["kind"] == "attended" and status["lease"]["restores_epoch"] == 1
            changed = rig.get()
            assert {key for key in before if before[key] != changed[key]} >= {"sensors.displacement.offset"}
            work.send_signal(number)
            said = work.stderr.read()
        status = at_rest(rig)
        assert work.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 1), said
        assert "Traceback" not in said
        until(lambda: rig.get() == before, "the parameters as they were")
        assert rests(rig) and rig.status()["motion"] == 0
        trip = status["trip"]
        assert (trip and trip["name"]) == ("lease_lost" if number == signal.SIGKILL else None), (number.name, trip)
        if number == signal.SIGKILL:
            told = [e for e in rig.events() if e["kind"] == "restored"]
            assert len(told) == 1 and told[0]["as_of"] == 1
            last = rig.changes()["sets"][-1]
            assert (last["epoch"], last["author"]) == (told[0]["epoch"], "service") and "was lost" in last["origin"]


_SCRIPT = """
import sys
from hilctl.client import Client
with Client(sys.argv[1], name="script", restore=True) as rig:
    rig.set({"law.pid.kp_per_m": 5.0, "limits.velocity.max_m_s": 0.9}, origin="a trial")
    rig.set({"machine.m": 510.0}, origin="a trial")
    rig.arm()
    motion = rig.track("sine", amplitude_m=0.005, frequency_hz=1.0)
    print(motion.id, flush=True)
    rig.wait(motion)
"""


def test_a_script_that_is_killed_leaves_the_table_at_rest_and_its_parameters_put_back_in_one_set():
    with private_service(RIG, clock="real", changes=_CALM) as service, Client(service.commands, lease="none") as rig:
        before = rig.get()
        script = [sys.executable, "-c", _SCRIPT, service.commands]
        with subprocess.Popen(script, stdout=subprocess.PIPE, text=True, env=environment()) as holder:
            motion = int(holder.stdout.readline())
            epoch = rig.status()["epoch_asked"]
            holder.kill()
        outcome = rig.wait(motion)
        assert (outcome.why, outcome.trip) == ("tripped", "lease_lost")
        until(lambda: rig.get() == before, "the parameters as they were")
        restored = [s for s in rig.changes()["sets"] if s["epoch"] > epoch]
        assert [(s["author"], len(s["changed"])) for s in restored] == [("service", 3)]
        with Client(service.commands) as other:  # nothing is left behind that would stand in anybody's way
            other.reset()
            other.set({"machine.m": 505.0})


def test_while_parameters_are_put_back_nobody_else_changes_or_moves_anything_and_stop_is_taken():
    changes = {**_CALM, **ROOM, **_SOON, "service.lease_lost": "continue"}
    with private_service(RIG, clock="real", changes=changes) as service, Client(service.commands, lease="none") as rig:
        before = rig.get()
        with subprocess.Popen([sys.executable, "-c", _SCRIPT, service.commands], stdout=subprocess.PIPE, text=True,
                              env=environment()) as holder:  # fmt: skip
            motion = int(holder.stdout.readline())
            holder.kill()
        until(lambda: any(e["kind"] == "lease_lost" for e in rig.events()), "the loss")
        with Raw(service.commands) as raw:
            raw.ask("lease", action="take", kind="console")
            token = raw.ask("lease", action="takeover", kind="console")["result"]["token"]
            raw.send(raw.message("set", lease=token, values={"machine.m": 600.0}))
            raw.send(raw.message("track", lease=token, kind="sine", parameters=SINE))
            assert rig.status()["motion"] == motion and rig.get() != before
            assert not raw.receive()["ok"]  # track: a motion runs
            rig.stop()
            done = raw.receive()
            assert done["ok"], "a set of the new holder's comes after what is put back"
        sets = rig.changes()["sets"]
        assert [s["author"] for s in sets][-2:] == ["service", f"{raw.client} of {this_user()}"]
        assert rig.get("machine.m")["machine.m"] == 600.0


@pytest.mark.slow
def test_the_lease_of_typed_commands_ends_when_nobody_has_moved_or_watched_for_a_while():
    changes = {**_CALM, "service.console_idle_s": 4.0}
    with private_service(RIG, clock="real", changes=changes) as service, Client(service.commands, lease="none") as rig:
        for words in (["arm"], ["track", "sine", "--amplitude", "0.005", "--frequency", "1"]):
            with command(*words, "--connect", service.commands, stderr=subprocess.PIPE) as typed:
                said = typed.stderr.read()
            assert typed.returncode == 0, said
        assert "service.console_idle_s" in said
        lease = until(lambda: (s := rig.status())["motion"] and s, "a motion")["lease"]
        assert lease["kind"] == "console" and 0 < lease["ends_in_s"] <= 4.0
        begun = rig.status()["last_motion"]
        with command("watch", "--connect", service.commands, "--json", stdout=subprocess.PIPE) as watching:
            for _ in range(22):  # longer than it may be idle
                assert watching.stdout.readline()
            seen = rig.status()
            assert seen["motion"] == begun, (seen["trip"], seen["lease"])
            watching.kill()
        outcome = rig.wait(begun)
        assert (outcome.why, outcome.trip) == ("tripped", "lease_lost")
        assert at_rest(rig)["lease"] is None


def test_a_motion_that_is_waited_for_ends_with_who_waits_and_the_console_has_its_lease_again():
    with private_service(RIG, clock="real", changes=_CALM) as service, Client(service.commands, lease="none") as rig:
        where = ["--connect", service.commands]
        with command("arm", *where) as typed:
            assert typed.wait() == 0
        for number, trip in ((signal.SIGTERM, None), (signal.SIGKILL, "lease_lost")):
            sine = ["track", "sine", "--amplitude", "0.005", "--frequency", "1", "--wait"]
            with command(*sine, *where, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as typed:
                assert moving(rig, typed)["lease"]["kind"] == "attended"
                typed.send_signal(number)
            status = until(lambda: (s := rig.status())["mode"] in ("hold", "off") and s, "rest")
            assert (status["trip"]["name"] if status["trip"] else None) == trip
            if trip is None:
                assert status["lease"]["kind"] == "console"


def test_a_lost_lease_is_acted_upon_however_full_the_queue_of_the_loop_was():
    changes = {**_CALM, **_SOON}
    with armed(clock="real", changes=changes) as (service, rig):
        core = core_of(service)
        floods = [Raw(service.commands) for _ in range(4)]
        rig.close()  # without a word
        with Client(service.commands, lease="none") as other:
            os.kill(core, signal.SIGSTOP)
            try:
                while other.status()["wire"]["waiting"] < 64:
                    for flood in floods:
                        flood.send(flood.message("stop"))
                lost = until(lambda: [e for e in other.events() if e["kind"] == "lease_lost"], "the loss")
                assert lost[0]["then"] == "stop"
                with pytest.raises(Refused) as full:
                    other._wire._once("stop", {}, 5.0)  # as it is: without trying again
                assert full.value.code == Code.BUSY
            finally:
                os.kill(core, signal.SIGCONT)
            assert until(lambda: other.status()["trip"], "the trip")["name"] == "lease_lost"
        for flood in floods:
            flood.socket.close()
