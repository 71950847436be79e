"""Telemetry of any number of rigs into a store that takes InfluxDB's line protocol. Needs pyzmq and msgpack.

python to_influx.py 'http://127.0.0.1:8086/write?db=rigs' table-500=tcp://127.0.0.1:9871 press=tcp://10.0.0.7:9971
python to_influx.py - table-500=tcp://127.0.0.1:9871              to standard output instead

InfluxDB 1 and 2, VictoriaMetrics, QuestDB and Telegraf take it. EVERY is how many samples make one point: the store is
for trends; every sample is in a recording.
"""

import os
import sys
import urllib.error
import urllib.request
from array import array

import msgpack
import zmq

EVERY = int(os.environ.get("EVERY", "10"))
CHANNELS = os.environ.get("CHANNELS", "position_m error_m acceleration_m_s2 u_cmd load_pressure_pa mode trip").split()
WHOLE = {"tick", "time_ns", "mode", "motion", "trip", "epoch", "skipped", "saturated", "rejected", "warnings"}
MOST = 200_000  # points that wait while the store is away; then the oldest are lost, and counted

store, *rigs = sys.argv[1:]
context, poller, names = zmq.Context(), zmq.Poller(), {}
for rig in rigs:
    name, _, address = rig.partition("=")
    socket = context.socket(zmq.SUB)
    socket.setsockopt(zmq.RCVHWM, 1000)
    socket.subscribe(b"block")
    socket.connect(address)
    poller.register(socket, zmq.POLLIN)
    names[socket] = name
waiting, following, lost = [], {}, 0


def lines(name, block):
    """A line for every so many samples, with the wall time of each."""
    words = {c: array("q" if c in WHOLE else "d", block["columns"][c]) for c in {*CHANNELS, "tick", "time_ns"}}
    offset = (block["wall"] or {"offset_ns": 0})["offset_ns"]
    for k in range(-block["first"] % EVERY, block["count"], EVERY):
        fields = [f"{c}={words[c][k]}{'i' if c in WHOLE else ''}" for c in CHANNELS if words[c][k] == words[c][k]]
        yield f"rig,name={name} {','.join(fields)} {words['time_ns'][k] + offset}"


def sent(points):
    """Whether the store has them."""
    text = "\n".join(points) + "\n"
    if store == "-":
        print(text, end="", flush=True)
        return True
    try:
        with urllib.request.urlopen(urllib.request.Request(store, text.encode(), method="POST"), timeout=5.0):
            return True
    except urllib.error.HTTPError as error:
        if error.code < 500:
            sys.exit(f"{store}: {error.code} {error.read().decode(errors='replace').strip()}")
    except OSError as error:
        print(f"{store}: {error}; {len(points)} points wait", file=sys.stderr, flush=True)
    return False


try:
    while True:
        for socket, _ in poller.poll(1000):
            block = msgpack.unpackb(socket.recv_multipart()[1])
            key = (names[socket], block["run"])
            if block["first"] != following.get(key, block["first"]):
                lost += block["first"] - following[key]
                print(f"{names[socket]}: {lost} samples were lost on the way", file=sys.stderr, flush=True)
            following[key] = block["first"] + block["count"]
            waiting += lines(names[socket], block)
        del waiting[:-MOST]
        if len(waiting) >= 500 and sent(waiting):  # a request for some seconds of a rig
            waiting.clear()
except KeyboardInterrupt:
    if waiting:  # perhaps once more, where the interrupt cut a request off: the store overwrites a point that it has
        sent(waiting)
