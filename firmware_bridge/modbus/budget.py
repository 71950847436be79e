"""How fast a bus can be: characters, gaps, answers. What asks for more than that is refused, with the sum.

RTU (Modbus over Serial Line 1.02, 2.5.1): a character is a start bit, eight data bits, parity, stop bits; frames stand
apart by 3.5 characters, by 1.75 ms above 19200 Bd. One exchange is request, gap, answer, gap.
"""

import math
from collections.abc import Iterator

from firmware_bridge.described.signals import READINGS
from firmware_bridge.modbus.plan import Bus, Request, buses
from firmware_bridge.modbus.settings import Config, Device
from hilctl.params import Problem

_RTU_EXTRA = 3  # address and checksum
# Of a bus' time, where the rig file leaves read_back_every open. A line is busy for half of a period already.
_READ_BACK_SHARE = {"tcp": 1 / 8, "rtu": 1 / 25}
_UNSTATED_ANSWER_S = 0.25e-3  # of a TCP device whose answer_s is 0: between a fast one (0.1 ms) and a slow one (1 ms)
_FASTEST_BY_CHARACTERS, _FIXED_GAP_S = 19200, 1.75e-3


def character_bits(device: Device) -> int:
    """Bits of one character on the line."""
    return 1 + 8 + (device.parity != "none") + device.stop_bits


def gap_s(device: Device) -> float:
    """Silence between two frames."""
    if device.transport != "rtu":
        return 0.0
    if device.gap_s is not None:
        return device.gap_s
    return _FIXED_GAP_S if device.baud > _FASTEST_BY_CHARACTERS else 3.5 * character_bits(device) / device.baud


def line_s(device: Device, characters: int) -> float:
    """How long characters take on the line."""
    return characters * character_bits(device) / device.baud if device.transport == "rtu" else 0.0


def exchange_s(device: Device, request: Request) -> float:
    """How long one exchange takes, up to the instant at which the next may begin."""
    return line_s(device, _characters(request)) + 2 * gap_s(device) + device.answer_s


def sum_text(device: Device, request: Request, at: str = "driver") -> str:
    """The same as a sum."""
    parts = []
    if device.transport == "rtu":
        count, bits = _characters(request), character_bits(device)
        parts.append(f"{count} bytes of {bits} bits at {device.baud} Bd {_ms(line_s(device, count))}")
        parts.append(f"2 gaps {_ms(2 * gap_s(device))}")
    if device.answer_s or not parts:
        parts.append(f"answer {_ms(device.answer_s)}")
    return f"{request.text()} of {at}.{request.device}: {' + '.join(parts)} = {_ms(exchange_s(device, request))}"


def refusals(config: Config, rate_hz: float, share: float, at: str = "driver") -> Iterator[Problem]:
    """What cannot be at this rate. `share` of a period is there for the exchange; a gap at its end may lie beyond."""
    for bus in buses(config):
        line = _Line(config, bus, at)
        if bus.fast:
            most_hz = line.most_hz(bus.fast, share)
            if rate_hz > most_hz:
                yield Problem("loop.rate_hz", rate_hz, f"{line.name} carries {most_hz:.0f} Hz: {line.sums}", _REMEDY)
            else:
                yield from _slow_beside_fast(line, rate_hz, share)
                yield from _back_before_fast(line, config, rate_hz, share)
        else:
            turns = sum(math.ceil(line.seconds[r] * rate_hz - 1e-9) / r.every for r in bus.slow)
            yield from _turns(line, turns)


def read_back_every(config: Config, rate_hz: float, share: float) -> int:
    """After how many ticks outputs are read back: what the rig file says, or what a share of the time carries.

    The share is an eighth over TCP, a twenty-fifth on a serial line. 0: never, where no tick has time for it.
    """
    if config.read_back_every is not None:
        return config.read_back_every
    lines = [_Line(config, bus, "driver") for bus in buses(config) if bus.back]
    turns = [line.turns_back(rate_hz, share) for line in lines]
    return max(turns) if turns and all(turns) else 0


