"""What takes a processor for a measurement must not outlive it."""

import os
import select
import signal
import subprocess
import sys

MEASURES = """
import os, sys
from hilctl.doctor.wake import hogs
with hogs(1):
    print(open(f"/proc/self/task/{os.getpid()}/children").read(), flush=True)
    sys.stdin.read()
"""


def test_a_hog_ends_with_a_measurement_that_is_killed():
    measuring = subprocess.Popen([sys.executable, "-c", MEASURES], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    hog = os.pidfd_open(int(measuring.stdout.readline()))
    measuring.send_signal(signal.SIGKILL)
    measuring.communicate()
    ended, _, _ = select.select([hog], [], [], 30)
    os.close(hog)
    assert ended, "it still runs"
