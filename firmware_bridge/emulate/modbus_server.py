"""pymodbus' servers in front of a device: over TCP, and on a pseudo-terminal that takes the time a line takes.

A request is handled in the turn of the event loop after the one in which it came: no datastore here ever waits, so its
coroutine runs through at once. Delays are the line's.
"""

import asyncio
import math
import socket
import time
from typing import Any

from pymodbus.framer import FramerType
from pymodbus.pdu.device import ModbusDeviceIdentification
from pymodbus.server import ModbusSerialServer, ModbusTcpServer
from pymodbus.server.requesthandler import ServerRequestHandler
from pymodbus.simulator import DataType, SimData, SimDevice

from firmware_bridge.emulate.arrivals import DatedSocket, arrivals
from firmware_bridge.emulate.modbus_device import Datastore, ModbusDevice
from firmware_bridge.emulate.pty_line import PtyLine
from firmware_bridge.modbus.budget import character_bits, gap_s
from firmware_bridge.modbus.settings import Device as DeviceSettings
from hilctl.errors import HilctlError

IDENTITY = {"VendorName": "hilctl", "ProductCode": "emulate", "MajorMinorRevision": "1.0",
            "ProductName": "amplifier with a plant behind it"}  # fmt: skip
_NOISE_S, _NOISE_BYTES = 0.005, 16
_MOST_WAITING = 65536
_MOST_UNHEARD = 4096


class Handler(ServerRequestHandler):
    """One connection."""

    device: ModbusDevice
    unit_at = 6
    due_s = math.nan  # when what comes next was there, on a line that takes its time
    _fd = -1  # of the connection, where there is one
    _turn = False  # a request waits for its turn
    _more = False  # others have come with it

    def callback_connected(self) -> None:
        """As little may wait unheard as in a device: a flood is heard in pieces, and time passes in between."""
        super().callback_connected()
        connection = self.transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _MOST_UNHEARD)
            self._fd = connection.fileno()

    def callback_data(self, data: bytes, addr: Any = None) -> int:
        """Bytes have come; unheard, they are gone. What comes while a request waits for its turn waits as well."""
        if self._turn:
            return 0
        if not self._more:
            if not self.device.line.hears(time.monotonic()):
                return len(data)
            if self._fd >= 0:
                self.device.came_ns = arrivals.of(self._fd)
        self._begun_ns, self._begins_s, self._more = time.perf_counter_ns(), self.due_s, False
        used = int(super().callback_data(data, addr))
        self._turn = self.last_pdu is not None  # pymodbus asks for it
        if not self._turn and 0 < used < len(data):
            self._look_again()
        return used

    def handle_later(self) -> None:
        """Runs through; the next that has come is looked at in the turn after this one."""
        self._turn = False
        try:
            self.handle_request().send(None)  # type: ignore[no-untyped-call]
        except StopIteration:
            self.device.spent_us.append((time.perf_counter_ns() - self._begun_ns) / 1e3)
        if self.recv_buffer:
            self._look_again()

    def _look_again(self) -> None:
        self._more = True
        self.loop.call_soon(self.data_received, b"")

    def send(self, data: bytes, addr: Any = None) -> None:
        """An answer, as the line's faults leave it."""
        for piece in self.device.line.outgoing(data, time.monotonic(), self.unit_at):
            if piece.delay_s:
                self.loop.call_later(piece.delay_s, self._put, piece.data)
            else:
                self._put(piece.data)

    def _put(self, data: bytes) -> None:
        """What the host does not take is lost: a device never waits, nor grows."""
        if self.transport is not None and self.transport.get_write_buffer_size() < _MOST_WAITING:  # type: ignore[attr-defined]
            self.transport.write(data)  # type: ignore[attr-defined]


