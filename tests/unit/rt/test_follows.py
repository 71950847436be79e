"""Kept code follows its source: whatever it is made from is edited, it is compiled again, and nothing else is."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hilctl.rt.jit import PLAIN
from hilctl.rt.tested import internals_known

slow = pytest.mark.slow  # each edit compiles; what is in a key is proved without that (test_key.py)
pytestmark = pytest.mark.skipif(PLAIN or not internals_known(), reason="nothing is kept")

# Two packages: a driver's own, and what it takes from another one.
PACKAGES = {
    "some_driver/__init__.py": "",
    "some_driver/entry.py": """
from hilctl.rt.jit import jit
from some_driver import numbers, report
from some_driver.callee import rt_callee
from some_driver.numbers import KC, Code

@jit(lambda: "float64(float64)", cached=True)
def rt_entry(x):
    return rt_callee(x) + 10.0 * Code.SECOND.value + 100.0 * numbers.LIMIT + 1000.0 * KC
""",
    "some_driver/callee.py": """
import numpy as np
from hilctl.rt.jit import jit
from hilctl.rt.records import as_record
from some_driver.records import FRAME
from vendor.scale import rt_scale

TABLE = np.array([1.0, 2.0])

@jit()
def rt_callee(x):
    '''A callee.'''
    memory = np.arange(16).astype(np.uint8)
    return rt_scale(x) + TABLE[1] + as_record(memory, FRAME).b
""",
    "some_driver/records.py": """
from hilctl.params import record_of
import numpy as np
FRAME = record_of([("a", np.uint8), ("b", np.uint8)])
""",
    "some_driver/numbers.py": """
from dataclasses import dataclass
from enum import IntEnum

LIMIT = 3.0

class Code(IntEnum):
    FIRST = 1
    SECOND = 2

@dataclass
class Machine:
    kc: float = 0.5

KC = Machine().kc
""",
    "some_driver/report.py": "TITLE = 'unrelated'\n",
    "vendor/__init__.py": "",
    "vendor/scale.py": """
from hilctl.rt.jit import jit

@jit()
def rt_scale(x):
    return 2.0 * x
""",
}

RUN = """
from some_driver.entry import rt_entry
print(rt_entry(1.0), rt_entry.compiled_here)
"""


def write(folder: Path) -> None:
    for name, text in PACKAGES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


# Forks a process for each order: what it would import first is the same for all.
FORKS = """
import json, os, sys, traceback
import numba
import hilctl.params
from hilctl.rt import internals, jit, kept, key, records, store, tested

sys.dont_write_bytecode = True  # of one second's edits
for line in sys.stdin:
    code, folder, cache = json.loads(line)
    pid = os.fork()
    if pid == 0:
        os.environ["XDG_CACHE_HOME"] = cache
        sys.path.insert(0, folder)
        try:
            exec(code)
        except BaseException:
            traceback.print_exc()
            print("failed")
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(pid, 0)
"""


@pytest.fixture(scope="module")
def forks():
    """The process that forks."""
    with started(FORKS, stdin=subprocess.PIPE, bufsize=1) as process:
        yield process
        process.stdin.close()


def started(code: str, **named: Any) -> "subprocess.Popen[str]":
    """Python with this checkout's packages."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **named.pop("env", {})}
    environment.pop("CACHE_DIRECTORY", None)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment, **named)


def run(forks, folder: Path, code: str = RUN, **settings: str) -> tuple[float, bool]:
    """In a process of its own: the result, and whether it had to compile. Settings are read when numba is imported."""
    cache = str(folder / "cache")
    if settings:
        fresh = {"XDG_CACHE_HOME": cache, "PYTHONDONTWRITEBYTECODE": "1", **settings}
        with started(f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}", env=fresh) as process:
            said = process.stdout.read()
        assert process.returncode == 0
    else:
        forks.stdin.write(json.dumps([code, str(folder), cache]) + "\n")
        said = forks.stdout.readline()
    value, compiled = said.split()
    return float(value), compiled == "True"


@pytest.fixture(scope="module")
def compiled(forks, tmp_path_factory):
    """The packages, with a cache that a process has filled."""
    folder = tmp_path_factory.mktemp("compiled")
    write(folder)
    assert run(forks, folder) == (825.0, True)
    return folder


