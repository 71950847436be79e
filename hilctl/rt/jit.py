"""`jit`: the one decorator for compiled code, and `primitive` for what only the compiler can express.

Both are lazy: numba is imported when a compiled function is first called from Python, so that a declaration can stand
in the same file as its compiled step, and a process that only declares (a client, a check) never pays for the
compiler.

With NUMBA_DISABLE_JIT=1 every function runs as the plain Python that it is written in.
"""

import itertools
import os
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

from hilctl.rt.callee import compile_callee, entry_options, in_one_go

F = TypeVar("F", bound=Callable[..., Any])

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

# error_model='numpy': a division by zero gives inf or nan, which the guards catch, instead of an exception.
# Never fastmath: it removes every check for NaN.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}


class Jit:
    """A function that is compiled at its first call, or when compiled code first calls it."""

    def __init__(
        self, function: Callable[..., Any], signature: Callable[[], Any] | None, cached: bool, inline: bool = False
    ) -> None:
        self.__wrapped__ = self.plain = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__
        self._signature, self._cached, self._inline = signature, cached, inline
        self._dispatcher: Any = None
        self._callee: Any = None

    @property
    def dispatcher(self) -> Any:
        """numba's own object. With a signature, asking for it compiles or loads the function."""
        if self._dispatcher is None:
            numba = _numba()
            signature = None if self._signature is None else self._signature()
            if signature is not None and self._cached:
                from hilctl.rt.warm import keep, load

                numba.config.CACHE_DIR = str(_place(self.__module__))
                dispatcher = numba.njit(cache=True, **entry_options(), **_OPTIONS)(self.plain)
                if not load(dispatcher, signature):
                    with in_one_go(), keep(dispatcher):
                        dispatcher.compile(signature)
                        dispatcher.disable_compile()
                self._dispatcher = dispatcher
            else:
                with in_one_go():
                    self._dispatcher = numba.njit(signature, **entry_options(), **_OPTIONS)(self.plain)
        return self._dispatcher

    @property
    def callee(self) -> Any:
        """What compiled code calls."""
        if self._signature is not None:
            return self.dispatcher
        if self._callee is None:
            _numba()
            self._callee = compile_callee(self.plain, {**_OPTIONS, "forceinline": self._inline})
        return self._callee

    def __call__(self, *arguments: Any) -> Any:
        """As Python calls it."""
        return self.dispatcher(*arguments)


class Primitive:
    """What only the compiler can express: `build` makes numba's object, `plain` is the same in Python."""

    def __init__(self, plain: Callable[..., Any], build: Callable[[], Any]) -> None:
        self.plain, self._build, self._made = plain, build, None
        self.__name__, self.__doc__ = plain.__name__, plain.__doc__

    def resolve(self) -> Any:
        """numba's object, made at the first asking."""
        if self._made is None:
            _numba()
            self._made = self._build()
        return self._made

    def __call__(self, *arguments: Any) -> Any:
        """As Python calls it."""
        return self.plain(*arguments)


def jit(
    signature: Callable[[], Any] | None = None, *, cached: bool = False, inline: bool = False
) -> Callable[[F], F]:
    """Compiles a function for the loop: no interpreter, no lock held, IEEE arithmetic.

    `signature` is called late and returns numba's signature; give one, with `cached=True`, to the few functions that
    Python calls by themselves. What they call is compiled into them; LLVM leaves long functions as calls, whose arrays
    and records cost some 5 ns to hand over. `inline` is for those where that counts: what a substep asks several times.
    """

    def wrap(function: F) -> F:
        if PLAIN:
            return function
        _packages.add((function.__module__ or "").partition(".")[0])
        return cast(F, Jit(function, signature, cached, inline))

    return wrap


def specialised(template: Any, name: str, signature: Callable[[], Any], **bound: Any) -> Any:
    """An entry function with some of its globals bound anew, cached by itself under `name`.

    A closure would not do: numba names what it caches by the values in it, and ours have no lasting names.
    """
    made = FunctionType(template.__code__, {**template.__globals__, **bound}, f"{template.__name__}_{name}")
    made.__module__, made.__qualname__, made.__doc__ = template.__module__, made.__name__, template.__doc__
    return jit(signature, cached=True)(made)


def primitive(build: Callable[[], Any]) -> Callable[[F], F]:
    """Pairs a plain Python function with the compiler's own object for the same operation."""

    def wrap(function: F) -> F:
        if PLAIN:
            return function
        _packages.add((function.__module__ or "").partition(".")[0])
        return cast(F, Primitive(function, build))

    return wrap


def compile_now(function: Any) -> None:
    """Compiles a function that has a signature, or loads it from the cache; does nothing in plain Python."""
    if isinstance(function, Jit):
        _ = function.dispatcher


def record_type(dtype: Any) -> Any:
    """numba's type of a record, for signatures."""
    return _numba().from_dtype(dtype)


_packages: set[str] = set()  # that declare something compiled
_ready = False


def _place(module: str) -> Path:
    """Where a module's cached functions are kept."""
    from hilctl.rt import cache

    if cache.is_ours(module):
        return cache.place()
    return cache.place_of_others(frozenset(p for p in _packages if not cache.is_ours(p)))


def _numba() -> Any:
    global _ready
    import numba

    if not _ready:
        from numba.core import types
        from numba.core.bytecode import FunctionIdentity
        from numba.core.registry import cpu_target
        from numba.extending import typeof_impl

        # numba tells closures of one name apart by a number that every process counts from 1, and puts it into the
        # symbols of what it caches. Entries that two processes compiled would then share a symbol, and where both are
        # loaded, one would call the other's closure. Counting from a random number keeps them apart.
        FunctionIdentity._unique_ids = itertools.count(int.from_bytes(os.urandom(6), "little"))

        @typeof_impl.register(Jit)
        def _typeof_jit(value: Jit, context: Any) -> Any:
            return types.Dispatcher(value.callee)

        @typeof_impl.register(Primitive)
        def _typeof_primitive(value: Primitive, context: Any) -> Any:
            made = value.resolve()
            cpu_target.typing_context.refresh()  # it may have been made since compilation began
            return cpu_target.typing_context.resolve_value_type(made)

        _ready = True
    return numba


def exchange_type(command: Any, readings: Any) -> Any:
    """The signature of a driver's exchange: a state's memory, a command, readings; a status comes back."""
    types = _numba().core.types
    return types.int64(types.Array(types.uint8, 1, "C"), command, readings)


def loop_type(exchange: Any) -> Any:
    """The signature of the loop: the shared memory, a driver's exchange as a function, the driver's memory."""
    types = _numba().core.types
    memory = types.Array(types.uint8, 1, "C")
    return types.int64(memory, types.FunctionType(exchange), memory)
