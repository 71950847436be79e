"""Where compiled code is kept: a place of its own for every version of everything it was made from."""

import functools
import os
import pathlib
import subprocess
import sys
import time
import types

import pytest

from hilctl.rt import cache


@pytest.fixture
def house(tmp_path, monkeypatch):
    """Two sources, of which one holds compiled code."""
    compiled, other = tmp_path / "law.py", tmp_path / "report.py"
    compiled.write_text("from hilctl.rt.jit import jit\n")
    other.write_text("import numpy\n")
    monkeypatch.setattr(cache, "_sources", lambda: sorted([compiled, other]))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CACHE_DIRECTORY", raising=False)
    monkeypatch.setattr(cache, "place", functools.cache(cache.cache_directory))
    return compiled, other


def test_an_edit_of_any_compiled_source_is_another_place(house):
    compiled, _ = house
    before = cache.cache_directory()
    compiled.write_text(compiled.read_text() + "# another law\n")
    assert cache.cache_directory() != before


def test_an_edit_elsewhere_changes_nothing(house):
    _, other = house
    before = cache.cache_directory()
    other.write_text("import scipy\n")
    assert cache.cache_directory() == before


def test_another_numba_is_another_place(house, monkeypatch):
    before = cache.cache_directory()
    version = cache.importlib.metadata.version
    monkeypatch.setattr(cache.importlib.metadata, "version", lambda name: version(name) + "+1")
    assert cache.cache_directory() != before


def test_it_is_warm_once_the_function_has_been_compiled(house):
    place = cache.place()
    assert not cache.is_warm("rt_run")
    folder = place / "loop_123"
    folder.mkdir()
    (folder / "core.rt_run-32.py311.1.nbc").touch()
    assert cache.is_warm("rt_run")
    assert not cache.is_warm("rt_other")


def test_old_versions_are_thinned_out_and_the_newest_kept(house):
    root = cache.cache_root() / "compiled"
    for k in range(10):
        (root / f"old{k}").mkdir(parents=True)
        os.utime(root / f"old{k}", (k + 1, k + 1))
    current = cache.cache_directory()
    left = {p.name for p in root.iterdir()}
    assert current.name in left
    assert left - {current.name} == {f"old{k}" for k in range(6, 10)}


def test_two_that_thin_out_at_once_do_not_stumble_over_each_other(house, monkeypatch):
    root = cache.cache_root() / "compiled"
    for k in range(10):
        (root / f"old{k}").mkdir(parents=True)
    listed = pathlib.Path.iterdir

    def gone_meanwhile(folder):
        found = list(listed(folder))
        (root / "old3").rmdir()  # by the other one
        return iter(found)

    monkeypatch.setattr(pathlib.Path, "iterdir", gone_meanwhile)
    assert cache.cache_directory().is_dir()


@pytest.fixture
def driver(tmp_path, monkeypatch):
    """Another package, of two files."""
    folder = tmp_path / "some_driver"
    folder.mkdir()
    for name in ("__init__.py", "frame.py"):
        (folder / name).write_text("LENGTH = 8\n")
    package = types.ModuleType("some_driver")
    package.__path__ = [str(folder)]
    monkeypatch.setitem(sys.modules, "some_driver", package)
    return folder


def test_an_edit_anywhere_in_a_drivers_package_is_another_place_for_it_and_not_for_ours(house, driver):
    place_of = cache.place_of_others.__wrapped__
    ours, before = cache.cache_directory(), place_of(frozenset({"some_driver"}))
    assert ours in before.parents
    (driver / "frame.py").write_text("LENGTH = 9\n")
    assert place_of(frozenset({"some_driver"})) != before
    assert cache.cache_directory() == ours


def test_where_nothing_can_be_written_a_temporary_place_serves(house, monkeypatch, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    place = cache.cache_directory()
    assert os.access(place, os.W_OK)
    assert time.time() - place.stat().st_mtime < 1000


def test_systemds_own_place_is_used_when_there_is_one(house, monkeypatch, tmp_path):
    monkeypatch.setenv("CACHE_DIRECTORY", f"{tmp_path}/one:{tmp_path}/two")
    assert cache.cache_root() == tmp_path / "one"


# So long that it is called, not inlined.
_LONG = "\n".join(f"            x += factor * math.sin(x + {k}) / (1.0 + math.exp(-x * x - {k}))" for k in range(60))
_CLOSURES = f'''
import math, sys
from hilctl.rt.jit import jit, specialised

def closure(factor):
    @jit()
    def inner(x):
        for _ in range(3):
{_LONG}
        return x
    return inner

def _entry(x):
    return inner(x) + inner(x + 1.0) + inner(x + 2.0)

ENTRIES = {{factor: specialised(_entry, str(factor), lambda: "float64(float64)", inner=closure(factor))
           for factor in (1, 1000)}}
for factor in sys.argv[1:]:
    print(ENTRIES[int(factor)](0.5))
'''


def test_closures_of_one_name_stay_apart_though_two_processes_compiled_them(tmp_path):
    (tmp_path / "closures.py").write_text(_CLOSURES)

    def run(*factors: str) -> list[str]:
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
        command = [sys.executable, "-c", "import closures", *factors]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    apart = [*run("1"), *run("1000")]
    assert apart[0] != apart[1]
    assert run("1", "1000") == apart
