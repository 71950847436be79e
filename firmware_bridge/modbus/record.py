"""The driver's state: plain memory, in which everything that a tick touches has its place.

head        counters, times, the newest values
buses       one row a connection or line
requests    one row a request, in the order in which its bus makes them: fast ones first
places      one row a signal
buffers     an inbox and an outbox for every bus, as bytes
"""

from typing import Any

import numpy as np

from firmware_bridge.described import record as described
from firmware_bridge.described.inbox import INBOX
from firmware_bridge.described.signals import OUTPUTS, READINGS
from firmware_bridge.modbus.settings import DEVICES
from hilctl.params import record_of

MOST_BUSES, MOST_REQUESTS = len(DEVICES), 24
TCP, RTU = 0, 1
OUTBOX = 320  # the longest frame has 260 bytes (TCP), 256 (RTU)

BUS = record_of(
    [
        *described.BUS,
        ("kind", np.int64),
        ("back", np.int64),  # how many blocks of outputs are read back, one at a time
        ("watch", np.int64),  # the watchdog's register is, too
        ("back_due", np.int64),  # tick of the next one
        ("transaction", np.int64),  # its transaction id (TCP)
        ("at_once", np.int64),  # requests that may be under way together: 2 over TCP, where the rig file lets them
        ("earlier", np.int64),  # the one that the pending one overtook, and that may yet be answered; -1 for none
        ("earlier_transaction", np.int64),
        ("earlier_sent_ns", np.int64),
        ("earlier_expires_ns", np.int64),
        ("retries", np.int64),  # of this tick
        ("wrong_unit", np.int64),
        ("busy", np.int64),  # exceptions 5 and 6: asked again
        ("longest_slow_ns", np.int64),  # of a slow request lately
        ("longest_back_ns", np.int64),  # of a tick's requests with a read-back, lately
        ("usual_ns", np.int64),  # of a request of every tick: the mean, lately
        ("read_backs", np.int64),
        ("postponed", np.int64),  # ticks in which a read-back was due and there was no time for it
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
        *described.HEAD,
        ("wanted", np.float64, (len(OUTPUTS),)),
        ("back_every", np.int64),  # ticks from one read-back to the next
        ("phase_ns", np.int64),  # from the beginning of a tick to its commands, where outputs are read back before them
        ("sent_bits", np.int64, (len(OUTPUTS) + 1,)),  # registers of outputs and watchdog as they were written last
        ("confirmed", np.int64, (len(OUTPUTS),)),  # that writing was answered
        ("foreign_bits", np.int64),  # what its registers held
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
