"""The decoder takes whatever a peer sends: a request comes out, or a refusal, at a cost bounded by the size."""

import math
import struct
import time
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.wire import decode
from hilctl.wire.decode import MAX_DEPTH, MAX_ITEMS, MAX_REQUEST, Malformed, Request, decode_request
from hilctl.wire.encode import encode_request, pack
from hilctl.wire.errors import Code

_GOOD = {"v": 1, "client": "me", "id": 7, "op": "status", "args": {}}
_names = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=64)
_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 62), 1 << 62),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.binary(max_size=20),
)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max((_depth(v) for v in value.values()), default=0)
    return 1 + max((_depth(v) for v in value), default=0) if isinstance(value, list) else 0


def _refusal(message: object) -> Malformed:
    payload = message if isinstance(message, bytes) else pack(message)
    with pytest.raises(Malformed) as caught:
        decode_request(payload)
    return caught.value


@given(_names, st.integers(0, (1 << 62) - 1), _names, st.dictionaries(st.text(max_size=8), _values, max_size=4))
def test_what_was_encoded_is_decoded_unless_it_is_nested_too_deep(
    client: str, id: int, op: str, args: dict[str, Any]
) -> None:
    payload = encode_request(client, id, op, args)
    if _depth(args) >= MAX_DEPTH:
        assert _refusal(payload).code == Code.BAD_MESSAGE
    else:
        assert decode_request(payload) == Request(client, id, op, args, "")


@given(st.binary(max_size=200))
def test_any_bytes_raise_the_decoders_own_error_only(payload: bytes) -> None:
    try:
        decode_request(payload)
    except Malformed:
        pass


@given(st.binary(min_size=1, max_size=6), st.integers(0, 60))
def test_a_request_with_bytes_overwritten_raises_the_decoders_own_error_only(patch: bytes, at: int) -> None:
    good = bytearray(
        encode_request("client", 3, "track", {"kind": "sine", "parameters": {"amplitude_m": 0.01, "list": [1, 2]}})
    )
    good[at : at + len(patch)] = patch
    try:
        decode_request(bytes(good))
    except Malformed:
        pass


@given(st.integers(0, 70))
def test_every_prefix_of_a_request_is_refused(length: int) -> None:
    good = encode_request("client", 3, "set", {"values": {"machine.m": 500.0}, "origin": "test"})
    assert len(good) > 71
    assert _refusal(good[:length]).code == Code.BAD_MESSAGE


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    ("args", "key"),
    [
        (lambda x: {"speed": x}, "speed"),
        (lambda x: {"values": {"law.pid.kp_per_m": x}}, "values.law.pid.kp_per_m"),
        (lambda x: {"list": [1.0, {"deep": [x]}]}, "list[1].deep[0]"),
    ],
)
def test_a_number_that_is_not_finite_is_refused_by_its_key(value: float, args: Any, key: str) -> None:
    refused = _refusal({**_GOOD, "args": args(value)})
    assert (refused.code, refused.key, refused.id) == (Code.BAD_VALUE, key, 7)


def test_too_large_a_message_is_refused_before_it_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(payload: bytes) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr(decode, "unpack", never)
    assert _refusal(b"\x00" * (MAX_REQUEST + 1)).code == Code.TOO_LARGE


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("lists in lists", b"\x91" * 60_000),
        ("maps in maps", b"\x81\xa1a" * 20_000),
        ("a list that claims four thousand million items", b"\xdd" + struct.pack(">I", 0xFFFFFFFF)),
        ("a map that claims four thousand million keys", b"\xdf" + struct.pack(">I", 0xFFFFFFFF)),
        ("a text that claims four gigabytes", b"\xdb" + struct.pack(">I", 0xFFFFFFFF) + b"a"),
        ("bytes that claim four gigabytes", b"\xc6" + struct.pack(">I", 0xFFFFFFFF) + b"a"),
        ("an extension", b"\xc9" + struct.pack(">Ib", 4, 5) + b"abcd"),
        ("a timestamp", b"\xd6\xff" + b"\x00" * 4),
        ("text that is not UTF-8", b"\x81\xa1v\xa2\xff\xfe"),
        ("two messages", pack(_GOOD) + pack(_GOOD)),
        ("nothing", b""),
        ("a list as a key", b"\x81\x91\x01\x01"),
        ("the code that MessagePack never uses", b"\xc1"),
    ],
)
def test_a_hostile_message_is_refused_at_once(name: str, payload: bytes) -> None:
    before = time.process_time()
    assert _refusal(payload).code == Code.BAD_MESSAGE, name
    assert time.process_time() - before < 1.0  # a header's claim would take minutes or all memory


def test_a_list_longer_than_any_declared_one_is_refused() -> None:
    assert _refusal({**_GOOD, "args": {"x": [0] * (MAX_ITEMS + 1)}}).code == Code.BAD_MESSAGE


