"""The files of compiled code: complete or absent, bounded, and never taken from a process that runs them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hilctl.rt import store


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(store.tempfile, "tempdir", None)
    monkeypatch.delenv("CACHE_DIRECTORY", raising=False)
    monkeypatch.setattr(store, "_in_use", [])
    (tmp_path / "tmp").mkdir()
    store.folder.cache_clear()
    yield tmp_path / "cache" / "hilctl" / "functions"
    for file in store._in_use:
        os.close(file)
    store.folder.cache_clear()


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def names(place: Path) -> set[str]:
    return {path.name.removesuffix(".compiled") for path in place.iterdir()}


def test_what_was_written_is_read(place):
    assert store.read("a-1") is None
    store.write("a-1", b"machine code")
    assert store.read("a-1") == b"machine code"
    assert store.holds("a-")
    assert not store.holds("b-")
    store.remove("a-1")
    assert store.read("a-1") is None
    assert not store.holds("a-")


def cut(text: bytes) -> bytes:
    return text[: len(text) // 2]


def flipped(text: bytes) -> bytes:
    return text[:-1] + bytes([text[-1] ^ 1])


def zeroed(text: bytes) -> bytes:
    return bytes(len(text))


def emptied(text: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("spoil", [cut, flipped, zeroed, emptied])
def test_a_damaged_file_is_never_read_and_goes(place, spoil, caplog):
    store.write("a-1", b"machine code")
    (file,) = place.iterdir()
    file.write_bytes(spoil(file.read_bytes()))
    assert store.read("a-1") is None
    assert "damaged" in caplog.text
    assert not list(place.iterdir())


WRITER = """
import os, signal
from hilctl.rt import store
class Path(type(store.Path())):
    def write_bytes(self, data):
        with open(self, "wb") as file:
            file.write(data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
store.Path = Path
store.write("a-1", b"machine code" * 1000)
"""


def test_a_writer_that_is_killed_leaves_no_file_that_is_read_and_its_remains_go_later(place):
    done = subprocess.run([sys.executable, "-c", WRITER], check=False, env=environment())
    assert done.returncode == -signal.SIGKILL
    (part,) = place.iterdir()
    assert store.read("a-1") is None
    assert not store.holds("a-")
    store.write("b-1", b"1")
    assert part.exists()  # for all we know it is being written
    os.utime(part, (1, 1))
    store.write("c-1", b"1")
    assert names(place) == {"b-1", "c-1"}


def used(place: Path, name: str, seconds_ago: float) -> None:
    then = time.time() - seconds_ago
    os.utime(place / f"{name}.compiled", (then, then))


def freed() -> None:
    """What this process has loaded, it no longer uses."""
    while store._in_use:
        os.close(store._in_use.pop())


def test_what_was_not_used_for_longest_goes_when_the_cache_is_full(place, monkeypatch):
    for k in range(6):
        store.write(f"a-{k}", bytes(1000))
        used(place, f"a-{k}", 1000 - k)
    freed()
    assert store.read("a-0") is not None  # and so it was used just now
    freed()
    monkeypatch.setattr(store, "LIMIT_BYTES", 4500)
    store.write("b-0", bytes(1000))
    assert names(place) == {"a-0", "a-4", "a-5", "b-0"}


USER = """
import sys
from hilctl.rt import store
assert store.read("a-0") is not None
print("loaded", flush=True)
sys.stdin.read()
"""


def test_what_another_running_process_uses_stays(place, monkeypatch):
    for k in range(3):
        store.write(f"a-{k}", bytes(1000))
    freed()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", USER], env=environment(), **pipes) as user:
        assert user.stdout.readline() == b"loaded\n"
        for k in range(3):
            used(place, f"a-{k}", 1000 - k)
        monkeypatch.setattr(store, "LIMIT_BYTES", 1500)
        store.write("b-0", bytes(1000))
        assert names(place) == {"a-0", "b-0"}
        user.stdin.close()
    freed()
    store.write("c-0", bytes(1000))
    assert names(place) == {"c-0"}


def test_where_nothing_can_be_written_a_temporary_folder_serves(place, monkeypatch, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    store.write("a-1", b"1")
    assert store.read("a-1") == b"1"
    assert tmp_path / "tmp" in store.folder().parents


def test_where_a_temporary_folder_cannot_be_written_either_nothing_is_kept(place, monkeypatch, tmp_path, caplog):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr(store.tempfile, "tempdir", str(blocked))
    store.write("a-1", b"1")
    assert store.read("a-1") is None
    assert not store.holds("a-")
    store.remove("a-1")
    assert "cannot be kept" in caplog.text


def test_a_folder_that_others_can_write_is_not_used(place, tmp_path):
    place.mkdir(parents=True)
    place.chmod(0o777)
    assert place != store.folder()


def test_a_full_disk_is_said_and_costs_nothing_else(place, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.Path, "write_bytes", full)
    store.write("a-1", b"1")
    assert "No space left" in caplog.text
    assert store.read("a-1") is None


def test_a_folder_that_went_meanwhile_is_made_again(place):
    store.write("a-1", b"1")
    for path in place.iterdir():
        path.unlink()
    place.rmdir()
    assert store.read("a-1") is None
    store.write("a-1", b"2")
    assert store.read("a-1") == b"2"


def test_systemds_own_place_is_used_when_there_is_one(place, monkeypatch, tmp_path):
    monkeypatch.setenv("CACHE_DIRECTORY", f"{tmp_path}/one:{tmp_path}/two")
    assert store.root() == tmp_path / "one"
