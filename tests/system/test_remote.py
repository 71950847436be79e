"""Driven from afar: over a link that is late and holds segments back, or drops for seconds; with nothing of the
service's disk; on the strength of what one knows of the parameters."""

import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from hilctl.bench.slow_link import slow_link
from hilctl.client import Client, Code
from hilctl.client.access import telemetry_at
from hilctl.recording.reader import open_recording
from tests.system.access_parts import Keys, keyed
from tests.system.cli_parts import Shell
from tests.system.service_parts import ARMS_FAST, LATE_HOST, refusal, stops, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]
EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
TRIANGLE = {"amplitude_m": 0.003, "speed_m_s": 0.03, "cycles": 2}


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    return Keys.of_all_roles(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="module")
def service(keys):
    with keyed(keys, **ARMS_FAST, **LATE_HOST, **{"service.timeout_s": 10.0}) as service:
        yield service


@pytest.fixture(scope="module")
def key(keys):
    return keys.files / "commissioner.key"


@contextmanager
def afar(service, key, **how):
    with slow_link(service.commands, **how) as commands, slow_link(service.telemetry, **how) as telemetry:
        yield commands, Client(commands.endpoint, key=key, telemetry=telemetry.endpoint)


def test_a_rig_is_driven_and_every_sample_fetched_over_a_slow_link(service, key):
    with afar(service, key, held_share=0.05) as (link, client), client as rig:
        heard = rig.subscribe("block", timeout_s=20.0)
        rig.arm()
        motion, outcome = rig.run("triangle", **TRIANGLE)
        samples = rig.samples(motion.first, outcome.last)
        assert len(samples["tick"]) == outcome.last - motion.first + 1
        assert np.all(np.diff(samples["tick"]) == 1 + samples["skipped"][1:])
        assert next(heard).count > 0
        rig.track("sine", amplitude_m=0.001, frequency_hz=1.0)
        stops(rig)
        assert not rig.lease_lost
        rig.off()
    assert link.held > 0


def test_a_link_that_drops_in_a_motion_ends_it_as_the_lease_says_and_the_client_is_told(service, key):
    with afar(service, key) as (link, rig), Client(service.commands, key=key, lease="none") as near, rig:
        rig.arm()
        mark = near.ask("events")["next"]
        motion = rig.track("sine", amplitude_m=0.001, frequency_hz=1.0)
        link.cut.set()
        assert near.wait(motion.id, 30.0).trip == "lease_lost"
        assert [e["then"] for e in near.events(mark) if e["kind"] == "lease_lost"] == ["stop"]
        link.cut.clear()
        assert refusal(rig.reset).code in (Code.NO_LEASE, Code.LEASE_HELD)
        until(lambda: rig.lease_lost, "the client's knowledge")
        rig.take()  # and on it goes, over the same link
        rig.reset()
        rig.off()


@pytest.mark.slow
def test_typed_commands_from_elsewhere_are_one_holder_and_know_nothing_of_the_services_disk(service, keys, tmp_path):
    shell = Shell(tmp_path)  # runtime and state directories of its own
    with slow_link(service.commands) as commands, slow_link(service.telemetry) as telemetry:
        where = ["--connect", commands.endpoint, "--key", str(keys.files / "commissioner.key")]
        where += ["--telemetry", telemetry.endpoint]
        assert "hold" in shell.said("arm", *where)
        shell.said("move", "0.001", *where, "--wait")
        assert "console" in shell.said("lease", *where)
        epoch = int(shell.said("set", "law.blend_s=0.12", *where).split("epoch ")[1])
        assert "expects epoch 1, but" in shell.refused("set", "law.blend_s=0.13", "--expects", "1", *where)
        shell.said("set", "law.blend_s=0.13", "--expects", str(epoch), *where)
        assert "position_m" in shell.said("watch", "--once", *where)
        shell.said("record", "start", "afar", *where)
        assert "is being recorded" in shell.refused("recordings", "--get", "afar.h5", *where)
        shell.said("move", "0", *where, "--wait")
        shell.said("record", "stop", *where)
        assert "afar.h5" in [line.split()[0] for line in shell.said("recordings", *where).splitlines()]
        shell.said("recordings", "--get", "afar.h5", *where)
        shell.said("off", *where)
        assert "free" in shell.said("lease", *where)
    with open_recording(tmp_path / "afar.h5") as copy, open_recording(service.recordings / "afar.h5") as original:
        assert copy.complete and copy.columns("tick")["tick"].tobytes() == original.columns("tick")["tick"].tobytes()


