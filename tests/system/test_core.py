"""The core as a process, on the real clock: it starts, ticks, and ends in order whatever happens to those around it.

Counts and order are asserted, never times.
"""

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hilctl.law.requests import RequestKind
from hilctl.loop import memory as shared
from hilctl.loop.layout import SETTINGS
from hilctl.loop.link import Link
from hilctl.loop.options import CoreOptions
from hilctl.loop.runner import CoreProcess
from hilctl.loop.spawn import spawn
from hilctl.signals import Mode, Trip
from tests import waits
from tests.system import core_parts
from tests.system.core_parts import ask, begin, end_of, motion, running, table, until
from tests.system.service_parts import TRIES, environment

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]


def _phases_ns(rows):
    """Each row's deadline, less the periods since the start: the same number for all when the phase is kept."""
    deadline_ns = rows["time_ns"] - rows["wake_ns"]
    return deadline_ns - (rows["tick"] - rows["skipped"]) * 1_000_000


def test_every_tick_that_was_due_ran_or_was_missed_and_left_its_row():
    with running() as link:
        until(link, lambda: link.status.tick >= 300)
        link.stop(20.0)
        status, rows = link.status, link.drain(100_000)
    assert status.ran + status.missed == status.due
    assert status.missed == sum(status.blamed.values())
    assert len(rows) == status.rows == status.ran
    assert status.rows_lost == 0
    assert rows["tick"].tolist() == (np.cumsum(rows["skipped"] + 1) - 1).tolist()
    assert len(set(_phases_ns(rows).tolist())) == 1
    assert status.since_start["wake"].number == status.ran


def test_a_core_that_was_started_early_waits_for_its_configuration():
    core = spawn()
    link = Link.start(table().settings(1), driver="null", driver_config={}, facts=table().facts(),
                      options=CoreOptions(service_timeout_s=0), core=core)
    until(link, lambda: link.status.tick >= 3)
    assert link.stop(20.0) == 0
    link.close()


def test_told_to_end_it_ends_in_order_with_everything_off():
    with running() as link:
        link._runner._process.send_signal(signal.SIGTERM)
        assert end_of(link) == 0
        rows = link.drain(100_000)
        assert rows["mode"][-1] == Mode.OFF
        assert rows["enabled"][-1] == 0
        assert link.status.state == "ended"
        assert any("asked to end" in text for text in link.status.messages)


def test_ctrl_c_at_the_terminal_is_the_services_to_handle():
    with running() as link:
        link._runner._process.send_signal(signal.SIGINT)
        tick = link.status.tick
        until(link, lambda: link.status.tick > tick + 50)


def test_when_the_pipe_closes_it_ends():
    with running() as link:
        link._runner._socket.close()
        assert end_of(link, beat=True) == 4
        assert link.status.ending == Trip.SERVICE_LOST


def test_when_the_heartbeat_stops_it_ends_and_says_so():
    with running(service_timeout_s=0.5) as link:
        assert end_of(link, beat=False) == 4
        assert any("service fell silent" in text for text in link.status.messages)


def test_a_service_that_goes_away_before_the_start_leaves_no_core_behind():
    core = spawn()
    core.socket.close()
    assert core.process.wait(core_parts.PATIENCE_S) == 0


@pytest.fixture
def killed_service(tmp_path):
    """A service in the middle of a motion, killed: its core's memory, log and what waits for the core's end."""
    command = [sys.executable, "-m", "tests.system.core_service", "twin"]
    with (
        (tmp_path / "log").open("w+") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment()) as service,
    ):
        line = service.stdout.readline()
        assert line, (log.seek(0), log.read())
        core = int(line)
        fds = Path(f"/proc/{core}/fd").iterdir()
        fd = os.open(next(p for p in fds if "memfd:hilctl" in str(p.readlink())), os.O_RDWR)
        run = int(np.frombuffer(os.pread(fd, 24, 0), np.int64)[2])
        memory = shared.open_checked(fd, run)
        waits = os.pidfd_open(core)
        service.kill()
        service.wait()
        yield memory, waits, log
        os.close(waits)
        memory.close()


