"""Loading from the cache: it is found, it is used, and it does not wake the whole compiler."""

import os
import shutil
import subprocess
import sys

import pytest

from hilctl.rt.jit import PLAIN

pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled")

_LOAD = """
import sys
from firmware_bridge.driver import rt_null_exchange, COMMAND, READINGS
import numpy as np
exchange = rt_null_exchange.dispatcher
command = np.zeros(1, COMMAND)[0]
command.periods = 3
state = np.zeros(8, np.uint8)
assert rt_null_exchange(state, command, np.zeros(1, READINGS)[0]) == 0
woken = {"scipy.linalg", "numba.np.arrayobj"} & set(sys.modules)
print(sum(exchange.stats.cache_misses.values()), bool(woken), state.view(np.int64)[0])
"""


def _python(code, cache):
    env = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    env.pop("CACHE_DIRECTORY", None)
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    return told.stdout.split()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A cache that a process has filled."""
    place = tmp_path_factory.mktemp("compiled")
    _python(_LOAD, place)
    return place


@pytest.fixture
def cached(compiled, tmp_path):
    """A copy of it, to spoil."""
    shutil.copytree(compiled, tmp_path / "cache")
    return tmp_path / "cache"


def test_the_second_process_loads_what_the_first_compiled_without_the_compilers_library(tmp_path):
    first = _python(_LOAD, tmp_path)
    assert (first[0], first[2]) == ("1", "3")
    assert _python(_LOAD, tmp_path) == ["0", "False", "3"]


def _kept(cache, ending):
    (found,) = cache.rglob(f"*rt_null_exchange*.{ending}")
    return found


@pytest.mark.parametrize(("ending", "left"), [("nbi", 100), ("nbc", 0)])
def test_a_file_in_the_cache_that_was_cut_short_is_made_anew(cached, ending, left):
    file = _kept(cached, ending)
    file.write_bytes(file.read_bytes()[:left])
    assert _python(_LOAD, cached)[::2] == ["1", "3"]
    assert _python(_LOAD, cached) == ["0", "False", "3"]


def test_what_cannot_be_kept_is_used_all_the_same(tmp_path):
    full = """
from numba.core.caching import IndexDataCacheFile
def full(*_):
    raise OSError(28, "No space left on device")
IndexDataCacheFile.save = full
"""
    assert _python(full + _LOAD, tmp_path)[::2] == ["1", "3"]
    assert not list(tmp_path.rglob("*.nbc"))


def test_what_was_loaded_can_still_be_called_by_what_must_be_compiled(cached):
    code = (
        _LOAD
        + """
from hilctl.rt.jit import jit
@jit()
def rt_both(state, command, readings):
    return rt_null_exchange(state, command, readings) + 10
print(rt_both(state, command, np.zeros(1, READINGS)[0]))
"""
    )
    assert _python(code, cached) == ["0", "False", "3", "10"]
