"""The rig file's [driver] table for name = "modbus": the devices, and the register of every signal.

    [driver.amplifier]             a device: how it is reached
    [driver.output.valve]          a register that is written: valve, enable, supply, heartbeat, reset
    [driver.reading.displacement]  a register that is read: one a sensor, and device_tick, fault
    [driver.watchdog]              the register that takes the time-to-live

Addresses count from 0, as they travel. value = scale × register + offset, in the unit that is named.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from firmware_bridge.described.signals import OUTPUTS, READINGS, UNITS, UnitName
from hilctl.params import Params, Problem, extended, note, number, whole
from hilctl.signals import SENSOR_KINDS

DeviceName = Literal["none", "amplifier", "transducers", "auxiliary"]
DEVICES: tuple[str, ...] = get_args(DeviceName)[1:]
TypeName = Literal["int16", "uint16", "int32", "uint32", "float32"]
TYPES: tuple[str, ...] = get_args(TypeName)


def words_of_type(name: str) -> int:
    """How many registers a value takes."""
    return 1 if name in ("int16", "uint16") else 2


class Device(Params):
    """How one device is connected. Devices with the same host and port, or the same serial port, share that bus."""

    transport: Annotated[Literal["none", "tcp", "rtu"], note("its connection; none: the rig has no such device")] = (
        "none"
    )
    host: Annotated[str, note("TCP: name or address")] = ""
    port: Annotated[int, whole(1, 65535, "", "TCP: port")] = 502
    serial: Annotated[str, note("RTU: serial port, for example /dev/serial/by-id/…")] = ""
    baud: Annotated[int, whole(1200, 4_000_000, "Bd", "RTU: bits per second")] = 19200
    parity: Annotated[Literal["even", "odd", "none"], note("RTU: parity")] = "even"
    stop_bits: Annotated[int, whole(1, 2, "", "RTU: stop bits")] = 1
    gap_s: Annotated[
        float | None,
        number(0, 0.1, "s", "RTU: silence between frames; if omitted: 3.5 characters, 1.75 ms above 19200 Bd"),
    ] = None
    unit: Annotated[int, whole(0, 255, "", "unit id")] = 1
    requests_at_once: Annotated[
        int,
        whole(1, 2, "", "TCP: requests that may wait together for their answers; 2: the next tick's overtakes one"),
    ] = 1
    fc23: Annotated[bool, note("the device has function 23: it writes and reads in one exchange")] = False
    read_across: Annotated[int, whole(0, 100, "", "unused registers that one request may read across")] = 0
    answer_s: Annotated[float, number(0, 1, "s", "delay before the device begins to answer")] = 0.0
    vendor: Annotated[str, note("vendor name that function 43 must return; empty: any")] = ""
    product: Annotated[str, note("product code that function 43 must return; empty: any")] = ""
    revision: Annotated[str, note("revision that function 43 must return; empty: any")] = ""

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """A transport with its address."""
        if self.transport == "tcp" and not self.host:
            yield Problem(f"{at}.host", self.host, "is missing", "give its name or address")
        if self.transport == "rtu":
            if not self.serial:
                yield Problem(f"{at}.serial", self.serial, "is missing", "give the serial port, see /dev/serial/by-id")
            if self.requests_at_once > 1:
                yield Problem(f"{at}.requests_at_once", self.requests_at_once, "must be 1 on a serial line",
                              "it carries one request at a time")
            if not 1 <= self.unit <= 247:
                yield Problem(f"{at}.unit", self.unit, "must be 1 to 247 on a serial line", "0 would be a broadcast")


class Register(Params):
    """A value in one or two registers of a device."""

    device: Annotated[DeviceName, note("device that holds it; none: the rig has no such signal")] = "none"
    address: Annotated[int | None, whole(0, 65535, "", "register, counted from 0")] = None
    type: Annotated[TypeName, note("type of the number in the register")] = "int16"
    words: Annotated[Literal["high_first", "low_first"], note("order of the two registers of 32 bits")] = "high_first"
    scale: Annotated[float, number(-1e9, 1e9, "", "value of one count")] = 1.0
    offset: Annotated[float, number(-1e9, 1e9, "", "value of count 0")] = 0.0

    @property
    def length(self) -> int:
        """How many registers it takes."""
        return words_of_type(self.type)

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """A signal has an address, and a scale that can be inverted."""
        if self.device != "none" and self.address is None:
            yield Problem(f"{at}.address", self.address, "is required", "give the register, counted from 0")
        if self.scale == 0:
            yield Problem(f"{at}.scale", self.scale, "must not be 0", "give the value of one count")
        if (self.address or 0) + self.length > 65536:
            yield Problem(f"{at}.address", self.address, f"must leave room for {self.length} registers below 65536")


class Reading(Register):
    """A signal that is read."""

    function: Annotated[int, whole(3, 4, "", "3: holding register, 4: input register")] = 3
    unit: Annotated[UnitName, note("unit of scale and offset; empty: the signal's own SI unit")] = ""
    every: Annotated[int, whole(1, 10_000, "", "poll group: read every n-th tick")] = 1
    stale_s: Annotated[float, number(1e-3, 600, "s", "a reading older than this is not used")] = 0.05


class Counter(Reading):
    """A reading without sign."""

    type: Annotated[TypeName, note("type of the number in the register")] = "uint16"


class Output(Register):
    """A signal that is written in every tick."""


class Switch(Output):
    """An output that has no sign."""

    type: Annotated[TypeName, note("type of the number in the register")] = "uint16"


class Watchdog(Register):
    """The register that takes the time-to-live."""

    type: Annotated[TypeName, note("type of the number in the register")] = "uint16"
    scale: Annotated[float, number(1e-9, 1, "s", "seconds of one count")] = 1e-3
    fixed_s: Annotated[
        float | None, number(1e-3, 1, "s", "fixed time-to-live of a device that has no register for it")
    ] = None


if TYPE_CHECKING:

    class _SensorTable(Params):
        """One entry for each of signals.SENSOR_KINDS."""

        def __getattr__(self, name: str) -> Reading: ...

else:
    _SensorTable = extended(
        Params, "_SensorTable", [(kind.name, Counter, Counter()) if kind.alarm else (kind.name, Reading, Reading())
                                 for kind in SENSOR_KINDS],
    )  # fmt: skip


class ReadingTable(_SensorTable):
    """Every signal that can be read."""

    device_tick: Counter = Counter()  # of the device's samples: dates what is read in the same request
    fault: Counter = Counter()  # not 0: the device has tripped

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Units that measure the right thing."""
        for name in READINGS:
            own: Reading = getattr(self, name)
            if own.unit not in UNITS[name]:
                allowed = ", ".join(repr(unit) for unit in UNITS[name])
                yield Problem(f"{at}.{name}.unit", own.unit, f"must be one of {allowed}")


