"""What happens around the service: holders that die, processes that are killed, signals.

The rig is stopped in order.
"""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from hilctl.client import Client, Code, Refused, ServiceGone, private_service
from hilctl.recording.reader import open_recording
from hilctl.signals import Mode
from tests.system.service_parts import ARMS_FAST, LATE_HOST, RIG, Raw, alive, armed, core_of, environment, until

pytestmark = [pytest.mark.realtime, pytest.mark.fresh, pytest.mark.timeout(300)]

_QUICK = {
    **ARMS_FAST,
    "service.heartbeat_s": 0.1,
    "service.lease_timeout_s": 1.5,
    "service.timeout_s": 10.0,  # of a busy host, not of a fault
    **LATE_HOST,
}
_HOLDER = """
import sys
from hilctl.client import Client
with Client(sys.argv[1], name="holder") as rig:
    motion = rig.track("sine", amplitude_m=0.005, frequency_hz=1.0)
    print(motion.id, flush=True)
    rig.wait(motion)
"""


def killed_while_tracking(service, rig):
    """Another process takes the lease, tracks without end, and is killed; the motion's number."""
    rig.release()
    command = [sys.executable, "-c", _HOLDER, service.commands]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as holder:
        assert holder.stdout is not None
        motion = int(holder.stdout.readline())
        holder.kill()
    return motion


@pytest.mark.always
@pytest.mark.parametrize(
    ("policy", "mode", "why"),
    [("stop", "hold", "tripped"), pytest.param("null", "off", "tripped", marks=pytest.mark.slow)],
)
def test_when_the_holder_is_killed_the_rig_files_policy_acts(policy, mode, why):
    with armed(clock="real", changes={**_QUICK, "service.lease_lost": policy}) as (service, rig):
        motion = killed_while_tracking(service, rig)
        outcome = rig.wait(motion)
        assert (outcome.why, outcome.trip) == (why, "lease_lost")
        assert rig.wait_mode(mode).mode == mode
        lost = [e for e in rig.events() if e["kind"] == "lease_lost"]
        assert lost[0]["holder"].startswith("holder") and lost[0]["then"] == policy
        with pytest.raises(Refused):
            rig.arm()
        rig.take()
        rig.reset()
        assert rig.status()["trip"] is None or until(lambda: rig.status()["trip"] is None)


def test_when_the_policy_is_to_continue_the_motion_goes_on():
    with armed(clock="real", changes={**_QUICK, "service.lease_lost": "continue"}) as (service, rig):
        motion = killed_while_tracking(service, rig)
        until(lambda: any(e["kind"] == "lease_lost" for e in rig.events()), "the loss")
        rig.pass_time(0.3)
        status = rig.status()
        assert (status["mode"], status["motion"], status["trip"], status["lease"]) == ("track", motion, None, None)


@pytest.mark.always
def test_when_the_service_is_killed_the_core_stops_the_rig_and_ends_and_who_waits_is_told():
    with armed(clock="real", changes=_QUICK) as (service, rig):
        motion = rig.track("sine", amplitude_m=0.005, frequency_hz=1.0)
        core = core_of(service)
        killer = threading.Timer(0.2, os.kill, (service.pid, signal.SIGKILL))
        killer.start()
        with pytest.raises(ServiceGone, match="nobody listens"):
            rig.wait(motion)
        until(lambda: not alive(core), "the core's end")
        said = service.log.read_text()
        assert "stopping the motion, then null, then off" in said


