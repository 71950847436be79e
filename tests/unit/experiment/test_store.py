"""What is kept appears whole or not at all."""

import resource

import numpy as np
import pytest

from hilctl.cli.identify_parts import keep
from hilctl.experiment import store as kept
from hilctl.report.document import save
from hilctl.results.quantity import Flag


@pytest.fixture
def small_files():
    """As on a full disk: no file may grow beyond 64 kB."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_what_finds_no_room_is_told_and_leaves_what_was_there(tmp_path, small_files):
    path = tmp_path / "kept.npz"
    kept.save(path, {"format": 1}, {"x": np.arange(3)})
    with pytest.raises(OSError, match=r"large.*kept\.npz"):
        kept.save(path, {"format": 1}, {"x": np.random.default_rng(1).random(100_000)})
    assert [file.name for file in tmp_path.iterdir()] == ["kept.npz"]
    assert kept.load(path, 1, "numbers", "measure")[1]["x"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("kept_bytes", [0, 10, 300, -40])
def test_a_file_that_was_cut_off_counts_as_none(tmp_path, kept_bytes):
    path = tmp_path / "kept.npz"
    kept.save(path, {"format": 1}, {"x": np.random.default_rng(1).random(1000)})
    path.write_bytes(path.read_bytes()[:kept_bytes])
    with pytest.raises(kept.NotKept, match=r"kept\.npz holds no numbers"):
        kept.load(path, 1, "numbers", "measure")


def test_a_file_with_a_wrong_byte_counts_as_none(tmp_path):
    path = tmp_path / "kept.npz"
    kept.save(path, {"format": 1}, {"x": np.random.default_rng(1).random(1000)})
    whole = path.read_bytes()
    for at in range(30, len(whole), len(whole) // 40):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            _, arrays = kept.load(path, 1, "numbers", "measure")
        except kept.NotKept:
            continue
        assert arrays["x"].shape == (1000,)  # a byte that says nothing


def test_a_page_and_an_answer_that_find_no_room_leave_nothing(tmp_path, small_files):
    for write in (
        lambda file: save("x" * 100_000, file),
        lambda file: keep(Flag("code", "key", "x" * 100_000), file),
    ):
        with pytest.raises(OSError, match=r"large.*page"):
            write(tmp_path / "page")
        assert not list(tmp_path.iterdir())
