"""What a line can carry: characters, gaps, the device's own time. What asks for more is refused, with the sum."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from firmware_bridge.serial_text.settings import Described, Device, Told
from hilctl.params import Problem

_REMEDY = "lower loop.rate_hz, raise baud, read slow signals every n-th tick, or shorten the messages"


class Line(NamedTuple):
    """A serial port, and the messages of the tick on it."""

    port: str
    devices: tuple[str, ...]
    fast: tuple[Told, ...]  # in every tick
    slow: tuple[Told, ...]
    streams: tuple[Told, ...]


def lines(described: Described) -> tuple[Line, ...]:
    """Every line of the rig, in the order of its devices."""
    ports: dict[str, list[str]] = {}
    for name, device in described.devices.items():
        ports.setdefault(device.port, []).append(name)
    made = []
    for port, names in ports.items():
        there = [told for told in described.of_tick() if told.own.device in names]
        made.append(Line(
            port, tuple(names),
            tuple(told for told in there if told.is_fast),
            tuple(told for told in there if not told.streams and not told.is_fast),
            tuple(told for told in there if told.streams),
        ))  # fmt: skip
    return tuple(made)


def character_bits(device: Device) -> int:
    """Bits of one character on the line."""
    return 1 + device.data_bits + (device.parity != "none") + device.stop_bits


def line_s(device: Device, characters: int) -> float:
    """How long characters take on the line."""
    return characters * character_bits(device) / device.baud


def exchange_s(told: Told) -> float:
    """How long an exchange takes, up to the instant at which the next may begin."""
    device = told.device
    answer_s = device.answer_s if told.own.answer else 0.0
    return line_s(device, told.request.most + told.answer.most) + answer_s + device.gap_s


def sum_text(told: Told) -> str:
    """The same as a sum."""
    device, count = told.device, told.request.most + told.answer.most
    parts = [f"{count} characters of {character_bits(device)} bits at {device.baud} Bd {_ms(line_s(device, count))}"]
    parts += [f"answer_s {_ms(device.answer_s)}"] if device.answer_s else []
    parts += [f"gap_s {_ms(device.gap_s)}"] if device.gap_s else []
    return f"{told.name}: {' + '.join(parts)}" + (f" = {_ms(exchange_s(told))}" if len(parts) > 1 else "")


def oldest_s(described: Described, told: Told, rate_hz: float) -> float:
    """The largest age of its readings while nothing fails: the turn, and the exchange itself."""
    if told.streams:
        return 2 * told.own.period_s + line_s(told.device, told.answer.most)
    taken_s = exchange_s(told)
    if described.waits(told):
        return taken_s
    line = next(one for one in lines(described) if told in one.slow or told in one.fast)
    turn_s = math.ceil(max(told.own.every / rate_hz, sum(map(exchange_s, line.slow))) * rate_hz - 1e-9) / rate_hz
    return turn_s + math.ceil(taken_s * rate_hz) / rate_hz


def refusals(described: Described, rate_hz: float, share: float, at: str) -> Iterator[Problem]:
    """What cannot be at this rate: `share` of a period is there for the exchanges of every tick."""
    for line in lines(described):
        sums = "; ".join(sum_text(told) for told in (*line.fast, *line.slow, *line.streams))
        told = f"the line on {line.port}"
        fast_s = sum(map(exchange_s, line.fast))
        most_hz = share / fast_s if fast_s else math.inf
        if rate_hz > most_hz:
            yield Problem("loop.rate_hz", rate_hz, f"{told} carries {most_hz:.4g} Hz: {sums}", _REMEDY)
        elif fast_s:
            yield from _beside_fast(line, fast_s, rate_hz, share, f"{told}: {sums}")
        else:
            load = sum(math.ceil(exchange_s(m) * rate_hz - 1e-9) / m.own.every for m in _taking_turns(line))
            yield from _turns(line, load, at, f"{told}: {sums}")
        yield from _streams(line, at)


def _beside_fast(line: Line, fast_s: float, rate_hz: float, share: float, told: str) -> Iterator[Problem]:
    """One slow message a tick, in what the others leave of it."""
    for slow in line.slow:
        most_hz = share / (fast_s + exchange_s(slow))
        if rate_hz > most_hz:
            yield Problem("loop.rate_hz", rate_hz, f"{slow.name} does not fit into a tick with the messages of every "
                          f"tick, {most_hz:.4g} Hz together, on {told}", _REMEDY)  # fmt: skip
    yield from _turns(line, sum(1 / slow.own.every for slow in _taking_turns(line)), "driver", told)


def _taking_turns(line: Line) -> tuple[Told, ...]:
    """The slow ones that come again and again."""
    return tuple(slow for slow in line.slow if slow.own.when == "tick")


def _turns(line: Line, load: float, at: str, told: str) -> Iterator[Problem]:
    if load > 1 + 1e-9:
        fastest = min(_taking_turns(line), key=lambda slow: slow.own.every)
        yield Problem(f"{at}.messages.{fastest.name}.every", fastest.own.every,
                      f"asks {load:.3g} times as much as there is on {told}", "raise it")  # fmt: skip


def _streams(line: Line, at: str) -> Iterator[Problem]:
    for told in line.streams:
        takes_s = line_s(told.device, told.answer.most)
        if 0 < told.own.period_s < takes_s:
            yield Problem(f"{at}.messages.{told.name}.period_s", told.own.period_s, f"is shorter than the message: "
                          f"{sum_text(told)}", "give the device's true period, or raise baud")  # fmt: skip


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"
