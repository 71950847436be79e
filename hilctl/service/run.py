"""`hilctl run`: the core's process first, then the service around it, until a signal or a request ends both in order.

The core loads its compiled code while this process still reads the rig file and opens its sockets: nothing heavy is
imported before it has been started.
"""

import ctypes
import logging
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hilctl.errors import DONE, RIG_SAID_NO, HilctlError, WrongUse
from hilctl.loop.spawn import Spawned, spawn

if TYPE_CHECKING:
    from hilctl.rig import Rig
    from hilctl.service.app import App
    from hilctl.service.lock import Lock

log = logging.getLogger(__name__)

_STOP_S = 20.0  # beyond the core's own longest orderly end
_JOB_S = 15.0  # for a job's orderly end; systemd waits for both
_PR_SET_PDEATHSIG = 1


class Choice(NamedTuple):
    """How to run."""

    rig: str
    twin: bool = False
    clock: str = "real"
    changes: Mapping[str, Any] = {}
    recordings: str = ""  # folder, instead of the rig file's
    die_with_parent: bool = False


def run(choice: Choice) -> int:
    """Runs the service; returns the exit code."""
    if choice.die_with_parent:
        die_with_parent()
    core = spawn()
    try:
        return _run(choice, core)
    finally:
        _see_off(core)


def _run(choice: Choice, core: Spawned) -> int:
    from hilctl.rig import load
    from hilctl.service.lock import Lock
    from hilctl.wire import places

    rig = load(choice.rig, twin=choice.twin, changes=choice.changes)
    if choice.clock == "virtual" and not rig.twin:
        raise WrongUse(f"--clock virtual is for a simulated rig, {rig.name} has the driver {rig.driver}; add --twin")
    lock = Lock(places.own_directory(places.runtime_root() / rig.name))
    try:
        return _serve(rig, choice, core, lock)
    finally:
        lock.release()


def _serve(rig: "Rig", choice: Choice, core: Spawned, lock: "Lock") -> int:
    import zmq

    from hilctl.loop.realtime import keep_off
    from hilctl.service.app import App
    from hilctl.service.assemble import assemble, start_link
    from hilctl.service.descriptors import Descriptors
    from hilctl.service.doors import from_here

    virtual = choice.clock == "virtual"
    link = start_link(rig, core, virtual=virtual)
    keep_off(rig.tables.loop.cpu)  # with every thread from here on, and jobs
    context: zmq.Context[Any] = zmq.Context(io_threads=1)
    try:
        folder = Path(choice.recordings) if choice.recordings else None
        run_id, file = secrets.token_hex(8), _as_written(rig, choice)
        parts = assemble(context, rig, link, lock.runtime, run_id, virtual=virtual, recordings=folder, file=file)
        app = App(*parts)
        app.descriptors = Descriptors()
        ended = _end_on_signals(app)
        judged = app.service.planning.planner.submit(_unstable, rig)
        if _await_core(app):
            problem = _heard(app, judged)
            if problem:
                end(app)
                raise problem
            s = app.service
            here = {"rig": rig.name, "clock": choice.clock, **from_here(s.identity.endpoints)}
            lock.announce({**here, "key" if s.admission.curve else "token": str(s.admission.file)})
            app.systemd.ready()
            print(f"{rig.name}: {choice.clock} clock, commands at {app.desk.endpoint}", file=sys.stderr, flush=True)
            app.run()
        app.systemd.stopping()
        code = end(app)
        log.info("ended%s", f" by {ended[0]}" if ended else "")
        return code
    finally:
        link.close()
        context.destroy(linger=200)


def _as_written(rig: "Rig", choice: Choice) -> "Rig":
    """The rig without the changes of the command line; with them, where the file is none without."""
    from hilctl.params import BadValues
    from hilctl.rig import load

    if not choice.changes:
        return rig
    try:
        return load(choice.rig, twin=choice.twin)
    except BadValues:
        return rig


def _unstable(rig: "Rig") -> HilctlError | None:
    """Why the rig file's gains are refused; judged beside the core's start, which need not wait for it."""
    from hilctl.params import BadValues
    from hilctl.rig import refuse_unstable

    try:
        refuse_unstable(rig)
    except BadValues as bad:
        return bad
    return None


