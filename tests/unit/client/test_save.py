"""A saved file is there whole or not at all, and no other file is lost to it."""

import os
from pathlib import Path
from typing import Any

import pytest

from hilctl.client.save import save, write_whole
from hilctl.errors import WrongUse
from hilctl.wire.toml import SAVED


class FakeRig:
    """A service that has something to keep."""

    def __init__(self, *files: Path) -> None:
        self.files, self.asked = files, list[dict[str, Any]]()

    def changes(self, **_: object) -> dict[str, Any]:
        return {"files": [str(file) for file in self.files]}

    def ask(self, op: str, **args: Any) -> dict[str, Any]:
        self.asked.append({"op": op, **args})
        return {"text": f"{SAVED} new\n", "keys": ["machine.m"]}


def saved(path: Path, *files: Path) -> Any:
    return save(FakeRig(*files), path)  # type: ignore[arg-type]


def test_it_says_how_to_include_it(tmp_path: Path) -> None:
    made = saved(tmp_path / "identified.toml", tmp_path / "rig.toml")
    assert not made.included and made.line == 'include = ["identified.toml"]'
    assert (tmp_path / "identified.toml").read_text() == f"{SAVED} new\n"
    assert saved(tmp_path / "identified.toml", tmp_path / "rig.toml", tmp_path / "identified.toml").included


def test_an_included_file_is_replaced_by_its_number(tmp_path: Path) -> None:
    rig = FakeRig(*(tmp_path / name for name in ("rig.toml", "a.toml", "b.toml")))
    save(rig, tmp_path / "b.toml")  # type: ignore[arg-type]
    assert rig.asked == [{"op": "toml", "replaces": 2}]


@pytest.mark.parametrize("content", [b"[machine]\nm = 1\n", b"\xff\xfe", b""])
def test_a_file_that_somebody_else_wrote_is_not_touched(tmp_path: Path, content: bytes) -> None:
    target = tmp_path / "mine.toml"
    target.write_bytes(content)
    with pytest.raises(WrongUse):
        saved(target, tmp_path / "rig.toml")
    with pytest.raises(WrongUse, match="rig file itself"):
        saved(tmp_path / "rig.toml", tmp_path / "rig.toml")
    assert target.read_bytes() == content


def test_when_writing_fails_the_old_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "identified.toml"
    write_whole(target, "old")

    def full(_: int) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        write_whole(target, "new")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["identified.toml"]
