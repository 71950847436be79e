"""The Python client. It imports no compiler: a script that drives a rig starts as fast as any other.

with Client() as rig:                       # the only service that runs here, or Client("table-500"), or an endpoint
    rig.arm()
    motion = rig.track("triangle", speed_m_s=0.02, amplitude_m=0.005, cycles=4)
    rig.wait(motion)
    x = rig.samples(motion.first, channels=["position_m"])
"""

from hilctl.client.client import Client, Motion, Outcome
from hilctl.client.connection import NoReply, ServiceGone
from hilctl.client.jobs import Jobs
from hilctl.client.private import private_service
from hilctl.client.wall import WallClock
from hilctl.wire.errors import Code, Refused

__all__ = [
    "Client", "Code", "Jobs", "Motion", "NoReply", "Outcome", "Refused", "ServiceGone", "WallClock", "private_service",
]  # fmt: skip
