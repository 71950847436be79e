"""Studies as a person starts them: processes that are killed, and workers of a Dask cluster that go away."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.system.cli_parts import Shell
from tests.unit.study.studies import QUICK, table

SETS = [f"{key}={value}" for key, value in QUICK.items()]
WORDS = [
    "study", "table-500", "--vary", "twin.machine.m=±20%", "twin.valve.hysteresis=0:0.05", "--set", *SETS, "--motion",
    "sine --frequency 5 --amplitude 0.002 --cycles 6 --soft-start 0.1 --soft-stop 0.1", "--rest", "0.2", "--seed", "7",
]  # fmt: skip
PATIENCE_S = 120.0


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    return Shell(tmp_path_factory.mktemp("studies"))


def until(condition, what):
    give_up_s = time.monotonic() + PATIENCE_S
    while not (seen := condition()):
        assert time.monotonic() < give_up_s, f"waited in vain for {what}"
        time.sleep(0.01)
    return seen


def chunks(folder: Path) -> int:
    return len(list((folder / "chunks").glob("*.msgpack")))


def family(pid: int) -> list[int]:
    """The processes that this one started, without the one that watches over shared memory."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            words = (place / "cmdline").read_text()
        except OSError:
            continue
        if parent == pid and "spawn_main" in words:
            found.append(int(place.name))
    return found


@pytest.fixture(scope="module")
def whole(shell):
    """The study as one worker computes it, undisturbed."""
    folder = shell.folder / "whole"
    shell.run(*WORDS, "--runs", "192", "--workers", "1", "--out", str(folder), "--json", "whole.json")
    return folder


@pytest.mark.slow
def test_a_study_leaves_table_summary_and_page_and_tells_a_program(shell, whole):
    told = json.loads((shell.folder / "whole.json").read_text())
    assert told["runs"] == 192
    assert sum(told["outcomes"].values()) == 192
    assert told["failed"] == 0
    assert told["workers"] == 1
    assert told["real_time_per_core"] > 1
    assert told["wall_seconds"] > 0
    assert (whole / "report.html").is_file()
    shell.run("report", str(whole))
    said = shell.said("study", str(whole), "--run", "47")
    assert "to the last bit" in said


@pytest.mark.slow
def test_killed_at_any_instant_it_goes_on_and_gives_the_same_bytes(shell, whole):
    folder = shell.folder / "killed"
    process = shell.start(*WORDS, "--runs", "192", "--workers", "1", "--out", str(folder), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)  # fmt: skip
    after = random.SystemRandom().randint(1, 20)
    until(lambda: chunks(folder) >= after, "chunks")
    workers = family(process.pid)
    process.kill()
    process.wait()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers), "the workers' end")
    assert not (folder / "runs.parquet").exists(), "it was over already"
    kept = chunks(folder)
    assert after <= kept < 64
    shell.run("study", str(folder), "--resume", "--workers", "1")
    assert table(folder) == table(whole)


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_no_result(shell, whole):
    folder = shell.folder / "worker-killed"
    process = shell.start(*WORDS, "--runs", "192", "--workers", "2", "--out", str(folder), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)  # fmt: skip
    until(lambda: chunks(folder) >= 3, "chunks")
    workers = family(process.pid)
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    _, told = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, told
    assert table(folder) == table(whole)


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(shell):
    folder = shell.folder / "interrupted"
    process = shell.start(*WORDS, "--runs", "100000", "--workers", "1", "--out", str(folder),
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)  # fmt: skip
    until(lambda: chunks(folder) >= 1, "a chunk")
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0
    assert f"hilctl study {folder} --resume" in told
    assert "Traceback" not in told
    assert chunks(folder) >= 1


def test_what_cannot_be_studied_is_refused_before_anything_is_written(shell):
    told = shell.refused("study", "table-500", "--vary", "twin.machin.m=±20%", "machine.m=5", code=2)
    assert "did you mean 'twin.machine.m'?" in told
    assert "is no range" in told
    told = shell.refused("study", "table-500", "--vary", "machine.m=±20%", "--motion",
                         "sine --frequency 1 --amplitude 1 --cycles 2", "--out", "refused", code=1)  # fmt: skip
    assert "limits.position" in told
    assert not (shell.folder / "refused").exists()
    told = shell.refused("study", "table-500", "--vary", "machine.m=±20%", "--motion", "sine --frequency 1 --amplitude "
                         "0.01", code=2)  # fmt: skip
    assert "--cycles" in told
    assert "no folder of a study" in shell.refused("study", "table-500", "--run", "3", code=2)
    told = shell.refused("study", "somewhere", "--resume", "--runs", "3", code=2)
    assert "--runs" in told


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_said_within_seconds(shell):
    pytest.importorskip("distributed")
    begun_s = time.monotonic()
    told = shell.refused("study", "table-500", "--vary", "machine.m=±20%", "--cluster", "tcp://127.0.0.1:9", "--out",
                         "nowhere")  # fmt: skip
    assert "no scheduler answers there" in told
    assert time.monotonic() - begun_s < 60.0
    assert not (shell.folder / "nowhere").exists()


@contextmanager
def ended(process: "subprocess.Popen[str]") -> Iterator["subprocess.Popen[str]"]:
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def dask(shell: Shell, what: str, *words: str, code: str = "") -> "subprocess.Popen[str]":
    """A scheduler or a worker; `code` is run in it first."""
    begin = f"import sys; sys.argv = {['dask', what, *words]!r}\n{code}\nfrom dask.__main__ import main\nmain()"
    return subprocess.Popen([sys.executable, "-c", begin], env=shell.environment, cwd=shell.folder, text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as one:
        return not one.connect_ex(("127.0.0.1", port))


OTHER = "import hilctl; hilctl.__version__ = '0.0.9'"


@pytest.mark.slow
def test_on_a_dask_cluster_a_worker_that_is_killed_changes_no_result_and_another_version_is_refused(shell, whole):
    pytest.importorskip("distributed")
    address = f"tcp://127.0.0.1:{(port := free_port())}"
    local = ("--host", "127.0.0.1", "--no-dashboard")
    worker = (address, "--nthreads", "1", "--no-nanny", *local)
    with ExitStack() as stack:
        stack.enter_context(ended(dask(shell, "scheduler", "--port", str(port), *local)))
        until(lambda: answers(port), "the scheduler")
        told = shell.refused(*WORDS, "--runs", "192", "--cluster", address, "--out", "without")
        assert "has no workers" in told
        with ended(dask(shell, "worker", *worker, code=OTHER)):
            told = shell.refused(*WORDS, "--runs", "192", "--cluster", address, "--out", "other")
            assert "hilctl 0.0.9 instead of" in told
        workers = [stack.enter_context(ended(dask(shell, "worker", *worker))) for _ in range(2)]
        folder = shell.folder / "cluster"
        process = shell.start(*WORDS, "--runs", "192", "--cluster", address, "--out", str(folder), "--json",
                              "cluster.json", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip
        until(lambda: chunks(folder) >= 3 or process.poll() is not None, "chunks")
        workers[0].kill()
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, said
    assert table(folder) == table(whole)
    assert json.loads((shell.folder / "cluster.json").read_text())["runs"] == 192
