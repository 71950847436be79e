"""A whole client for a rig on another machine, without hilctl: arms it, tracks a triangle, prints what came of it.

Needs pyzmq and msgpack.

python plain_remote.py tcp://rig-pc:9870 alice.key
"""

import struct
import sys
import tomllib
import uuid
from pathlib import Path

import msgpack
import zmq

key = tomllib.loads(Path(sys.argv[2]).read_text())
socket = zmq.Context().socket(zmq.REQ)
socket.curve_serverkey, socket.curve_publickey = key["server"].encode(), key["public"].encode()
socket.curve_secretkey = key["secret"].encode()
socket.setsockopt(zmq.REQ_RELAXED, 1)
socket.setsockopt(zmq.RCVTIMEO, 5000)
socket.setsockopt(zmq.LINGER, 0)
socket.connect(sys.argv[1])
client, count, lease = str(uuid.uuid4()), 0, ""


def ask(op, **args):
    """The result of an operation; without a reply, the same bytes are sent again, and it is done once."""
    global count
    count += 1
    request = msgpack.packb({"v": 1, "client": client, "id": count, "op": op, "args": args, "lease": lease})
    for _ in range(3):
        socket.send(request)
        try:
            reply = msgpack.unpackb(socket.recv())
        except zmq.Again:
            continue
        if reply["id"] == count:
            if not reply["ok"]:
                sys.exit(f"{op}: {reply['error']['code']}: {reply['error']['message']}")
            return reply["result"]
    sys.exit(f"{op}: no reply; is the key right, and does the service run?")


rate = ask("hello", protocol=1)["rate_hz"]
lease = ask("lease", action="take", kind="console")["token"]
ask("arm")
while not ask("wait", mode="hold", timeout_s=2)["over"]:
    pass
motion = ask("track", kind="triangle", parameters={"speed_m_s": 0.02, "amplitude_m": 0.005, "cycles": 2})
while not (over := ask("wait", motion=motion["motion"], timeout_s=2))["over"]:
    pass
page = ask("fetch", first=motion["first"], last=over["last"], channels=["error_m"], every=int(rate // 100))
errors = struct.unpack(f"<{page['count']}d", page["columns"]["error_m"])
print(f"{over['why']}: largest error {1e6 * max(map(abs, errors)):.0f} µm over {motion['seconds']:.1f} s")
ask("off")
