"""The key of compiled code: the same for the same code in every process, another for every change of what it names."""

import dis
import functools
import importlib
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

import hilctl
from hilctl.rt import key, sources
from hilctl.rt.jit import PLAIN, jit

HOUSE = Path(hilctl.__file__).parents[1]

# The keys of the loop's entry functions and of some others, by name.
KEYS = """
import importlib, json
from hilctl.rt.key import key_of
entries = ["hilctl.loop.core:rt_run", "hilctl.loop.mailbox:mail_put", "hilctl.friction.registry:rt_curve",
           "hilctl.law.reference.scan:rt_scan", "hilctl.identify.friction.fit_varpro:varpro",
           "firmware_bridge.modbus.exchange:rt_modbus_exchange", "firmware_bridge.driver:rt_null_exchange"]
found = {}
for entry in entries:
    module, name = entry.split(":")
    found[name] = key_of(getattr(importlib.import_module(module), name).plain)
print(json.dumps(found))
"""


def keys(folder: Path, **more: str) -> dict[str, str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **more}
    command = [sys.executable, "-c", KEYS]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=folder)
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of ours, and its keys."""
    folder = tmp_path_factory.mktemp("house")
    for room in ("hilctl", "firmware_bridge", "sim"):
        shutil.copytree(HOUSE / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
    return folder, keys(folder)


compiled_only = pytest.mark.skipif(PLAIN, reason="nothing is compiled")


@compiled_only
def test_the_same_code_has_the_same_key_at_another_place_and_in_another_process(house):
    _, before = house
    assert None not in before.values()
    assert keys(HOUSE, PYTHONHASHSEED="1") == keys(HOUSE, PYTHONHASHSEED="2") == before


EVERYTHING = {"rt_run", "mail_put", "rt_curve", "rt_scan", "varpro", "rt_modbus_exchange", "rt_null_exchange"}
EDITS = {
    "the PID": ("hilctl/law/pid.py", "s.p = c.kp_per_m * error", "s.p = 2.0 * c.kp_per_m * error", {"rt_run"}),
    "a comment": ("hilctl/law/pid.py", "import math", "# a comment\nimport math", set()),
    "identification": ("hilctl/identify/friction/fit_varpro.py", "import math", "import math\nX = 1", set()),
    "a friction law": (
        "hilctl/friction/coulomb.py", "0.0 * v  #", "0.5 * v  #", {"rt_run", "rt_curve"},
    ),
    "a machine's constant": ("hilctl/machine.py", "9.80665", "9.81", {"rt_run"}),
    "a mode's number": ("hilctl/signals.py", "NULL = 5", "NULL = 9", {"rt_run"}),
    "a status": ("hilctl/signals.py", "OK = 0\n", "OK = 77\n", {"rt_run", "rt_modbus_exchange", "rt_null_exchange"}),
    "a record's field": ("hilctl/law/pid.py", '("slope", np.float64)', '("slope", np.float32)', {"rt_run"}),
    "the command": (
        "firmware_bridge/driver.py", '("tick", np.int64),  # index', '("more", np.int64), ("tick", np.int64),  # index',
        {"rt_run"},
    ),
    "how it is compiled": ("hilctl/rt/jit.py", '"nogil": True', '"nogil": False', EVERYTHING),
}  # fmt: skip


@compiled_only
@pytest.mark.parametrize("what", EDITS)
def test_an_edit_changes_the_keys_of_what_contains_it_and_no_other(house, what):
    folder, before = house
    name, old, new, changed = EDITS[what]
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))
    try:
        after = keys(folder)
    finally:
        (folder / name).write_text(text)
    assert {entry for entry in before if before[entry] != after[entry]} == changed


class Thing:
    """An object without a value that could be hashed."""


THING, NUMBER = Thing(), 1.0


def uses_a_thing():
    return THING


def uses_a_number():
    return NUMBER


def test_an_object_without_a_value_stands_for_the_source_of_its_module_and_all_it_imports(monkeypatch):
    before, plain = key.key_of(uses_a_thing), key.key_of(uses_a_number)
    monkeypatch.setattr(key, "import_closure", lambda module: f"another {module}")
    assert key.key_of(uses_a_thing) not in (before, None)
    assert key.key_of(uses_a_number) == plain


def imports_by_itself():
    from json import decoder

    return decoder


@pytest.mark.parametrize("value", [functools.partial(max, 1), {1, 2}, threading.Lock(), Thing, Thing().__init__])
def test_neither_has_what_is_no_value_though_a_library_made_it(value, monkeypatch):
    function = FunctionType(uses_a_number.__code__, {"NUMBER": value})
    function.__module__ = __name__
    before = key.key_of(function)
    monkeypatch.setattr(key, "import_closure", lambda module: f"another {module}")
    assert key.key_of(function) not in (before, None)


def test_what_a_function_imports_when_it_runs_is_followed_by_its_modules_source(monkeypatch):
    before = key.key_of(imports_by_itself)
    monkeypatch.setattr(key, "import_closure", lambda module: f"another {module}")
    assert key.key_of(imports_by_itself) not in (before, None)


def test_without_a_source_there_is_no_key():
    function = FunctionType(uses_a_thing.__code__, {"THING": THING})
    function.__module__ = "no_such_module"
    assert key.key_of(function) is None


def test_the_source_of_a_module_holds_all_that_it_imports_by_whatever_way(tmp_path, monkeypatch):
    files = {
        "__init__.py": "", "first.py": "from imported import second\nimport numpy", "third.py": "C = 1",
        "second.py": "def f():\n    from . import third", "other.py": "X = 1",
    }  # fmt: skip
    (tmp_path / "imported").mkdir()
    for name, text in files.items():
        (tmp_path / "imported" / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()

    def closure() -> str:
        return sources.import_closure.__wrapped__("imported.first")

    before = closure()
    (tmp_path / "imported" / "other.py").write_text("X = 2")
    assert closure() == before
    (tmp_path / "imported" / "third.py").write_text("C = 2")
    assert closure() != before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0), (1, True), (0.0, -0.0), ("1", 1), ((1, 2), (1, (2,))), (None, 0), (float("nan"), float("inf")),
        (np.zeros(2), np.zeros(3)), (np.zeros(2), np.zeros(2, np.float32)), (np.float64(1), 1.0),
        (np.dtype([("a", "f8")]), np.dtype([("b", "f8")])),
        (np.dtype([("a", "u1"), ("b", "f8")]), np.dtype([("a", "u1"), ("b", "f8")], align=True)),
        (np.dtype([("a", "f8")]), np.dtype([("a", "f8")], align=True)),
        (np.dtype([("a", "f8")]), np.dtype((np.record, [("a", "f8")]))),
        (np.zeros((2, 2)), np.zeros((2, 2), order="F")),
        (np.dtype([("a", "f8", (2,))]), np.dtype([("a", "f8", (3,))])), (np.sin, np.cos), (len, max), (int, float),
    ],
)  # fmt: skip
def test_values_that_differ_have_different_keys(one, other):
    def key_with(value):
        return key.key_of(FunctionType(uses_a_number.__code__, {"NUMBER": value}))

    assert key_with(one) != key_with(other)
    assert key_with(one) == key_with(one)


def _closed(number):
    return lambda x: number * x


def _within(number):
    scope = {"NUMBER": number}
    exec("def f(xs):\n    return [NUMBER * x for x in xs]", scope)
    return scope["f"]


def _default(number):
    def f(x=number):
        return x

    return f


def _keyword(number):
    def f(*, x=number):
        return x

    return f


def _callee(number):
    return FunctionType(uses_a_number.__code__, {"NUMBER": jit()(_closed(number))})


def _inlined(number):
    return FunctionType(uses_a_number.__code__, {"NUMBER": jit(inline=number > 1)(uses_a_number)})


def _typed(number):
    signature = {1: lambda: "float64(float64)", 2: lambda: "float32(float32)"}[number]
    return FunctionType(uses_a_number.__code__, {"NUMBER": jit(signature)(uses_a_number)})


@pytest.mark.parametrize("make", [_closed, _within, _default, _keyword, _callee, _inlined, _typed])
def test_wherever_a_function_has_a_number_from_it_is_in_the_key(make):
    if PLAIN and make in (_inlined, _typed):
        pytest.skip("nothing is compiled")
    assert key.key_of(make(1)) == key.key_of(make(1))
    assert key.key_of(make(1)) != key.key_of(make(2))


def test_a_function_that_calls_itself_has_a_key():
    def again(x):
        return again(x)

    assert key.key_of(again) is not None


def test_what_a_function_loads_and_imports_is_what_pythons_own_disassembler_sees():
    modules = ["hilctl.law.tick", "hilctl.rig", "hilctl.service.assemble", "firmware_bridge.registry", "json.decoder"]
    many = "def f():\n" + "".join(f"    g{k}.x\n" for k in range(600))  # arguments of more than one byte
    space: dict[str, FunctionType] = {}
    exec(many, space)
    functions = [space["f"], *(v for m in modules for v in vars(importlib.import_module(m)).values())]
    for function in functions:
        code = getattr(getattr(function, "plain", function), "__code__", None)
        if code is None:
            continue
        seen = list(dis.get_instructions(code))
        assert key._names(code) == list(dict.fromkeys(i.argval for i in seen if i.opname == "LOAD_GLOBAL"))
        assert key._imports(code) >= any(i.opname == "IMPORT_NAME" for i in seen)


COMPILED = """
import sys
from firmware_bridge.serial_frame.exchange import rt_serial_exchange as entry
from hilctl.rt import internals, key
walk, walked, compiled = key._Walk(), [], []
add, compile_callee = walk.add, internals.compile_callee
module = sys.modules["hilctl.rt.jit"]
walk.add = lambda value, home: (walked.append(value), add(value, home))
module.compile_callee = lambda function, options: (compiled.append(function), compile_callee(function, options))[1]
walk.add(entry.plain, "")
entry.dispatcher
seen = {id(value) for value in walked}
print(len(compiled), *(function.__qualname__ for function in compiled if id(function) not in seen))
"""


@compiled_only
def test_every_function_that_is_compiled_into_another_was_walked(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(HOUSE), "XDG_CACHE_HOME": str(tmp_path), "CACHE_DIRECTORY": ""}
    command = [sys.executable, "-c", COMPILED]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    count, *missing = done.stdout.split()
    assert int(count) > 10
    assert not missing


@compiled_only
def test_the_loop_names_nothing_that_only_sources_tell(monkeypatch):
    """Reading the sources of all modules would take a core half as long again to begin."""
    from hilctl.loop.core import rt_run

    asked = []
    monkeypatch.setattr(key, "import_closure", lambda module: asked.append(module) or "")
    assert key.key_of(rt_run.plain, {"loop": "asked"})
    assert not asked