def test_the_same_key_twice_is_refused() -> None:
    one = pack("op") + pack("status")
    payload = b"\x85" + pack("v") + pack(1) + pack("client") + pack("me") + pack("id") + pack(1) + one + one
    assert "twice" in _refusal(payload).message


@pytest.mark.parametrize(
    ("change", "code", "key"),
    [
        ({"v": 2}, Code.VERSION, "v"),
        ({"v": True}, Code.VERSION, "v"),
        ({"v": None}, Code.VERSION, "v"),
        ({"id": -1}, Code.BAD_MESSAGE, "id"),
        ({"id": 1 << 63}, Code.BAD_MESSAGE, "id"),
        ({"id": True}, Code.BAD_MESSAGE, "id"),
        ({"id": "1"}, Code.BAD_MESSAGE, "id"),
        ({"client": ""}, Code.BAD_MESSAGE, "client"),
        ({"client": "x" * 65}, Code.BAD_MESSAGE, "client"),
        ({"client": "a\nb"}, Code.BAD_MESSAGE, "client"),
        ({"op": 5}, Code.BAD_MESSAGE, "op"),
        ({"args": [1]}, Code.BAD_MESSAGE, "args"),
        ({"lease": 5}, Code.BAD_MESSAGE, "lease"),
        ({"extra": 1}, Code.BAD_MESSAGE, "extra"),
    ],
)
def test_a_field_of_the_envelope_that_is_wrong_is_named(change: dict[str, Any], code: Code, key: str) -> None:
    refused = _refusal({**_GOOD, **change})
    assert (refused.code, refused.key) == (code, key)


def test_a_refusal_of_another_version_says_both() -> None:
    assert "9" in _refusal({**_GOOD, "v": 9}).message and "1" in _refusal({**_GOOD, "v": 9}).message


def test_msgpack_has_the_limits_that_the_decoder_relies_on() -> None:
    with pytest.raises(ValueError, match="max_array_len"):
        msgpack.unpackb(b"\xdd" + struct.pack(">I", 2000), max_array_len=1024)


@pytest.mark.parametrize("kind", [list, dict])
def test_nesting_is_refused_from_the_stated_depth_on(kind: type) -> None:
    def nested(depth: int) -> Any:
        value: Any = 1
        for _ in range(depth):
            value = [value] if kind is list else {"a": value}
        return {**_GOOD, "args": {"x": value}}

    assert decode_request(pack(nested(MAX_DEPTH - 2))).args
    assert "deeper" in _refusal(nested(MAX_DEPTH)).message


@pytest.mark.parametrize(
    "args",
    [{f"k{i}": [0] * 1000 for i in range(5)}, {f"k{i}": [{}] * 900 for i in range(5)},
     {"a": [[[[]]] * 300] * 5}, {f"k{i}": {str(k): 0 for k in range(900)} for i in range(5)}],
)  # fmt: skip
def test_more_values_than_any_request_holds_are_refused_while_they_are_decoded(args: dict[str, Any]) -> None:
    refused = _refusal(_GOOD | {"args": args})
    assert refused.code == Code.BAD_MESSAGE and f"it holds more than {decode.MAX_VALUES} values" in refused.message


def test_as_many_values_as_may_be_are_taken() -> None:
    args = {f"k{i}": [0] * 900 for i in range(4)}
    rest = decode.MAX_VALUES - _values_in(_GOOD | {"args": {**args, "rest": []}})
    most = {**args, "rest": [0] * rest}
    assert decode_request(pack(_GOOD | {"args": most})).args == most
    _refusal(_GOOD | {"args": {**args, "rest": [0] * (rest + 1)}})


def _values_in(value: Any) -> int:
    """Each list and map, and what stands in it."""
    if isinstance(value, dict):
        return 1 + len(value) + sum(_values_in(part) for part in value.values())
    return 1 + len(value) + sum(map(_values_in, value)) if isinstance(value, list) else 0


@given(st.recursive(_scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3)),
       st.data())  # fmt: skip
def test_what_is_wrong_within_is_named_by_its_whole_path(value: Any, data: st.DataObject) -> None:
    path: list[Any] = []
    args: Any = {"a": value}
    node = args
    while isinstance(node, (list, dict)) and len(path) < MAX_DEPTH - 1:
        places = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not places or (path and data.draw(st.booleans())):
            break
        path.append(data.draw(st.sampled_from(places)))
        if not isinstance(node[path[-1]], (list, dict)) or data.draw(st.booleans()):
            node[path[-1]] = math.inf
            break
        node = node[path[-1]]
    else:
        return
    if math.inf not in (node.values() if isinstance(node, dict) else node) or _depth(args) >= MAX_DEPTH:
        return
    at = "".join(f"[{place}]" if isinstance(place, int) else f".{place}" for place in path).removeprefix(".")
    assert (_refusal(_GOOD | {"args": args}).key, _refusal(_GOOD | {"args": args}).code) == (at, Code.BAD_VALUE)
