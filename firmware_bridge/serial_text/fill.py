"""The rig file's messages into the driver's memory as tables, and the lines' counters out of it."""

import os
import time
from typing import Any

import numpy as np

from firmware_bridge.described.inbox import DISARMED, REBOOTED
from firmware_bridge.described.signals import OUTPUTS, READINGS, UNITS
from firmware_bridge.serial_text.budget import Line, exchange_s, line_s, lines
from firmware_bridge.serial_text.checksums import CHECKSUMS, CRC, table_of
from firmware_bridge.serial_text.record import MOST_CRCS, MOST_FIELDS, MOST_PIECES, TEXTS, TEXTS_AT, head
from firmware_bridge.serial_text.rt_codec import CHECK_FIELD
from firmware_bridge.serial_text.settings import MOST_MESSAGES, SENT, Described, Output, Reading, Told
from firmware_bridge.serial_text.template import ADDRESS, CHECK, CHOICE, DECIMAL, HEX, LITERAL, Piece, Template
from hilctl.params import Problem

_S = 1_000_000_000
COUNTERS = (
    "sent", "answered", "timeouts", "checksums", "bad_replies", "wrong_address", "strays", "overwritten", "errno",
    "longest_ns",
)  # fmt: skip


class Tables:
    """Where everything stands in a memory: the number of each message, and of each of its fields."""

    def __init__(self, described: Described) -> None:
        self.described, self.lines = described, lines(described)
        ordered = [told for line in self.lines for told in (*line.fast, *line.slow, *line.streams)]
        ordered += [told for told in described.messages.values() if not told.in_tick]
        self.messages: dict[str, int] = {told.name: k for k, told in enumerate(ordered)}
        self.fields: dict[tuple[str, str, str], int] = {}
        for told in ordered:
            for part, template in (("request", told.request), ("answer", told.answer)):
                for name in template.names:
                    self.fields[told.name, part, name] = len(self.fields)
        self.ordered = ordered

    def too_much(self, at: str) -> list[Problem]:
        """What has no room."""
        pieces = sum(len(t.pieces) for told in self.ordered for t in (told.request, told.answer))
        texts = sum(_text_bytes(p) for told in self.ordered for t in (told.request, told.answer) for p in t.pieces)
        sums = {told.device.checksum for told in self.ordered if _is_crc(told)}
        found = (("messages", len(self.ordered), MOST_MESSAGES), ("pieces of templates", pieces, MOST_PIECES),
                 ("fields", len(self.fields), MOST_FIELDS), ("bytes of text", texts, TEXTS - 512),
                 ("kinds of CRC", len(sums), MOST_CRCS))  # fmt: skip
        return [Problem(f"{at}.messages", count, f"have room for {most} {what}", "divide them among the parts of a "
                        "mixed rig") for what, count, most in found if count > most]  # fmt: skip


def fill(state: Any, tables: Tables, found: dict[int, float] | None = None) -> None:
    """Writes everything but the descriptors; `found` are the readings that are known already."""
    state[:] = 0
    own, now_ns, described = head(state), time.monotonic_ns(), tables.described
    own.answer_ns, own.lost_after = round(described.general.answer_timeout_s * _S), described.general.lost_after
    own.counter_raw, own.foreign = -1, -1
    own.value[:] = own.held[:] = np.nan
    for signal, value in (found or {}).items():
        own.value[signal] = value
    own.taken_ns[:] = own.told_ns[:] = now_ns
    own.reading["request"] = own.output["request"] = own.output["shown_in"] = -1
    own.bus["fd"] = own.bus["pending"] = -1
    writer = _Writer(state, own)
    for told in tables.ordered:
        row = own.request[tables.messages[told.name]]
        for part, template in (("request", told.request), ("answer", told.answer)):
            writer.side(row[part], template, told, {n: tables.fields[told.name, part, n] for n in template.names})
        row.every, row.takes_ns = told.own.every, round(exchange_s(told) * _S)
        row.period_ns = round(told.own.period_s * _S)
        row.outputs = sum(1 << OUTPUTS.index(name) for name in told.outputs)
        row.sent_of[:], row.on_reset = np.nan, int(told.own.when == "reset")
    for k, line in enumerate(tables.lines):
        _fill_line(own.bus[k], line, tables)
    own.buses = len(tables.lines)
    for k, name in enumerate(READINGS):
        _fill_reading(own, k, name, tables)
    for k, name in enumerate(SENT):
        _fill_output(own, k, name, tables)


class _Writer:
    """Pieces, texts and tables of CRCs, one behind the other."""

    def __init__(self, state: Any, own: Any) -> None:
        self._state, self._own = state, own
        self._pieces = self._texts = 0
        self._crcs: dict[str, int] = {}

    def side(self, row: Any, template: Template, told: Told, fields: dict[str, int]) -> None:
        """A template's row, and those of its pieces."""
        row.piece, row.count = self._pieces, len(template.pieces)
        row.least, row.most = template.least, template.most
        row.covers_from, row.covers_to = template.covers_from, template.covers_to
        row.end_at, row.end_count = self._text(template.terminator), len(template.terminator)
        if template.has_check:
            self._checksum(row, str(told.device.checksum))
        for piece in template.pieces:
            self._piece(self._own.piece[self._pieces], piece, fields)
            self._pieces += 1

    def _checksum(self, row: Any, name: str) -> None:
        own = CHECKSUMS[name]
        row.kind, row.bits, row.begin, row.final = own.kind, own.bits, own.begin, own.final
        row.reflected, row.negative = int(own.reflected), int(own.negative)
        if own.kind == CRC:
            row.crc = self._crcs.setdefault(name, len(self._crcs))
            self._own.crc[row.crc] = table_of(own)

    def _piece(self, row: Any, piece: Piece, fields: dict[str, int]) -> None:
        row.kind, row.width, row.decimals, row.order = piece.kind, piece.width, piece.decimals, piece.order
        for name in ("plus", "zeros", "upper", "signed"):
            row[name] = int(getattr(piece, name))
        row.floating = int(piece.real)
        row.address = int(piece.name == ADDRESS)
        row.slot = CHECK_FIELD if piece.name == CHECK else fields.get(piece.name, -1)
        if piece.kind == LITERAL:
            row.text_at, row.count = self._text(piece.text), len(piece.text)
        elif piece.kind == CHOICE:
            row.text_at = self._text(b"".join(bytes((len(word),)) + word for word in piece.words))
            row.count = len(piece.words)

    def _text(self, text: bytes) -> int:
        at = self._texts
        self._state[TEXTS_AT + at : TEXTS_AT + at + len(text)] = list(text)
        self._texts += len(text)
        return at


