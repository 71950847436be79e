"""Private services, and their cores, forked from one process that has imported everything: a second sooner each.

They are processes like any other, with an environment, a folder, a log, an exit code and an end of their own. A core
on the real clock locks its memory, and thereby gets pages that nobody shares. A test that is about how a program starts
(marked `fresh`), or that gives the environment itself, gets what everybody gets: a fresh interpreter.
"""

import atexit
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import pytest

from hilctl.client import private
from hilctl.loop.spawn import Spawned
from tests.system.service_parts import environment as this_checkout

_IMPORTED = ("firmware_bridge.registry", "hilctl.loop.process", "hilctl.loop.running", "hilctl.service.app",
             "hilctl.service.assemble", "hilctl.service.do_motion", "hilctl.design.tuning", "scipy.linalg",
             "sim.driver")  # fmt: skip
_STARTED = dict(os.environ)  # what the process that forks has seen
_LOOK_S = 0.005
_LOADS_S = 600.0  # a cold compiler on a busy machine
_fresh, _end = private.start, private._end
_ONE = threading.Lock()  # a test may start some services at once


class Forked:
    """A process, with the part of `subprocess.Popen` that is used of one."""

    def __init__(self, pid: int) -> None:
        self.pid, self.returncode = pid, None
        self._asking = threading.Lock()  # an end is told once, and two threads may wait for it

    def poll(self) -> int | None:
        with self._asking:
            if self.returncode is None:
                self.returncode = self._ended()
            return self.returncode

    def _ended(self) -> Any:
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None

    def wait(self, timeout: float | None = None) -> int:
        until_s = time.monotonic() + (1e9 if timeout is None else timeout)
        while (code := self.poll()) is None:
            if time.monotonic() > until_s:
                raise subprocess.TimeoutExpired("forked", timeout or 0.0)
            time.sleep(_LOOK_S)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class _OfTheParent(Forked):
    """A child of the process that forks, which alone can learn how it ended."""

    def _ended(self) -> Any:
        return _parent().ask(poll=self.pid)


def choose(item: pytest.Item) -> None:
    """How private services start in this test."""
    start = _fresh if item.get_closest_marker("fresh") else _start
    private.start = lambda command, log, environment: _logged(start(command, log, environment), log)
    private._end = _end if item.get_closest_marker("defects") else _end_without_a_traceback


def _logged(process: Any, log: Path) -> Any:
    process.log = log
    return process


def _end_without_a_traceback(process: Any) -> None:
    """What goes wrong in a service it says in words: a traceback is a defect, also where nobody sees its exit code."""
    _end(process)
    said = process.log.read_text(errors="replace")
    assert "Traceback (most recent call last)" not in said, said


def _start(command: list[str], log: Path, environment: Mapping[str, str]) -> Any:
    own = {"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "PYTHONPATH", "PYTEST_CURRENT_TEST", "NOTIFY_SOCKET", "HILCTL_TOKEN"}
    if any(environment.get(k) != _STARTED.get(k) for k in {*environment, *_STARTED} - own):
        return _fresh(command, log, environment)
    return _OfTheParent(_parent().ask(command=command, log=str(log), env=dict(environment)))


def _parent() -> "Parent":
    with _ONE:
        return _made()


@cache
def _made() -> "Parent":
    return Parent("tests.system.forked_service")


class Parent:
    """A process that forks, seen from the tests: an order is a line of JSON, and so is each answer."""

    def __init__(self, module: str) -> None:
        # Without buffers: what has come already must not hide from `select`.
        self._process = subprocess.Popen([sys.executable, "-m", module], bufsize=0, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, env=this_checkout())  # fmt: skip
        self._asking = threading.Lock()
        atexit.register(self._process.communicate)

    def ask(self, timeout_s: float = _LOADS_S, **order: Any) -> Any:
        assert self._process.stdin is not None
        with self._asking:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            return self.answer(timeout_s)

    def answer(self, timeout_s: float) -> Any:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], timeout_s)[0]:
            raise subprocess.TimeoutExpired("hilctl", timeout_s)
        return json.loads(self._process.stdout.readline())


def load() -> None:
    """What a service and its core import, the compiled loop, and what is worked out once of each declaration."""
    for module in _IMPORTED:
        importlib.import_module(module)
    from firmware_bridge.registry import exchange_of
    from hilctl import rig as rigs
    from hilctl.loop.running import load_loop
    from hilctl.loop.voice import Voice
    from sim.driver import TwinDriver

    load_loop(Voice(None))
    rig = rigs.load("table-500", twin=True)
    rigs.refuse_unstable(rig)
    exchange_of(TwinDriver(rig.driver_config, rig.facts()))


def _serve() -> None:
    """An order a line: forks a service and tells its number, or tells how one has ended."""
    load()
    gc.freeze()  # what a child does not collect it does not copy
    told = os.fdopen(os.dup(1), "w")
    children: dict[int, Forked] = {}
    for line in sys.stdin.buffer:
        order = json.loads(line)
        if "poll" in order:
            print(json.dumps(children[order["poll"]].poll()), file=told, flush=True)
            continue
        child = fork_service(order["command"], order["log"], order["env"])
        children[child.pid] = child
        print(child.pid, file=told, flush=True)


def fork_service(command: list[str], log: str | Path, environment: Mapping[str, str]) -> Forked:
    """A service as the command would start it, but a child of this process, which has loaded everything."""
    pid = os.fork()
    if pid == 0:
        _become_service(command[3:], log, environment)
    return Forked(pid)


def _become_service(words: list[str], log: str | Path, environment: Mapping[str, str]) -> NoReturn:
    import hilctl.service.run as run
    from hilctl.service.__main__ import main

    code: Any = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.environ.clear()
        os.environ.update(environment)
        _redirect(log)
        run.spawn = _fork_core  # type: ignore[assignment]
        code = main(words)
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


def _redirect(log: str | Path) -> None:
    for number, place in enumerate((os.devnull, log, log)):
        opened = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT if number else os.O_RDONLY)
        os.dup2(opened, number)
        os.close(opened)


def _fork_core(environment: Mapping[str, str] | None = None) -> Spawned:
    """As `hilctl.loop.spawn.spawn`."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        pid = os.fork()
        if pid == 0:
            _become_core(ours, theirs)
    return Spawned(Forked(pid), ours)  # type: ignore[arg-type]


def _become_core(ours: socket.socket, theirs: socket.socket) -> NoReturn:
    from hilctl.loop.process import main

    code = 1
    try:
        gc.disable()
        os.setsid()
        ours.close()
        code = main([str(theirs.detach())])
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