def test_when_the_service_is_killed_while_tracking_the_table_is_stopped_gently_and_the_core_ends(killed_service):
    memory, waits, log = killed_service
    assert select.select([waits], [], [], core_parts.PATIENCE_S)[0], "the core is still there"
    written, size = int(memory.words[shared.layout.ROWS]), len(memory.rows)
    rows = memory.rows[np.arange(max(0, written - size), written) % size]
    killed_in = np.flatnonzero(rows["mode"] == Mode.TRACK)[-1]
    modes = rows["mode"][killed_in:]
    changes = [Mode(m) for m in modes[np.flatnonzero(np.diff(modes, prepend=-1))]]
    changes = [m for m in changes if m != Mode.NULL]  # over within a tick when the valve is closed already
    assert changes == [Mode.TRACK, Mode.STOP, Mode.OFF]
    assert rows["trip"][-1] == Trip.SERVICE_LOST
    stopping = table().controller.limits.stopping.deceleration_m_s2
    assert np.abs(rows["ar_m_s2"][killed_in:]).max() <= stopping * 1.001
    last_held = rows[killed_in:][modes == Mode.STOP][-1]
    assert abs(last_held["velocity_m_s"]) < 0.02  # it stood before the valve was closed
    assert rows["enabled"][-1] == 0
    log.seek(0)
    assert "service fell silent or ended" in log.read()


def test_when_the_core_is_killed_the_service_learns_of_it():
    with running() as link:
        link._runner.kill()
        assert end_of(link) == -signal.SIGKILL


def test_after_a_long_stall_whole_periods_were_skipped_and_the_phase_was_kept():
    with running() as link:
        until(link, lambda: link.status.tick >= 100)
        link._runner._process.send_signal(signal.SIGSTOP)
        before = link.status
        until(link, lambda: _monotonic_ns() > before.time_ns + 300_000_000)
        link._runner._process.send_signal(signal.SIGCONT)
        until(link, lambda: link.status.missed >= before.missed + 200)
        link.stop(20.0)
        status, rows = link.status, link.drain(100_000)
    assert status.ran + status.missed == status.due
    assert len(set(_phases_ns(rows).tolist())) == 1
    assert rows["skipped"].max() >= 200
    assert status.blamed["wake"] >= 200


_HOG = "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])}); print(flush=True)\nwhile True: pass"


def test_beside_programs_that_take_its_processor_missed_ticks_are_counted_and_the_phase_is_kept():
    cpu = max(os.sched_getaffinity(0))
    with running(priority=0, cpu=cpu) as link, contextlib.ExitStack() as hogs:
        until(link, lambda: link.status.tick >= 50)
        before = link.status
        for _ in range(3):
            hog = subprocess.Popen([sys.executable, "-c", _HOG, str(cpu)], stdout=subprocess.PIPE)
            hogs.push(hog)
            hogs.callback(hog.kill)
            hog.stdout.readline()
        rows = []
        until(link, lambda: rows.append(link.drain(10_000)) is None and link.status.missed >= before.missed + 20)
        link.stop(20.0)
        status, rows = link.status, np.concatenate([*rows, link.drain(100_000)])
    assert status.granted.cpu == cpu
    assert status.ran + status.missed == status.due
    assert status.missed == sum(status.blamed.values()) == rows["skipped"].sum()
    assert len(set(_phases_ns(rows).tolist())) == 1
    assert status.rows_lost == 0


def _monotonic_ns():
    import time

    return time.monotonic_ns()


def test_a_stall_in_motion_trips_and_stays_latched():
    for _ in range(TRIES):
        stall_s, status = _stalled(0.3)
        if stall_s < 0.4:
            break
        waits.note(f"0.3 s of stall took {stall_s:.2f} s on this host: once more")
    assert (Mode(status.mode), Trip(status.trip)) == (Mode.HOLD, Trip.LATE_TICKS)
    assert status.trip_value >= status.trip_limit == 50


def _stalled(seconds):
    """How long the core stood still in a motion, and its status once the trip has ended the motion."""
    with running("twin", late=50) as link:
        until(link, lambda: link.status.tick >= 200)
        assert ask(link, RequestKind.ARM).refusal == 0
        until(link, lambda: link.status.mode == Mode.HOLD)
        assert ask(link, RequestKind.TRACK, motion("sine", amplitude_m=0.01, frequency_hz=0.5)).refusal == 0
        link._runner._process.send_signal(signal.SIGSTOP)
        stopped = _monotonic_ns()
        until(link, lambda: _monotonic_ns() > stopped + 1e9 * seconds)
        link._runner._process.send_signal(signal.SIGCONT)
        stall_s = (_monotonic_ns() - stopped) / 1e9
        until(link, lambda: link.status.trip)
        until(link, lambda: link.status.mode in (Mode.HOLD, Mode.OFF))
        return stall_s, link.status


def _ends_with(capfd, driver, **options):
    link = begin(f"{core_parts.__name__}:{driver}", **options)
    code = end_of(link, beat=True)
    said = link.status.messages
    link.close()
    return code, " ".join(said), capfd.readouterr().err