class OutputTable(Params):
    """Every signal that can be written."""

    valve: Output = Output()
    enable: Switch = Switch()
    supply: Switch = Switch()  # 0 off, 1 low, 2 high pressure
    heartbeat: Switch = Switch()  # another number in every tick, for the device's watchdog
    reset: Switch = Switch()  # 1 with the first command after a fault that asks for enable or supply again; else 0


class Config(Params):
    """Devices and registers."""

    amplifier: Device = Device()
    transducers: Device = Device()
    auxiliary: Device = Device()
    output: OutputTable = OutputTable()
    reading: ReadingTable = ReadingTable()
    watchdog: Watchdog = Watchdog()
    connect_timeout_s: Annotated[
        float, number(0.02, 1, "s", "time limit of an answer outside the tick; a request is made three times")
    ] = 0.1
    answer_timeout_s: Annotated[float, number(1e-3, 1, "s", "time limit for a request in the tick")] = 0.05
    lost_after: Annotated[int, whole(1, 1000, "", "requests without answer in a row after which the link is lost")] = 10
    read_back_every: Annotated[
        int | None,
        whole(0, 1000, "", "ticks between two read-backs of the outputs, to notice another master; 0: never; if "
              "omitted: as often as takes an eighth of the bus' time, on a serial line a twenty-fifth"),
    ] = None

    def device(self, name: str) -> Device:
        """A device by its name."""
        found: Device = getattr(self, name)
        return found

    def registers(self) -> Iterator[tuple[str, Register]]:
        """Every signal that the rig has, with its key."""
        for table, names in (("output", OUTPUTS), ("reading", READINGS)):
            for name in names:
                own: Register = getattr(getattr(self, table), name)
                if own.device != "none":
                    yield f"{table}.{name}", own
        if self.watchdog.device != "none":
            yield "watchdog", self.watchdog

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Signals on described devices; no register written twice; one serial port with one setting."""
        for key, own in self.registers():
            if self.device(own.device).transport == "none":
                yield Problem(
                    f"{at}.{key}.device",
                    own.device,
                    "is not described",
                    f"set driver.{own.device}.transport to tcp or rtu",
                )
        yield from self._overlaps(at)
        yield from self._lines(at)
        if self.watchdog.device not in (self.output.valve.device, "none") and self.output.valve.device != "none":
            yield Problem(
                f"{at}.watchdog.device",
                self.watchdog.device,
                f"must be {self.output.valve.device}, which has the valve",
            )
        if self.output.reset.device != "none" and self.reading.fault.device == "none":
            yield Problem(
                f"{at}.output.reset.device",
                self.output.reset.device,
                "is written after a fault, and no register shows a fault",
                f"describe {at}.reading.fault",
            )
        drives = any(key.startswith("output.") for key, _ in self.registers())
        if drives and self.watchdog.device == "none" and self.watchdog.fixed_s is None:
            yield Problem(
                f"{at}.watchdog.device",
                self.watchdog.device,
                "is missing: the device must make its outputs safe when the host falls silent",
                "give the register that takes the time-to-live, or set watchdog.fixed_s",
            )

    def _overlaps(self, at: str) -> Iterator[Problem]:
        taken: dict[tuple[str, int], str] = {}
        for key, own in self.registers():
            if isinstance(own, Reading) or own.address is None:
                continue
            for address in range(own.address, own.address + own.length):
                other = taken.setdefault((own.device, address), key)
                if other != key:
                    yield Problem(
                        f"{at}.{key}.address",
                        own.address,
                        f"register {address} is also that of {at}.{other}",
                        "give each its own",
                    )
                    break

    def _lines(self, at: str) -> Iterator[Problem]:
        first: dict[object, str] = {}
        for name in DEVICES:
            own = self.device(name)
            if own.transport == "tcp":
                other = first.setdefault((own.host, own.port), name)
                value, wanted = own.requests_at_once, self.device(other).requests_at_once
                if value != wanted:
                    yield Problem(f"{at}.{name}.requests_at_once", value,
                                  f"must be {wanted}, as {at}.{other}.requests_at_once: one connection")
            if own.transport != "rtu":
                continue
            other = first.setdefault(own.serial, name)
            for key in ("baud", "parity", "stop_bits", "gap_s"):
                value, wanted = getattr(own, key), getattr(self.device(other), key)
                if value != wanted:
                    yield Problem(f"{at}.{name}.{key}", value, f"must be {wanted}, as {at}.{other}.{key}: one line")
            if other != name and own.unit == self.device(other).unit:
                yield Problem(
                    f"{at}.{name}.unit",
                    own.unit,
                    f"is also that of {at}.{other} on the same line",
                    "give each device its own",
                )
