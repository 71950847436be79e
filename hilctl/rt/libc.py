"""The C library from compiled code: clocks, and reading and writing a file descriptor without the interpreter.

`ExternalFunction` and not ctypes: functions that hold ctypes pointers are never cached. Every call returns the negative
errno on failure, so that callers have one value to look at.
"""

import ctypes
import os
import platform
import select
import time
from collections.abc import Callable
from typing import Any

from hilctl.rt.jit import jit, primitive

CLOCK_MONOTONIC = 1
TIMER_ABSTIME = 1
POLLIN = 1
POLLOUT = 4
SECOND_NS = 1_000_000_000
EVENT_FD = 1 if platform.machine() == "x86_64" else 2  # 32-bit word of an epoll_event, which is packed there


def _timespec(context: Any, builder: Any, nanoseconds: Any = None) -> Any:
    """A struct timespec on the stack, filled when a value is given."""
    from llvmlite import ir
    from numba.core import cgutils

    i64 = ir.IntType(64)
    spec = cgutils.alloca_once(builder, ir.ArrayType(i64, 2))
    first = builder.bitcast(spec, i64.as_pointer())
    if nanoseconds is not None:
        second = ir.Constant(i64, SECOND_NS)
        builder.store(builder.sdiv(nanoseconds, second), first)
        builder.store(builder.srem(nanoseconds, second), builder.gep(first, [ir.Constant(i64, 1)]))
    return first


