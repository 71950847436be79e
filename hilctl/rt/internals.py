"""The only place that reaches inside numba: what a controller needs and numba does not offer.

- Callees compile in two thirds of the time (`compile_callee`). No callee is called by its address: its caller takes it
  in as LLVM's own text and inlines it. So it gets no wrappers for Python and C, no machine code, no optimisation but
  inlining, and one version for all values of an argument: numba would make one for every constant it is called with.
- An entry function is kept as bytes (`dumped`) and loaded without the compiler's library (`loaded`). numba would first
  install every implementation it has, compile its runtime's few functions and parse the text that the machine code was
  made of: 0.3 s in which the rig waits. Machine code needs the addresses of numba's helpers, nothing else.
- A record's name is written out once; numba spells all fields of all records in every message, read or not.

`tested` says for which versions this holds. Without it, everything here takes the way that numba documents.
"""

import functools
import gc
import itertools
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from hilctl.rt.tested import internals_known


def compile_entry(function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> Any:
    """numba's dispatcher of a function that Python calls; without a signature it compiles at its first call."""
    import numba

    more = {"pipeline_class": _compilers().entry} if internals_known() else {}
    with _in_one_go():
        return numba.njit(signature, **more, **options)(function)


def compile_callee(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """numba's dispatcher of a function that only compiled code calls."""
    import numba

    if not internals_known():
        return numba.njit(**options)(function)
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **options}
    dispatcher: Any = numba.njit(pipeline_class=_compilers().callee, **options)(function)
    template, unliteral = dispatcher.get_call_template, numba.types.unliteral

    def for_any_value(arguments: Any, named: Any) -> Any:
        return template(tuple(unliteral(a) for a in arguments), {k: unliteral(a) for k, a in named.items()})

    dispatcher.get_call_template = for_any_value
    return dispatcher


def machine(signature: Any) -> str:
    """What numba compiles this signature for: its types, the processor, and numba's own settings."""
    from numba import config
    from numba.core.registry import cpu_target

    settings = {name: value for name, value in vars(config).items() if name.isupper() and not name.startswith(_IDLE)}
    return repr((str(signature), cpu_target.target_context.codegen().magic_tuple(), sorted(settings.items(), key=str)))


# Settings that do not change what is compiled, and some that depend on the process.
_IDLE = ("CACHE_", "COLOR_", "CUDA_", "DEBUG_CACHE", "NUMBA_", "THREADING_LAYER")


def dumped(dispatcher: Any) -> bytes | None:
    """The compiled entry function as bytes; None if it holds addresses of this process."""
    (result,) = dispatcher.overloads.values()
    return _bytes_of(result)


def loaded(function: Callable[..., Any], options: dict[str, Any], data: bytes) -> Any:
    """The dispatcher of an entry function that was kept as these bytes."""
    import numba
    from numba.core.compiler_lock import global_compiler_lock

    dispatcher = numba.njit(pipeline_class=_compilers().entry, **options)(function)
    with global_compiler_lock:
        context = dispatcher.targetctx
        result = _result_of(data, context)
        context.insert_user_function(result.entry_point, result.fndesc, [result.library])
        dispatcher.add_overload(result)
        dispatcher.disable_compile()
    return dispatcher


def keep_each(dispatcher: Any, read: Callable[[Any], bytes | None], write: Callable[[Any, bytes], None]) -> None:
    """Has a dispatcher without a signature ask `read` for the code for these types of arguments before it compiles,
    and give `write` what it has compiled. Only types that say all that the code follows from: numbers, arrays, records.
    """
    from numba.core.caching import NullCache

    class Each(NullCache):
        """numba asks it under the lock of its compiler."""

        def load_overload(self, types: Any, context: Any) -> Any:
            data = read(types) if all(_says_all(kind) for kind in types) else None
            return None if data is None else _result_of(data, context)

        def save_overload(self, types: Any, result: Any) -> None:
            data = _bytes_of(result) if all(_says_all(kind) for kind in types) else None
            if data is not None:
                write(types, data)

    dispatcher._cache = Each()


def _says_all(kind: Any) -> bool:
    from numba.core import types

    if isinstance(kind, types.UniTuple | types.Tuple):
        return all(_says_all(part) for part in kind.types)
    return isinstance(kind, types.Number | types.Boolean | types.Array | types.Record | types.NoneType)


def _bytes_of(result: Any) -> bytes | None:
    from numba.core.serialize import dumps

    if result.library.has_dynamic_globals or result.lifted:
        return None
    data: bytes = dumps(result._reduce())
    return data


def _result_of(data: bytes, context: Any) -> Any:
    from numba.core.compiler import CompileResult

    codegen = context.codegen()
    _name_helpers()
    codegen._library_class = _library_of_machine_code()
    try:
        return CompileResult._rebuild(context, *pickle.loads(data))
    finally:
        del codegen._library_class  # numba's own stands on the class


def address_of(dispatcher: Any, signature: Any) -> int:
    """Where the machine code of a dispatcher's function of this signature is."""
    result = dispatcher.get_compile_result(signature)
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


@functools.cache
def teach(callable_kind: type, made_kind: type) -> None:
    """Tells numba what our functions are: the first kind has a `callee`, the second is `resolve`d."""
    from numba.core import types
    from numba.core.registry import cpu_target
    from numba.extending import typeof_impl

    @typeof_impl.register(callable_kind)
    def _typeof_callable(value: Any, context: Any) -> Any:
        return types.Dispatcher(value.callee)

    @typeof_impl.register(made_kind)
    def _typeof_made(value: Any, context: Any) -> Any:
        made = value.resolve()
        cpu_target.typing_context.refresh()  # it may have been made since compilation began
        return cpu_target.typing_context.resolve_value_type(made)

    if internals_known():
        from numba.core.bytecode import FunctionIdentity

        # numba tells closures of one name apart by a number that every process counts from 1, and puts it into the
        # symbols of what is kept. Entries that two processes compiled would then share a symbol, and where both are
        # loaded, one would call the other's closure. Counting from a random number keeps them apart; two processes that
        # one has forked would count on from the same.
        def count_apart() -> None:
            FunctionIdentity._unique_ids = itertools.count(int.from_bytes(os.urandom(6), "little"))

        count_apart()
        os.register_at_fork(after_in_child=count_apart)
        setattr(types.Record, "__repr__", types.Type.__repr__)  # noqa: B010  (mypy: methods are not assigned)


@contextmanager
def _in_one_go() -> Iterator[None]:
    """Compiles without looking for garbage between; it makes some, and is over soon."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Asleep(NamedTuple):
    """What a function needs to call Python, when kept. numba's own would import the function's module: its library."""

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


class _Compilers(NamedTuple):
    """numba's compiler for a library that is never turned into machine code, and for what takes such ones in."""

    callee: Any
    entry: Any


@functools.cache
def _compilers() -> _Compilers:
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler, CompileResult

    referenced = CompileResult._find_referenced_environments

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
        """Is kept with environments that wake nothing when they are loaded."""

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

    return _Compilers(ToText, Whole)


@functools.cache
def _library_of_machine_code() -> Any:
    """numba's library, for what is loaded."""
    from llvmlite import binding
    from numba.core.codegen import JITCodeLibrary

    class Loaded(JITCodeLibrary):
        """The same text is kept too, for what takes the function in when it is compiled: rarely, so parsed then."""

        def __init__(self, codegen: Any, name: str) -> None:
            self._code, self._text, self._parsed = b"", b"", None
            self._places: dict[str, int] = {}  # looked for in all of the code, and asked for at each call
            super().__init__(codegen, name)

        @classmethod
        def _unserialize(cls, codegen: Any, state: Any) -> Any:
            name, kind, data = state
            if kind != "object":
                return super()._unserialize(codegen, state)
            library: Any = cls(codegen, name)
            library._code, library._text = data
            library.enable_object_caching()
            library._set_compiled_object(library._code)
            library._finalize_final_module()
            return library

        def get_pointer_to_function(self, name: str) -> int:
            """Where it is, or 0: numba knows by the text."""
            if name not in self._places:
                known = name.encode() in self._code
                self._places[name] = int(self._codegen._engine.get_function_address(name)) if known else 0
            return self._places[name]

        def _get_text(self) -> Any:
            if self._parsed is None and self._text:
                self._parsed = binding.parse_bitcode(self._text)
                self._codegen._engine._load_defined_symbols(self._parsed)
            return self._parsed

        def _set_text(self, module: Any) -> None:
            self._parsed = module

        _shared_module = property(_get_text, _set_text)

    return Loaded


def _name_helpers() -> None:
    """Tells the linker where numba's runtime is. What else numba makes of it at this point, it makes when it compiles.

    Machine code holds the runtime's own compiled functions as far as it calls them.
    """
    from llvmlite import binding
    from numba.core.runtime import nrt

    runtime: Any = nrt
    for name, address in runtime._nrt.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
