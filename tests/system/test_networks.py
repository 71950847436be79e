"""Two networks with a cable between them: the page on driving a rig from another machine, followed word by word, where
nothing of the service's disk can be seen."""

import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.system.service_parts import until

pytestmark = [pytest.mark.slow, pytest.mark.realtime, pytest.mark.timeout(600)]
HOUSE = Path(__file__).resolve().parents[2]
PAGE = (HOUSE / "docs" / "remote.md").read_text(encoding="utf-8")
RIG_PC, OTHER = "10.213.7.1", "10.213.7.2"
_FAST = """
[arming]
rest_s = 0.05
bump_s = 0.1
[limits.late]
ticks = 100000
rejoin_s = 0.1
[twin.supply]
rise_s = 0.02
"""


def part(title):
    """The page from this heading to the next of its rank."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def commands(title):
    """What a person types there."""
    text = re.sub(r"```.*?```", "", part(title), flags=re.DOTALL)
    lines = [line.strip().partition("  #")[0].strip() for line in text.splitlines() if line.startswith("    ")]
    return [line for line in lines if line]


def block(title, language):
    (text,) = re.findall(rf"```{language}\n(.*?)```", part(title), re.DOTALL)
    return text


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"this host makes no network of ours: ip {' '.join(words)}: {done.stderr.strip()}")


@pytest.fixture(scope="module")
def networks():
    """Two network namespaces and a cable."""
    if shutil.which("ip") is None or shutil.which("unshare") is None or os.geteuid() != 0:
        pytest.skip("network namespaces take root, ip and unshare")
    rig, other = f"hilctl-rig-{os.getpid()}", f"hilctl-far-{os.getpid()}"
    ends = f"hr{os.getpid() % 100000}", f"hf{os.getpid() % 100000}"
    try:
        for name in (rig, other):
            ip("netns", "add", name)
        ip("link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
        for name, end, address in ((rig, ends[0], RIG_PC), (other, ends[1], OTHER)):
            ip("link", "set", end, "netns", name)
            ip("-n", name, "addr", "add", f"{address}/24", "dev", end)
            for link in (end, "lo"):
                ip("-n", name, "link", "set", link, "up")
        yield rig, other
    finally:
        for name in (rig, other):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


class Machine:
    """A machine with a disk and a network of its own; what is in `hidden` cannot be seen from it."""

    def __init__(self, network, folder, hidden=None):
        self.folder, self.hidden = folder, hidden
        self._enter = ["ip", "netns", "exec", network]
        if hidden is not None:
            self._enter += ["unshare", "-m", "sh", "-c", f'mount -t tmpfs none {hidden} && exec "$@"', "sh"]
        places = {f"XDG_{name}": str(folder / name.lower()) for name in ("RUNTIME_DIR", "STATE_HOME")}
        for place in places.values():
            Path(place).mkdir(parents=True)
        self._env = {**os.environ, **places, "PYTHONPATH": str(HOUSE)}
        self._env.pop("HILCTL_TOKEN", None)

    def start(self, line, **named):
        words = shlex.split(line.replace("rig-pc", RIG_PC))
        head = {"hilctl": [sys.executable, "-m", "hilctl"], "python": [sys.executable]}[words[0]]
        command = [*self._enter, *head, *words[1:]]
        return subprocess.Popen(command, cwd=self.folder, env=self._env, text=True, **named)

    def type(self, line):
        with self.start(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            said, wrong = process.communicate(timeout=120)
        assert process.returncode == 0, f"{line}: {said}{wrong}"
        return said


def test_the_page_is_followed_word_by_word(networks, tmp_path):
    here, there = tmp_path / "rig-pc", tmp_path / "desk"
    rig_pc, desk = Machine(networks[0], here), Machine(networks[1], there, hidden=here)
    preset = HOUSE / "deploy" / "rigs" / "table-500.toml"
    (here / "my-rig.toml").write_text(f'base = "{preset}"\n' + block("On the rig's PC", "toml") + _FAST)
    *makes, run = commands("On the rig's PC")
    for line in makes:
        rig_pc.type(line)
    log = here / "log"
    with log.open("w") as output, rig_pc.start(f"{run} --twin", stdout=output, stderr=output) as service:
        try:
            until(lambda: "commands at" in log.read_text() or service.poll() is not None, "the service")
            assert service.poll() is None, log.read_text()
            for name in ("alice", "carol", "display"):
                shutil.copy(here / f"{name}.key", there)
            _at_the_desk(desk, there)
            listed, revoke = commands("Who may, and who may no longer")
            assert "alice" in rig_pc.type(listed)
            rig_pc.type(revoke)
            with pytest.raises(AssertionError, match=r"unknown or revoked there|was revoked at"):
                until(lambda: not desk.type(commands("On the other machine")[0]), "the end of alice's key")
            assert "off" in rig_pc.type("hilctl status")  # here nothing has changed
        finally:
            service.terminate()
            service.wait(60)


def _at_the_desk(desk, folder):
    for line in commands("On the other machine"):
        if line.startswith("ssh") or "19870" in line:
            continue  # a tunnel is tried elsewhere
        said = desk.type(f"{line} --once" if "watch" in line else line)
        assert said
    code = block("Python", "python").replace("rig-pc", RIG_PC) + "print(outcome.why, len(error_m) > 1000)\n"
    (folder / "script.py").write_text(code)
    assert desk.type("python script.py") == "done True\n"
    shutil.copy(HOUSE / "docs" / "examples" / "plain_remote.py", folder)
    (plain,) = commands("Python")
    assert desk.type(plain).startswith("done: largest error")
    (change,) = commands("Parameters that others may change")
    assert "epoch 2" in desk.type(change)
    for line in commands("Recordings"):
        desk.type(line)
    assert (folder / "run-7.h5").stat().st_size > 1000
    for line in commands("Alarms and the log"):
        assert desk.type(line) or "--level warning" in line  # there may have been none
    _jobs(desk, folder)


def _jobs(desk, folder):
    """What takes minutes is done in virtual time elsewhere."""
    rows = "".join(f"{0.01 * k:.2f},{math.sin(0.0314159 * k) ** 4:.6f}\n" for k in range(401))
    (folder / "shake.csv").write_text(f"time_s,displacement_m\n{rows}")
    for line in commands("Commissioning and campaigns as jobs"):
        if "job wait" in line or "verify" in line:
            continue
        assert desk.type(line)
        if "resume" in line:
            desk.type("hilctl job abort 2 --wait --connect tcp://rig-pc:9870 --key alice.key")
        if "upload:" in line:
            desk.type("hilctl job abort 3 --wait --connect tcp://rig-pc:9870 --key alice.key")
    assert (folder / "copy" / "course.json").stat().st_size > 100
