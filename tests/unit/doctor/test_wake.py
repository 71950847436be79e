"""The measurement itself, in a process of its own: it locks memory, and takes real-time priority where it may."""

import json
import os
import subprocess
import sys

_SCRIPT = """
import json, os, subprocess
from hilctl.doctor import wake
from hilctl.doctor.finding import Wish
policies, children, real = [], [], subprocess.Popen
def popen(*arguments, **named):
    policies.append(os.sched_getscheduler(0))
    children.append(real(*arguments, **named))
    return children[-1]
wake.subprocess.Popen = popen
rights, waking = wake.measure(Wish(rate_hz=1000.0, priority=1), 0.1, 1)
ended = [child.returncode is not None for child in children]
seen = [w._asdict() | {"outcome": w.outcome._asdict()} for w in waking]
print(json.dumps({"policies": policies, "ended": ended, "seen": seen}))
"""


def test_threads_are_watched_and_what_keeps_the_host_busy_is_ordinary_and_ends() -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["policies"] == [os.SCHED_OTHER]  # else it would take the host from everybody, and not come back
    assert told["ended"] == [True]
    for seen in told["seen"]:
        assert seen["outcome"]["due"] == seen["number"] + seen["outcome"]["missed"] >= 50
        assert sum(seen["counts"]) == seen["number"]
        assert 0 <= seen["p50_us"] <= seen["p99_us"] <= seen["max_us"]