def _heard(app: "App", judged: "Future[HilctlError | None]") -> HilctlError | None:
    """The judgement, while the core still gets the sign that the service is alive."""
    while not judged.done() and app.service.core.ended is None:
        app.cycle()
    return judged.result() if judged.done() else None


def _await_core(app: "App") -> bool:
    """Until the loop runs; False when it never will, or when the end was asked for before. Says what takes long."""
    core = app.service.core
    warm: list[Future[Any]] = []
    while core.ended is None and not app.service.asked_to_end:
        # After a cold start the first motion would have to wait for the compiler: better now, beside the core.
        if core.started and all(work.done() for work in warm):
            if not warm:
                _warm(app)
            return True
        if not warm and core.link.status.state == "compiling":
            print("compiling, once for this version: up to a minute", file=sys.stderr, flush=True)
            warm = _warm(app)
        app.cycle()
    if core.ended is not None:
        print("\n".join((*core.link.status.messages[-3:], core.ended.text)), file=sys.stderr)
    return False


def _warm(app: "App") -> "list[Future[Any]]":
    """Loads what the first change and the first motion need, on the planner's thread: they shall not wait for it."""
    import numpy as np

    from hilctl.law.settings import prepare_packing
    from hilctl.loop.mailbox import mail_put
    from hilctl.service.checked import plan_shown

    planner, store = app.service.planning.planner, app.service.store
    return [
        planner.submit(mail_put, np.zeros(1, np.int64), 0, 0),
        planner.submit(prepare_packing),  # a set of another friction model asks for it between two signs of life
        planner.submit(plan_shown, app.service, "move", {"position_m": 0.0}, 0.0, 2, lambda: True),
        planner.submit(store.propose, {"law.blend_s": store.controller.law.blend_s}),
        planner.submit(_warm_demand, app),
    ]


def _warm_demand(app: "App") -> None:
    """The same of a motion with the inverse model."""
    from hilctl.law.motions.demand import demand
    from hilctl.service.checked import plan_checked

    settings = app.service.store.rig.settings()
    settings.law.feed.inverse = 1.0
    demand(plan_checked(app.service, "move", {"position_m": 0.0}, 0.0, 0)[0], settings)


def end(app: "App") -> int:
    """Ends the job, then stops the rig in order while samples still come in, then closes everything."""
    s = app.service
    _end_job(app)
    s.core.ending = True
    stopper = threading.Thread(target=s.core.link.stop, args=(_STOP_S,), name="stop")
    stopper.start()
    while stopper.is_alive() or s.core.ended is None:
        app.cycle(time.monotonic() + 0.005)
    app.finish()
    s.planning.end()
    s.files.shutdown(wait=False, cancel_futures=True)
    s.recorder.close()
    s.journal.close()
    s.alarm_file.close(s.alarms)
    s.logbook.close()
    app.telemetry.close()
    app.desk.close()
    if s.guard is not None:
        s.guard.stop()
    app.systemd.close()
    return DONE if s.core.ended.exit_code == 0 else RIG_SAID_NO


def _end_job(app: "App") -> None:
    """A job that runs brings the table to rest and restores the parameters by itself; one that takes too long is
    killed, and the core brings the table to rest."""
    jobs, until_s = app.service.jobs, time.monotonic() + _JOB_S
    while (job := jobs.running) is not None:
        jobs.abort(job, "the service was ended")
        if time.monotonic() > until_s or app.service.core.ended is not None:
            jobs.kill()
        app.cycle(time.monotonic() + 0.005)


def _end_on_signals(app: "App") -> list[str]:
    ended: list[str] = []

    def on_signal(number: int, frame: object) -> None:
        ended.append(signal.Signals(number).name)
        app.service.asked_to_end = True

    hangs_up = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN  # nohup
    for number in (signal.SIGTERM, signal.SIGINT, *((signal.SIGHUP,) if hangs_up else ())):
        signal.signal(number, on_signal)
    return ended


def _see_off(core: Spawned) -> None:
    """A core that was never put to work ends when its socket closes; one that does not is killed."""
    core.socket.close()
    try:
        core.process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        core.process.kill()
        core.process.wait()


def die_with_parent() -> None:
    """A private service, and a job, have no use without their parent process."""
    parent = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent or parent == 1:
        raise SystemExit(RIG_SAID_NO)