def _fill_line(row: Any, line: Line, tables: Tables) -> None:
    there = (*line.fast, *line.slow, *line.streams)
    device = tables.described.devices[line.devices[0]]
    row.first = tables.messages[there[0].name] if there else 0
    row.fast, row.slow, row.streams = len(line.fast), len(line.slow), len(line.streams)
    row.gap_ns = round(_S * max(tables.described.devices[name].gap_s for name in line.devices))
    row.character_ps, row.echo = round(line_s(device, 1) * 1000 * _S), int(device.echo)
    periods = [told.own.period_s for told in line.streams]
    general = tables.described.general
    row.silence_ns = round(_S * general.lost_after * (max(periods) + general.answer_timeout_s)) if periods else 0


def _fill_reading(own: Any, k: int, name: str, tables: Tables) -> None:
    place = tables.described.read_in(name)
    if place is None:
        return
    told, field = place
    row, reading = own.reading[k], getattr(tables.described.reading, name)
    _scaled(row, reading, UNITS[name][reading.unit])
    row.request, row.slot = tables.messages[told.name], tables.fields[told.name, "answer", field]
    row.mask, row.stale_ns = reading.mask, round(reading.stale_s * _S)
    row.fast = int(told.streams or told.own.every == 1)
    if name == "device_tick":
        piece = next(p for p in told.answer.pieces if p.name == field)
        # A decimal counter wraps at no power of two: its start over is seen as such.
        own.counter_mask = (1 << 62) - 1 if piece.kind == DECIMAL else _counts(piece) - 1


def _counts(piece: Piece) -> int:
    """How many numbers a field can hold."""
    if piece.kind == CHOICE:
        return len(piece.words)
    if piece.kind == DECIMAL:
        return int(10 ** min(piece.width or 5, 9))
    return 1 << min(4 * piece.width if piece.kind == HEX else 8 * piece.width - (piece.signed or piece.real), 62)


def _fill_output(own: Any, k: int, name: str, tables: Tables) -> None:
    told = tables.described.sent_in(name)
    row = own.output[k]
    row.slot, row.wraps = -1, 65536
    shown = tables.described.shown_in(name)
    if shown is not None:
        row.shown_in, row.repeats = tables.messages[shown.name], tables.fields[shown.name, "answer", name]
        there = [shown.answer] + ([told.request] if told is not None and name in told.request.names else [])
        row.step = max(_step(template, name) for template in there)
    if name not in OUTPUTS:
        row.scale = tables.described.watchdog.scale
    else:
        _scaled(row, getattr(tables.described.output, name), 1.0)
    if told is None:
        return
    if name not in told.request.names:  # it is the reset's own message
        row.request = tables.messages[told.name]
        return
    if name == "heartbeat":
        row.wraps = _counts(next(p for p in told.request.pieces if p.name == name))
    row.request, row.slot = tables.messages[told.name], tables.fields[told.name, "request", name]


def _step(template: Template, name: str) -> float:
    """By how much a number may change on its way as text."""
    piece = next(piece for piece in template.pieces if piece.name == name)
    if piece.kind == DECIMAL:
        return 0.51 * 10.0**-piece.decimals
    return 1e-6 if piece.real else 0.51


def _scaled(row: Any, signal: Reading | Output, si: float) -> None:
    row.scale, row.offset = si * signal.scale, si * signal.offset


def _text_bytes(piece: Piece) -> int:
    return len(piece.text) + sum(1 + len(word) for word in piece.words)


def _is_crc(told: Told) -> bool:
    return told.device.checksum != "none" and CHECKSUMS[str(told.device.checksum)].kind == CRC


def health(state: Any, names: list[str]) -> dict[str, Any]:
    """The counters of every line by its name, and what closed one."""
    own = head(state)
    rows = {
        name: {**{counter: int(bus[counter]) for counter in COUNTERS}, "open": bool(bus.fd >= 0)}
        for name, bus in zip(names, own.bus[: own.buses], strict=False)
    }
    closed = [f"{name}: {_why_closed(row['errno'])}" for name, row in rows.items() if not row["open"]]
    foreign = f"{OUTPUTS[own.foreign]} was {own.foreign_value:g}, which was not sent here" if own.foreign >= 0 else ""
    return {
        **({"reason": "; ".join(closed)} if closed else {}),
        **({"overwritten": foreign} if foreign else {}),
        "lines": rows,
    }


def _why_closed(errno: int) -> str:
    if errno > 0:
        return os.strerror(errno)
    return {
        REBOOTED: "its sample counter started over: it has rebooted",
        DISARMED: "its watchdog is not set to loop.time_to_live_s any more: it has rebooted, or another master set it",
    }.get(errno, "it fell silent")
