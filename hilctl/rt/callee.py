"""Compiling what only compiled code calls, in two thirds of the time; a cold start waits for it.

Such a function is never called by its address: its caller takes it in as LLVM's own text and inlines it. So it gets

- no wrappers for Python and C, no machine code, and no optimisation but inlining: the entry function gets all of that;
- one version for all values of an argument: numba would make one for every constant that it is called with.

And a record's long name is written out once: numba spells all fields of all records in every message, read or not. This
leans on names inside numba; where a version lacks one, compiling takes the long way, and tests/unit/rt holds that it
does not.
"""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

WITHOUT_WRAPPERS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compile_callee(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """numba's dispatcher of a function that only compiled code will call."""
    import numba

    compilers = _compilers()
    if compilers is None:
        return numba.njit(**WITHOUT_WRAPPERS, **options)(function)
    dispatcher = numba.njit(pipeline_class=compilers.callee, **WITHOUT_WRAPPERS, **options)(function)
    template, unliteral = dispatcher.get_call_template, numba.types.unliteral

    def for_any_value(arguments: Any, named: Any) -> Any:
        return template(tuple(unliteral(a) for a in arguments), {k: unliteral(a) for k, a in named.items()})

    dispatcher.get_call_template = for_any_value
    return dispatcher


def entry_options() -> dict[str, Any]:
    """What an entry function, which takes callees in, is compiled with besides."""
    compilers = _compilers()
    return {} if compilers is None else {"pipeline_class": compilers.entry}


@contextmanager
def in_one_go() -> Iterator[None]:
    """Compiles without looking for garbage between; it makes some, and is over soon."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Compilers(NamedTuple):
    """numba's compiler for a library that is never turned into machine code, and for what takes such ones in."""

    callee: Any
    entry: Any


class Asleep(NamedTuple):
    """What a function needs to call Python, in a cache. numba's own would import the function's module: its library."""

    module: str
    constants: list[Any]
    name: str

    def __reduce__(self) -> Any:
        return awake, tuple(self)


def awake(module: str, constants: list[Any], name: str) -> Any:
    """The environment. A module that nobody needed yet, no compiled function looks anything up in."""
    from numba.core.environment import Environment, lookup_environment

    known = lookup_environment(name)
    if known is not None:
        return known
    found = sys.modules.get(module)
    made: Any = Environment({"__name__": module} if found is None else vars(found))
    made.consts[:] = constants
    made.env_name = name
    Environment._memo[name] = made
    return made


@cache
def _compilers() -> Compilers | None:
    """None where numba has other names."""
    try:
        from numba.core import types
        from numba.core.codegen import JITCodeLibrary
        from numba.core.compiler import Compiler, CompileResult

        needed = ("_finalize_dynamic_globals", "_verify_declare_only_symbols", "_optimize_final_module")
        if not all(hasattr(JITCodeLibrary, name) for name in needed):
            return None
        referenced = CompileResult._find_referenced_environments
        setattr(types.Record, "__repr__", types.Type.__repr__)  # noqa: B010  (mypy: methods are not assigned)
    except (ImportError, AttributeError):
        return None

    class Nowhere:
        """Stands for the place where machine code would be."""

        def set_env(self, name: str, environment: Any) -> None:
            """What a function needs to call Python, to print for example: its entry function's business."""

    class Text(JITCodeLibrary):
        """A function as LLVM's text."""

        codegen = property(lambda self: Nowhere())

        def _optimize_final_module(self) -> None:
            level = self._codegen._opt_level
            manager, builder = self._codegen._module_pass_manager(
                loop_vectorize=False, slp_vectorize=False, opt=level, cost="cheap"
            )
            manager.run(self._final_module, builder)

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            """Nowhere."""
            return 0

    class ToText(Compiler):
        """The usual passes into such a library."""

        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self.state.library = Text(self.state.targetctx.codegen(), "callee")

    class Kept(CompileResult):
        """Is cached with environments that wake nothing when they are loaded."""

        __slots__ = ()

        def _find_referenced_environments(self) -> list[Any]:
            return [Asleep(e.globals["__name__"], list(e.consts), e.env_name) for e in referenced(self)]

    class Whole(Compiler):
        """The usual passes; then what the callees need to call Python, as numba does for what it loads."""

        def compile_extra(self, function: Any) -> Any:
            result = super().compile_extra(function)
            codegen = result.library.codegen
            for environment in referenced(result):
                if codegen._engine.get_global_value_address(environment.env_name):  # not what was optimised away
                    codegen.set_env(environment.env_name, environment)
            return Kept(*result)

    return Compilers(ToText, Whole)
