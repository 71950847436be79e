"""Loading what was kept: it is found and used, it does not wake the whole compiler, and damage costs a compilation."""

import os
import shutil
import subprocess
import sys

import pytest

from hilctl.rt.jit import PLAIN
from hilctl.rt.tested import internals_known

pytestmark = pytest.mark.skipif(PLAIN or not internals_known(), reason="numba's own ways are used")

_LOAD = """
import sys
from firmware_bridge.driver import rt_null_exchange, COMMAND, READINGS
from hilctl.rt.jit import compile_now, is_warm
import numpy as np
warm = is_warm(rt_null_exchange)
assert "numba" not in sys.modules
announced = [False]
compile_now(rt_null_exchange, lambda: announced.__setitem__(0, True))
command = np.zeros(1, COMMAND)[0]
command.periods = 3
state = np.zeros(8, np.uint8)
assert rt_null_exchange(state, command, np.zeros(1, READINGS)[0]) == 0
woken = {"scipy.linalg", "numba.np.arrayobj"} & set(sys.modules)
assert announced[0] or not rt_null_exchange.compiled_here
print(warm, rt_null_exchange.compiled_here, bool(woken), state.view(np.int64)[0])
"""
_COMPILED, _LOADED = ["False", "True", "True", "3"], ["True", "False", "False", "3"]


def _environment(cache):
    env = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    env.pop("CACHE_DIRECTORY", None)
    return env


def _python(code, cache):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=_environment(cache)).stdout.split()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A cache that a process has filled."""
    place = tmp_path_factory.mktemp("compiled")
    assert _python(_LOAD, place) == _COMPILED
    return place


@pytest.fixture
def cached(compiled, tmp_path):
    """A copy of it, to spoil."""
    shutil.copytree(compiled, tmp_path / "cache")
    return tmp_path / "cache"


def test_the_second_process_loads_what_the_first_compiled_without_the_compilers_library(cached):
    assert _python(_LOAD, cached) == _LOADED


def test_a_file_that_was_cut_short_is_compiled_again(cached):
    (file,) = cached.rglob("*.compiled")
    file.write_bytes(file.read_bytes()[:100])
    assert _python(_LOAD, cached)[1] == "True"
    assert _python(_LOAD, cached) == _LOADED


@pytest.mark.slow
def test_a_file_that_holds_something_else_is_compiled_again(cached):
    (file,) = cached.rglob("*.compiled")
    name = file.name.removesuffix(".compiled")
    _python(f"from hilctl.rt import store; store.write({name!r}, b'not machine code')", cached)
    assert _python(_LOAD, cached)[1] == "True"
    assert _python(_LOAD, cached) == _LOADED


@pytest.mark.slow
def test_what_cannot_be_kept_is_used_all_the_same(tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    code = f"import tempfile; tempfile.tempdir = {str(blocked)!r}\n" + _LOAD
    assert _python(code, blocked) == _COMPILED


def test_of_two_processes_that_need_the_same_at_once_one_compiles_and_the_other_waits_for_it(tmp_path):
    command = [sys.executable, "-c", _LOAD]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=_environment(tmp_path)) for _ in range(2)]
    told = [process.communicate()[0].split() for process in both]
    assert [answer[3] for answer in told] == ["3", "3"]
    assert sorted(answer[1] for answer in told) == ["False", "True"]
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1
    assert _python(_LOAD, tmp_path) == _LOADED


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
    assert _python(code, cached) == [*_LOADED, "10"]


_BY_TYPES = """
import numpy as np
from numba.core import event
from hilctl.friction.registry import rt_steady
with event.install_recorder("numba:compile") as seen:
    given = np.full(32, 0.5)
    print(rt_steady(1, given, 1.0, 2.0), rt_steady(1, given, 1.0, 2), len(seen.buffer) > 0)
"""


def test_what_python_calls_without_a_signature_is_kept_for_each_types_of_arguments(tmp_path):
    *fresh, compiled = _python(_BY_TYPES, tmp_path)
    assert compiled == "True" and len(list(tmp_path.rglob("*rt_steady*.compiled"))) == 2
    assert _python(_BY_TYPES, tmp_path) == [*fresh, "False"]


_BY_FUNCTION = """
from tests.unit.rt import called
print(called.rt_call(called.add, 1.0), called.rt_call(called.times, 3.0))
"""


@pytest.mark.slow
def test_what_takes_a_function_is_compiled_each_time_for_its_type_says_nothing_of_its_code(tmp_path):
    assert _python(_BY_FUNCTION, tmp_path) == ["2.0", "6.0"]
    assert not list(tmp_path.rglob("*.compiled"))