@pytest.mark.always
def test_when_the_core_is_killed_the_service_says_so_and_stays():
    with armed(clock="real", changes=_QUICK) as (service, rig):
        motion = rig.track("sine", amplitude_m=0.005, frequency_hz=1.0)
        with Raw(service.commands) as raw:
            raw.send(raw.message("wait", motion=motion.id))
            os.kill(core_of(service), signal.SIGKILL)
            assert raw.receive()["result"]["why"] == "gone"
        status = until(lambda: (s := rig.status())["state"] == "gone" and s)
        assert "-9" in status["gone"]
        assert [e["exit_code"] for e in rig.events() if e["kind"] == "core_gone"] == [-9]
        for call in (
            rig.arm,
            lambda: rig.move(0.0),
            lambda: rig.set({"machine.m": 501.0}),
            rig.stop,
            rig.off,
            rig.reset,
        ):
            with pytest.raises(Refused) as refused:
                call()
            assert refused.value.code == Code.GONE
        assert rig.samples(motion.first, channels=["motion"])["motion"][0] == motion.id
        rig.release()
        service.process.terminate()
        assert service.process.wait(30) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_signal_stops_the_motion_in_order_flushes_and_ends_with_0(number, tmp_path):
    with armed(clock="real", changes=_QUICK, recordings=tmp_path) as (service, rig):
        path = rig.ask("record", action="start", name="run")["path"]
        rig.track("sine", amplitude_m=0.005, frequency_hz=1.0)
        rig.pass_time(0.5)
        core = core_of(service)
        service.process.send_signal(number)
        assert service.process.wait(30) == 0
        assert not alive(core)
    with open_recording(path) as recording:
        assert recording.complete
        modes = recording.columns("mode")["mode"]
        order = modes[np.flatnonzero(np.diff(modes, prepend=-1))].tolist()
        assert [mode for mode in order if mode != Mode.NULL][-3:] == [Mode.TRACK, Mode.STOP, Mode.OFF]
        last = recording.rows(len(recording) - 1)[0]
        assert (last["enabled"], last["supply"]) == (0, 0)
        assert last["vr_m_s"] == 0.0 or Mode.NULL in order, "only a host that stalls cuts the stop short"


def test_a_request_to_shut_down_ends_it_too():
    with armed() as (service, rig):
        rig.shutdown()
        assert service.process.wait(30) == 0


def test_a_second_service_of_the_rig_is_refused_naming_the_first():
    with private_service(RIG) as service:
        env = {**environment(), "XDG_RUNTIME_DIR": str(service.folder)}
        command = [sys.executable, "-m", "hilctl.service", RIG, "--twin", "--set", "service.commands_port=0"]
        second = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60, check=False)
        assert second.returncode == 1
        assert f"process {service.pid}" in second.stderr
        with Client(service.commands, lease="none") as rig:
            assert rig.status()["state"] == "running"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", 'service.bind="0.0.0.0"'], "service.bind: '0.0.0.0' refused, must be a loopback address"),
        (["--set", "machine.m=NaN"], "machine.m"),
        (["--set", "service.comands_port=1"], "did you mean 'commands_port'"),
    ],
)
def test_a_service_that_cannot_be_is_refused_with_the_key(arguments, said, tmp_path):
    env = {**environment(), "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "hilctl.service", RIG, "--twin", *arguments],
        capture_output=True,
        text=True,
        env=env,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2 and said in done.stderr


def test_a_port_that_is_taken_is_refused_and_no_core_is_left(tmp_path):
    with private_service(RIG) as service:
        port = service.commands.rpartition(":")[2]
        env = {**environment(), "XDG_RUNTIME_DIR": str(tmp_path)}
        command = [sys.executable, "-m", "hilctl.service", RIG, "--twin", "--set", f"service.commands_port={port}"]
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60, check=False)
        assert done.returncode == 1 and port in done.stderr


_PARENT = f"""
from hilctl.client import private_service
with private_service({RIG!r}) as service:
    print(service.pid, flush=True)
    input()
"""


def test_a_private_service_dies_with_its_parent():
    command = [sys.executable, "-c", _PARENT]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
    until(lambda: not alive(pid), "the private service's end")


def test_a_trip_names_the_sensor_that_it_is_about():
    stuck = {"twin.faults.sensor": "pressure_b", "twin.faults.sensor_stuck_after_s": 6.0}
    with private_service("table-500", changes=stuck) as service, Client(service.commands) as rig:
        rig.arm()
        outcome = rig.wait(rig.track("sine", amplitude_m=0.03, frequency_hz=1.0, cycles=20))
        assert outcome.trip == "sensor_stuck"
        trip = rig.status()["trip"]
        event = next(e for e in rig.events() if e["kind"] == "trip")
    for told in (trip, event):
        assert (told["sensor"], told["key"]) == ("pressure_b", "sensors.pressure_b")
    assert (trip["name"], event["trip"]) == ("sensor_stuck", "sensor_stuck")
