"""The key of a compiled function: a hash of everything that its machine code follows from.

A compiler freezes what a function names: the code of its callees, constants, record layouts, enums. So the key is made
from these values themselves, walked from the function as it stands in memory: bytecode, defaults, closure, and each
global that the bytecode loads, from whichever module it came. A changed callee or constant in another file is another
key; a comment, a docstring or a function that is never called is not. To this come the versions of what compiles, and
the sources of this package, which tell it how.

What has no value that can be hashed (an object of some class) stands for the source of the module that names it and
of all that this module imports, which is more than enough. Without a source there is no key, and nothing is kept.
"""

import builtins
import functools
import hashlib
import importlib.metadata
import logging
import platform
import sys
from collections.abc import Callable, Iterator
from enum import Enum, EnumMeta
from opcode import EXTENDED_ARG, opmap
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from hilctl.rt.sources import Unresolved, import_closure, is_library

log = logging.getLogger(__name__)

_COMPILERS = ("numba", "llvmlite", "numpy")
_LOAD_GLOBAL, _IMPORT_NAME = opmap["LOAD_GLOBAL"], opmap["IMPORT_NAME"]
_NAMED = (type, FunctionType, BuiltinFunctionType, ModuleType, np.ufunc)
_PLAIN = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis))


def key_of(function: Callable[..., Any], options: object = (), *, quiet: bool = False) -> str | None:
    """The key of a function that is compiled with these options; None if it has none. Imports no compiler."""
    walk = _Walk()
    try:
        walk.add(_compilers(), "")
        walk.add(repr(options), "")
        walk.add(function, "")
    except (Unresolved, RecursionError) as error:
        level = logging.DEBUG if quiet else logging.WARNING
        log.log(level, "%s is compiled at every start: %s", function.__qualname__, error)
        return None
    return walk.digest.hexdigest()[:32]


def digest(text: str) -> str:
    """A short hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@functools.cache
def _compilers() -> str:
    """What compiles: versions, and the sources of this package."""
    own = sorted(Path(__file__).parent.glob("*.py"))
    return "\n".join(
        [sys.implementation.cache_tag or "", platform.python_version(), platform.machine()]
        + [f"{name} {importlib.metadata.version(name)}" for name in _COMPILERS]
        + [hashlib.sha256(path.read_bytes()).hexdigest() for path in own]
    )


class _Walk:
    """One walk over all that a function names; what may name itself again is walked once."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self._met: dict[int, tuple[int, Any]] = {}  # with the object, so that its id stays its own

    def add(self, value: Any, module: str) -> None:
        """Adds a value and all that it is made of; `module` is the one that names it."""
        kind = type(value)
        if kind in _PLAIN:
            self._say(kind.__name__, value)
        elif isinstance(value, Enum):
            self._say("member", value.name)
            self.add(kind, module)
        elif isinstance(value, EnumMeta):
            members: dict[str, Any] = dict(value.__members__)
            self._say("enum", value.__qualname__, [(name, member.value) for name, member in members.items()])
        elif isinstance(value, np.dtype):
            self._say("dtype", _spelt(value))
        elif isinstance(value, np.generic | np.ndarray):
            self._say("array", _spelt(value.dtype), value.shape, value.strides, value.tobytes())
        elif isinstance(value, tuple | list):
            self._say(kind.__qualname__, getattr(value, "_fields", ""), len(value))
            for item in value:
                self.add(item, module)
        elif kind is dict:
            self._say("dict", len(value))
            self.add(list(value.items()), module)
        elif id(value) in self._met:
            self._say("met", self._met[id(value)][0])
        else:
            self._met[id(value)] = len(self._met), value
            self._add_named(value, module)

    def _add_named(self, value: Any, module: str) -> None:
        """What is known by its parts, by its name in a library, or only by the source of modules."""
        home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        parts = vars(value).get("made_from") if hasattr(value, "__dict__") else None
        if parts is not None:
            self._say("made")
            self.add(parts, module)
        elif isinstance(value, _NAMED) and home is not None and is_library(home):
            self._say("library", home, getattr(value, "__qualname__", ""))
        elif isinstance(value, FunctionType):
            self._add_function(value)
        else:
            homes = {module, home} if isinstance(home, str) and not is_library(home) else {module}
            self._say("source", type(value).__qualname__, [import_closure(name) for name in sorted(homes)])

    def _add_function(self, function: FunctionType) -> None:
        code, module = function.__code__, function.__module__ or ""
        named = sorted((function.__kwdefaults__ or {}).items())
        closed = [cell.cell_contents for cell in function.__closure__ or ()]
        self._say("function")
        self._add_code(code, function.__doc__)
        for value in (function.__defaults__, named, closed, *_loaded(code, function.__globals__)):
            self.add(value, module)
        if _imports(code):
            self._say("source", import_closure(module))

    def _add_code(self, code: CodeType, doc: str | None = None) -> None:
        names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        counts = (code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags)
        constants = [_constant(value) for value in code.co_consts]
        if doc is not None and constants and constants[0] == repr(doc):
            constants[0] = ""
        self._say("code", code.co_code, code.co_exceptiontable, names, counts, constants)
        for inner in _inner(code):
            self._add_code(inner)

    def _say(self, *words: object) -> None:
        self.digest.update(repr(words).encode() + b"\n")


