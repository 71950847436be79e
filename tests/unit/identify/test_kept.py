"""What is kept appears whole or not at all."""

import resource

import numpy as np
import pytest

from hilctl.identify import kept


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
