"""The whole service on serial devices that speak text and binary: alone, beside Modbus, for ten minutes; watchdogs."""

import json
import time
import tomllib

import numpy as np
import pytest

from firmware_bridge.driver import DriverError
from firmware_bridge.registry import configured, find
from hilctl import rig as rigs
from hilctl.cli.main import main
from hilctl.client import Client, private_service
from hilctl.rig_file import presets
from hilctl.signals import Status
from tests.system.emulate_parts import FAST, Emulation
from tests.system.service_parts import arms, driven_to_its_end, undisturbed, until

pytestmark = [pytest.mark.realtime, pytest.mark.slow, pytest.mark.timeout(300)]

PATIENT = {**{f"limits.{limit}.ticks": 16 for limit in ("driver", "sensing", "stale", "tracking_error")},
           **{key: value for key, value in FAST.items() if key != "arming.bump_s"}}  # fmt: skip
CHANNELS = ["status", "error_m", "displacement_m", "pressure_a_pa", "pressure_a_age_ns"]


@pytest.fixture
def three():
    """The three kinds of devices, emulated; and how a service reaches them."""
    with Emulation("text", "table-500-rs485") as device:
        ports = {"amplifier": "", "gauge": "-2", "transmitter_a": "-3", "transmitter_b": "-3"}
        yield device, {f"driver.devices.{name}.port": f"{device.link}{end}" for name, end in ports.items()}


def test_three_kinds_of_serial_devices_are_one_rig(three):
    device, places = three
    with (
        private_service("table-500-rs485", clock="real", twin=False, changes={**PATIENT, **places}) as service,
        Client(service.commands) as rig,
    ):
        motion, outcome = undisturbed(
            lambda: driven_to_its_end(
                rig, lambda: device.tripped, "triangle", begin=lambda: device.tell("begin"), amplitude_m=0.005,
                speed_m_s=0.02, cycles=2,
            )
        )  # fmt: skip
        rows = rig.samples(motion.first, outcome.last, CHANNELS)
        assert np.ptp(rows["displacement_m"]) == pytest.approx(0.01, rel=0.15)
        assert np.sqrt(np.mean(rows["error_m"] ** 2)) < 3e-4
        ages = rows["pressure_a_age_ns"]
        assert (np.diff(ages) < 0).any() and ages.max() > 20e6  # it is asked 40 times a second
        told = rig.status()["link"]["detail"]["lines"]
        assert {(line["checksums"], line["bad_replies"]) for line in told.values()} == {(0, 0)}


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_ten_minutes_without_a_loss_that_nothing_explains(three):
    """A stall of this host explains some: late ticks, the device's own time-to-live, answers that are late. Nothing
    that came was wrong, and every request was answered or given up."""
    device, places = three
    late = {f"{table}.pressure_{side}.stale_s": 1.0 for table in ("sensors", "driver.reading") for side in "ab"}
    with (
        private_service("table-500-rs485", clock="real", twin=False, changes={**PATIENT, **places, **late}) as service,
        Client(service.commands) as rig,
    ):
        moved_s = 0.0
        while moved_s < 600:
            until(lambda: arms(rig, lambda: device.tell("begin")), "arming")
            begun_s = time.monotonic()
            outcome = rig.wait(rig.track("sine", amplitude_m=0.005, frequency_hz=0.5, cycles=300))
            moved_s += time.monotonic() - begun_s
            trip = rig.status()["trip"]
            assert outcome.why == "done" or trip["name"] in ("late_ticks", "driver") or device.tripped, trip
            for line in rig.status()["link"]["detail"]["lines"].values():
                assert (line["checksums"], line["bad_replies"], line["wrong_address"]) == (0, 0, 0)
                assert line["sent"] == 0 or 0 <= line["sent"] - line["answered"] - line["timeouts"] <= 1


def flat(table, at=""):
    """A table as lines of TOML with dotted keys."""
    for key, value in table.items():
        name = f"{at}.{key}" if at else key
        if isinstance(value, dict):
            yield from flat(value, name)
        else:
            yield f"{name} = {json.dumps(value)}"


def driver_of(*names):
    """The [driver] tables of presets, one laid over the other."""
    made = {}
    for name in names:
        lay(tomllib.loads(presets()[name].read_text(encoding="utf-8"))["driver"], made)
    return made


def lay(over, under):
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(under.get(key), dict):
            lay(value, under[key])
        else:
            under[key] = value


