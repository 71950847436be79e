"""Functions in C give what they give in Python, to the bit; what has no translation is refused with its place."""

import ctypes
import math
import subprocess
from pathlib import Path

import numpy as np
import pytest

import hilctl.fmu
from firmware_bridge.firmware.build import compiler
from hilctl.fmu.translate.body import translated
from hilctl.fmu.translate.program import NotTranslatable, Program
from hilctl.fmu.translate.types import REAL, WHOLE, Record
from hilctl.params import record_of
from hilctl.rt.jit import jit

STATE = record_of([("words", np.float64, (2, 3)), ("count", np.int64), ("x", np.float64), ("y", np.float64)])
TABLE = (0.5, -1.5, 2.5)
LIMIT = 1e-3


@jit()
def rt_pair(a, b):
    return b, a


@jit()
def rt_bump(s):
    s.count += 1
    return s.count


def rt_arithmetic(s, x, n):
    """/ of whole numbers, % of negative ones, **, and the first of two equal numbers."""
    s.x = n / 4 + (-7) % 5 + (n - 9) % 4 + x**3 + abs(x) ** 0.5
    s.y = min(x, 2.0, -x) - max(0.0, x, LIMIT) + min(n, 3) * TABLE[n % 3] + len(TABLE)


def rt_order(s, x, n):
    """Swaps, tuples of calls, chains of targets."""
    s.x, s.y = x, float(n)
    s.x, s.y = s.y, s.x
    a, (b, c) = 1.0, rt_pair(s.x, s.y)
    a, b = b, a
    s.x = s.y = a - 10.0 * b + 100.0 * c
    s.words[1, 2], s.words[0, 0] = rt_bump(s), rt_bump(s)


def rt_loops(s, x, n):
    """A counter that the body writes to, a step, break, continue, else-if, a chain of comparisons."""
    total = 0
    for i in range(n):
        if i == 2:
            continue
        i += 10  # noqa: PLW2901
        total += i
    for j in range(5, -1, -2):
        total += j * j
    k = 0
    while True:
        k += 1
        if -1.0 < x <= k < 100:
            row = s.words[0]
            break
        if k > 50:
            row = s.words[1]
            break
    row[0] = total
    s.count = k if not math.isnan(x) else -1


def rt_shapes(s, x, n):
    """Functions of math, and what is no number."""
    s.x = math.copysign(math.expm1(x), -0.0) + math.floor(x * 3.7) + round(x + 0.5) + int(x * 9.9)
    s.y = math.log1p(abs(x)) + math.tanh(x) * math.pi if math.isfinite(x) and x != math.inf else math.nan


FUNCTIONS = (rt_arithmetic, rt_order, rt_loops, rt_shapes)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    if compiler() is None:
        pytest.skip("no C compiler (CC, gcc, cc)")
    program, folder = Program(STATE, "State", translated), tmp_path_factory.mktemp("translated")
    names = [program.function(one, (Record(STATE), REAL, WHOLE)).name for one in FUNCTIONS]
    types, functions = program.text()
    taken = "State *s, double x, int64_t n"
    calls = "".join(
        f"void call_{one}({taken});\nvoid call_{one}({taken}) {{ {one}(s, x, n); }}\n" for one in names
    )
    source, out = folder / "all.c", folder / "all.so"
    source.write_text(f'#include "python.h"\n{types}{functions}{calls}')
    include = str(Path(hilctl.fmu.__file__).with_name("csrc"))
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([compiler(), *strict, "-I", include, "-o", str(out), str(source), "-lm"], check=True)
    return ctypes.CDLL(str(out))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("x", [0.0, -0.0, 0.3, -1.7, 2.0, 1e-300])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_function_gives_the_same_bits_in_c(library, function, x, n):
    ours, theirs = np.zeros(1, STATE), np.zeros(1, STATE)
    function(ours[0], x, n)
    call = getattr(library, f"call_{function.__name__}")
    call(ctypes.c_void_p(theirs.ctypes.data), ctypes.c_double(x), ctypes.c_int64(n))
    np.testing.assert_array_equal(theirs.view(np.int64), ours.view(np.int64))


def rt_two_calls(s):
    s.x = rt_bump(s) - 2 * rt_bump(s)


def rt_list(s):
    s.x = [1.0][0]


def rt_unknown_field(s):
    s.x = s.z


def rt_unknown_call(s):
    s.x = math.gamma(s.y)


def rt_over_items(s):
    for one in TABLE:
        s.x += one


def rt_two_kinds(s):
    row = s.words
    row = 1.0
    s.x = row


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (rt_two_calls, "line 2 of it: an expression with two calls that write memory"),
        (rt_list, "line 2 of it: `List`"),
        (rt_unknown_field, "line 2 of it: .z"),
        (rt_unknown_call, "line 2 of it: gamma()"),
        (rt_over_items, "line 2 of it: a `for` that does not count"),
        (rt_two_kinds, "row: "),
    ],
)
def test_what_has_no_translation_is_refused_with_its_place(function, says):
    with pytest.raises(NotTranslatable) as refused:
        Program(STATE, "State", translated).function(function, (Record(STATE),))
    assert says in refused.value.text
    assert function.__name__ in refused.value.text
