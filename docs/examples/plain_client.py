"""A whole client, without hilctl: arms the rig, tracks a triangle, prints what came of it. Needs pyzmq and msgpack.

python plain_client.py tcp://127.0.0.1:9870

It shows the access token of the user who runs the service; `hilctl keys token` prints where that is.
"""

import os
import struct
import sys
import uuid

import msgpack
import zmq

socket = zmq.Context().socket(zmq.REQ)
socket.connect(sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:9870")
client, count, token = str(uuid.uuid4()), 0, ""
runtime = os.environ.get("XDG_RUNTIME_DIR")
folder = f"{runtime}/hilctl" if runtime else f"/tmp/hilctl-{os.getuid()}"
with open(os.environ.get("HILCTL_TOKEN", f"{folder}/access.token")) as file:
    access = file.read().strip()


def ask(op, **args):
    """The result of an operation."""
    global count
    count += 1
    request = {"v": 1, "client": client, "id": count, "op": op, "args": args, "lease": token, "access": access}
    socket.send(msgpack.packb(request))
    reply = msgpack.unpackb(socket.recv())
    if not reply["ok"]:
        sys.exit(f"{op}: {reply['error']['code']}: {reply['error']['message']}")
    return reply["result"]


rate = ask("hello", protocol=1)["rate_hz"]
token = ask("lease", action="take", kind="console")["token"]
ask("arm")
ask("wait", mode="hold")
motion = ask("track", kind="triangle", parameters={"speed_m_s": 0.02, "amplitude_m": 0.005, "cycles": 2})
over = ask("wait", motion=motion["motion"])
page = ask("fetch", first=motion["first"], last=over["last"], channels=["error_m"], every=int(rate // 100))
errors = struct.unpack(f"<{page['count']}d", page["columns"]["error_m"])
print(f"{over['why']}: largest error {1e6 * max(map(abs, errors)):.0f} µm over {motion['seconds']:.1f} s")
ask("off")
