"""What the tests of the service share: private services of the twin, and raw sockets to talk to them."""

import os
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

import msgpack
import numpy as np
import numpy.typing as npt
import pytest
import zmq

from hilctl.access.token import own_token, token_path
from hilctl.bench.host import stolen
from hilctl.client import Client, Refused, private_service
from hilctl.client.client import Motion, Outcome
from tests import waits

RIG = "table-500"
PATIENCE_S = 60.0
TRIES, MOST_STOLEN = 5, 0.01
IN_A_ROW = 20  # exchanges, a stretch
_Found = TypeVar("_Found")

# A supply that is up at once, and a short wait for rest: arming is proved elsewhere, in virtual time.
# A host that stalls is not what a test is about, unless it says so.
LATE_HOST = {"limits.late.ticks": 100_000, "limits.late.rejoin_s": 0.1}
ARMS_FAST = {"arming.rest_s": 0.05, "twin.supply.rise_s": 0.02, "arming.bump_s": 0.1}


# A time-to-live of 100 ms, and room to be fast in: a table that a stall of this host left behind hurries.
ROOM = {"limits.position.min_m": -0.04, "limits.position.max_m": 0.04, "limits.velocity.max_m_s": 0.6}


# A host that is shared takes whole periods away, and answers with them: how much of a second may fail is not judged.
SHARED = {f"limits.{limit}.share": 1.0 for limit in ("late", "driver", "sensing")}


def until(condition: Callable[[], Any], what: str = "the condition") -> Any:
    """What the condition gives once it is true."""
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        found = condition()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError(f"{what} did not come within {PATIENCE_S:g} s")


def arms(rig: Client, begin: Callable[[], Any] = lambda: None) -> bool:
    """Whether it comes to hold. A link that is being made refuses, and a host that stalls may trip an arming.

    `begin`: what brings the table back into the middle after a trip, if anything does.
    """
    try:
        status = rig.status()
        if status["trip"]:
            begin()
            rig.reset()
        elif status["mode"] == "hold":
            return True
        rig.arm()
    except Refused:
        rig.off()
        rig.wait_mode("off")
        return False
    return True


def driven_to_its_end(
    rig: Client, stalled: Callable[[], bool], kind: str, *, begin: Callable[[], Any] = lambda: None, **parameters: Any
) -> tuple[Motion, Outcome]:
    """A motion, armed before. Where this host stalls for longer than loop or device wait for it, once more."""
    for _ in range(TRIES):
        until(lambda: arms(rig, begin), "arming")
        try:
            motion = rig.track(kind, **parameters)
        except Refused:
            assert rig.status()["trip"]  # since it was armed
            continue
        outcome = rig.wait(motion)
        if outcome.why == "done":
            return motion, outcome
        trip = rig.status()["trip"]
        assert trip["name"] == "late_ticks" or stalled(), trip
    raise AssertionError(f"tripped {TRIES} times: {rig.status()['trip']}")


def undisturbed(measure: Callable[[], _Found]) -> _Found:
    """What is measured while the hypervisor leaves this host its processors; of some tries the least disturbed one.

    It is for what is asserted of punctuality: processor time that was taken away no program can make good. Chosen by
    the cause, never by the result.
    """
    tries: list[tuple[float, _Found]] = []
    while len(tries) < TRIES and not (tries and tries[-1][0] <= MOST_STOLEN):
        with stolen() as taken:
            found = measure()
        tries.append((taken.share, found))
    if len(tries) > 1:
        shares = ", ".join(f"{share:.1%}" for share, _ in tries)
        waits.note(f"measured {len(tries)} times, while the hypervisor took {shares} of the processors' time")
    return min(tries, key=lambda one: one[0])[1]


