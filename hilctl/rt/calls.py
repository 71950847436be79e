"""Calling a compiled function by its address: how one driver's exchange calls others, whichever they are.

An address is a number in a record, so the caller is compiled once and takes any function of that signature. Only as
long as the function and the memory stay alive in Python: the code that wrote the address keeps them.
"""

from typing import Any

from hilctl.rt import internals
from hilctl.rt.jit import PLAIN, primitive

_plain: dict[int, Any] = {}  # without a compiler, a function's address is a number that we gave it


def address_of(compiled: Any, signature: Any) -> int:
    """Where numba's function of this signature is. `compiled` as `registry.exchange_of` gives it."""
    if PLAIN:
        _plain[id(compiled)] = compiled
        return id(compiled)
    return internals.address_of(compiled, signature)


def _build_call_at() -> Any:
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic
    def call_at(typing: Any, address: Any, state: Any, command: Any, readings: Any) -> Any:
        signature = types.int64(types.int64, state, command, readings)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            convention, own = context.call_conv, sig.args[1:]
            pointer = convention.get_function_type(types.int64, own).as_pointer()
            place = builder.inttoptr(args[0], pointer)
            status, result = convention.call_function(builder, place, types.int64, own, args[1:])
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return result

        return signature, generate

    return call_at


@primitive(_build_call_at)
def call_at(address: Any, state: Any, command: Any, readings: Any) -> Any:
    """Calls the exchange at this address: its status. The arguments must be of exactly the types that it takes."""
    return _plain[int(address)](state, command, readings)


def _build_bytes_at() -> Any:
    from numba.core import types
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array, populate_array

    @intrinsic
    def bytes_at(typing: Any, address: Any, size: Any) -> Any:
        memory = types.Array(types.uint8, 1, "C")

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            made = make_array(memory)(context, builder)
            data = builder.inttoptr(args[0], context.get_data_type(types.uint8).as_pointer())
            one = context.get_constant(types.intp, 1)
            populate_array(made, data=data, shape=[args[1]], strides=[one], itemsize=one, meminfo=None)
            return made._getvalue()

        return memory(types.int64, types.int64), generate

    return bytes_at


@primitive(_build_bytes_at)
def bytes_at(address: Any, size: Any) -> Any:
    """The memory at this address as a uint8 array, without a copy. Nothing is checked."""
    import ctypes

    import numpy as np

    return np.ctypeslib.as_array((ctypes.c_uint8 * int(size)).from_address(int(address)))