def test_a_text_amplifier_and_modbus_transducers_are_one_rig(tmp_path):
    amplifier = driver_of("table-500-text")
    amplifier["messages"]["status"]["answer"] = (
        "{displacement:+9.4f},{acceleration:+9.4f},{device_tick:X6},{status:X2}*{check:X4}\\r")  # fmt: skip
    for name in ("pressure_a", "pressure_b"):
        del amplifier["reading"][name]
    amplifier["devices"]["amplifier"]["port"] = str(tmp_path / "amplifier")
    own = {"device": "transducers", "type": "int32", "scale": 1e-3, "unit": "bar", "every": 5, "stale_s": 0.5}
    box = {"transport": "rtu", "serial": str(tmp_path / "rtu"), "baud": 115_200, "parity": "none"}
    reading = {"pressure_a": {**own, "address": 14}, "pressure_b": {**own, "address": 16}}
    parts = {"amplifier": amplifier, "transducers": {"name": "modbus", "transducers": box, "reading": reading}}
    sensors = {name: {"stale_s": 0.5} for name in ("pressure_a", "pressure_b", "supply_pressure", "oil_temperature")}
    law = tomllib.loads(presets()["table-500-text"].read_text(encoding="utf-8"))["law"]
    file = tmp_path / "both.toml"
    file.write_text("\n".join(flat({
        "schema": 1, "base": str(presets()["table-500"]), "rig": {"name": "both"}, "law": law,
        "loop": {"rate_hz": 200.0, "time_to_live_s": 0.1}, "friction": {"fs": 600.0},
        "limits": {"position": {"min_m": -0.08, "max_m": 0.08}, "velocity": {"max_m_s": 0.2}},
        "sensors": {**sensors, "spool": {"present": False}, "oil_temperature": {"stale_s": 2.0}},
        "driver": {"name": "mixed", "parts": parts}, "arming": {"bump_s": 0.25},
    })))  # fmt: skip
    place = "driver.parts.amplifier.devices.amplifier.port"
    with (
        Emulation("text", str(file)) as device,
        private_service(str(file), clock="real", twin=False, changes={**PATIENT, place: str(device.link)}) as service,
        Client(service.commands) as rig,
    ):
        motion, outcome = undisturbed(
            lambda: driven_to_its_end(
                rig, lambda: device.tripped, "triangle", begin=lambda: device.tell("begin"), amplitude_m=0.005,
                speed_m_s=0.02, cycles=2,
            )
        )  # fmt: skip
        rows = rig.samples(motion.first, outcome.last, CHANNELS)
        assert np.ptp(rows["displacement_m"]) == pytest.approx(0.01, rel=0.15)
        assert np.ptp(rows["pressure_a_pa"]) > 1e4 and (np.diff(rows["pressure_a_age_ns"]) < 0).any()
        assert (rows["status"] == Status.OK).mean() > 0.5


# -- watchdogs


def watched(separate):
    """The preset with a watchdog of a fixed time: the amplifier's own, or another device's on a line of its own."""
    made = driver_of("table-500-text")
    del made["messages"]["watchdog"]
    made["watchdog"] = {"fixed_s": 0.1, "separate": separate}
    if separate:
        made["devices"]["relay"] = {"port": "/tmp/relay", "baud": 115_200}
        made["messages"]["feed"] = {"device": "relay", "request": "K{heartbeat:X4}\\r"}
    return made


def test_a_wrong_speed_is_named_by_trying(capsys):
    with Emulation("text", "table-500-text") as device:
        changes = [f"driver.devices.amplifier.port={device.link}", "driver.devices.amplifier.baud=230400",
                   "driver.connect_timeout_s=0.1"]  # fmt: skip
        assert main(["check", "table-500-text", "--set", *changes]) == 1
    assert "the device answers with baud = 460800" in capsys.readouterr().err


@pytest.mark.parametrize("separate", [False, True], ids=["the amplifier's own", "a separate one"])
def test_a_watchdog_of_a_fixed_time_is_proved_at_arming_or_refused(separate, tmp_path):
    table = watched(separate)
    file = tmp_path / "watched.toml"
    base = str(presets()["table-500-text"])
    other = {"device": "amplifier", "when": "arm", "request": "W\\r", "answer": "W\\r"}  # over the base's
    own = {**table, "messages": {**table["messages"], "watchdog": other}}
    file.write_text("\n".join(flat({"schema": 1, "base": base, "rig": {"name": "watched"}, "driver": own})))
    with Emulation("text", str(file)) as device:
        table["devices"]["amplifier"]["port"] = str(device.link)
        if separate:
            table["devices"]["relay"]["port"] = f"{device.link}-2"
        facts = rigs.load(str(file)).facts()
        kind = find("serial_text")
        driver = kind(configured(kind, {key: value for key, value in table.items() if key != "name"}, facts), facts)
        try:
            driver.open()
            assert not [text for text in driver.check() if "assumed" in text]
            driver.arm()
            driver.disarm()
            device.tell("slow_watchdog 5")
            with pytest.raises(DriverError, match=r"watchdog\.fixed_s = 0\.1 s: after .* has not tripped"):
                driver.arm()
            assert not device.seen["enable"]
        finally:
            driver.close()
