"""A rig on our own firmware: the native board on a pseudo-terminal, and a service of it on the real clock."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from firmware_bridge.firmware.board import Board
from firmware_bridge.firmware.build import METAL, build
from firmware_bridge.firmware.emulated import EmulatedBoard
from firmware_bridge.serial_frame.messages import ONE, State
from hilctl.client import Client, Refused, private_service
from hilctl.rt.priority import prefer
from tests.system.service_parts import LATE_HOST, ROOM, SHARED, arms, core_of, until

TICK_HZ = 2000  # of the board
OPEN = ONE // 200  # a valve command that moves the table
HANDSHAKE_S = 10.0
_PRIORITY = 40  # below every loop: a board has a processor of its own, this one shares a host
TTL_TICKS = 200  # 100 ms: the board is a process among others on a host that may be busy

# Slow enough for that time-to-live; and a busy host delays answers, which is no fault of the link.
SLOW = {
    "driver.name": "serial",
    "loop.rate_hz": 500,
    "loop.time_to_live_s": TTL_TICKS / TICK_HZ,
    "law.feedback": "pid",
    "arming.rest_s": 0.3,
    "arming.bump_s": 0.1,
    "service.timeout_s": 10.0,
    "service.heartbeat_s": 0.1,
    **ROOM,
    **SHARED,
    **LATE_HOST,
    **{f"limits.{limit}.ticks": 40 for limit in ("driver", "sensing", "stale", "tracking_error", "read_back")},
}


def board(kind: str = "native") -> Board:
    """The firmware on a pseudo-terminal: a process of this PC, or a Cortex-M in QEMU."""
    if kind in METAL:
        return EmulatedBoard(build(kind), kind)
    made = Board(build(kind), has_line=True)
    prefer(_PRIORITY, made.process.pid)
    return made


@contextmanager
def service_of(made: Board, **changes: Any) -> Iterator[tuple[Any, Client]]:
    """A service whose driver is on the board's line, and a client of it."""
    paced = {"loop.rate_hz": 100} if isinstance(made, EmulatedBoard) else {}  # QEMU is a process without priority
    given = {key.replace("__", "."): value for key, value in changes.items()}
    settings = {**SLOW, **paced, "driver.port": made.port, **given}
    with (
        private_service("table-500", clock="real", twin=False, changes=settings) as service,
        Client(service.commands) as rig,
    ):
        yield service, rig


def restored(made: Board, rig: Client) -> None:
    """The board without faults, and the rig reset and armed by a person."""
    for fault in ("mute", "hung", "babble"):
        made.tell(f"line {fault} 0")
    made.tell("free")

    until(lambda: arms(rig), "arming")
    assert made.seen()["state"] == State.RUNNING


def move(rig: Client, made: Board) -> Any:
    """A motion that would go on for minutes, well under way: the valve is open."""
    motion = rig.track("sine", amplitude_m=0.005, frequency_hz=1.0, cycles=100)

    def well_under_way() -> bool:
        seen = made.seen()
        return seen["state"] != State.RUNNING or abs(seen["valve"]) > OPEN or rig.status()["trip"] is not None

    until(well_under_way, "the motion")
    return motion


def under_way(rig: Client, made: Board) -> Any:
    """Restored and moving; begun again when it has tripped before a fault was made."""

    def moves() -> Any:
        restored(made, rig)
        try:
            motion = move(rig, made)
        except Refused:
            return None
        return motion if made.seen()["state"] == State.RUNNING and rig.status()["trip"] is None else None

    return until(moves, "the motion")


def tripped(made: Board) -> dict[str, int]:
    """What the device is once it has tripped and its safe action is over."""

    def safe() -> Any:
        seen = made.seen()
        return seen["state"] == State.TRIPPED and not seen["enable"] and seen

    found: dict[str, int] = until(safe, "a safe device")
    return found


def kill_core(service: Any) -> None:
    """SIGKILL."""
    os.kill(core_of(service), signal.SIGKILL)


def ticks_pass(made: Board, count: int) -> None:
    """So much of the device's time."""
    first = made.seen()["tick"]
    give_up_s = time.monotonic() + 60
    while (made.seen()["tick"] - first) % 2**32 < count:
        assert time.monotonic() < give_up_s, "the device's time stands still"
        time.sleep(0.01)
