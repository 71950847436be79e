"""Commands forked from one process that has imported everything: processes like any other, a second sooner.

Each has its own environment, folder, output, exit code and end. What must be shown of a start itself, of imports or of
signals takes a process of its own (`Shell.start`).
"""

import atexit
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import pytest

from hilctl.client import private
from tests.system import forked_service

_READY = ("hilctl.client", "hilctl.commission", "hilctl.identify", "hilctl.rig", "hilctl.report",
          "sim.driver", "hilctl.report.drawing", "matplotlib.figure", "matplotlib.backends.backend_svg")  # fmt: skip


def run(
    words: list[str], env: dict[str, str], cwd: Path, timeout_s: float, program: str = "hilctl"
) -> "subprocess.CompletedProcess[str]":
    """A command of `hilctl`, or of `pytest`, to its end."""
    with tempfile.TemporaryDirectory(prefix="hilctl-said-") as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        pid = _parent().ask(timeout_s, program=program, words=words, env=env, cwd=str(cwd), out=str(out), err=str(err))
        try:
            code = _parent().answer(timeout_s)
        except subprocess.TimeoutExpired:
            os.kill(pid, signal.SIGKILL)
            _parent().answer(timeout_s)
            raise
        return subprocess.CompletedProcess(words, code, out.read_text(), err.read_text())


@cache
def _parent() -> forked_service.Parent:
    return forked_service.Parent("tests.system.forked")


def _serve() -> None:
    """Forks a child an order; tells its number, then how it ended."""
    from hilctl.cli.main import VERBS

    forked_service.load()
    for module in (*_READY, *sorted({f"hilctl.cli.{verb.module}" for verb in VERBS.values()})):
        importlib.import_module(module)
    gc.freeze()  # what a child does not collect it does not copy
    told = os.fdopen(os.dup(1), "w")
    for line in sys.stdin.buffer:
        pid = os.fork()
        if pid == 0:
            told.close()
            _end(_obey(json.loads(line)))
        print(pid, file=told, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=told, flush=True)


def _end(code: Any) -> NoReturn:
    """What the interpreter does at its end, but for taking apart what was imported before the fork."""
    if isinstance(code, str):
        print(code, file=sys.stderr)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else code is not None)


def _obey(order: dict[str, Any]) -> Any:
    """In the child: what `python -m hilctl` or `python -m pytest` does."""
    private.start = forked_service.fork_service  # type: ignore[assignment]
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    for number, place in enumerate((os.devnull, order["out"], order["err"])):
        opened = os.open(place, os.O_CREAT | (os.O_WRONLY if number else os.O_RDONLY))
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = [order["program"], *order["words"]]
    try:
        return _PROGRAMS[order["program"]](order["words"])
    except SystemExit as ended:
        return ended.code
    except BaseException:
        traceback.print_exc()
        return 1


def _hilctl(words: list[str]) -> Any:
    from hilctl.cli.main import main

    return main(words)


_PROGRAMS = {"hilctl": _hilctl, "pytest": lambda words: int(pytest.main(words))}

if __name__ == "__main__":
    _serve()
