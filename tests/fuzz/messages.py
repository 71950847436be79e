"""What comes over the network: requests, and the uploads among them."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from hilctl.params import BadValues
from hilctl.service.waveforms import Waveforms
from hilctl.wire.decode import MAX_DEPTH, MAX_ITEMS, Malformed, decode_request, unpack
from hilctl.wire.encode import encode_request, pack
from hilctl.wire.errors import Refused
from hilctl.wire.ops import OPS, check_arguments
from tests.fuzz.target import Take, Target, came_through

GIVEN: dict[str, dict[str, Any]] = {
    "job_upload": {"name": "shake.csv", "bytes": 3, "data": b"1,2"},
    "lease": {"action": "take", "kind": "attended"},
    "track": {"kind": "sine", "parameters": {"amplitude_m": 0.01, "frequency_hz": 1.0}},
    "check_motion": {"kind": "triangle", "parameters": {"amplitude_m": 0.01, "speed_m_s": 0.05, "cycles": 2},
                     "points": 200},
    "move": {"position_m": 0.01},
    "supply": {"level": "low"},
    "zero": {"sensor": "pressure_a"},
    "set": {"values": {"law.pid.kp": 12.0, "friction.fc_n": 300.0}, "expects": 3},
    "waveform": {"action": "begin", "name": "one", "count": 16, "quantity": "displacement", "interval_s": 0.01},
    "fetch": {"first": 0, "last": 100, "channels": ["position_m", "u_cmd"], "every": 2},
    "queue": {"motions": [{"kind": "sine", "parameters": {"amplitude_m": 0.01}}]},
    "record": {"action": "start", "name": "one"},
    "download": {"name": "one.h5", "offset": 0},
    "delete": {"name": "one.h5"},
    "job_start": {"kind": "friction"},
    **{op: {"job": 3} for op in ("job", "job_abort", "job_delete")},
    "acknowledge": {"number": 2},
    "wait": {"motion": 1, "timeout_s": 0.1},
}


def _requests() -> list[bytes]:
    return [encode_request("me", k, op, GIVEN.get(op, {}), "a lease", "a token") for k, op in enumerate(OPS)]


@contextmanager
def _deciding() -> Iterator[Take]:
    """What stands between a socket and a handler: decoder, then arguments."""

    def decide(data: bytes) -> None:
        request = decode_request(data)
        _bounded(request.args)
        op, given = check_arguments(request.op, request.args)
        assert op.name == request.op and given is not None

    yield lambda data: came_through((Malformed, Refused), lambda: decide(data))


def _bounded(value: Any, depth: int = 0) -> None:
    assert depth <= MAX_DEPTH
    if isinstance(value, dict | list):
        assert len(value) <= MAX_ITEMS
        for part in value.values() if isinstance(value, dict) else value:
            _bounded(part, depth + 1)
    assert not isinstance(value, float) or math.isfinite(value)


def _uploads() -> list[bytes]:
    numbers = np.linspace(0.0, 0.01, 16).astype("<f8").tobytes()
    even = {"name": "a", "count": 16, "quantity": "displacement", "interval_s": 0.01}
    pairs = {"name": "b", "count": 16, "quantity": "acceleration", "interval_s": 0.0}
    made = []
    for begun in (even, pairs):
        chunk = {"action": "chunk", "name": begun["name"], "offset": 0, "data": numbers}
        made.append(pack([{"action": "begin", **begun}, chunk, {"action": "end", "name": begun["name"]}]))
    return made


@contextmanager
def _uploading() -> Iterator[Take]:
    """Steps of an upload, as the service takes them one after the other."""
    waveforms = Waveforms()

    def step(given: dict[str, Any]) -> None:
        _, checked = check_arguments("waveform", given)
        told = waveforms.handle(checked.args, checked.open["data"])
        samples = waveforms.get(str(told["name"]))
        assert samples is None or all(np.isfinite(part).all() for part in (samples.times_s, samples.values))

    def take(data: bytes) -> bool:
        try:
            steps = unpack(data)
        except ValueError:
            return False
        if not isinstance(steps, list):
            return False
        tables = [one for one in steps if isinstance(one, dict) and all(isinstance(key, str) for key in one)]
        came = [came_through((Refused, BadValues), lambda one=one: step(one)) for one in tables]
        return all(came)

    yield take


TARGETS = (
    Target("requests", "requests of MessagePack: decoder and arguments", _requests, _deciding, 300_000),
    Target("uploads", "waveforms in pieces", _uploads, _uploading, 50_000),
)  # fmt: skip
