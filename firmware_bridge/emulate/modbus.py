"""`hilctl emulate modbus-tcp` and `modbus-rtu`: one device, a server for each of its buses."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firmware_bridge.emulate.faults import RTU, TCP
from firmware_bridge.emulate.modbus_device import ModbusDevice
from firmware_bridge.emulate.modbus_server import RtuServer, TcpServer, listen, listening
from firmware_bridge.emulate.pty_line import PtyLine
from firmware_bridge.modbus.plan import Bus, buses
from hilctl.errors import HilctlError

HOST = "127.0.0.1"


class Tcp(ModbusDevice):
    """Over TCP."""

    async def begin(self, port: int | None) -> list[str]:
        """Serves; where. `port`: of the first bus, the others follow; else those of the map."""
        self._servers: list[TcpServer] = []
        self._ports: list[int] = []
        for k, bus in enumerate(_buses(self, "tcp")):
            wanted = self.config.device(bus.devices[0]).port if port is None else port + k if port else 0
            while wanted and wanted in self._ports:
                wanted += 1
            await self._serve(k, bus, wanted)
        return [f"{HOST}:{port}" for port in self._ports]

    async def _serve(self, k: int, bus: Bus, port: int) -> None:
        server = TcpServer(self, self.datastore(bus.devices), HOST, port)
        await listen(server, HOST, port)
        self._servers[k:] = [server]
        self._ports[k:] = [listening(server)]

    def do_close(self) -> None:
        """Cut."""
        for server in self._servers:
            server.drop()

    def do_unplug(self, seconds: float) -> None:
        """Gone for a while."""
        for server in self._servers:
            server.drop()
            server.close()
        self.do_reboot()
        self.later(seconds, self._plug)

    def _plug(self) -> None:
        async def again() -> None:
            for k, (bus, port) in enumerate(zip(_buses(self, "tcp"), list(self._ports), strict=True)):
                await self._serve(k, bus, port)

        self._plugging = asyncio.ensure_future(again())

    def do_reboot(self) -> None:
        """As after switching on: no connection outlasts it."""
        super().do_reboot()
        self.do_close()

    def end(self) -> None:
        """Stops serving."""
        for server in self._servers:
            server.drop()
            server.close()


class Rtu(ModbusDevice):
    """On serial lines."""

    async def begin(self, link: Path) -> list[str]:
        """Serves; where."""
        self._lines: list[PtyLine] = []
        self._servers: list[RtuServer] = []
        for k, bus in enumerate(_buses(self, "rtu")):
            line = PtyLine(link if k == 0 else link.with_name(f"{link.name}-{k + 1}"))
            self._lines.append(line)
            store = self.datastore(bus.devices)
            self._servers.append(RtuServer(self, store, line, self.config.device(bus.devices[0])))
        return [str(line.link) for line in self._lines]

    def do_unplug(self, seconds: float) -> None:
        """Gone for a while."""
        for line in self._lines:
            line.unplug()
        self.do_reboot()
        for line in self._lines:
            self.later(seconds, line.plug)

    def do_babble(self, seconds: float) -> None:
        """Noise."""
        for server in self._servers:
            server.babble(time.monotonic() + seconds)

    def end(self) -> None:
        """Takes the lines away."""
        for line in self._lines:
            line.close()


MODBUS: dict[str, Callable[..., Any]] = {TCP: Tcp, RTU: Rtu}


def _buses(device: ModbusDevice, transport: str) -> list[Bus]:
    config = device.config
    found = [bus for bus in buses(config) if config.device(bus.devices[0]).transport == transport]
    if not found:
        raise HilctlError(f"the rig file's [driver] has no device with transport = {transport!r}")
    return found