def in_time(good: npt.NDArray[np.bool_]) -> float:
    """The share in time, in the better half of the stretches: the host stalls in bursts, a link that is slow does not.

    What is lost in all is held against the host's own lateness by `hilctl bench bridge`.
    """
    count = len(good) // IN_A_ROW
    shares = np.sort(good[: count * IN_A_ROW].reshape(count, IN_A_ROW).mean(axis=1))
    return float(shares[count // 2 :].mean())


def strokes(reference_m: npt.NDArray[np.float64]) -> list[npt.NDArray[np.intp]]:
    """The rows of each stroke, from the middle to one end and back.

    A table that no command reaches for a while goes on with the last one, as it must: a stall of this host shows in one
    stroke, a link or a law that is wrong in all of them.
    """
    passes = np.flatnonzero(np.diff(np.sign(reference_m))) + 1
    parts = np.split(np.arange(len(reference_m)), passes)
    return [part for part in parts if abs(reference_m[part]).max() > 0.5 * abs(reference_m).max()]


@contextmanager
def armed(**options: Any):
    """A private service, a client that holds the lease, the rig in hold."""
    with private_service(RIG, **options) as service, Client(service.commands) as rig:
        until(lambda: arms(rig), "arming")
        yield service, rig


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A folder that is a disk of its own, of this size; the test is skipped where none can be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def settle(rig: Client) -> None:
    """The lease with us, in hold without a trip, whatever the test before has left; virtual time."""
    rig.take(takeover=True)
    if rig.status()["mode"] in ("track", "stop"):
        rig.ask("stop")
        rig.wait_mode("hold", 60.0)
    if rig.status()["trip"]:
        rig.reset()
    if rig.status()["mode"] == "off":
        rig.pass_time(1.0)  # until the table stands
        rig.arm()


def stops(rig: Client) -> None:
    """Ends a motion in order; a host that stalls meanwhile cuts that short, and the rig is off instead."""
    stopped = rig.stop()
    if stopped.why != "mode":
        assert stopped.trip == "late_ticks", stopped
        rig.wait_mode("off")
        rig.reset()


def refusal(call: Callable[..., Any], *given: Any, **named: Any) -> Refused:
    """What a call was refused with."""
    with pytest.raises(Refused) as caught:
        call(*given, **named)
    return caught.value


def core_of(service: Any) -> int:
    """The process of the core of a service."""
    children = Path(f"/proc/{service.pid}/task/{service.pid}/children").read_text().split()
    assert len(children) == 1
    return int(children[0])


def stands_still(process: int) -> bool:
    """Whether a stop has reached all of its threads."""
    stats = (stat.read_text() for stat in Path(f"/proc/{process}/task").glob("*/stat"))
    return all(stat.rpartition(")")[2].split()[0] == "T" for stat in stats)


def link_comes(rig: Client, state: str) -> Any:
    """The status once the link to the device is `open`, or `reconnecting`."""
    return until(lambda: (status := rig.status())["link"]["state"] == state and status, f"a link that is {state}")


def link_events(rig: Client) -> list[dict[str, Any]]:
    """What has happened to the link to the device."""
    return [event for event in rig.events() if event["kind"].startswith("link_")]


def alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Raw:
    """A socket that sends exactly what it is told."""

    def __init__(self, endpoint: str, client: str = "", access: str | None = None) -> None:
        self.access = own_token(token_path()) if access is None else access
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.SNDTIMEO, int(1000 * PATIENCE_S))
        self.connect(endpoint)
        self.client, self.count = client or uuid.uuid4().hex, 0

    def connect(self, endpoint: str) -> None:
        self.socket.connect(endpoint)

    def send(self, payload: bytes) -> None:
        self.socket.send(payload)

    def receive(self, timeout_s: float = 30.0) -> Any:
        assert self.socket.poll(int(1000 * timeout_s)), "no reply"
        return msgpack.unpackb(self.socket.recv())

    def message(self, op: str, id: int | None = None, lease: str = "", **args: Any) -> bytes:
        self.count += 1
        fields = {
            "v": 1,
            "client": self.client,
            "id": self.count if id is None else id,
            "op": op,
            "args": args,
            "lease": lease,
            "access": self.access,
        }
        return msgpack.packb(fields)

    def ask(self, op: str, **args: Any) -> Any:
        self.send(self.message(op, **args))
        return self.receive()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.socket.close()


def environment() -> dict[str, str]:
    """For subprocesses that import this checkout."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
