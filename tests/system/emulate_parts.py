"""An emulation in a process of its own, what is told to it, and a service on it."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from firmware_bridge.emulate.control import tell
from firmware_bridge.serial_frame.messages import DeviceTrip
from hilctl.client import Client, private_service
from tests.system.service_parts import LATE_HOST, ROOM, SHARED, environment, until

PRESETS = {"modbus-tcp": "table-500-modbus", "modbus-rtu": "table-500-rtu", "serial": "table-500-serial",
           "text": "table-500-text"}  # fmt: skip
TRANSPORTS = tuple(PRESETS)
BRIDGES = {**PRESETS, "mixed": "table-500-mixed"}  # with transducers beside it
FAST = {"arming.rest_s": 0.3, "arming.bump_s": 0.1, "service.timeout_s": 10.0, "service.heartbeat_s": 0.1,
        **LATE_HOST, **ROOM, **SHARED}  # fmt: skip
RATES_HZ = {"modbus-rtu": 400, "text": 200}  # of the presets that do not run at 1 kHz
# A host that is busy delays answers, which is no fault of the link: within the time-to-live, in ticks.
PATIENT_S = 0.08


class Emulation:
    """A running `hilctl emulate`."""

    def __init__(self, transport: str, rig: str = "", *more: str) -> None:
        self.transport = transport
        rig = rig or ("table-500-text" if transport == "text" else "table-500")  # whose messages it serves
        self.folder = tempfile.TemporaryDirectory(prefix="hilctl-emulate-")
        at = Path(self.folder.name)
        self.at, self.link = at / "commands", at / "line"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hilctl", "emulate", transport, rig, "--at", str(self.at), "--link", str(self.link),
             "--port", "0", "--die-with-parent", "--set", "twin.supply.rise_s=0.02", *more],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
        )  # fmt: skip
        assert self.process.stdout is not None and self.process.stderr is not None
        self.told = self.process.stdout.readline().strip()
        if not self.told:
            raise AssertionError(f"the emulation ended: {self.process.stderr.read()}")

    @property
    def port(self) -> int:
        """Where it is reached, over TCP."""
        return int(self.told.partition(";")[0].rpartition(":")[2])

    @property
    def place(self) -> dict[str, Any]:
        """The rig file's keys that lead there."""
        if self.transport == "modbus-tcp":
            return {"driver.amplifier.port": self.port}
        if self.transport == "mixed":
            return {"driver.parts.amplifier.port": str(self.link),
                    "driver.parts.transducers.transducers.serial": f"{self.link}-transducers"}
        if self.transport == "text":
            return {"driver.devices.amplifier.port": str(self.link)}
        return {"driver.port" if self.transport == "serial" else "driver.amplifier.serial": str(self.link)}

    def tell(self, text: str) -> str:
        """A command that must be obeyed; its answer."""
        said = tell(self.at, text)
        assert not said.startswith("error"), said
        return said

    @property
    def seen(self) -> dict[str, Any]:
        """What the device is."""
        found: dict[str, Any] = json.loads(self.tell("status"))
        return found

    @property
    def tripped(self) -> bool:
        """Whether the device itself has tripped."""
        return self.seen["trip"] not in ("none", 0)

    @property
    def missed_its_host(self) -> bool:
        """Whether it has tripped because no command came in time."""
        return self.seen["trip"] in ("time_to_live", DeviceTrip.TIME_TO_LIVE)

    def settle(self) -> None:
        """No fault, no trip where the device has a reset key, and the table in the middle."""
        self.tell("clear")
        self.tell("begin")
        if self.transport != "serial":
            until(lambda: (self.tell("reset"), not self.tripped)[1], "the device's reset")

    def end(self) -> None:
        """Gone."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate()
        self.folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()


@contextmanager
def driven(transport: str, **changes: Any) -> Iterator[tuple[Emulation, Any, Client]]:
    """An emulation, a service of its preset on it, and a client."""
    with Emulation(transport) as device:
        own = {key.replace("__", "."): value for key, value in changes.items()}
        ticks = round(PATIENT_S * RATES_HZ.get(transport, 1000))
        limits = ("driver", "sensing", "stale", "tracking_error", "read_back")
        patient = {f"limits.{limit}.ticks": ticks for limit in limits}
        patient["limits.read_back.ticks"] = 2 * ticks  # after the limits on what a spool in the wrong place does
        settings = {**FAST, **patient, **device.place, **own}
        with (
            private_service(BRIDGES[transport], clock="real", twin=False, changes=settings) as service,
            Client(service.commands) as rig,
        ):
            yield device, service, rig
