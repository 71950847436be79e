"""Samples cross the wire as columns, bit for bit."""

import numpy as np
import pytest

from hilctl.signals import CHANNELS, NAMES, SAMPLE
from hilctl.wire.encode import arrays_of, columns_of, encode_refusal, encode_result, unpack_reply
from hilctl.wire.errors import Code, Refused


def _rows(count: int) -> np.ndarray:
    words = np.random.default_rng(1).integers(-(1 << 62), 1 << 62, (count, len(NAMES)))
    return words.view(SAMPLE).reshape(count)


@pytest.mark.parametrize("channels", [NAMES, ("error_m",), ("mode", "tick", "u_cmd")])
@pytest.mark.parametrize("count", [0, 1, 7])
def test_columns_carry_every_bit(channels: tuple[str, ...], count: int) -> None:
    rows = _rows(count)
    columns = columns_of(rows, channels)
    assert list(columns) == list(channels)
    for name, array in arrays_of(columns).items():
        assert array.tobytes() == rows[name].tobytes()


def test_whole_numbers_stay_whole() -> None:
    arrays = arrays_of(columns_of(_rows(2)))
    assert {c.name: c.kind for c in CHANNELS} == {name: array.dtype.str[1:] for name, array in arrays.items()}


def test_a_reply_carries_the_result_or_the_refusal() -> None:
    assert unpack_reply(encode_result(3, {"a": 1})) == {"id": 3, "ok": True, "result": {"a": 1}}
    refused = unpack_reply(encode_refusal(None, Refused(Code.LIMIT, "too fast", "limits.velocity")))
    assert refused == {
        "id": None,
        "ok": False,
        "error": {"code": "limit", "key": "limits.velocity", "message": "too fast"},
    }
