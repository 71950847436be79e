"""Files that clients send for their jobs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.params import BadValues
from hilctl.service.uploads import KEPT, Uploads
from hilctl.wire.errors import Code, Refused


@pytest.fixture
def uploads(tmp_path):
    return Uploads(tmp_path / "jobs" / "uploads")


@given(data=st.binary(min_size=1, max_size=200), cuts=st.lists(st.integers(1, 199), max_size=5))
def test_it_is_there_with_its_last_byte_and_not_before(data, cuts, tmp_path_factory):
    uploads = Uploads(tmp_path_factory.mktemp("jobs") / "uploads")
    ends = sorted({cut for cut in cuts if cut < len(data)} | {len(data)})
    for first, last in zip([0, *ends], ends, strict=False):
        assert not (uploads.folder / "a.csv").exists()
        assert uploads.put("a.csv", len(data), first, data[first:last]) == last
    assert (uploads.folder / "a.csv").read_bytes() == data
    assert [path.name for path in uploads.folder.iterdir()] == ["a.csv"]


def test_until_another_is_whole_the_one_before_stays(uploads):
    uploads.put("a", 3, 0, b"old")
    uploads.put("a", 4, 0, b"ne")
    assert (uploads.folder / "a").read_bytes() == b"old"
    uploads.put("a", 3, 0, b"ne")  # from its beginning again
    uploads.put("a", 3, 2, b"w")
    assert (uploads.folder / "a").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "/etc/passwd", "a\0b", "a b", "ä", "a\n"])
def test_a_name_is_a_files_name_and_nothing_else(uploads, name):
    with pytest.raises(BadValues, match="must be a file's name alone"):
        uploads.put(name, 1, 0, b"x")
    assert not uploads.folder.exists()


def test_pieces_come_in_order_and_are_no_more_than_was_announced(uploads):
    with pytest.raises(Refused, match="offset 1, expected 0"):
        uploads.put("a", 4, 1, b"x")
    uploads.put("a", 4, 0, b"xy")
    with pytest.raises(Refused, match="offset 3, expected 2"):
        uploads.put("a", 4, 3, b"x")
    with pytest.raises(Refused, match="more than the 4 bytes") as refused:
        uploads.put("a", 4, 2, b"xyz")
    assert refused.value.code == Code.TOO_LARGE


def test_a_link_in_its_place_is_not_followed(uploads, tmp_path):
    uploads.put("b", 1, 0, b"x")
    other = tmp_path / "other"
    other.write_bytes(b"keep")
    (uploads.folder / ".a.part").symlink_to(other)
    with pytest.raises(OSError, match="symbolic link"):
        uploads.put("a", 1, 0, b"x")
    assert other.read_bytes() == b"keep"


def test_the_newest_are_kept(uploads):
    for number in range(KEPT + 3):
        uploads.put(f"{number}", 1, 0, b"x")
    assert len(list(uploads.folder.iterdir())) == KEPT
    assert not (uploads.folder / "0").exists()
    assert (uploads.folder / f"{KEPT + 2}").exists()
