"""One input made of others, at random: bits, bytes, pieces and numbers changed; of MessagePack also its values."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import msgpack

_EDGES = (0, 1, *(edge for bits in (8, 16, 32, 64) for edge in ((1 << bits - 1) - 1, 1 << bits - 1, (1 << bits) - 1)))
_WORDS = (b"nan", b"inf", b"-inf", b"1e999", b"-0", b"9" * 400, b"", b"\0", b"\xff\xfe", b"[[", b"{}", b'"',
          b"'''", b"=", b"\n", b"\r\n", b",", b";", b"..", b"/", b"%s", b"\xed\xa0\x80", b"true", b"0x1F")  # fmt: skip
_VALUES: tuple[Any, ...] = (None, True, 0, -1, 1 << 63, -(1 << 63), 1e308, float("nan"), float("inf"), "",
                            "x" * 70, b"", b"\0" * 300, [], {}, [[[[[[[[[[]]]]]]]]]], {"a": {"a": 1}}, {1: 2},
                            "../../etc")  # fmt: skip
_MOST = 6  # changes of one input
_TRIES = 30

Change = Callable[[random.Random, bytearray, Sequence[bytes]], None]


def mutated(chance: random.Random, seeds: Sequence[bytes], most: int = 1 << 16) -> bytes:
    """One of the seeds, changed in up to six places; rarely, bytes that are nothing."""
    if chance.random() < 0.02:
        return chance.randbytes(chance.randrange(300))
    data = bytearray(chance.choice(seeds))
    if chance.random() < 0.3 and (other := _as_value(chance, data)) is not None:
        data = bytearray(other)
    for _ in range(chance.randrange(_MOST) if chance.random() < 0.9 else 0):
        chance.choice(_CHANGES)(chance, data, seeds)
    return bytes(data[:most])


def _place(chance: random.Random, data: bytearray) -> int:
    """Somewhere; seldom among zeros, of which some files consist."""
    at = 0
    for _ in range(_TRIES):
        at = chance.randrange(max(len(data), 1))
        if data[at : at + 1] != b"\0":
            break
    return at


def _flip(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    if data:
        data[_place(chance, data)] ^= 1 << chance.randrange(8)


def _overwrite(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    if data:
        data[_place(chance, data)] = chance.randrange(256)


def _number(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    size = chance.choice((1, 2, 4, 8))
    at = _place(chance, data)
    edge = chance.choice(_EDGES) & ((1 << 8 * size) - 1)
    data[at : at + size] = edge.to_bytes(size, chance.choice(("big", "little")))


def _insert(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    at = chance.randrange(len(data) + 1)
    data[at:at] = chance.choice(_WORDS) if chance.random() < 0.7 else chance.randbytes(chance.randrange(1, 9))


def _replace(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    first, last = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    data[first : min(last, first + 12)] = chance.choice(_WORDS)


def _cut(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    first = chance.randrange(len(data) + 1)
    del data[first : first + chance.choice((1, 2, 4, 16, 1 << 20))]


def _double(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    first = chance.randrange(len(data) + 1)
    piece = bytes(data[first : first + chance.choice((1, 4, 16, 64))])
    at = chance.randrange(len(data) + 1)
    data[at:at] = piece * chance.choice((1, 1, 2, 30))


def _splice(chance: random.Random, data: bytearray, seeds: Sequence[bytes]) -> None:
    other = chance.choice(seeds)
    data[chance.randrange(len(data) + 1) :] = other[chance.randrange(len(other) + 1) :]


_CHANGES: tuple[Change, ...] = (_flip, _flip, _overwrite, _number, _insert, _replace, _cut, _double, _splice)


def _as_value(chance: random.Random, data: bytearray) -> bytes | None:
    """The same MessagePack with one of its values another; None where it is none."""
    try:
        value = msgpack.unpackb(bytes(data), raw=False, strict_map_key=False)
        return bytes(msgpack.packb(_altered(chance, value), use_bin_type=True))
    except (ValueError, TypeError, OverflowError, RecursionError, msgpack.UnpackException):
        return None


def _altered(chance: random.Random, value: Any) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        way = chance.random()
        if way < 0.1:
            return {k: v for k, v in value.items() if k != key}
        if way < 0.2:
            return {**value, chance.choice(("", "x", key * 2 if isinstance(key, str) else 0)): value[key]}
        return {**value, key: _altered(chance, value[key])}
    if isinstance(value, list) and value and chance.random() < 0.85:
        at = chance.randrange(len(value))
        return [*value[:at], _altered(chance, value[at]), *value[at + 1 :]] * chance.choice((1, 1, 1, 3))
    if isinstance(value, int | float) and chance.random() < 0.5:
        return value * chance.choice((-1, 0.5, 2, 1e6, 1e-9))
    return chance.choice(_VALUES)
