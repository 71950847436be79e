"""From the register map to requests: which blocks are read and written, on which bus, how often.

Signals that stand next to each other in a device, and belong to one poll group, travel in one request. Where the device
has function 23, its first block of outputs and its first block of fast readings travel together. Every few ticks a
block of outputs is read back: what stands there must be what was written last.
"""

from typing import NamedTuple

from firmware_bridge.described.signals import OUTPUTS, READINGS, RESET
from firmware_bridge.modbus.settings import DEVICES, Config, Device, Reading, Register

READ_HOLDING, READ_INPUT, WRITE, READ_WRITE = 3, 4, 16, 23
_MOST_READ, _MOST_WRITTEN = 125, 121  # registers in one request: Modbus Application Protocol 1.1b3, 6.3, 6.12, 6.17


class Place(NamedTuple):
    """Where a signal stands in its request's block."""

    signal: int  # of READINGS or OUTPUTS
    word: int


class Request(NamedTuple):
    """One exchange with a device, the same again and again."""

    device: str
    function: int
    every: int
    read_at: int = 0
    read_count: int = 0
    readings: tuple[Place, ...] = ()
    write_at: int = 0
    write_count: int = 0
    outputs: tuple[Place, ...] = ()  # written, or read back

    @property
    def asked(self) -> int:
        """Bytes of the request: function and data, without address and checksum."""
        return {READ_WRITE: 10, WRITE: 6}.get(self.function, 5) + 2 * self.write_count

    @property
    def answered(self) -> int:
        """Bytes of the answer, likewise."""
        return 5 if self.function == WRITE else 2 + 2 * self.read_count

    def text(self) -> str:
        """What it does, for a person."""
        read = f"reads {_span(self.read_at, self.read_count)}" if self.read_count else ""
        written = f"writes {_span(self.write_at, self.write_count)}" if self.write_count else ""
        return f"function {self.function} {' and '.join(part for part in (written, read) if part)}"


class Bus(NamedTuple):
    """A connection or a serial line, and what is asked on it."""

    devices: tuple[str, ...]
    fast: tuple[Request, ...]  # in every tick
    slow: tuple[Request, ...]
    back: tuple[Request, ...] = ()  # outputs that are read back, one block at a time
    watch: tuple[Request, ...] = ()  # the watchdog's register, read back likewise


def buses(config: Config) -> tuple[Bus, ...]:
    """Every bus of the rig; those whose devices have nothing to say are left out."""
    lines: dict[tuple[object, ...], list[str]] = {}
    for name in DEVICES:
        own = config.device(name)
        if own.transport != "none":
            lines.setdefault(_line(own), []).append(name)
    made = []
    for names in lines.values():
        asked = [request for name in names for request in requests(config, name)]
        if asked:
            fast, slow = (tuple(r for r in asked if (r.every == 1) is quick) for quick in (True, False))
            back = tuple(request for name in names for request in _read_backs(config, name))
            watch = tuple(request for name in names for request in _watchdog(config, name)) if back else ()
            made.append(Bus(tuple(names), fast, slow, back, watch))
    return tuple(made)


def requests(config: Config, device: str) -> list[Request]:
    """The requests to one device; writes come first."""
    own = config.device(device)
    reads, writes = _reads(config, device, own), _writes(config, device)
    if own.fc23 and writes:
        for k, read in enumerate(reads):
            if read.every == 1 and read.function == READ_HOLDING:
                both = read._replace(function=READ_WRITE, write_at=writes[0].write_at,
                                     write_count=writes[0].write_count, outputs=writes[0].outputs)
                return [both, *writes[1:], *reads[:k], *reads[k + 1 :]]
    return [*writes, *reads]


def _line(own: Device) -> tuple[object, ...]:
    return ("tcp", own.host, own.port) if own.transport == "tcp" else ("rtu", own.serial)


def _reads(config: Config, device: str, own: Device) -> list[Request]:
    groups: dict[tuple[int, int], list[tuple[int, Register]]] = {}
    for k, name in enumerate(READINGS):
        reading: Reading = getattr(config.reading, name)
        if reading.device == device:
            groups.setdefault((reading.every, reading.function), []).append((k, reading))
    made = []
    for (every, function), signals in sorted(groups.items(), key=lambda group: group[0]):
        for first, count, places in _blocks(signals, own.read_across, _MOST_READ):
            made.append(Request(device, function, every, read_at=first, read_count=count, readings=places))
    return made


def _writes(config: Config, device: str) -> list[Request]:
    return [Request(device, WRITE, 1, write_at=first, write_count=count, outputs=places)
            for first, count, places in _blocks(_outputs(config, device), 0, _MOST_WRITTEN)]


def _read_backs(config: Config, device: str) -> list[Request]:
    """The outputs, but for the reset key, which a device may clear by itself."""
    if config.read_back_every == 0:
        return []
    signals = [signal for signal in _outputs(config, device) if signal[0] != RESET]
    return [Request(device, READ_HOLDING, 0, read_at=first, read_count=count, outputs=places)
            for first, count, places in _blocks(signals, 0, _MOST_WRITTEN)]


def _watchdog(config: Config, device: str) -> list[Request]:
    own = config.watchdog
    if own.device != device or config.read_back_every == 0:
        return []
    return [Request(device, READ_HOLDING, 0, read_at=own.address or 0, read_count=own.length,
                    outputs=(Place(len(OUTPUTS), 0),))]  # fmt: skip


def _outputs(config: Config, device: str) -> list[tuple[int, Register]]:
    return [(k, own) for k, name in enumerate(OUTPUTS) if (own := getattr(config.output, name)).device == device]


def _blocks(signals: list[tuple[int, Register]], across: int, most: int) -> list[tuple[int, int, tuple[Place, ...]]]:
    """Runs of registers: first, how many, and where each signal stands in it."""
    made: list[tuple[int, int, tuple[Place, ...]]] = []
    for k, own in sorted(signals, key=lambda signal: signal[1].address or 0):
        at = own.address or 0
        if made:
            first, count, places = made[-1]
            end = max(first + count, at + own.length)
            if at <= first + count + across and end - first <= most:
                made[-1] = (first, end - first, (*places, Place(k, at - first)))
                continue
        made.append((at, own.length, (Place(k, 0),)))
    return made


def _span(first: int, count: int) -> str:
    return f"register {first}" if count == 1 else f"registers {first} to {first + count - 1}"
