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


def _pairs(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a map has the same key twice")
    return made


def unpack(payload: bytes) -> Any:
    """The value that these bytes hold; ValueError for whatever is not one well-formed, plain value."""
    try:
        value = msgpack.unpackb(
            payload,
            raw=False,
            object_pairs_hook=_pairs,
            max_array_len=MAX_ITEMS,
            max_map_len=MAX_ITEMS,
            max_ext_len=0,
        )
    except (ValueError, TypeError, OverflowError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise ValueError(str(error) or type(error).__name__) from None
    return value


def _walk(value: Any, at: str, depth: int) -> None:
    """Refuses what no declaration can mean: too deep, not finite, not text as a key, not a plain type."""
    if value is None or isinstance(value, (bool, str, bytes, int)):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Refused(Code.BAD_VALUE, f"{at}: {value!r} refused, must be finite", at)
        return
    if not isinstance(value, (list, dict)):
        raise Refused(Code.BAD_MESSAGE, f"{at}: {type(value).__name__} is not a plain value", at)
    if depth >= MAX_DEPTH:
        raise Refused(Code.BAD_MESSAGE, f"{at}: nested deeper than {MAX_DEPTH}", at)
    if isinstance(value, list):
        for i, item in enumerate(value):
            _walk(item, f"{at}[{i}]", depth + 1)
        return
    for key, item in value.items():
        if not isinstance(key, str):
            raise Refused(Code.BAD_MESSAGE, f"{at}: the key {key!r} is not a text", at)
        _walk(item, f"{at}.{key}" if at else key, depth + 1)


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
        raise Malformed(Code.BAD_MESSAGE, f"not MessagePack: {error}") from None
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
        _walk(args, "", 1)
    except Refused as refused:
        raise Malformed(refused.code, refused.message, refused.key, id) from None
    return Request(client, id, op, args, lease, access)
