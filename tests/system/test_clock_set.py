"""Somebody sets the host's clock while the rig moves, an hour on and a day back: the loop goes by another clock.

Setting the real clock would set it for all that runs on this host. So the service and its core are started with a
library in front of the C library's clocks, which they all ask, and that is what is set.
"""

import struct
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.firmware.build import compiler
from tests.system.service_parts import armed, until

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.fresh,
    pytest.mark.timeout(120),
    pytest.mark.skipif(compiler() is None, reason="needs a C compiler"),
]

HOUR_S, DAY_S = 3600, 86_400


@pytest.fixture
def clock(tmp_path, monkeypatch):
    """Sets the clock of what is started from here on; seconds off the host's own."""
    library, off = tmp_path / "clock_set.so", tmp_path / "off"
    source = Path(__file__).with_name("clock_set.c")
    subprocess.run([compiler(), "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
    off.write_bytes(struct.pack("l", 0))
    monkeypatch.setenv("LD_PRELOAD", str(library))
    monkeypatch.setenv("CLOCK_SET_BY", str(off))

    def set_by(seconds):
        with open(off, "r+b") as file:
            file.write(struct.pack("l", seconds))

    return set_by


def stepped(was, now):
    """Whether the service has noticed a step since, and a second has passed."""
    return now["tick"] > was["tick"] + 1000 and now["wall"]["since_ns"] > was["wall"]["since_ns"]


@pytest.mark.slow
def test_the_clock_is_set_while_the_rig_moves_and_only_the_wall_time_of_samples_changes(clock):
    with armed(clock="real") as (_, rig):
        motion = rig.track("sine", amplitude_m=0.01, frequency_hz=2.0, cycles=10)
        off_s = []
        for seconds in (HOUR_S, -DAY_S, 0):
            was = rig.status()
            clock(seconds)
            now = until(lambda was=was: stepped(was, s := rig.status()) and s, "a second, and the step")
            off_s.append(round(1e-9 * (now["time_ns"] - time.time_ns())))
        outcome, wall = rig.wait(motion), rig.status()["wall"]
        rows = rig.samples(motion.first, channels=["tick", "skipped", "time_ns", "mode"])
    assert off_s == [HOUR_S, -DAY_S, 0]
    assert (outcome.why, outcome.trip) == ("done", "")
    assert (np.diff(rows["tick"]) == 1 + rows["skipped"][1:]).all()
    assert (np.diff(rows["time_ns"]) > 0).all()
    assert np.ptp(rows["time_ns"]) < 60e9
    added_ns = np.array([one["offset_ns"] for one in (*wall["before"], wall)])
    assert np.round(1e-9 * np.diff(added_ns)).tolist() == [HOUR_S, -DAY_S - HOUR_S, DAY_S]
