"""What many subscribers, and a time-series store, cost on this host: the figures of docs/many-rigs.md.

python -m tests.many_rigs                                    subscribers, with and without the proxy
python -m tests.many_rigs 'http://127.0.0.1:8086/write?db=rigs'     also how many points a second the store takes

One rig at 1 kHz on the real clock, all channels. Processor times, in percent of a core, over five seconds each.
"""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from threading import Event, Thread

import zmq

from hilctl.client import Client, private_service

EXAMPLES = Path(__file__).resolve().parents[1] / "docs" / "examples"
SECONDS, MANY, BRIDGED = 5.0, 50, 20
POINTS, AT_ONCE = 200_000, 5000


def spent_s(pid: int) -> float:
    """Processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Listeners:
    """So many subscribers to all blocks, in this process; what they were sent."""

    def __init__(self, door: str, count: int) -> None:
        self.bytes, self._over, self._door, self._count = 0, Event(), door, count
        self._thread = Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        poller = zmq.Poller()
        for _ in range(self._count):
            socket = zmq.Context.instance().socket(zmq.SUB)
            socket.subscribe("block")
            socket.connect(self._door)
            poller.register(socket, zmq.POLLIN)
        while not self._over.is_set():
            for socket, _ in poller.poll(100):
                self.bytes += sum(len(frame) for frame in socket.recv_multipart(copy=False))
        for socket, _ in poller.sockets:
            socket.close(0)

    def end(self) -> None:
        """They go."""
        self._over.set()
        self._thread.join()


def measured(pids: dict[str, int], door: str, count: int) -> str:
    """Percent of a core of each process, and what one subscriber gets."""
    listeners = Listeners(door, count)
    time.sleep(1.0)
    begun, bytes_ = {name: spent_s(pid) for name, pid in pids.items()}, listeners.bytes
    time.sleep(SECONDS)
    used = [f"{name} {100 * (spent_s(pid) - begun[name]) / SECONDS:5.1f} %" for name, pid in pids.items()]
    each = (listeners.bytes - bytes_) / SECONDS / max(count, 1)
    listeners.end()
    return f"{count:3d} subscribers: {', '.join(used)}; {each / 1e6:.2f} MB/s each"


def subscribers() -> None:
    """Direct, then through the proxy."""
    with private_service("table-500", clock="real") as service, Client(service.commands):
        pids = {"service": service.pid}
        for count in (0, 1, MANY):
            print("direct   ", measured(pids, service.telemetry, count), flush=True)
        door = "tcp://127.0.0.1:19971"
        proxy = subprocess.Popen([sys.executable, str(EXAMPLES / "telemetry_proxy.py"), service.telemetry, door])
        try:
            time.sleep(1.0)
            for count in (1, MANY):
                print("proxy    ", measured({**pids, "proxy": proxy.pid}, door, count), flush=True)
            rigs = [f"r{k}={door}" for k in range(BRIDGED)]
            bridge = subprocess.Popen([sys.executable, str(EXAMPLES / "to_influx.py"), "-", *rigs],
                                      stdout=subprocess.DEVNULL)  # fmt: skip
            time.sleep(2.0)
            begun = spent_s(bridge.pid)
            time.sleep(SECONDS)
            print(f"bridge    {BRIDGED} rigs: {100 * (spent_s(bridge.pid) - begun) / SECONDS:.1f} %", flush=True)
            bridge.send_signal(signal.SIGINT)
            bridge.wait()
        finally:
            proxy.send_signal(signal.SIGINT)
            proxy.wait()


def store(place: str) -> None:
    """Points as to_influx.py sends them: seven fields."""
    fields = "position_m={k}e-6,error_m=1e-6,acceleration_m_s2=0.25,u_cmd=0.01,load_pressure_pa=1e5,mode=3i,trip=0i"
    begin, begun_ns = time.perf_counter(), time.time_ns()
    for first in range(0, POINTS, AT_ONCE):
        lines = [f"rig,name=r{k % 100} {fields.replace('{k}', str(k))} {begun_ns + 10_000_000 * (k // 100)}"
                 for k in range(first, first + AT_ONCE)]  # fmt: skip
        with urllib.request.urlopen(urllib.request.Request(place, "\n".join(lines).encode(), method="POST")):
            pass
    taken = time.perf_counter() - begin
    print(f"store: {POINTS} points of 7 fields in {taken:.1f} s, {POINTS / taken:.0f} a second", flush=True)


if __name__ == "__main__":
    subscribers()
    for one in sys.argv[1:]:
        store(one)
