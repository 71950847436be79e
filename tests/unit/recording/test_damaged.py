"""A file that is no recording, or a spoilt one, is refused by its name with the reason."""

from collections.abc import Callable
from pathlib import Path

import h5py
import pytest

from hilctl.errors import WrongUse
from hilctl.recording.damaged import Damaged
from hilctl.recording.reader import open_recording
from tests.unit.recording.recording_parts import small_recording


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return small_recording(tmp_path / "a.h5")


def read(path: Path) -> None:
    with open_recording(path) as recording:
        recording.rows()
        assert recording.events and recording.parameters_at_start


def without(name: str) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        del file[name]

    return change


def attribute(name: str, value: object) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        file.attrs[name] = value

    return change


def spoilt_text(file: h5py.File) -> None:
    del file["parameters_at_start"]
    file["parameters_at_start"] = "{no json"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without("samples"), "is no recording, or damaged (\"Unable to synchronously open object"),
        (without("events"), "is no recording, or damaged"),
        (without("parameters_at_start"), "is no recording, or damaged"),
        (spoilt_text, "is no recording, or damaged (Expecting property name"),
        (attribute("host", "{"), "is no recording, or damaged (Expecting property name"),
        (attribute("rate_hz", "fast"), "is no recording, or damaged (could not convert string to float: 'fast')"),
        (attribute("version", 99), "version 99; this program reads 'hilctl recording', 1"),
    ],
)  # fmt: skip
def test_what_is_missing_or_spoilt_within_is_named(file: Path, change: Callable[[h5py.File], None], said: str) -> None:
    read(file)
    with h5py.File(file, "r+") as opened:
        change(opened)
    with pytest.raises(Damaged) as refused:
        read(file)
    assert str(refused.value).startswith(f"{file}: ") and said in str(refused.value)


def test_what_is_no_hdf5_or_was_cut_off_is_named(file: Path) -> None:
    whole = file.read_bytes()
    for data, said in ((b"", "is no recording, or damaged"), (b"no recording", "is no recording, or damaged"),
                       (whole[: len(whole) // 2], "was cut off: of it there are")):  # fmt: skip
        file.write_bytes(data)
        with pytest.raises(Damaged, match=said):
            read(file)


def test_a_file_that_is_not_there_is_no_damaged_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_recording(tmp_path / "none.h5")


def test_a_channel_that_the_file_has_not_is_named_with_the_nearest(file: Path) -> None:
    with open_recording(file) as recording, pytest.raises(WrongUse, match=r"no channel 'positon_m'.*'position_m'"):
        recording.columns("tick", "positon_m")
