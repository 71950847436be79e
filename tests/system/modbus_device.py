"""A Modbus device in a process of its own: pymodbus' server, the twin behind its registers, faults on demand.

    python -m tests.system.modbus_device tcp [PORT] | rtu

Prints {"port": …} or {"serial": …}, the host's end of a serial line of two pseudo-terminals; then obeys one JSON
command a line and answers each with one line.
"""

import asyncio
import ctypes
import json
import os
import signal
import struct
import sys
import tty
from typing import Any

import numpy as np
from pymodbus.constants import ExcCodes
from pymodbus.pdu.device import ModbusDeviceIdentification
from pymodbus.server import ModbusSerialServer, ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

from firmware_bridge.driver import COMMAND, READINGS
from hilctl import rig
from sim.driver import TwinDriver

UNIT, FIRST, LAST = 1, 0, 63
VALVE, ENABLE, SUPPLY, HEARTBEAT, WATCHDOG = 0, 1, 2, 3, 40
SAMPLES_AT, TICK, FAULT = 10, 23, 24
PERIOD_S = 1e-3
SECOND = 401  # in every register of the second unit on the same bus, which does nothing
_DIE_WITH_PARENT = 1


class Device:
    """Registers, and the plant behind them."""

    def __init__(self) -> None:
        facts = rig.load("table-500", twin=True, changes={"twin.supply.rise_s": 0.02}).facts(virtual=True)
        self.twin = TwinDriver(TwinDriver.resolve({"supply": {"rise_s": 0.02}}, facts), facts)
        self.command: Any = np.zeros(1, COMMAND)[0]
        self.readings: Any = np.zeros(1, READINGS)[0]
        self.registers: list[int] = []
        self.begin()
        self.command.periods = 1
        self.twin.exchange(self.twin.state, self.command, self.readings)  # compiled now, not at the first request

    def begin(self) -> None:
        """As after switching on."""
        self.twin.open()
        self.registers[:] = [0] * len(self.registers)
        self.tick = self.requests = 0
        self.last_s: float | None = None
        self.fed_s: float | None = None
        self.heartbeat = -1
        self.faults: dict[str, Any] = {}
        self.real = False  # time passes by itself; otherwise by a period a sample

    def sample(self, registers: list[int]) -> None:
        """Time passes, the plant moves, the registers show it."""
        now_s = asyncio.get_running_loop().time()
        periods = 1
        if self.real:
            periods = 0 if self.last_s is None else int((now_s - self.last_s) / PERIOD_S)
            self.last_s = now_s if self.last_s is None else self.last_s + periods * PERIOD_S
        if periods:
            self._watch(registers, now_s)
            self._command(registers)
            self.command.periods = min(periods, 200)
            self.twin.exchange(self.twin.state, self.command, self.readings)
            self.tick += not self.faults.get("same_sample", False)
        self._show(registers)

    def _watch(self, registers: list[int], now_s: float) -> None:
        """The time-to-live: a heartbeat that stands still trips, latched."""
        if registers[HEARTBEAT] != self.heartbeat or self.fed_s is None:
            self.heartbeat, self.fed_s = registers[HEARTBEAT], now_s
        live_s = registers[WATCHDOG] * 1e-3
        if self.real and live_s and registers[ENABLE] and now_s - self.fed_s > live_s:
            registers[FAULT] = 9

    def _command(self, registers: list[int]) -> None:
        tripped = registers[FAULT] != 0
        raw = struct.unpack(">h", struct.pack(">H", registers[VALVE]))[0]
        self.command.valve = 0.0 if tripped else raw / 32767
        self.command.enable = 0 if tripped else registers[ENABLE]
        self.command.supply = 0 if tripped else registers[SUPPLY]

    def _show(self, registers: list[int]) -> None:
        r = self.readings
        packed = struct.pack(
            ">ifiiIhhHH", round(r.displacement_m * 1e6), r.acceleration_m_s2, round(r.pressure_a_pa / 100),
            round(r.pressure_b_pa / 100), round(max(r.supply_pressure_pa, 0.0)), round(r.spool * 1e4),
            round(r.oil_temperature_degc * 10), round(r.emergency_stop), self.tick & 0xFFFF,
        )  # fmt: skip
        registers[SAMPLES_AT:FAULT] = struct.unpack(f">{FAULT - SAMPLES_AT}H", packed)

    async def action(
        self, function: int, start: int, address: int, count: int, registers: list[int], values: Any
    ) -> Any:
        """Before registers are read or written."""
        if values is None:
            self.requests += 1
            await self._delay()
            self.sample(registers)
            registers[HEARTBEAT] += 1 if self.faults.get("other_master") else 0
        elif self.faults.get("writes_too"):
            await self._delay()
        elif address == WATCHDOG and "least_watchdog" in self.faults:
            values[0] = max(values[0], self.faults["least_watchdog"])
        code = self.faults.get("exception")
        if self.faults.get("only", address) != address or (self.faults.get("reads") and values is not None):
            return None
        if code and self.faults.get("times", 1) > 0:
            self.faults["times"] = self.faults.get("times", 1) - 1
            return ExcCodes(code)
        return None

    async def _delay(self) -> None:
        every = self.faults.get("delay_every", 1)
        if self.faults.get("delay_s") and self.requests % every == 0:
            await asyncio.sleep(self.faults["delay_s"])

    def packet(self, sending: bool, data: bytes) -> bytes:
        """What goes over the line, as the faults will have it."""
        mangle = self.faults.get("mangle")
        if not sending or mangle is None or self.faults.get("count", 1) <= 0:
            return data
        self.faults["count"] = self.faults.get("count", 1) - 1
        changed = bytearray(data)
        if mangle == "silent":
            return b""
        if mangle == "twice":
            return data + data
        if mangle == "short":
            return data[:-3]
        if mangle == "flip":
            changed[-4] ^= 0x10
        elif mangle == "unit":
            changed[self.unit_at] += 1
        return bytes(changed)

    unit_at = 6

    def obey(self, said: dict[str, Any]) -> Any:
        """One command."""
        if "begin" in said:
            self.begin()
        if "faults" in said:
            self.faults = said["faults"]
        if "set" in said:
            for address, value in said["set"].items():
                self.registers[int(address)] = value
        self.real = said.get("real", self.real)
        if self.real:
            self.sample(self.registers)
        return {"registers": self.registers[:64], "tick": self.tick, "requests": self.requests}