def test_a_set_that_is_based_on_an_older_epoch_is_refused_and_says_who_changed_what(service, keys, key):
    with Client(service.commands, key=key, name="first") as rig:
        epoch = rig.set({"law.blend_s": 0.2}, origin="a softer blend")
        refused = refusal(rig.set, {"law.blend_s": 0.3}, expects=epoch - 1)
        assert refused.code == Code.STALE and "first" in refused.message and "a softer blend" in refused.message
        assert rig.get("law.blend_s")["law.blend_s"] == 0.2
        assert rig.set({"law.blend_s": 0.3}, expects=epoch) == epoch + 1
        assert refusal(rig.ask, "undo", expects=epoch).code == Code.STALE


NO_RECORDINGS = ("../service.log", "x.txt", "/etc/passwd.h5", ".hidden.h5", "none.h5", "link.h5", "folder.h5")


@pytest.mark.parametrize("name", NO_RECORDINGS)
def test_nothing_but_a_recording_can_be_downloaded(service, key, name, tmp_path):
    service.recordings.mkdir(exist_ok=True)
    (service.recordings / "folder.h5").mkdir(exist_ok=True)
    if not (service.recordings / "link.h5").is_symlink():
        (service.recordings / "link.h5").symlink_to(service.log)
    with Client(service.commands, key=key, lease="none") as rig:
        assert refusal(rig.download, name, tmp_path / "x").code in (Code.BAD_VALUE, Code.GONE)
        assert not {"link.h5", "folder.h5"} & {one["name"] for one in rig.recordings()}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("commands", "expected"), [
    ("tcp://rig-pc:9870", "tcp://rig-pc:9871"),
    ("tcp://127.0.0.1:19870", "tcp://127.0.0.1:19871"),
    ("tcp://[::1]:5000", "tcp://[::1]:5001"),
])  # fmt: skip
def test_telemetry_is_looked_for_where_the_commands_were_answered(commands, expected):
    told = {"commands": "tcp://0.0.0.0:9870", "telemetry": "tcp://0.0.0.0:9871"}
    assert telemetry_at(commands, told) == expected


def test_the_example_in_python_drives_the_rig(service, keys):
    command = [sys.executable, EXAMPLES / "plain_remote.py", service.commands, keys.files / "operator.key"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("done: largest error")


def test_the_example_in_matlab_uses_what_the_client_has():
    """MATLAB is not here: every name that it calls is called the same way in Python."""
    text = (EXAMPLES / "plain_remote.m").read_text()
    for name in ("take", "arm", "track", "wait", "samples", "off", "release", "close"):
        assert f"rig.{name}(" in text and callable(getattr(Client, name))


def test_the_example_in_javascript_drives_the_rig(service, keys, tmp_path):
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    root = subprocess.run(["npm", "root", "--global"], capture_output=True, text=True, check=False).stdout.strip()
    if not (Path(root) / "zeromq").exists() or not (Path(root) / "@msgpack").exists():
        pytest.skip("the packages zeromq and @msgpack/msgpack are not installed: npm install --global")
    (tmp_path / "node_modules").symlink_to(root)
    shutil.copy(EXAMPLES / "plain_remote.mjs", tmp_path)
    command = ["node", "plain_remote.mjs", service.commands, keys.files / "operator.key"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("done: largest error")
