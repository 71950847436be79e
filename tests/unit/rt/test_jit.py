"""The one decorator for compiled code."""

import subprocess
import sys

import numpy as np
import pytest

from hilctl.params import record_of
from hilctl.rt.jit import PLAIN, Jit, compile_now, jit
from hilctl.rt.records import as_record, record_at, rt_copy, words_of
from hilctl.rt.tested import internals_known

INNER = record_of([("a", np.float64), ("b", np.int64, (3,))])
OUTER = record_of([("first", np.int64), ("inner", INNER), ("many", INNER, (2,))])

compiled_only = pytest.mark.skipif(PLAIN or not internals_known(), reason="numba's own ways are used")


def _python(code: str, **env: str) -> str:
    import os

    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env={**os.environ, **env, "PYTHONPATH": os.pathsep.join(sys.path)})
    return told.stdout.strip()


def test_declaring_compiled_functions_costs_no_compiler():
    code = "import sys, firmware_bridge.driver, hilctl.law.tick, hilctl.loop.link; print('numba' in sys.modules)"
    assert _python(code) == "False"


def test_with_compilation_switched_off_functions_are_plain_python():
    code = "from hilctl.rt.jit import jit\n@jit()\ndef f(x): return x + 1\nprint(type(f).__name__, f(1))"
    assert _python(code, NUMBA_DISABLE_JIT="1") == "function 2"


@jit()
def rt_halve(x):
    return x / 2


@jit(lambda: "float64(float64)")
def rt_twice_halved(x):
    return rt_halve(rt_halve(x))


def test_compiled_functions_call_each_other_and_agree_with_plain_python():
    assert rt_twice_halved(10.0) == 2.5
    assert rt_halve(10.0) == 5.0
    if isinstance(rt_twice_halved, Jit):
        assert rt_twice_halved.plain(10.0) == 2.5


@compiled_only
def test_a_callee_is_compiled_without_pythons_wrapper():
    compile_now(rt_twice_halved)
    (inner,) = rt_halve.callee.overloads.values()
    assert not [f.name for f in inner.library.get_defined_functions() if f.name.startswith(("cpython.", "cfunc."))]


@jit()
def rt_divide(x, y):
    return x / y


@jit()
def rt_is_nan(x):
    return x != x


def test_division_by_zero_gives_inf_and_nan_is_not_optimised_away():
    assert rt_divide(1.0, 0.0) == np.inf if not PLAIN else True
    assert rt_is_nan(float("nan"))
    assert not rt_is_nan(1.0)


@jit()
def rt_fill(memory, offset):
    record = record_at(memory, offset, OUTER)
    record.first = 7
    record.inner.a = 2.5
    record.inner.b[1] = 11
    record.many[1].a = -1.0
    return as_record(memory, OUTER).first


def test_records_over_raw_memory_are_seen_alike_from_both_sides():
    memory = np.zeros(64 + OUTER.itemsize, np.uint8)
    assert rt_fill(memory, 64) == 0
    seen = memory[64:].view(OUTER)[0]
    assert (seen.first, seen.inner.a, seen.inner.b[1], seen.many[1].a) == (7, 2.5, 11, -1.0)
    assert rt_fill(memory, 0) == 7


def test_a_copy_of_a_record_keeps_every_bit():
    source, target = np.zeros(1, OUTER), np.zeros(1, OUTER)
    source.view(np.int64)[:] = np.random.default_rng(1).integers(-(2**63), 2**63 - 1, source.nbytes // 8)
    rt_copy(source[0], target[0])
    assert source.tobytes() == target.tobytes()


@jit()
def rt_sum_words(record):
    total = 0.0
    for word in words_of(record):
        total += word
    return total


def test_a_records_words_are_its_own_memory():
    record = np.zeros(1, INNER)[0]
    record.a = 1.5
    assert rt_sum_words(record) == 1.5
    words_of(record)[0] = 4.0
    assert record.a == 4.0
