"""The memory that core and service share."""

import itertools

import numpy as np

from hilctl.loop import layout
from hilctl.params.record import Record
from hilctl.signals import SAMPLE

REGIONS = {
    name: region
    for name, region in vars(layout).items()
    if isinstance(region, layout.Region)
}


def test_regions_follow_each_other_without_overlap():
    ordered = sorted([*REGIONS.values(), layout.rows(4096)], key=lambda r: r.at)
    assert len(ordered) >= 13
    for before, after in itertools.pairwise(ordered):
        assert before.end <= after.at


def test_every_region_begins_on_a_pair_of_cache_lines_of_its_own():
    assert all(region.at % 128 == 0 for region in REGIONS.values())


def test_words_of_different_writers_share_no_pair_of_cache_lines():
    singles = [layout.HEARTBEAT, layout.HURRY, layout.RUN_UNTIL, layout.HELD, layout.SNAPSHOT_ASKED,
               layout.SNAPSHOT_DONE, layout.MAIL, layout.STATUSES, layout.DEVICE_LINK, layout.STALL]
    rings = [(base, base + 16) for base in (layout.REQUESTS, layout.ANSWERS, layout.ROWS)]
    lines = [word * 8 // 128 for word in [*singles, *(word for ring in rings for word in ring)]]
    assert len(set(lines)) == len(lines)
    assert max(lines) * 16 < layout.WORDS


def _leaf_widths(dtype: np.dtype) -> set[int]:
    if dtype.subdtype:
        return _leaf_widths(dtype.subdtype[0])
    if dtype.names:
        return set().union(*(_leaf_widths(dtype.fields[name][0]) for name in dtype.names))
    return {dtype.itemsize}


def test_every_field_is_eight_bytes_wide_so_that_reading_one_is_never_torn():
    for name, region in REGIONS.items():
        assert _leaf_widths(region.dtype) == {8}, name


def test_the_ring_holds_five_seconds_at_ten_kilohertz_and_is_a_power_of_two():
    from hilctl.loop.options import CoreOptions

    for rate_hz in (10.0, 999.0, 1000.0, 1639.0, 10_000.0, 20_000.0):
        rows = CoreOptions(rate_hz=rate_hz).rows
        assert rows >= 5 * rate_hz
        assert rows & (rows - 1) == 0


def test_the_size_covers_the_rows_in_whole_pages():
    size = layout.size_of(4096)
    assert size % 4096 == 0
    assert size >= layout.ROWS_AT + 4096 * SAMPLE.itemsize


def test_the_hash_tells_a_field_of_another_name_or_place(monkeypatch):
    fields = [(name, layout.OPTIONS.fields[name][0]) for name in layout.OPTIONS.names]
    swapped = layout.record_of([fields[1], fields[0], *fields[2:]])
    monkeypatch.setattr(layout, "options", layout.options._replace(dtype=swapped))
    assert layout._hash() != layout.LAYOUT


def test_no_field_hides_behind_an_attribute_of_its_record():
    hidden = set(dir(Record))
    for region in REGIONS.values():
        names = [region.dtype]
        while names:
            dtype = names.pop()
            base = dtype.subdtype[0] if dtype.subdtype else dtype
            if base in (layout.SETTINGS, layout.STATE) or not base.names:
                continue  # the law's records have their own tests
            assert not hidden & set(base.names)
            names += [base.fields[name][0] for name in base.names]
