"""`hilctl doctor` on this host: without rights, without a home, on a full disk; and `--warm` before a first start."""

import ctypes
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hilctl.rt import store
from hilctl.rt.jit import PLAIN
from tests.system.cli_parts import RIG, Shell
from tests.system.service_parts import armed, small_disk

pytestmark = pytest.mark.timeout(300)
_PR_CAPBSET_DROP, _CAPABILITIES = 24, 64


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


def without_rights() -> None:
    """In the child: what an ordinary user may, whoever runs the tests."""
    libc = ctypes.CDLL(None)
    for capability in range(_CAPABILITIES):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    for limit, most in ((resource.RLIMIT_RTPRIO, 0), (resource.RLIMIT_MEMLOCK, 65536)):
        resource.setrlimit(limit, (most, most))


def examined(environment: dict[str, str], *words: str) -> tuple[dict[str, dict[str, str]], int]:
    command = [sys.executable, "-m", "hilctl", "doctor", "table-500-modbus", "--seconds", "0.2", "--json", *words]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=120, check=False,
                          preexec_fn=without_rights)  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return {one["what"]: one for one in json.loads(done.stdout)["findings"]}, done.returncode


def test_no_right_to_real_time_and_a_home_that_cannot_be_written_are_told_with_what_to_do(shell):
    nowhere = dict.fromkeys(("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"), "/proc/none")
    found, code = examined(shell.environment | nowhere)
    assert code == 1
    assert found["priority"]["verdict"] == "bad" and "limits/hilctl.conf" in found["priority"]["how"]
    assert found["memory"]["verdict"] == "bad" and "64 KiB" in found["memory"]["found"]
    assert found["disk"]["verdict"] == "bad" and "recording.folder" in found["disk"]["how"]
    assert "/proc/none" in found["disk"]["found"]
    assert found["compiled code"]["verdict"] == "better" and "XDG_CACHE_HOME" in found["compiled code"]["how"]


def test_a_full_disk_is_told(shell):
    with small_disk(shell.folder / "disk", 1) as folder:
        with pytest.raises(OSError, match="No space"), (folder / "old.h5").open("wb") as file:
            file.write(bytes(2 << 20))
        found, code = examined(shell.environment, "--set", f"recording.folder={folder}")
    assert code == 1 and (found["disk"]["verdict"], found["disk space"]["verdict"]) == ("bad", "bad")
    assert "No space left on device" in found["disk"]["found"] and "remove old recordings" in found["disk"]["how"]


def compiled_in(folder: Path) -> set[str]:
    return {path.name for path in (folder / "hilctl" / "functions").glob("*.compiled")}


def warmed(shell: Shell) -> dict[str, Any]:
    """In an interpreter of its own: one that others are forked from has chosen its cache already."""
    warming = shell.start("doctor", RIG, "--warm", "--json", stdout=subprocess.PIPE)
    said, _ = warming.communicate(timeout=600)
    assert warming.returncode == 0
    told: dict[str, Any] = json.loads(said)
    return told


def starts_and_moves(environment: dict[str, str]) -> None:
    with armed(environment=environment) as (_, rig):
        rig.run("move", position_m=0.002)


@pytest.mark.fresh
@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_what_warm_compiles_is_all_that_a_start_and_a_first_motion_load(shell, tmp_path):
    """With a cache that holds these functions and no others, nothing is added to it."""
    from hilctl import rig
    from hilctl.cli.doctor_warm import needed

    warmed(shell)
    place, kept = tmp_path / "cache" / "hilctl" / "functions", store.folder()
    place.mkdir(parents=True, mode=0o700)
    for one in needed(rig.load(RIG, twin=True)):
        for of_it in kept.glob(f"{one.__module__}.{one.__qualname__}-*.compiled"):
            (place / of_it.name).write_bytes(of_it.read_bytes())
    before = compiled_in(tmp_path / "cache")
    starts_and_moves({"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert compiled_in(tmp_path / "cache") == before


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.fresh
@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_after_warm_with_an_empty_cache_the_first_start_compiles_nothing(shell, tmp_path):
    shell.environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    told = warmed(shell)
    assert len(told["compiled"]) == told["needed"]
    before = compiled_in(tmp_path / "cache")
    assert len(before) >= told["needed"]
    starts_and_moves({"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert compiled_in(tmp_path / "cache") == before
    assert warmed(shell)["compiled"] == []
