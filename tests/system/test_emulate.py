"""`hilctl emulate` as it is used: registers read by another program, commands from another shell, the loop closed."""

import shutil
import socket
import subprocess
import sys

import numpy as np
import pytest

from firmware_bridge.emulate.control import tell
from firmware_bridge.emulate.modbus_map import RESET, default_config
from firmware_bridge.firmware.build import compiler
from hilctl.errors import HilctlError
from hilctl.signals import Status
from tests.system.emulate_parts import Emulation, driven
from tests.system.service_parts import arms, driven_to_its_end, environment, in_time, strokes, undisturbed, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]
NEEDS_CC = pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
SLOW = pytest.mark.slow
BRIDGES = ["modbus-tcp", pytest.param("modbus-rtu", marks=SLOW), pytest.param("serial", marks=NEEDS_CC),
           pytest.param("text", marks=SLOW), pytest.param("mixed", marks=[NEEDS_CC, SLOW])]  # fmt: skip


@pytest.fixture(scope="module")
def device():
    with Emulation("modbus-tcp") as made:
        yield made


def hilctl(*words):
    return subprocess.run([sys.executable, "-m", "hilctl", *words], capture_output=True, text=True, check=False,
                          env=environment())  # fmt: skip


@pytest.mark.skipif(shutil.which("mbpoll") is None, reason="needs mbpoll")
def test_another_masters_program_reads_and_writes_the_registers_as_documented(device):
    def poll(*words):
        done = subprocess.run(["mbpoll", "-0", "-t", "4", "-p", str(device.port), "-1", *words], capture_output=True,
                              text=True, check=False)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        pairs = (line.split(":") for line in done.stdout.splitlines() if line.startswith("["))
        return {int(key[1:-1]): int(value.split()[0]) for key, value in pairs}

    device.settle()
    config = default_config("tcp")
    shown = poll("-r", "10", "-c", "17", "127.0.0.1")
    assert set(shown) == set(range(10, 27))
    assert shown[config.reading.oil_temperature.address] == 400
    assert shown[config.reading.fault.address] == shown[config.reading.emergency_stop.address] == 0
    poll("-r", "40", "127.0.0.1", "50")
    assert device.seen["time_to_live_s"] == 0.05
    refused = subprocess.run(["mbpoll", "-0", "-t", "4", "-p", str(device.port), "-1", "-r", "40", "127.0.0.1", "0"],
                             capture_output=True, text=True, check=False)  # fmt: skip
    assert "Illegal data value" in refused.stdout + refused.stderr
    device.tell("watchdog")
    assert poll("-r", "24", "-c", "1", "127.0.0.1") == {24: 1}
    poll("-r", str(RESET), "127.0.0.1", "1")
    assert poll("-r", "24", "-c", "1", "127.0.0.1") == {24: 0}


def test_a_command_from_another_shell_is_obeyed_or_refused_with_the_nearest_name(device):
    done = hilctl("emulate", "modbus-tcp", "--at", str(device.at), "--tell", "clear")
    assert (done.returncode, done.stdout) == (0, "ok\n")
    done = hilctl("emulate", "modbus-tcp", "--at", str(device.at), "--tell", "emergency_stp")
    assert done.returncode == 2 and "did you mean 'emergency_stop'?" in done.stderr
    assert "emergency_stop" in device.tell("help")


def test_who_commands_an_emulation_that_is_not_there_is_told_what_to_do(tmp_path):
    with pytest.raises(HilctlError, match="start one with `hilctl emulate`"):
        tell(tmp_path / "none", "status")


def test_a_port_that_is_taken_is_told(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = hilctl("emulate", "modbus-tcp", "table-500", "--port", str(port), "--at", str(tmp_path / "at"))
    assert done.returncode == 1 and f"127.0.0.1:{port} cannot be listened on" in done.stderr


@pytest.mark.parametrize("cut", [24, 12, 30, 5])
def test_of_several_requests_that_come_at_once_each_is_answered_in_its_turn(device, cut):
    asked = [bytes.fromhex(f"{number:04x}000000060103000a0002") for number in range(1, 6)]
    stream, answers = b"".join(asked), b""
    with socket.create_connection(("127.0.0.1", device.port)) as host:
        host.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        host.settimeout(10)
        for part in (stream[:cut], stream[cut:]):
            host.sendall(part)
        while len(answers) < 5 * 13:
            answers += host.recv(4096)
    assert [answers[at : at + 2] for at in range(0, len(answers), 13)] == [request[:2] for request in asked]


def test_a_host_that_never_reads_does_not_hold_the_device_up(device):
    request = bytes.fromhex("0001000000060103000a0011")
    with socket.create_connection(("127.0.0.1", device.port)) as deaf:
        deaf.setblocking(False)
        sent = 0
        try:
            while sent < 10**8:
                sent += deaf.send(100 * request)
        except BlockingIOError:
            pass
        first = device.seen["tick"]
        until(lambda: device.seen["tick"] > first + 1000, "the device's time")


@pytest.mark.always
@pytest.mark.parametrize("transport", BRIDGES)
def test_the_demonstrations_triangles_are_tracked_over_the_bridge(transport):
    amplitude_m, cycles = 0.005, 3
    changes = {} if transport == "mixed" else {"loop__rate_hz": 200}
    with driven(transport, **changes) as (device, _, rig):
        motion, outcome = undisturbed(
            lambda: driven_to_its_end(
                rig,
                lambda: device.missed_its_host,
                "triangle",
                begin=lambda: device.tell("begin"),
                amplitude_m=amplitude_m,
                speed_m_s=0.02,
                cycles=cycles,
            )
        )
        channels = ["status", "error_m", "displacement_m", "xr_m", "load_pressure_pa"]
        rows = rig.samples(motion.first, outcome.last, channels)
        assert np.ptp(rows["load_pressure_pa"]) > 1e5  # of the plant that is commanded, wherever its pressures are read
        assert np.ptp(rows["displacement_m"]) == pytest.approx(2 * amplitude_m, rel=0.1)
        assert np.sqrt(np.mean(rows["error_m"] ** 2)) < 5e-4
        parts = strokes(rows["xr_m"])
        assert len(parts) >= 2 * cycles
        ends_m = [abs(rows["displacement_m"][part]).max() for part in parts]
        assert np.median(ends_m) == pytest.approx(amplitude_m, rel=0.05)
        assert np.median([np.sqrt(np.mean(rows["error_m"][part] ** 2)) for part in parts]) < 2e-4
        assert in_time(rows["status"] == Status.OK) > 0.9
        assert set(rows["status"]) <= {Status.OK, Status.LATE, Status.TIMEOUT, Status.BAD_REPLY}
        core = rig.status()["core"]
        assert core["ran"] + core["missed"] == core["due"] and core["rows_lost"] == 0
        rig.off()
        assert rig.wait_mode("off").mode == "off"
        until(lambda: not device.seen["enable"], "the device's null")
        assert not device.tripped


@pytest.mark.parametrize("transport", BRIDGES)
def test_the_supply_goes_to_low_and_to_high_on_the_device(transport):
    with driven(transport) as (device, _, rig):
        until(lambda: arms(rig, lambda: device.tell("begin")), "arming")
        for level, number in (("low", 1), ("high", 2)):
            found = rig.supply(level)
            assert (found["level"], found["why"]) == (level, "there")
            assert device.seen["supply"] == number
            assert (rig.status()["mode"], rig.status()["supply"]["level"]) == ("hold", level)
        rig.supply("off")
        until(lambda: device.seen["supply"] == 0, "the device's supply off")