_REMEDY = "lower loop.rate_hz, raise baud, read slow signals every n-th tick, or use function 23"


class _Line:
    """A bus with its times."""

    def __init__(self, config: Config, bus: Bus, at: str) -> None:
        self.bus, self.at = bus, at
        own = config.device(bus.devices[0])
        self.name = f"the bus on {own.serial}" if own.transport == "rtu" else f"the bus on {own.host}:{own.port}"
        self.gap_s = gap_s(own)
        self.back_share = _READ_BACK_SHARE[own.transport]
        self.seconds = {request: exchange_s(config.device(request.device), request)
                        for request in (*bus.fast, *bus.slow, *bus.back, *bus.watch)}
        every = (*bus.fast, *bus.slow)
        self.sums = "; ".join(sum_text(config.device(request.device), request, at) for request in every)

    def most_hz(self, requests: tuple[Request, ...], share: float) -> float:
        """How often these can be made one after another, in every period."""
        whole_s = sum(self.seconds[request] for request in requests)
        if whole_s == 0:
            return math.inf
        return min(1 / whole_s, share / max(whole_s - self.gap_s, 1e-12))

    def carries_back(self, rate_hz: float, share: float) -> bool:
        """Whether one tick has time for the longest read-back and what is exchanged in every tick."""
        extra = (*self.bus.back, *self.bus.watch)
        return all(rate_hz <= self.most_hz((*self.bus.fast, request), share) for request in extra)

    def turns_back(self, rate_hz: float, share: float) -> int:
        """How many ticks from one read-back to the next; 0: it does not fit."""
        left = 1 - sum(1 / request.every for request in self.bus.slow)  # of the ticks; the others have a slow request
        if left < 1e-3 or not self.carries_back(rate_hz, share):
            return 0
        longest_s = max(self.seconds[request] for request in self.bus.back) or _UNSTATED_ANSWER_S
        return math.ceil(max(longest_s * rate_hz / self.back_share, 1 / left) - 1e-9)


def _slow_beside_fast(line: _Line, rate_hz: float, share: float) -> Iterator[Problem]:
    """One slow request a tick, in what the fast ones leave of it."""
    for request in line.bus.slow:
        most_hz = line.most_hz((*line.bus.fast, request), share)
        if rate_hz > most_hz:
            yield Problem("loop.rate_hz", rate_hz, f"what is read every {request.every} ticks does not fit into a tick "
                          f"of {line.name} with its other requests, {most_hz:.0f} Hz together: {line.sums}",
                          "lower loop.rate_hz, or use a separate bus")
    yield from _turns(line, sum(1 / request.every for request in line.bus.slow))


def _back_before_fast(line: _Line, config: Config, rate_hz: float, share: float) -> Iterator[Problem]:
    """Where the rig file asks for it by itself."""
    if config.read_back_every and not line.carries_back(rate_hz, share):
        most_hz = min(line.most_hz((*line.bus.fast, request), share) for request in line.bus.back)
        yield Problem(f"{line.at}.read_back_every", config.read_back_every, f"reading the outputs back does not fit "
                      f"into a tick of {line.name} with its other requests, {most_hz:.0f} Hz together: "
                      f"{line.sums}", "lower loop.rate_hz, raise baud, or set 0: another master is then not noticed")


def _turns(line: _Line, load: float) -> Iterator[Problem]:
    if load > 1 + 1e-9:
        fastest = min(line.bus.slow, key=lambda request: request.every)
        names = ", ".join(READINGS[place.signal] for place in fastest.readings)
        yield Problem(f"{line.at}.reading every, of {names}", fastest.every,
                      f"asks {load:.3g} times as much as {line.name} carries: {line.sums}", "raise it")


def _characters(request: Request) -> int:
    return request.asked + request.answered + 2 * _RTU_EXTRA


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"
