"""The telemetry of one rig for any number of subscribers: ZeroMQ's own proxy. Needs pyzmq.

python telemetry_proxy.py tcp://127.0.0.1:9871 tcp://127.0.0.1:9971

The service then sends each block once, however many listen. Messages pass as they are.
"""

import sys

import zmq

service, door = sys.argv[1:3]
context = zmq.Context()
upstream, downstream = context.socket(zmq.XSUB), context.socket(zmq.XPUB)
upstream.setsockopt(zmq.RCVHWM, 1000)  # blocks: twenty seconds
downstream.setsockopt(zmq.SNDHWM, 1000)  # for each subscriber; one that stalls longer loses blocks, the others do not
# The service hears of each subscriber that comes, and sends it the last status; and of the last one that goes.
downstream.setsockopt(zmq.XPUB_VERBOSER, 1)
upstream.connect(service)
downstream.bind(door)
print(f"{service} at {door}", flush=True)
try:
    zmq.proxy(upstream, downstream)
except KeyboardInterrupt:
    context.destroy(linger=0)
