"""The whole service on a mixed rig: the firmware's board on its line, and pressures from Modbus RTU at 40 Hz."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

from firmware_bridge.serial_frame.messages import ONE, DeviceTrip
from hilctl.signals import Status
from tests.system.modbus_parts import device
from tests.system.serial_parts import board, service_of
from tests.system.service_parts import driven_to_its_end, in_time, strokes, undisturbed, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]

RATE_HZ, EVERY = 200, 5  # the transducers are read at 40 Hz
VALVE, ENABLE, SUPPLY = 0, 1, 2  # the transducers' registers
CHANNELS = ["tick", "status", "error_m", "displacement_m", "xr_m", "pressure_a_pa", "supply_pressure_pa",
            "pressure_a_age_ns"]  # fmt: skip
PATIENT = {
    "loop.rate_hz": RATE_HZ,
    "arming.bump_s": 0.25,  # ten readings of the transducers
    "limits.stale.max_s": 0.5,
    **{f"limits.{limit}.ticks": 100 for limit in ("driver", "sensing", "stale", "tracking_error", "read_back")},
}


def mixed(amplifier, transducers):
    """The board with the valve, and two pressures that stand in a register map of their own."""
    own = {"device": "transducers", "type": "int32", "scale": 1e-3, "unit": "bar", "every": EVERY, "stale_s": 30.0}
    reading = {"pressure_a": {**own, "address": 14}, "pressure_b": {**own, "address": 16}}
    slow = {"name": "modbus", "transducers": transducers.reach(), "reading": reading, "answer_timeout_s": 0.4}
    return {"name": "mixed", "parts": {"amplifier": {"name": "serial", "port": amplifier.port}, "transducers": slow}}


@contextmanager
def one_cylinder(amplifier, transducers):
    """The transducers' plant gets the commands that the board has, for it is the same. Gives what the board is."""
    enough, one_asks = threading.Event(), threading.Lock()

    def of_board():
        with one_asks:
            return amplifier.seen()

    def follow():
        while not enough.wait(2e-3):
            seen = of_board()
            valve = round(32767 * seen["valve"] / ONE) & 0xFFFF
            transducers.tell(set={VALVE: valve, ENABLE: seen["enable"], SUPPLY: seen["supply"]}, real=True)

    with ThreadPoolExecutor(1) as pool:
        following = pool.submit(follow)
        try:
            yield of_board
        finally:
            enough.set()
            following.result()


@pytest.mark.slow
def test_a_board_and_slow_transducers_are_one_rig():
    with (
        device("rtu") as transducers,
        board() as amplifier,
        service_of(amplifier, **PATIENT, driver=mixed(amplifier, transducers)) as (_, rig),
    ):
        with one_cylinder(amplifier, transducers) as of_board:
            _, outcome = undisturbed(
                lambda: driven_to_its_end(
                    rig,
                    lambda: of_board()["trip"] == DeviceTrip.TIME_TO_LIVE,
                    "sine",
                    amplitude_m=0.005,
                    frequency_hz=1.0,
                    cycles=2,
                )
            )
        rows = rig.samples(outcome.first, outcome.last, CHANNELS)
        core = rig.status()["core"]
        assert core["ran"] + core["missed"] == core["due"]
        good = rows["status"] == Status.OK
        assert in_time(good) > 0.9
        assert rows["displacement_m"].max() > 0.004 and rows["displacement_m"].min() < -0.004
        assert abs(rows["error_m"][good]).max() < 0.003
        assert np.median([abs(rows["error_m"][part]).max() for part in strokes(rows["xr_m"])]) < 2e-3
        # every pressure is the transducers': it changes when they are read later than before, and in between it stands
        (changed,) = np.nonzero(np.diff(rows["pressure_a_pa"]))
        later_by = np.diff(rows["tick"]) * (10**9 // RATE_HZ) - np.diff(rows["pressure_a_age_ns"])
        assert len(changed) > 0 and later_by[changed].min() > 10**9 // RATE_HZ
        assert np.median(rows["supply_pressure_pa"]) > 1.5e7
        # a pressure comes once in so many ticks, never more often, and ages meanwhile
        fell = np.flatnonzero(np.diff(rows["pressure_a_age_ns"]) < 0)
        ticks = rows["tick"][-1] - rows["tick"][0] + 1
        assert 0.5 * len(rows["tick"]) / EVERY < len(fell) <= ticks / EVERY + 1
        assert rows["pressure_a_age_ns"].max() > (EVERY - 1) * 10**9 // RATE_HZ
        # the transducers go: nothing waits for them, and the pressures say how old they are
        ran = rig.status()["core"]["ran"]
        transducers.end()
        status = until(lambda: (s := rig.status())["trip"] and s, "the trip")
        assert status["trip"]["name"] == "sensor_stale"
        assert status["core"]["ran"] > ran
