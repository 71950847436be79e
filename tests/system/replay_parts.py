"""What the tests of a replay share: recordings that another process made, and what altered controllers find."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from hilctl.client import private_service
from hilctl.client.client import Client
from hilctl.client.external import External
from tests.system.service_parts import ARMS_FAST, RIG, environment, until

ALTERED = Path(__file__).with_name("replay_altered.py")
H = 0.01


def record_all(folder: Path) -> Path:
    """Every kind of motion, of change, and of end, in one file; it begins with a motion under way."""
    with private_service(RIG, changes=ARMS_FAST, recordings=folder) as service, Client(service.commands) as rig:
        rig.take()
        rig.arm()
        rig.set({"law.adapt.share": 1.0, "law.adapt.time_s": 2.0})
        rig.pass_time(2.0)  # so that something of the valve is learned when the recording begins
        running = rig.track("sine", amplitude_m=0.004, frequency_hz=1.0, cycles=2)
        with rig.record("all") as path:
            rig.set({"law.three_state.kd_per_m": 14.0, "law.feed.inverse": 1.0})
            assert rig.wait(running).why == "done"
            quake = 0.004 * np.sin(np.linspace(0, 4 * np.pi, 150)) * np.sin(np.linspace(0, np.pi, 150)) ** 2
            rig.upload("quake", quake, quantity="displacement", interval_s=H)
            assert rig.wait(rig.track("waveform", upload="quake")).why == "done"
            rig.set({"law.feedback": "pid"})
            assert rig.wait(rig.track("triangle", speed_m_s=0.02, amplitude_m=0.003, cycles=1)).why == "done"
            rig.set({"law.feedback": "three_state"})
            _queued(rig)
            _external(rig)
            # Virtual time runs on while the next request is on its way: what is to be cut short lasts for minutes.
            rig.track("chirp", start_hz=0.5, end_hz=4.0, amplitude_m=0.002, duration_s=300.0)
            rig.pass_time(0.4)
            assert rig.stop().why in ("done", "mode")
            rig.set({"law.feedback": "pid", "law.feed.inverse": 0.0})  # which is far behind
            rig.track("sine", amplitude_m=0.005, frequency_hz=2.0, cycles=600)
            rig.set({"limits.tracking_error.max_m": 1e-5})
            until(lambda: rig.status()["mode"] == "off", "a trip, and the ramp to null after it")
            rig.set({"limits.tracking_error.max_m": 0.005})
            rig.reset()
            # Between two ticks: one set undoes what the other did to what arming has learnt.
            rig.set({"law.valve.null_bias": 0.002})
            rig.set({"law.valve.null_bias": 0.0})
            rig.arm()
            rig.move(0.002)
            rig.pass_time(11.0)  # until a state is noted again
        return Path(path)


def _queued(rig: Client) -> None:
    """Motions that the loop keeps until their tick, or their level; the supply low and high."""
    there = {"kind": "move", "parameters": {"position_m": 0.001, "duration_s": 0.1}}
    back = {"kind": "move", "parameters": {"position_m": 0.0, "duration_s": 0.1}}
    tick = rig.status()["tick"]
    items = rig.queue({**there, "at_tick": tick + 300}, {**back, "channel": "tick", "level": float(tick + 700)})
    assert [rig.wait_queued(item)["state"] for item in items] == ["done", "done"]
    rig.supply("low")
    assert rig.wait(rig.move(0.001)).why == "done"
    rig.supply("high")
    assert rig.wait(rig.move(0.0)).why == "done"


def _external(rig: Client) -> None:
    """Points that come while the table moves."""
    reference = External(rig, interval_s=H, buffer_s=0.1)
    swell = 0.003 * (1 - np.cos(np.linspace(0, 2 * np.pi, 120)))
    for piece in np.array_split(swell, 4):
        reference.feed(piece)
    reference.feed([], last=True)
    assert rig.wait(reference.motion).why == "done"


def record_terms(folder: Path) -> Path:
    """A motion in which every term of the controller acts, between two feedback laws, where a state is noted."""
    terms = {
        "law.feed.inverse": 0.5, "law.three_state.kv_s_per_m": 0.02, "law.three_state.ka_s2_per_m": 0.0005,
        "law.pid.kd_s_per_m": 0.02, "law.notch_1.depth_db": 6.0, "law.blend_s": 60.0,
    }  # fmt: skip
    with (
        private_service(RIG, changes={**ARMS_FAST, **terms}, recordings=folder) as service,
        Client(service.commands) as rig,
    ):
        rig.take()
        rig.arm()
        with rig.record("terms") as path:
            rig.track("sine", amplitude_m=0.004, frequency_hz=1.93, cycles=1000)
            rig.set({"law.feedback": "pid"})
            rig.pass_time(45.0)  # within the blend states are noted every 10 s
            rig.stop()
        return Path(path)


def altered(file: Path, state: int, *names: str) -> list[dict]:
    """What replays find whose controller is altered in one term each: in plain Python, which computes the same bits."""
    told = subprocess.run(
        [sys.executable, str(ALTERED), str(file), str(state), "1", *names], capture_output=True, text=True, check=False,
        env=environment() | {"NUMBA_DISABLE_JIT": "1"}, timeout=250,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    return [json.loads(line) for line in told.stdout.splitlines()]