@pytest.fixture
def packages(compiled, tmp_path):
    """A copy of them, to edit."""
    shutil.copytree(compiled, tmp_path, dirs_exist_ok=True)
    return tmp_path


def edit(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))


def test_what_was_compiled_is_loaded_at_another_place_too(forks, packages):
    assert run(forks, packages) == (825.0, False)


@pytest.mark.parametrize(
    ("name", "old", "new", "result"),
    [
        pytest.param("some_driver/callee.py", "+ TABLE", "- TABLE", 821.0, id="a callee in another file"),
        pytest.param("vendor/scale.py", "2.0 * x", "4.0 * x", 827.0, id="a callee in another package", marks=slow),
        pytest.param("some_driver/callee.py", "[1.0, 2.0]", "[1.0, 7.0]", 830.0, id="an array", marks=slow),
        pytest.param(
            "some_driver/numbers.py", "LIMIT = 3.0", "LIMIT = 4.0", 925.0, id="a module's constant", marks=slow
        ),
        pytest.param("some_driver/numbers.py", "SECOND = 2", "SECOND = 3", 835.0, id="an enum's value", marks=slow),
        pytest.param(
            "some_driver/numbers.py", "kc: float = 0.5", "kc: float = 0.7", 1025.0, id="a class's default", marks=slow
        ),
        pytest.param(
            "some_driver/records.py", '"b", np.uint8', '"b", np.uint16', 1594.0, id="a record's field", marks=slow
        ),
        pytest.param("some_driver/entry.py", "10.0 *", "20.0 *", 845.0, id="the function itself"),
    ],
)
def test_an_edit_of_what_is_compiled_in_changes_the_machine_code(forks, packages, name, old, new, result):
    edit(packages, name, old, new)
    assert run(forks, packages) == (pytest.approx(result), True)
    assert run(forks, packages) == (pytest.approx(result), False)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        pytest.param("some_driver/report.py", "unrelated", "edited", id="an unrelated file that is imported"),
        pytest.param("some_driver/callee.py", "A callee.", "The callee.", id="a docstring"),
        pytest.param("some_driver/callee.py", "import numpy", "# a comment\n\nimport numpy", id="a comment"),
        pytest.param("some_driver/numbers.py", "LIMIT", "OTHER = 1\nLIMIT", id="a constant that nobody takes"),
    ],
)
def test_an_edit_of_anything_else_compiles_nothing(forks, packages, name, old, new):
    edit(packages, name, old, new)
    assert run(forks, packages) == (825.0, False)


@slow
@pytest.mark.parametrize("flag", ["NUMBA_OPT", "NUMBA_BOUNDSCHECK"])
def test_a_setting_of_the_compiler_is_part_of_the_key(forks, packages, flag):
    assert run(forks, packages, **{flag: "1"}) == (825.0, True)
    assert run(forks, packages, **{flag: "1"}) == (825.0, False)
    assert run(forks, packages) == (825.0, False)


def test_another_processor_is_part_of_the_key(forks, packages):
    assert run(forks, packages, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == (825.0, True)


@slow
def test_a_constant_that_is_set_at_run_time_is_followed_too(forks, packages):
    code = "import some_driver.callee, numpy\nsome_driver.callee.TABLE = numpy.array([1.0, 12.0])\n" + RUN
    assert run(forks, packages, code) == (835.0, True)
    assert run(forks, packages) == (825.0, False)


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
'''


@slow
def test_closures_of_one_name_stay_apart_though_two_processes_compiled_them(forks, tmp_path):
    (tmp_path / "closures.py").write_text(_CLOSURES)
    entry = "from closures import ENTRIES as e\n"
    one, thousand = (run(forks, tmp_path, f"{entry}print(e[{k}](0.5), e[{k}].compiled_here)") for k in (1, 1000))
    assert one[0] != thousand[0]
    assert one[1] and thousand[1]
    both = f"{entry}print(e[1](0.5) + e[1000](0.5), e[1].compiled_here or e[1000].compiled_here)"
    assert run(forks, tmp_path, both) == (one[0] + thousand[0], False)
