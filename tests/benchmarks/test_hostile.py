"""What a hostile request costs the service, which decodes it before it knows who has sent it."""

import json
import statistics
import time
from typing import Any

import pytest

from hilctl.wire.decode import MAX_REQUEST, Malformed, decode_request
from hilctl.wire.encode import encode_request

pytestmark = [pytest.mark.bench]

_TIMES, _ROUNDS = 3, 31
_MOST = 15.0  # times the cost of a large ordinary request; without a bound on the values 60 kB took 120 times
HOSTILE: dict[str, dict[str, Any]] = {
    "numbers": {f"k{i}": [0] * 1000 for i in range(60)},
    "texts": {f"k{i}": ["a"] * 500 for i in range(60)},
    "reals": {f"k{i}": [1.5] * 100 for i in range(65)},
    "maps": {f"k{i}": {str(k): 0 for k in range(150)} for i in range(60)},
    "as many values as are taken": {f"k{i}": {str(k): 1.5 for k in range(400)} for i in range(10)},
    "lists in lists": {f"k{i}": [[[[]]]] * 200 for i in range(60)},
    "empty maps": {f"k{i}": [{}] * 1000 for i in range(60)},
    "binary": {"a": bytes(60_000)},
    "a long text": {"a": "x" * 60_000},
}
ORDINARY = {"values": {f"table.some.key_{k}": 1.5 for k in range(400)}}


def cost_us(payload: bytes) -> float:
    begun = time.perf_counter()
    for _ in range(_TIMES):
        try:
            decode_request(payload)
        except Malformed:
            pass
    return 1e6 * (time.perf_counter() - begun) / _TIMES


def test_no_request_costs_many_times_what_a_large_ordinary_one_does():
    payloads = {name: encode_request("me", 1, "set", args) for name, args in {"ordinary": ORDINARY, **HOSTILE}.items()}
    assert max(map(len, payloads.values())) <= MAX_REQUEST
    rounds = [{name: cost_us(payload) for name, payload in payloads.items()} for _ in range(_ROUNDS)]
    times = {name: statistics.median(found[name] / found["ordinary"] for found in rounds) for name in HOSTILE}
    print(json.dumps({"ordinary_us": statistics.median(found["ordinary"] for found in rounds), "times": times}))
    assert max(times.values()) <= _MOST, times
