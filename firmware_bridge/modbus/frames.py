"""Frames in a buffer that the caller owns: requests built, answers judged, by compiled code.

`memory` is the driver's bytes, `at` where the frame begins. TCP puts a header before the function (transaction,
protocol 0, length, unit); RTU puts the unit before it and a checksum behind it.
"""

from typing import Any

from hilctl.rt.jit import jit
from hilctl.signals import Status

HEADER = 7  # TCP: transaction, protocol, length, unit
READ_WRITE, WRITE = 23, 16
EXCEPTION_FLAG = 0x80
OK, BAD_CHECKSUM, BAD_REPLY, EXCEPTION = (
    Status.OK.value, Status.BAD_CHECKSUM.value, Status.BAD_REPLY.value, Status.EXCEPTION.value
)  # fmt: skip
INCOMPLETE = -1


@jit()
def rt_put16(memory: Any, at: int, value: int) -> None:
    """Two bytes, the high one first."""
    memory[at] = (value >> 8) & 0xFF
    memory[at + 1] = value & 0xFF


@jit()
def rt_get16(memory: Any, at: int) -> int:
    """Two bytes, the high one first."""
    return (int(memory[at]) << 8) | int(memory[at + 1])


@jit()
def rt_crc(memory: Any, at: int, count: int) -> int:
    """The checksum of RTU: CRC-16, polynomial 0xA001 reflected, from 0xFFFF (Modbus over Serial Line 1.02, 6.2)."""
    crc = 0xFFFF
    for i in range(at, at + count):
        crc ^= int(memory[i])
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return crc


@jit()
def rt_request(memory: Any, at: int, function: int, read_at: int, read_count: int, write_at: int,
               write_count: int) -> int:
    """Function and addresses; where the words to be written begin. They are the caller's to put there."""
    memory[at] = function
    if function == WRITE:
        rt_put16(memory, at + 1, write_at)
        rt_put16(memory, at + 3, write_count)
        memory[at + 5] = 2 * write_count
        return at + 6
    rt_put16(memory, at + 1, read_at)
    rt_put16(memory, at + 3, read_count)
    if function == READ_WRITE:
        rt_put16(memory, at + 5, write_at)
        rt_put16(memory, at + 7, write_count)
        memory[at + 9] = 2 * write_count
        return at + 10
    return at + 5


@jit()
def rt_frame_tcp(memory: Any, at: int, transaction: int, unit: int, count: int) -> int:
    """The header before `count` bytes of function and data, which begin at `at + HEADER`; the frame's length."""
    rt_put16(memory, at, transaction)
    rt_put16(memory, at + 2, 0)
    rt_put16(memory, at + 4, count + 1)
    memory[at + 6] = unit
    return HEADER + count


@jit()
def rt_frame_rtu(memory: Any, at: int, unit: int, count: int) -> int:
    """Unit and checksum around `count` bytes of function and data, which begin at `at + 1`; the frame's length."""
    memory[at] = unit
    crc = rt_crc(memory, at, count + 1)
    memory[at + 1 + count] = crc & 0xFF
    memory[at + 2 + count] = crc >> 8
    return count + 3


@jit()
def rt_answer_length(function: int, read_count: int) -> int:
    """Bytes of function and data in a good answer."""
    return 5 if function == WRITE else 2 + 2 * read_count


@jit()
def rt_judge(memory: Any, at: int, count: int, function: int, read_count: int, write_at: int,
             write_count: int) -> int:
    """What `count` bytes of function and data are, as an answer to this request: OK, EXCEPTION or BAD_REPLY."""
    if count == 2 and int(memory[at]) == (function | EXCEPTION_FLAG):
        return EXCEPTION
    if count != rt_answer_length(function, read_count) or int(memory[at]) != function:
        return BAD_REPLY
    if function == WRITE:
        same = rt_get16(memory, at + 1) == write_at and rt_get16(memory, at + 3) == write_count
        return OK if same else BAD_REPLY
    return OK if int(memory[at + 1]) == 2 * read_count else BAD_REPLY


@jit()
def rt_length_rtu(memory: Any, at: int, have: int, function: int, read_count: int) -> int:
    """How long the frame that begins here is by its function: INCOMPLETE too early, 0 if it is no answer to this."""
    if have < 2:
        return INCOMPLETE
    said = int(memory[at + 1])
    if said == (function | EXCEPTION_FLAG):
        return 5
    return rt_answer_length(function, read_count) + 3 if said == function else 0


@jit()
def rt_status_of(code: int) -> int:
    """What an exception means for the tick: the link behind a gateway has failed, or the device says no."""
    if code in (10, 11):  # no path, no answer from the device behind it
        return Status.TIMEOUT.value
    if code == 8:  # the device's memory fails its parity
        return Status.BAD_CHECKSUM.value
    return EXCEPTION
