"""Where a service keeps its things, and how it is found."""

import json
import os
import stat
from pathlib import Path

import pytest

from hilctl.wire import places
from hilctl.wire.errors import Refused


@pytest.fixture(autouse=True)
def _own_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def _announce(root: Path, rig: str, pid: int) -> None:
    (root / rig).mkdir(parents=True)
    (root / rig / places.ENDPOINTS).write_text(json.dumps({"pid": pid, "commands": f"tcp://{rig}"}))


def test_systemds_directory_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", "/run/hilctl:/run/other")
    assert places.runtime_root() == Path("/run/hilctl")


def test_without_a_session_the_directory_is_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert places.runtime_root().name == f"hilctl-{os.getuid()}"


def test_the_runtime_directory_is_for_its_user_alone(tmp_path: Path) -> None:
    directory = places.own_directory(tmp_path / "rig")
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_the_only_service_is_found_without_a_name() -> None:
    _announce(places.runtime_root(), "one", os.getpid())
    assert places.find()["commands"] == "tcp://one"


def test_a_service_whose_process_is_gone_is_not_found() -> None:
    _announce(places.runtime_root(), "one", 2**22 + 1)
    with pytest.raises(Refused, match="no service runs here"):
        places.find("one")


def test_among_several_a_name_is_asked_for() -> None:
    for rig in ("one", "two"):
        _announce(places.runtime_root(), rig, os.getpid())
    with pytest.raises(Refused, match="which rig"):
        places.find()
    assert places.find("two")["commands"] == "tcp://two"


def test_a_torn_endpoints_file_is_passed_over() -> None:
    _announce(places.runtime_root(), "one", os.getpid())
    (places.runtime_root() / "one" / places.ENDPOINTS).write_text('{"pid": 1')
    assert places.running() == {}