@pytest.mark.parametrize(
    ("driver", "says"),
    [
        ("RaisesInOpen", "check the cable"),
        ("RaisesInCheck", "a bug in check"),
        ("NotTheRig", "scale of pressure A differs"),
        ("NotCompiled", "not a compiled function"),
        ("DoesNotExist", "DoesNotExist"),
    ],
)
def test_a_driver_that_cannot_start_ends_the_core_with_its_reason(capfd, driver, says):
    code, said, _ = _ends_with(capfd, driver)
    assert code == 3
    assert says in said


def test_a_driver_that_cannot_be_armed_is_disarmed_and_closed(capfd):
    code, said, log = _ends_with(capfd, "RaisesInArm")
    assert code == 3
    assert "watchdog refused" in said
    assert log.index("DISARMED") < log.index("CLOSED")


def test_an_exchange_that_raises_ends_the_core_with_the_driver_disarmed(capfd):
    code, said, log = _ends_with(capfd, "RaisesInExchange")
    assert code == 3
    assert "a bug in exchange" in said
    assert log.index("DISARMED") < log.index("CLOSED")


def test_an_exchange_that_never_returns_is_given_up_when_the_run_is_to_end(capfd):
    link = begin(f"{core_parts.__name__}:Hangs", hurry_s=0.2)
    until(link, lambda: link.status.tick >= 50)
    link._runner.end()
    code = end_of(link)
    link.close()
    log = capfd.readouterr().err
    assert code == 3
    assert "does not return" in log
    assert log.index("DISARMED") < log.index("CLOSED")


def test_a_driver_that_raises_at_the_end_still_leaves_everything_off(capfd):
    with running(f"{core_parts.__name__}:RaisesInClose") as link:
        assert link.stop(20.0) == 3
        assert link.drain(100_000)["enabled"][-1] == 0
    assert "DISARMED" in capfd.readouterr().err


@pytest.mark.parametrize("field", ["magic", "layout", "run"])
def test_memory_of_another_version_or_run_is_refused(field):
    import pickle

    options = CoreOptions()
    memory = shared.make(np.zeros(1, SETTINGS)[0], options, 77)
    memory.header[field] ^= 1
    core = CoreProcess(spawn())
    core.send(pickle.dumps((77, "null", {}, table().facts(), options)), memory.fd)
    assert core.wait(core_parts.PATIENCE_S) == 2
    assert any("versions" in message.get("text", "") for message in core.said())
    core.close()
    memory.close()


def test_without_the_right_to_real_time_it_says_so_once_and_runs_on(tmp_path, monkeypatch):
    wrapper = tmp_path / "python"
    drop = "exec setpriv --bounding-set=-sys_nice,-ipc_lock" if os.geteuid() == 0 else "ulimit -r 0; exec"
    wrapper.write_text(f'#!/bin/sh\nulimit -l 64\n{drop} {sys.executable} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(wrapper))
    with running() as link:
        until(link, lambda: link.status.tick >= 50)
        status = link.status
    assert not status.granted.fifo
    assert not status.granted.locked
    told = [text for text in status.messages if "real-time priority" in text]
    assert len(told) == 1
    assert "deploy/README.md" in told[0]


def test_a_flood_of_parameter_sets_changes_nothing_but_the_epoch():
    with running() as link:
        put, record = 1, table().settings(1)
        link.put_settings(record)  # loads what it needs
        begun = link.status.tick
        while link.status.tick < begun + 500 or put < 1000:
            put += 1
            record.epoch = put
            link.put_settings(record)
            link.beat()
        until(link, lambda: link.status.epoch == put)
        link.stop(20.0)
        status, rows = link.status, link.drain(100_000)
    assert status.ran + status.missed == status.due
    assert (np.diff(rows["epoch"]) >= 0).all()
    assert set(rows["epoch"].tolist()) <= set(range(1, put + 1))
    assert len(set(rows["epoch"].tolist())) > 10


def test_a_ring_that_nobody_reads_loses_new_rows_and_counts_them():
    with running(row_slots=64) as link:
        until(link, lambda: link.status.rows_lost >= 20)
        link.stop(20.0)
        status, rows = link.status, link.drain(100_000)
    assert rows["tick"][0] == 0
    assert len(rows) == 64
    assert status.rows_lost == status.ran - 64


def test_the_socket_is_not_inherited_by_what_the_service_starts():
    core = spawn()
    assert not os.get_inheritable(core.socket.fileno())
    core.socket.shutdown(socket.SHUT_RDWR)
    core.socket.close()
    core.process.wait(core_parts.PATIENCE_S)