class TcpServer(ModbusTcpServer):
    """A port, with every connection that it has accepted."""

    def __init__(self, device: ModbusDevice, store: Datastore, host: str, port: int) -> None:
        super().__init__(_nothing(), address=(host, port), identity=_identity(), ignore_missing_devices=True)
        self.context = store  # type: ignore[assignment]
        self._device, self._place = device, (host, port)
        self.call_create = self._create

    async def _create(self) -> asyncio.Server:
        """As pymodbus would, on a socket of ours."""
        listening = DatedSocket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(self._place)
        except OSError:
            listening.close()
            raise
        return await self.loop.create_server(self.handle_new_connection, sock=listening, start_serving=True)

    def callback_new_connection(self) -> Any:
        """A handler on our device."""
        made = Handler(self, None, None, None)  # type: ignore[no-untyped-call]
        made.device = self._device
        return made

    def drop(self) -> None:
        """Cuts every connection."""
        for handler in list(self.active_connections.values()):
            if handler.transport is not None:
                handler.transport.abort()  # type: ignore[attr-defined]


class LineHandler(Handler):
    """The device's end of a line, where an answer begins when its request was through."""

    unit_at = 0
    transport: "_Uart"

    def handle_later(self) -> None:
        """However late this host wakes or works."""
        self.transport.due_s = self._begins_s
        super().handle_later()
        self.transport.due_s = math.nan


class RtuServer(ModbusSerialServer):
    """The device's end of a serial line."""

    def __init__(self, device: ModbusDevice, store: Datastore, line: PtyLine, settings: DeviceSettings) -> None:
        super().__init__(_nothing(), port=line.name, framer=FramerType.RTU, identity=_identity(),
                         ignore_missing_devices=True)
        self.context = store  # type: ignore[assignment]
        self._device, self._line = device, line
        self._character_s, self._gap_s = character_bits(settings) / settings.baud, gap_s(settings)
        self._handler = LineHandler(self, None, None, None)  # type: ignore[no-untyped-call]
        self._handler.device = device
        self._handler.connection_made(_Uart(line, self._character_s, self.loop))
        self._free_s = 0.0
        line.received = self._heard

    def _heard(self, data: bytes, came_ns: int) -> None:
        """Bytes are there when their characters have passed, and a frame when the silence after it has."""
        now_s = 1e-9 * came_ns
        if now_s > self._free_s + self._gap_s:
            self._handler.recv_buffer = b""  # the silence between frames delimits them
        self._free_s = max(now_s, self._free_s) + len(data) * self._character_s
        complete_s = self._free_s + self._gap_s
        self.loop.call_at(complete_s, self._complete, complete_s, data)

    def _complete(self, due_s: float, data: bytes) -> None:
        """The device has a frame."""
        self._handler.due_s = due_s
        self._handler.data_received(data)

    def babble(self, until_s: float) -> None:
        """Noise until then."""
        if time.monotonic() < until_s:
            self._line.write(self._device.line.noise(_NOISE_BYTES))
            self.loop.call_later(_NOISE_S, self.babble, until_s)


class _Uart(asyncio.Transport):
    """What the handler writes to: the bytes are through when their characters have passed."""

    def __init__(self, line: PtyLine, character_s: float, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._line, self._character_s, self._loop = line, character_s, loop
        self.due_s = math.nan  # the beginning of what is written now

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Later, all at once."""
        begins_s = self._loop.time() if math.isnan(self.due_s) else self.due_s
        self._loop.call_at(begins_s + len(data) * self._character_s, self._line.write, bytes(data))

    def get_write_buffer_size(self) -> int:
        """Nothing waits: what a terminal does not take is lost."""
        return 0

    def close(self) -> None:
        """The line is somebody else's."""


def _nothing() -> SimDevice:
    """pymodbus wants a device of its own; ours takes its place."""
    return SimDevice(1, simdata=[SimData(0, count=1, values=0, datatype=DataType.REGISTERS)])


def _identity() -> ModbusDeviceIdentification:
    return ModbusDeviceIdentification(info_name=IDENTITY)  # type: ignore[no-untyped-call]


def listening(server: TcpServer) -> int:
    """The port in use."""
    sockets = server.transport.sockets  # type: ignore[attr-defined]
    return int(sockets[0].getsockname()[1])


async def listen(server: TcpServer, host: str, port: int) -> None:
    """Begins to serve. HilctlError when the port is taken."""
    if not await server.listen():
        raise HilctlError(f"{host}:{port} cannot be listened on; does another emulation run? Name another --port")