def _call(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    from llvmlite import ir
    from numba.core import cgutils

    kind = ir.FunctionType(result, [a.type for a in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def _build_monotonic_ns() -> Any:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def monotonic_ns(typing: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            i32, i64 = ir.IntType(32), ir.IntType(64)
            spec = _timespec(context, builder)
            _call(builder, "clock_gettime", i32, [ir.Constant(i32, CLOCK_MONOTONIC), spec])
            whole = builder.mul(builder.load(spec), ir.Constant(i64, SECOND_NS))
            return builder.add(whole, builder.load(builder.gep(spec, [ir.Constant(i64, 1)])))

        return types.int64(), generate

    return monotonic_ns


@primitive(_build_monotonic_ns)
def monotonic_ns() -> int:
    """CLOCK_MONOTONIC in nanoseconds."""
    return time.monotonic_ns()


def _build_sleep_until() -> Any:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def sleep_until_ns(typing: Any, deadline: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            i32, i64 = ir.IntType(32), ir.IntType(64)
            spec = _timespec(context, builder, args[0])
            nothing = ir.Constant(i64.as_pointer(), None)
            arguments = [ir.Constant(i32, CLOCK_MONOTONIC), ir.Constant(i32, TIMER_ABSTIME), spec, nothing]
            return builder.sext(_call(builder, "clock_nanosleep", i32, arguments), i64)

        return types.int64(types.int64), generate

    return sleep_until_ns


@primitive(_build_sleep_until)
def sleep_until_ns(deadline: Any) -> int:
    """Sleeps until an instant of CLOCK_MONOTONIC. Returns 0, or EINTR when a signal came first."""
    wait = deadline - time.monotonic_ns()
    if wait > 0:
        time.sleep(wait / SECOND_NS)
    return 0


def _build_wait_fd() -> Any:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic
    def wait_fd_raw(typing: Any, fd: Any, events: Any, timeout: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            i16, i32, i64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
            poll = cgutils.alloca_once(builder, ir.LiteralStructType([i32, i16, i16]))
            zero, one, two = (ir.Constant(i32, k) for k in range(3))
            builder.store(builder.trunc(args[0], i32), builder.gep(poll, [zero, zero]))
            builder.store(builder.trunc(args[1], i16), builder.gep(poll, [zero, one]))
            builder.store(ir.Constant(i16, 0), builder.gep(poll, [zero, two]))
            spec = _timespec(context, builder, args[2])
            nothing = ir.Constant(i64.as_pointer(), None)
            raw = builder.bitcast(poll, i64.as_pointer())
            count = _call(builder, "ppoll", i32, [raw, ir.Constant(i64, 1), spec, nothing])
            ready = builder.zext(builder.load(builder.gep(poll, [zero, two])), i64)
            return builder.select(builder.icmp_signed("<", count, zero), ir.Constant(i64, -1), ready)

        return types.int64(types.int64, types.int64, types.int64), generate

    return wait_fd_raw


@primitive(_build_wait_fd)
def _wait_fd(fd: Any, events: Any, timeout: Any) -> int:
    poll = select.poll()
    poll.register(fd, events)
    ready = poll.poll(timeout / 1e6)
    return ready[0][1] if ready else 0


def _build_wait_event() -> Any:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def wait_event(typing: Any, fd: Any, event: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            i32, i64 = ir.IntType(32), ir.IntType(64)
            place = context.make_array(sig.args[1])(context, builder, args[1]).data
            arguments = [builder.trunc(args[0], i32), place, ir.Constant(i32, 1), ir.Constant(i32, -1)]
            return builder.sext(_call(builder, "epoll_wait", i32, arguments), i64)

        return types.int64(types.int64, event), generate

    return wait_event


@primitive(_build_wait_event)
def wait_event(fd: Any, event: Any) -> int:
    """Waits for an event of an epoll descriptor, and puts it into four uint32: 1, or -1 where a signal came first."""
    return int(ctypes.CDLL(None).epoll_wait(fd, event.ctypes.data_as(ctypes.c_void_p), 1, -1))


def _build_errno() -> Any:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def errno_(typing: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            i32 = ir.IntType(32)
            place = _call(builder, "__errno_location", i32.as_pointer(), [])
            return builder.sext(builder.load(place), ir.IntType(64))

        return types.int64(), generate

    return errno_


_last_errno = [0]


@primitive(_build_errno)
def _errno() -> int:
    return _last_errno[0]


def _tried(call: Callable[..., int], *arguments: Any) -> int:
    """As C has it: -1 for an error, which errno then tells."""
    try:
        return call(*arguments)
    except OSError as error:
        _last_errno[0] = error.errno or 0
        return -1


@jit()
def wait_fd(fd: int, events: int, timeout_ns: int) -> int:
    """Waits until the descriptor is ready: the ready events, 0 at the time-out, or a negative errno."""
    ready = _wait_fd(fd, events, max(timeout_ns, 0))
    return -_errno() if ready < 0 else ready


def _build_transfer(name: str) -> Any:
    def build() -> Any:
        from llvmlite import ir
        from numba.core import types
        from numba.extending import intrinsic

        @intrinsic
        def transfer(typing: Any, fd: Any, memory: Any, first: Any, count: Any) -> Any:
            def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
                i32, i64 = ir.IntType(32), ir.IntType(64)
                array = context.make_array(sig.args[1])(context, builder, args[1])
                place = builder.gep(array.data, [args[2]])
                return _call(builder, name, i64, [builder.trunc(args[0], i32), place, args[3]])

            return types.int64(types.int64, memory, types.int64, types.int64), generate

        return transfer

    return build


@primitive(_build_transfer("read"))
def _read(fd: Any, memory: Any, first: Any, count: Any) -> int:
    return _tried(os.readv, fd, [memory[first : first + count]])


@primitive(_build_transfer("write"))
def _write(fd: Any, memory: Any, first: Any, count: Any) -> int:
    return _tried(os.write, fd, memory[first : first + count])


@jit()
def read_fd(fd: int, memory: Any, first: int, count: int) -> int:
    """Reads up to `count` bytes into the array from index `first`: how many, 0 at the end, or a negative errno."""
    got = _read(fd, memory, first, count)
    return -_errno() if got < 0 else got


@jit()
def write_fd(fd: int, memory: Any, first: int, count: int) -> int:
    """Writes up to `count` bytes of the uint8 array from index `first`: how many, or a negative errno."""
    put = _write(fd, memory, first, count)
    return -_errno() if put < 0 else put
