"""The driver's state: plain memory, in which everything that a tick touches has its place.

head        counters, times, the newest values
buses       one row a connection or line
requests    one row a request, in the order in which its bus makes them: fast ones first
places      one row a signal
buffers     an inbox and an outbox for every bus, as bytes
"""

from typing import Any

import numpy as np

from firmware_bridge.described.inbox import INBOX
from firmware_bridge.described.signals import OUTPUTS, READINGS
from firmware_bridge.modbus.settings import DEVICES
from hilctl.params import record_of

MOST_BUSES, MOST_REQUESTS = len(DEVICES), 24
TCP, RTU = 0, 1
OUTBOX = 320  # the longest frame has 260 bytes (TCP), 256 (RTU)

BUS = record_of(
    [
        ("fd", np.int64),  # -1: closed
        ("kind", np.int64),
        ("first", np.int64),  # its first request
        ("fast", np.int64),  # how many are made in every tick
        ("slow", np.int64),  # how many now and then
        ("back", np.int64),  # how many blocks of outputs are read back, one at a time
        ("watch", np.int64),  # the watchdog's register is, too
        ("back_due", np.int64),  # tick of the next one
        ("cursor", np.int64),  # the next fast request of this tick
        ("pending", np.int64),  # the request that waits for its answer, -1 for none
        ("transaction", np.int64),  # its transaction id (TCP)
        ("sent_ns", np.int64),
        ("expires_ns", np.int64),  # when it is given up
        ("quiet_until_ns", np.int64),  # the line must be silent until then (RTU)
        ("gap_ns", np.int64),
        ("character_ps", np.int64),  # one character on the line
        ("have", np.int64),  # bytes in the inbox
        ("failed", np.int64),  # this tick's first failure here, a Status
        ("retries", np.int64),  # of this tick
        ("expired_in_a_row", np.int64),
        ("sent", np.int64),  # counters, here and below
        ("answered", np.int64),
        ("timeouts", np.int64),
        ("checksums", np.int64),
        ("bad_replies", np.int64),
        ("wrong_unit", np.int64),
        ("strays", np.int64),  # answers to requests that were given up, and bytes of no request
        ("busy", np.int64),  # exceptions 5 and 6: asked again
        ("errno", np.int64),  # that closed it
        ("longest_ns", np.int64),  # from request to answer
        ("longest_slow_ns", np.int64),  # of a slow request lately
        ("longest_back_ns", np.int64),  # of a tick's requests with a read-back, lately
        ("usual_ns", np.int64),  # of a request of every tick: the mean, lately
        ("read_backs", np.int64),
        ("postponed", np.int64),  # ticks in which a read-back was due and there was no time for it
        ("overwritten", np.int64),  # read-backs that found what was not written here
        ("exceptions", np.int64, (16,)),  # by code; 0: any other
    ]
)

REQUEST = record_of(
    [
        ("unit", np.int64),
        ("function", np.int64),
        ("every", np.int64),
        ("due", np.int64),  # tick of the next turn
        ("read_at", np.int64),
        ("read_count", np.int64),
        ("write_at", np.int64),
        ("write_count", np.int64),
        ("takes_ns", np.int64),  # by arithmetic, on the line
    ]
)

PLACE = record_of(
    [
        ("request", np.int64),  # -1: the rig has no such signal
        ("word", np.int64),
        ("kind", np.int64),  # index of TYPES
        ("low_first", np.int64),
        ("scale", np.float64),
        ("offset", np.float64),
        ("stale_ns", np.int64),
        ("fast", np.int64),
    ]
)

HEAD = record_of(
    [
        ("buses", np.int64),
        ("ticks", np.int64),  # periods since the start
        ("answered", np.int64),  # periods that were answered in full
        ("counter_raw", np.int64),  # the device's counter as it came last, -1 before
        ("counter", np.int64),  # and unwrapped
        ("counter_mask", np.int64),
        ("counting_ns", np.int64),  # when it was read first
        ("moved_ns", np.int64),  # when it moved last
        ("counted", np.int64),  # by how much since it was read first
        ("answer_ns", np.int64),  # after which a request is given up
        ("lost_after", np.int64),
        ("asked", np.int64),  # the last command asked for enable or supply
        ("value", np.float64, (len(READINGS),)),
        ("taken_ns", np.int64, (len(READINGS),)),
        ("told_ns", np.int64, (len(READINGS),)),  # taken_ns of the readings that the last exchange gave
        ("wanted", np.float64, (len(OUTPUTS),)),
        ("back_every", np.int64),  # ticks from one read-back to the next
        ("phase_ns", np.int64),  # from the beginning of a tick to its commands, where outputs are read back before them
        ("rest_ns", np.int64),  # from the latest instant of an exchange to the next tick
        ("sent_bits", np.int64, (len(OUTPUTS) + 1,)),  # registers of outputs and watchdog as they were written last
        ("confirmed", np.int64, (len(OUTPUTS),)),  # that writing was answered
        ("foreign", np.int64),  # the output that was found overwritten last, -1 for none
        ("foreign_bits", np.int64),  # what its registers held
        ("unreported", np.int64),  # and no exchange has said so yet
        ("bus", BUS, (MOST_BUSES,)),
        ("request", REQUEST, (MOST_REQUESTS,)),
        ("reading", PLACE, (len(READINGS),)),
        ("output", PLACE, (len(OUTPUTS),)),
        ("back", PLACE, (len(OUTPUTS) + 1,)),  # where each output, and the watchdog, stands in its read-back
        ("scratch", np.int64),  # four bytes of it, to see a float's bits
    ]
)

SCRATCH_AT = HEAD.fields["scratch"][1]  # type: ignore[index]
INBOX_AT = HEAD.itemsize
OUTBOX_AT = INBOX_AT + MOST_BUSES * INBOX
SIZE = OUTBOX_AT + MOST_BUSES * OUTBOX


def head(state: Any) -> Any:
    """The driver's record over its memory."""
    return state[: HEAD.itemsize].view(HEAD)[0]
