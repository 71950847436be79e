"""Loading from the cache: it is found, it is used, and it does not wake the whole compiler."""

import os
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
print(sum(exchange.stats.cache_misses.values()), "scipy.linalg" in sys.modules, state.view(np.int64)[0])
"""


def _python(code, cache):
    env = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    env.pop("CACHE_DIRECTORY", None)
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    return told.stdout.split()


def test_the_second_process_loads_what_the_first_compiled_without_the_compilers_library(tmp_path):
    first = _python(_LOAD, tmp_path)
    assert (first[0], first[2]) == ("1", "3")
    assert _python(_LOAD, tmp_path) == ["0", "False", "3"]


def test_what_was_loaded_can_still_be_called_by_what_must_be_compiled(tmp_path):
    code = _LOAD + """
from hilctl.rt.jit import jit
@jit()
def rt_both(state, command, readings):
    return rt_null_exchange(state, command, readings) + 10
print(rt_both(state, command, np.zeros(1, READINGS)[0]))
"""
    _python(_LOAD, tmp_path)
    assert _python(code, tmp_path) == ["0", "False", "3", "10"]
