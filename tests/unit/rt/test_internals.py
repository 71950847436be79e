"""Functions that only compiled code calls: one version for all values, no machine code, and nothing lost by it."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core.bytecode import FunctionIdentity  # noqa: TID251  (its numbers are what is tried)

from hilctl.rt.internals import _in_one_go
from hilctl.rt.jit import PLAIN, compile_now, jit, record_type
from hilctl.rt.tested import internals_known

pytestmark = pytest.mark.skipif(PLAIN or not internals_known(), reason="numba's own ways are used")


@jit()
def rt_scaled(k, x):
    return k * x


@jit(lambda: "float64(float64)")
def rt_many_constants(x):
    return rt_scaled(1, x) + rt_scaled(2, x) + rt_scaled(3, x)


def test_a_callee_has_one_version_for_all_constants():
    assert rt_many_constants(2.0) == 12.0
    assert len(rt_scaled.callee.overloads) == 1


def test_a_callee_never_becomes_machine_code():
    compile_now(rt_many_constants)
    (inner,) = rt_scaled.callee.overloads.values()
    engine = inner.library._codegen._engine
    assert not engine.is_symbol_defined(inner.fndesc.llvm_func_name)
    (entry,) = rt_many_constants.dispatcher.overloads.values()
    assert engine.is_symbol_defined(entry.fndesc.llvm_func_name)


_LINES = [f"    z[{i}] = x = x / (z[{i}] * x + {i}.5)" for i in range(60)]
_LONG = "\n".join(["def rt_long(z, x):", *_LINES, "    return x"])


@pytest.mark.parametrize("inline", [False, True])
def test_a_long_callee_is_called_unless_it_is_said_to_go_inline(inline):
    made = {}
    exec(_LONG, made)
    rt_long = jit(inline=inline)(made["rt_long"])

    @jit(lambda: "float64(float64[::1], float64)")
    def rt_twice(z, x):
        return rt_long(z, x) + rt_long(z, 2.0 * x)

    ours, plain = np.ones(60), np.ones(60)
    assert rt_twice(ours, 3.0) == made["rt_long"](plain, 3.0) + made["rt_long"](plain, 6.0)
    (machine_code,) = rt_twice.dispatcher.inspect_asm().values()
    (callee,) = rt_long.callee.overloads.values()
    assert (callee.fndesc.llvm_func_name in machine_code) != inline


_PROGRAM = '''
from hilctl.rt.jit import jit

@jit()
def rt_inner(x):
    if x > 1.0:
        raise ValueError("too large")
    print("seen", x)
    return x

@jit(lambda: "float64(float64)", cached=True)
def rt_outer(x):
    return 2.0 * rt_inner(x)

print(rt_outer(0.5))
try:
    rt_outer(2.0)
except ValueError as error:
    print(error)
'''


def test_a_callee_prints_and_raises_fresh_and_from_the_cache(tmp_path: Path):
    (tmp_path / "program.py").write_text(_PROGRAM)
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in ("fresh", "cached"):
        command = [sys.executable, str(tmp_path / "program.py")]
        told = subprocess.run(command, capture_output=True, text=True, check=True, env=env, timeout=120)
        assert told.stdout.split("\n")[:3] == ["seen 0.5", "1.0", "too large"]


def test_a_records_name_is_not_spelt_out_again_and_again():
    compile_now(rt_many_constants)
    record = record_type(np.dtype([("a", np.float64)]))
    assert repr(record) is record.name


def test_garbage_is_collected_again_after_compiling():
    import gc

    with _in_one_go():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_processes_that_one_has_forked_number_their_closures_apart() -> None:
    """Two of one name, kept under the same number, are one symbol: who loads both calls one for the other."""
    seen = [next(FunctionIdentity._unique_ids)]
    for _ in range(2):
        reads, writes = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writes, next(FunctionIdentity._unique_ids).to_bytes(8, "little"))
            os._exit(0)
        os.close(writes)
        with open(reads, "rb") as told:
            seen.append(int.from_bytes(told.read(), "little"))
        os.waitpid(child, 0)
    assert min(abs(a - b) for a, b in itertools.combinations(seen, 2)) > 1000
