"""From the bytes of a request to a `Request`, or a refusal. Nothing a peer sends may cost more than its size.

msgpack's own limits stop huge headers and deep nesting before memory is taken; what it lets through (NaN, duplicate
keys, extension types, keys that are not text) is refused here.
"""

import math
from typing import Any, NamedTuple

import msgpack

from hilctl.wire import MAJOR
from hilctl.wire.errors import Code, Refused
from hilctl.wire.versions import other_major

MAX_REQUEST = 64 * 1024  # bytes of one request
MAX_DEPTH = 8  # the envelope, args and a table or two within; nothing declared goes deeper than 4
MAX_ITEMS = 1024  # of one list or map; the longest declared list holds fewer
MAX_VALUES = 4096  # of one request, lists and maps among them: what 64 kB can hold otherwise takes a tenth of a second
MAX_TEXT = 64  # of a name: client, operation, key of the envelope
_FIELDS = frozenset(("v", "client", "id", "op", "args", "lease", "access"))


class Request(NamedTuple):
    """A well-formed request; its arguments are not checked yet."""

    client: str
    id: int
    op: str
    args: dict[str, Any]
    lease: str = ""
    access: str = ""


class Malformed(Refused):
    """A request that could not be read; `id` is what its sender may know it by, when that could be read."""

    def __init__(self, code: Code, message: str, key: str = "", id: int | None = None) -> None:
        super().__init__(code, message, key)
        self.id = id


class _Counted:
    """Makes lists and maps, as long as they are not too many values together."""

    def __init__(self) -> None:
        self._left = MAX_VALUES

    def _take(self, count: int) -> None:
        self._left -= count + 1
        if self._left < 0:
            raise ValueError(f"it holds more than {MAX_VALUES} values; send it in parts")

    def items(self, items: list[Any]) -> list[Any]:
        self._take(len(items))
        return items

    def pairs(self, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
        self._take(len(pairs))
        made = dict(pairs)
        if len(made) != len(pairs):
            raise ValueError("a map has the same key twice")
        return made


def unpack(payload: bytes) -> Any:
    """The value that these bytes hold; ValueError for whatever is not one well-formed, plain value."""
    counted = _Counted()
    try:
        value = msgpack.unpackb(
            payload,
            raw=False,
            list_hook=counted.items,
            object_pairs_hook=counted.pairs,
            max_array_len=MAX_ITEMS,
            max_map_len=MAX_ITEMS,
            max_ext_len=0,
        )
    except (ValueError, TypeError, OverflowError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise ValueError(str(error) or type(error).__name__) from None
    return value


_PLAIN = frozenset((type(None), bool, str, bytes, int))


def _walk(value: Any, depth: int) -> None:
    """Refuses what no declaration can mean: too deep, not finite, not text as a key, not a plain type."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Refused(Code.BAD_VALUE, f"{value!r} refused, must be finite", "")
        return
    if not isinstance(value, (list, dict)):
        raise Refused(Code.BAD_MESSAGE, f"{type(value).__name__} is not a plain value")
    if depth >= MAX_DEPTH:
        raise Refused(Code.BAD_MESSAGE, f"nested deeper than {MAX_DEPTH}")
    named = isinstance(value, dict)
    place: Any = None
    try:
        for place, item in value.items() if isinstance(value, dict) else enumerate(value):
            if named and not isinstance(place, str):
                break
            if type(item) not in _PLAIN:
                _walk(item, depth + 1)
        else:
            return
    except Refused as refused:  # its place is put together on the way up
        refused.key = (f".{place}" if named else f"[{place}]") + refused.key
        raise
    raise Refused(Code.BAD_MESSAGE, f"the key {place!r} is not a text")


def _text(value: Any, name: str, id: int | None) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_TEXT or not value.isprintable():
        raise Malformed(Code.BAD_MESSAGE, f"{name} must be a text of 1 to {MAX_TEXT} printable characters", name, id)
    return value


def decode_request(payload: bytes) -> Request:
    """The request in these bytes, or `Malformed`."""
    if len(payload) > MAX_REQUEST:
        raise Malformed(Code.TOO_LARGE, f"{len(payload)} bytes, at most {MAX_REQUEST}; upload in chunks")
    try:
        message = unpack(payload)
    except ValueError as error:
        raise Malformed(Code.BAD_MESSAGE, f"not readable as MessagePack: {error}") from None
    if not isinstance(message, dict):
        raise Malformed(Code.BAD_MESSAGE, "a request is a map with v, client, id, op and args")
    id = message.get("id")
    if isinstance(id, bool) or not isinstance(id, int) or not 0 <= id < 1 << 62:
        raise Malformed(Code.BAD_MESSAGE, "id must be a whole number from 0 to 2^62", "id")
    version = message.get("v")
    if isinstance(version, bool) or version != MAJOR:
        raise Malformed(Code.VERSION, other_major(version), "v", id)
    unknown = [key for key in message if key not in _FIELDS]
    if unknown:
        raise Malformed(Code.BAD_MESSAGE, f"unknown field {unknown[0]!r:.80}", str(unknown[0])[:MAX_TEXT], id)
    client, op = _text(message.get("client"), "client", id), _text(message.get("op"), "op", id)
    lease, access = (_text(message[n], n, id) if message.get(n, "") != "" else "" for n in ("lease", "access"))
    args = message.get("args", {})
    if not isinstance(args, dict):
        raise Malformed(Code.BAD_MESSAGE, "args must be a map", "args", id)
    try:
        _walk(args, 1)
    except Refused as refused:
        at = refused.key.removeprefix(".")
        raise Malformed(refused.code, f"{at}: {refused.message}", at, id) from None
    return Request(client, id, op, args, lease, access)