def _constant(value: Any) -> str:
    if isinstance(value, CodeType):
        return "code"
    return repr(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)


def _loaded(code: CodeType, scope: dict[str, Any]) -> Iterator[Any]:
    """The globals that the code loads, and of a module that is no library whatever the code may take from it."""
    for name in _names(code):
        value = scope[name] if name in scope else getattr(builtins, name, name)
        if isinstance(value, ModuleType) and not is_library(value.__name__):
            yield from _attributes(value, code)
        else:
            yield value
    for inner in _inner(code):
        yield from _loaded(inner, scope)


def _imports(code: CodeType) -> bool:
    """Whether the function imports something when it runs, from wherever."""
    return _IMPORT_NAME in code.co_code[::2] or any(_imports(inner) for inner in _inner(code))


def _inner(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _attributes(module: ModuleType, code: CodeType) -> Iterator[Any]:
    """Whatever of a module has a name that the code mentions: more than it takes, never less."""
    for name in code.co_names:
        value = getattr(module, name, None)
        if isinstance(value, ModuleType) and not is_library(value.__name__):
            yield from _attributes(value, code)
        elif value is not None:
            yield value


def _names(code: CodeType) -> list[str]:
    """The globals that the code loads. `dis` would spell out all other operations too, and take a tenth of a second."""
    text, operations, found = code.co_code, code.co_code[::2], []
    at = operations.find(_LOAD_GLOBAL)
    while at >= 0:
        argument, before, shift = text[2 * at + 1], at - 1, 8
        while before >= 0 and operations[before] == EXTENDED_ARG:
            argument |= text[2 * before + 1] << shift
            before, shift = before - 1, shift + 8
        found.append(code.co_names[argument >> 1])  # bit 0 says that it will be called
        at = operations.find(_LOAD_GLOBAL, at + 1)
    return list(dict.fromkeys(found))


def _spelt(dtype: "np.dtype[Any]") -> str:
    """All of a dtype. Remembered by identity: two that numpy calls equal may compile to different code."""
    known = _spellings.get(id(dtype))
    if known is not None:
        return known[1]
    fields = [(name, _spelt(field[0]), field[1]) for name, field in (dtype.fields or {}).items()]
    inner = None if dtype.subdtype is None else (_spelt(dtype.subdtype[0]), dtype.subdtype[1])
    layout = (dtype.itemsize, dtype.alignment, dtype.isalignedstruct)
    said = repr((dtype.str, dtype.type.__qualname__, layout, fields, inner))
    said = said if len(said) < 64 else hashlib.sha256(said.encode()).hexdigest()
    _spellings[id(dtype)] = dtype, said
    return said


_spellings: dict[int, tuple["np.dtype[Any]", str]] = {}