def line() -> tuple[str, str]:
    """Two pseudo-terminals back to back: the names of their ends. They live as long as this process."""
    masters, names = [], []
    for _ in range(2):
        master, slave = os.openpty()
        tty.setraw(slave)
        masters.append(master)
        names.append(os.ttyname(slave))
    for one, other in (masters, masters[::-1]):
        asyncio.get_running_loop().add_reader(one, lambda a=one, b=other: os.write(b, os.read(a, 4096)))
    return names[0], names[1]


async def main(arguments: list[str]) -> None:
    """Serves until the end of the input."""
    device = Device()
    blocks = [SimData(FIRST, count=LAST + 1, values=0, datatype=DataType.REGISTERS)]
    names = {"VendorName": "hilctl", "ProductCode": "bench", "MajorMinorRevision": "1.0"}
    identity = ModbusDeviceIdentification(info_name=names)
    sim = SimDevice(UNIT, simdata=blocks, action=device.action, identity=identity)
    same = [SimData(FIRST, count=LAST + 1, values=SECOND, datatype=DataType.REGISTERS)]
    second = SimDevice(UNIT + 1, simdata=same)
    shared = {"trace_packet": device.packet, "identity": identity, "ignore_missing_devices": True}
    if arguments[0] == "tcp":
        port = int(arguments[1]) if arguments[1:] else 0
        server: Any = ModbusTcpServer([sim, second], address=("127.0.0.1", port), **shared)
    else:
        device.unit_at = 0
        near, far = line()
        server = ModbusSerialServer([sim, second], port=near, baudrate=115200, parity="N", **shared)
    await server.serve_forever(background=True)
    device.registers = server.context.devices[UNIT].block["x"][2]
    place = {"port": server.transport.sockets[0].getsockname()[1]} if arguments[0] == "tcp" else {"serial": far}
    print(json.dumps(place), flush=True)
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while said := await lines.readline():
        print(json.dumps(device.obey(json.loads(said))), flush=True)


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    asyncio.run(main(sys.argv[1:]))
