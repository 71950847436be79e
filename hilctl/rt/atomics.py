"""Acquire, release and exchange on the words that two threads or processes share.

Each takes an int64 array and an index. In plain Python they are ordinary reads and writes: tests of blocks use those
from one thread only.
"""

from typing import Any

from hilctl.rt.jit import primitive


def _slot(context: Any, builder: Any, array_type: Any, array_value: Any, index: Any) -> Any:
    array = context.make_array(array_type)(context, builder, array_value)
    return builder.gep(array.data, [index])


def _build_load() -> Any:
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def load_acquire(typing: Any, words: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.load_atomic(_slot(context, builder, sig.args[0], args[0], args[1]), "acquire", 8)

        return types.int64(words, types.intp), generate

    return load_acquire


@primitive(_build_load)
def load_acquire(words: Any, index: Any) -> Any:
    """The word; what its writer wrote before releasing it is visible afterwards."""
    return int(words[index])


def _build_store() -> Any:
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def store_release(typing: Any, words: Any, index: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            slot = _slot(context, builder, sig.args[0], args[0], args[1])
            builder.store_atomic(args[2], slot, "release", 8)
            return context.get_dummy_value()

        return types.void(words, types.intp, types.int64), generate

    return store_release


@primitive(_build_store)
def store_release(words: Any, index: Any, value: Any) -> None:
    """Writes the word after everything that this thread wrote before."""
    words[index] = value


def _build_exchange() -> Any:
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def exchange(typing: Any, words: Any, index: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            slot = _slot(context, builder, sig.args[0], args[0], args[1])
            return builder.atomic_rmw("xchg", slot, args[2], "acq_rel")

        return types.int64(words, types.intp, types.int64), generate

    return exchange


@primitive(_build_exchange)
def exchange(words: Any, index: Any, value: Any) -> Any:
    """Writes the word and returns what stood there, in one step, ordered both ways."""
    old = int(words[index])
    words[index] = value
    return old


def _build_fence() -> Any:
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def fence(typing: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            builder.fence("seq_cst")
            return context.get_constant(types.int64, 0)

        return types.int64(), generate

    return fence


@primitive(_build_fence)
def fence() -> int:
    """Nothing before it moves behind it, nothing behind it moves before it."""
    return 0
