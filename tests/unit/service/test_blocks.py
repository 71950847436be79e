"""A block of telemetry: the bytes that MessagePack makes of the same dictionary."""

import msgpack
import numpy as np
import pytest

from hilctl.service.blocks import Blocks
from hilctl.service.wall import Offset
from hilctl.signals import NAMES, SAMPLE
from hilctl.wire.encode import columns_of


def _rows(count: int) -> np.ndarray:
    return np.random.default_rng(count).integers(-(1 << 62), 1 << 62, (count, len(NAMES)))


def _packed(first: int, words: np.ndarray, wall: dict[str, int] | None = None) -> bytes:
    columns = columns_of(np.ascontiguousarray(words).view(SAMPLE).reshape(len(words)))
    block = {"run": "4f", "schema": "a1", "wall": wall, "first": first, "count": len(words), "columns": columns}
    return msgpack.packb(block, use_bin_type=True)


@pytest.mark.parametrize("count", [1, 31, 32, 200, 4096, 8191, 8192])  # the headers of 8, 16 and 32 bits
@pytest.mark.parametrize("first", [0, 127, 1 << 40])
def test_a_block_has_the_bytes_that_messagepack_makes_of_it(count: int, first: int) -> None:
    assert Blocks("4f", "a1").pack(first, _rows(count)) == _packed(first, _rows(count))


def test_a_block_tells_the_offset_of_the_wall_clock_that_held_when_it_was_packed() -> None:
    blocks, offset = Blocks("4f", "a1"), Offset(1 << 60, 140, 77)
    blocks.date(offset)
    assert blocks.pack(3, _rows(7)) == _packed(3, _rows(7), offset._asdict())
    blocks.date(None)
    assert blocks.pack(3, _rows(7)) == _packed(3, _rows(7))


def test_a_block_is_left_alone_by_the_next_longer_or_shorter() -> None:
    blocks, counts = Blocks("4f", "a1"), [200, 7, 300, 200]
    made = [blocks.pack(k, _rows(count)) for k, count in enumerate(counts)]
    assert made == [_packed(k, _rows(count)) for k, count in enumerate(counts)]


def test_rows_that_lie_within_a_larger_table_are_packed_alike() -> None:
    assert Blocks("4f", "a1").pack(5, _rows(50)[10:40]) == _packed(5, _rows(50)[10:40])


def test_whatever_sizes_come_a_bounded_number_of_layouts_is_kept() -> None:
    blocks = Blocks("4f", "a1")
    for count in range(1, 200):
        assert blocks.pack(count, _rows(count)) == _packed(count, _rows(count))
        assert len(blocks._layouts) <= 64
