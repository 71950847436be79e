"""The register map into the driver's memory, and the link's counters out of it."""

import os
import time
from typing import Any

import numpy as np

from firmware_bridge.described.inbox import DISARMED, REBOOTED
from firmware_bridge.described.signals import OUTPUTS, READINGS, UNITS
from firmware_bridge.modbus.budget import gap_s, line_s
from firmware_bridge.modbus.plan import Request, buses
from firmware_bridge.modbus.record import MOST_REQUESTS, RTU, TCP, head
from firmware_bridge.modbus.settings import TYPES, Config, Reading, Register

_S = 1_000_000_000
COUNTERS = (
    "sent", "answered", "timeouts", "checksums", "bad_replies", "wrong_unit", "strays", "busy", "errno", "longest_ns",
    "read_backs", "postponed", "overwritten",
)  # fmt: skip


def fill(state: Any, config: Config, read_back_every: int, found: dict[int, float] | None = None) -> None:
    """Writes everything but the descriptors; `found` are the readings that are known already."""
    state[:] = 0
    own, now_ns = head(state), time.monotonic_ns()
    own.answer_ns, own.lost_after = round(config.answer_timeout_s * _S), config.lost_after
    own.counter_raw = -1
    own.counter_mask = 0xFFFF if config.reading.device_tick.length == 1 else 0xFFFFFFFF
    own.value[:] = np.nan
    for signal, value in (found or {}).items():
        own.value[signal] = value
    own.taken_ns[:] = own.told_ns[:] = now_ns
    own.reading["request"] = own.output["request"] = own.back["request"] = -1
    own.back_every, own.foreign = read_back_every, -1
    own.bus["fd"] = own.bus["pending"] = own.bus["earlier"] = -1
    number = 0
    for row, bus in zip(own.bus, buses(config), strict=False):
        device = config.device(bus.devices[0])
        row.kind, row.first = RTU if device.transport == "rtu" else TCP, number
        row.at_once = device.requests_at_once if device.transport == "tcp" else 1
        row.fast, row.slow, row.back, row.watch = len(bus.fast), len(bus.slow), len(bus.back), len(bus.watch)
        row.gap_ns, row.character_ps = round(gap_s(device) * _S), round(line_s(device, 1) * 1000 * _S)
        for request in (*bus.fast, *bus.slow, *bus.back, *bus.watch):
            _fill_request(own, number, request, config)
            number += 1
        own.buses += 1
    if number > MOST_REQUESTS:
        raise AssertionError(f"{number} requests, and room for {MOST_REQUESTS}")  # 17 signals and 4 read-backs at most


def _fill_request(own: Any, number: int, request: Request, config: Config) -> None:
    device, row = config.device(request.device), own.request[number]
    row.unit, row.function, row.every = device.unit, request.function, request.every
    row.read_at, row.read_count = request.read_at, request.read_count
    row.write_at, row.write_count = request.write_at, request.write_count
    characters = request.asked + request.answered + 6
    row.takes_ns = round((line_s(device, characters) + gap_s(device) + device.answer_s) * _S)
    for place in request.readings:
        name = READINGS[place.signal]
        reading: Reading = getattr(config.reading, name)
        target = own.reading[place.signal]
        _fill_place(target, number, place.word, reading, UNITS[name][reading.unit])
        target.stale_ns, target.fast = round(reading.stale_s * _S), int(request.every == 1)
    for place in request.outputs:
        table = own.output if request.write_count else own.back
        _fill_place(table[place.signal], number, place.word, _written(config, place.signal), 1.0)


def _written(config: Config, signal: int) -> Register:
    own: Register = config.watchdog if signal == len(OUTPUTS) else getattr(config.output, OUTPUTS[signal])
    return own


def _fill_place(row: Any, number: int, word: int, signal: Register, si: float) -> None:
    row.request, row.word = number, word
    row.kind, row.low_first = TYPES.index(signal.type), int(signal.words == "low_first")
    row.scale, row.offset = si * signal.scale, si * signal.offset


def health(state: Any, names: list[str]) -> dict[str, Any]:
    """The counters of every bus by its name, and what closed one."""
    buses = dict(zip(names, link_health(state), strict=False))
    closed = [f"{name}: {_why_closed(bus['errno'])}" for name, bus in buses.items() if not bus["open"]]
    return {
        **({"reason": "; ".join(closed)} if closed else {}),
        **({"overwritten": overwritten} if (overwritten := _overwritten(state)) else {}),
        "buses": buses,
    }


def _why_closed(errno: int) -> str:
    if errno > 0:
        return os.strerror(errno)
    return {
        0: "it fell silent",
        REBOOTED: "its sample counter started over: it has rebooted",
        DISARMED: "its watchdog register does not hold loop.time_to_live_s any more: it has rebooted, or another "
        "master wrote it",
    }[errno]


def _overwritten(state: Any) -> str:
    """What another master wrote last, as read back; empty while nobody did."""
    own = head(state)
    if own.foreign < 0:
        return ""
    times = sum(int(bus.overwritten) for bus in own.bus[: own.buses])
    return f"{OUTPUTS[own.foreign]} held {int(own.foreign_bits)} that was not written here; {times} in all"


def link_health(state: Any) -> list[dict[str, Any]]:
    """The counters of every bus."""
    own = head(state)
    return [
        {**{name: int(bus[name]) for name in COUNTERS},
         "open": bool(bus.fd >= 0),
         "exceptions": {code: int(count) for code, count in enumerate(bus.exceptions) if count}}
        for bus in own.bus[: own.buses]
    ]  # fmt: skip
