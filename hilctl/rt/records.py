"""Records laid over raw memory, without a copy: how the loop and the drivers see their state."""

from typing import Any

from hilctl.rt.jit import jit, primitive


def _build_record_at() -> Any:
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def record_at(typing: Any, memory: Any, offset: Any, dtype: Any) -> Any:
        record = dtype.dtype
        signature = record(memory, types.int64, dtype)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            array = context.make_array(sig.args[0])(context, builder, args[0])
            return builder.bitcast(builder.gep(array.data, [args[1]]), context.get_value_type(record))

        return signature, generate

    return record_at


@primitive(_build_record_at)
def record_at(memory: Any, offset: Any, dtype: Any) -> Any:
    """The record of this type that begins `offset` bytes into the memory (a uint8 array). Not bounds-checked."""
    return memory[offset : offset + dtype.itemsize].view(dtype)[0]


def _build_as_record() -> Any:
    from numba.extending import intrinsic

    @intrinsic
    def as_record(typing: Any, memory: Any, dtype: Any) -> Any:
        record = dtype.dtype
        signature = record(memory, dtype)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            array = context.make_array(sig.args[0])(context, builder, args[0])
            return builder.bitcast(array.data, context.get_value_type(record))

        return signature, generate

    return as_record


@primitive(_build_as_record)
def as_record(memory: Any, dtype: Any) -> Any:
    """The memory (a uint8 array at least as long as the record) read as one record."""
    return memory[: dtype.itemsize].view(dtype)[0]


def _build_words_of() -> Any:
    from numba.core import types
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array, populate_array

    @intrinsic
    def words_of(typing: Any, record: Any) -> Any:
        words = types.Array(types.float64, 1, "C")
        count = record.size // 8

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            made = make_array(words)(context, builder)
            data = builder.bitcast(args[0], context.get_data_type(types.float64).as_pointer())
            eight = context.get_constant(types.intp, 8)
            populate_array(
                made,
                data=data,
                shape=[context.get_constant(types.intp, count)],
                strides=[eight],
                itemsize=eight,
                meminfo=None,
            )
            return made._getvalue()

        return words(record), generate

    return words_of


@primitive(_build_words_of)
def words_of(record: Any) -> Any:
    """The record's eight-byte words as a float64 array over the same memory; for copying and blending."""
    import numpy as np

    return record.getfield(np.dtype((np.float64, (record.nbytes // 8,))), 0)


def _build_rows_of() -> Any:
    from numba.core import types
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array, populate_array

    @intrinsic
    def rows_of(typing: Any, record: Any, at: Any, dtype: Any) -> Any:
        row = dtype.dtype
        rows = types.Array(row, 1, "C")

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            made = make_array(rows)(context, builder)
            bytes_of = builder.bitcast(args[0], context.get_data_type(types.uint8).as_pointer())
            size = context.get_constant(types.intp, row.size)
            count = builder.sdiv(builder.sub(context.get_constant(types.intp, record.size), args[1]), size)
            data = builder.bitcast(builder.gep(bytes_of, [args[1]]), context.get_data_type(row).as_pointer())
            populate_array(made, data=data, shape=[count], strides=[size], itemsize=size, meminfo=None)
            return made._getvalue()

        return rows(record, types.int64, dtype), generate

    return rows_of


@primitive(_build_rows_of)
def rows_of(record: Any, at: Any, dtype: Any) -> Any:
    """What follows in the record from byte `at` on, as an array of records of this type: tables that are alike."""
    words, each = words_of(record)[at // 8 :], dtype.itemsize // 8
    return words[: len(words) // each * each].view(dtype)


@jit()
def rt_copy(source: Any, target: Any) -> None:
    """Copies a record onto another of the same type."""
    new, old = words_of(source), words_of(target)
    for i in range(new.size):
        old[i] = new[i]
