"""docs/examples for many rigs: ZeroMQ's proxy before a service's telemetry, and a bridge to a time-series store."""

import json
import shutil
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import msgpack
import pytest
import zmq

from hilctl.client import Client, private_service
from tests.system.cli_parts import RIG
from tests.system.service_parts import ARMS_FAST, until
from tests.system.test_study import answers, free_port

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


@contextmanager
def running(name: str, *words: str, **named: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen([sys.executable, str(EXAMPLES / name), *words], stdout=subprocess.PIPE, text=True,
                               env=named or None)  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


@pytest.fixture(scope="module")
def rig():
    """A service, its telemetry behind a proxy, and who drives it."""
    with private_service(RIG, changes=ARMS_FAST) as service, Client(service.commands) as client:
        door = f"tcp://127.0.0.1:{free_port()}"
        with running("telemetry_proxy.py", service.telemetry, door) as proxy:
            assert door in proxy.stdout.readline()
            client.arm()
            yield client, door


def subscribed(door: str, topic: str) -> zmq.Socket:
    socket = zmq.Context.instance().socket(zmq.SUB)
    socket.subscribe(topic)
    socket.connect(door)
    return socket


def test_behind_the_proxy_every_subscriber_has_every_block_and_at_once_the_last_status(rig):
    client, door = rig
    sockets = [subscribed(door, "block") for _ in range(5)]
    with subscribed(door, "status") as late:
        assert late.poll(20_000)
        assert msgpack.unpackb(late.recv_multipart()[1])["mode"]
    client.pass_time(0.3)  # a subscription takes its time through the proxy
    first = int(client.status()["tick"]) + 1
    last = client.run("sine", amplitude_m=0.001, frequency_hz=2.0, cycles=1)[1].last
    for socket in sockets:
        with socket:
            rows = []
            while not rows or rows[-1] < last:
                assert socket.poll(20_000)
                block = msgpack.unpackb(socket.recv_multipart()[1])
                rows += range(block["first"], block["first"] + block["count"])
            assert rows == list(range(rows[0], rows[0] + len(rows)))
            assert rows[0] <= first


def test_a_store_gets_every_nth_sample_of_each_rig_as_it_was(rig):
    client, door = rig
    got: list[str] = []

    class Store(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.extend(self.rfile.read(int(self.headers["Content-Length"])).decode().splitlines())
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Store) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_port}/write?db=rigs"
        with running("to_influx.py", place, f"one={door}", f"two={door}", EVERY="7", CHANNELS="tick error_m mode"):
            until(lambda: client.pass_time(0.5) and len(got) > 500, "points")
        server.shutdown()
    for name in ("one", "two"):
        # A request that Ctrl-C cut off is sent again at the end: a store overwrites points that it has.
        mine = list(dict.fromkeys(line for line in got if line.startswith(f"rig,name={name} ")))
        points = [dict(pair.split("=") for pair in line.split(" ")[1].split(",")) for line in mine]
        ticks = [int(point["tick"].rstrip("i")) for point in points]
        assert ticks == list(range(ticks[0], ticks[-1] + 1, 7))
        rows = client.samples(ticks[0], ticks[-1], channels=["tick", "error_m"])
        errors = dict(zip(rows["tick"].tolist(), rows["error_m"].tolist(), strict=True))
        assert [float(point["error_m"]) for point in points] == [errors[tick] for tick in ticks]
        assert [int(line.split(" ")[2]) for line in mine] == [1_000_000 * tick for tick in ticks]


INFLUX = """
reporting-disabled = true
bind-address = "127.0.0.1:{rpc}"
[meta]
dir = "{place}/meta"
[data]
dir = "{place}/data"
wal-dir = "{place}/wal"
[http]
bind-address = "127.0.0.1:{http}"
log-enabled = false
"""


@pytest.mark.skipif(shutil.which("influxd") is None, reason="InfluxDB is not installed: apt-get install influxdb")
def test_influxdb_has_what_the_rig_measured(rig, tmp_path):
    client, door = rig
    http = free_port()
    (tmp_path / "influx.conf").write_text(INFLUX.format(place=tmp_path, http=http, rpc=free_port()))
    store = subprocess.Popen(["influxd", "-config", str(tmp_path / "influx.conf")], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)  # fmt: skip

    def query(text: str, path: str = "query?db=rigs&") -> dict:
        place = f"http://127.0.0.1:{http}/{path}{urllib.parse.urlencode({'q': text})}"
        with urllib.request.urlopen(urllib.request.Request(place, b"")) as answer:
            return json.load(answer)["results"][0]

    try:
        until(lambda: answers(http), "InfluxDB")
        query("CREATE DATABASE rigs", "query?")
        with running("to_influx.py", f"http://127.0.0.1:{http}/write?db=rigs", f"one={door}", EVERY="5",
                     CHANNELS="tick error_m"):  # fmt: skip
            until(lambda: client.pass_time(0.5) and query("SELECT count(tick) FROM rig").get("series"), "points")
        columns, = query("SELECT tick, error_m FROM rig")["series"]
    finally:
        store.terminate()
        store.wait()
    ticks = [row[1] for row in columns["values"]]
    assert ticks == list(range(ticks[0], ticks[-1] + 1, 5))
    rows = client.samples(ticks[0], ticks[-1], channels=["tick", "error_m"], every=5)
    assert [row[2] for row in columns["values"]] == rows["error_m"].tolist()
