"""How late a running loop wakes, as its own samples say."""

import time

import numpy as np

from hilctl.client import Client
from hilctl.errors import HilctlError


def wake_p99_us(rig: Client, seconds: float) -> float:
    """The 99th percentile of its latencies from now on; memory must hold so many seconds."""
    first = rig.status()["history"]["end"]
    time.sleep(seconds)
    last = rig.status()["history"]["end"] - 1
    found = 1e-3 * float(np.percentile(rig.samples(first, last, ["wake_ns"])["wake_ns"], 99))
    if not found > 0:
        raise HilctlError("the wake-up latency was not measured")
    return found
