"""`jit`: the one decorator for compiled code, and `primitive` for what only the compiler can express.

Both are lazy: numba is imported when a compiled function is first called from Python, so that a declaration can stand
in the same file as its compiled step, and a process that only declares (a client, a check) never pays for the
compiler.

With NUMBA_DISABLE_JIT=1 every function runs as the plain Python that it is written in.
"""

import os
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, TypeVar, cast

from hilctl.rt.internals import compile_callee, compile_entry, teach

F = TypeVar("F", bound=Callable[..., Any])

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

# error_model='numpy': a division by zero gives inf or nan, which the guards catch, instead of an exception.
# Never fastmath: it removes every check for NaN.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}


class Jit:
    """A function that is compiled at its first call, or when compiled code first calls it."""

    compiled_here = False  # by this process; not loaded

    def __init__(
        self, function: Callable[..., Any], signature: Callable[[], Any] | None, cached: bool, inline: bool = False
    ) -> None:
        self.__wrapped__ = self.plain = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__
        self._signature, self._cached, self._inline = signature, cached, inline
        self._dispatcher: Any = None
        self._callee: Any = None
        self.made_from = (function, signature, inline)  # for the key of what calls it

    @property
    def dispatcher(self) -> Any:
        """numba's own object. With a signature, asking for it compiles or loads the function."""
        return self.prepared()

    def prepared(self, announce: Callable[[], None] = lambda: None) -> Any:
        """The same; `announce` is called first if it takes a compilation that is worth keeping."""
        if self._dispatcher is None:
            _numba()
            from hilctl.rt.kept import by_types, load_or_compile

            signature = None if self._signature is None else self._signature()
            if signature is None:
                self._dispatcher = by_types(self.plain, _OPTIONS)
            elif self._cached:
                made = load_or_compile(self.plain, signature, _OPTIONS, announce)
                self._dispatcher, self.compiled_here = made
            else:
                self._dispatcher = compile_entry(self.plain, signature, _OPTIONS)
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

    @property
    def is_kept(self) -> bool:
        """Whether asking for the dispatcher loads it, and does not compile it."""
        from hilctl.rt.kept import is_kept

        return self._cached and is_kept(self.plain, _OPTIONS)

    def __call__(self, *arguments: Any) -> Any:
        """As Python calls it."""
        return self.dispatcher(*arguments)


class Primitive:
    """What only the compiler can express: `build` makes numba's object, `plain` is the same in Python."""

    def __init__(self, plain: Callable[..., Any], build: Callable[[], Any]) -> None:
        self.plain, self._build, self._made = plain, build, None
        self.__name__, self.__doc__ = plain.__name__, plain.__doc__
        self.made_from = (plain, build)  # for the key of what calls it

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
        return cast(F, Jit(function, signature, cached, inline))

    return wrap


def specialised(template: Any, name: str, signature: Callable[[], Any], **bound: Any) -> Any:
    """An entry function with some of its globals bound to other values, with a name of its own."""
    made = FunctionType(template.__code__, {**template.__globals__, **bound}, f"{template.__name__}_{name}")
    made.__module__, made.__qualname__, made.__doc__ = template.__module__, made.__name__, template.__doc__
    return jit(signature, cached=True)(made)


def primitive(build: Callable[[], Any]) -> Callable[[F], F]:
    """Pairs a plain Python function with the compiler's own object for the same operation."""

    def wrap(function: F) -> F:
        if PLAIN:
            return function
        return cast(F, Primitive(function, build))

    return wrap


def compile_now(function: Any, announce: Callable[[], None] = lambda: None) -> None:
    """Loads a function that has a signature, or announces that and compiles it; does nothing in plain Python."""
    if isinstance(function, Jit):
        function.prepared(announce)


def is_warm(function: Any) -> bool:
    """Whether nothing has to be compiled before this function can run."""
    return not isinstance(function, Jit) or function.is_kept


@cache  # numba takes a record apart field by field: a millisecond for a small one
def record_type(dtype: Any) -> Any:
    """numba's type of a record, for signatures."""
    return _numba().from_dtype(dtype)


def _numba() -> Any:
    import numba

    teach(Jit, Primitive)
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
