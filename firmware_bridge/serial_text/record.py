"""The driver's state: plain memory, in which everything that a tick touches has its place.

head        counters, times, the newest values
bus         one row a line
request     one row a message: of the tick first, line by line, those of every tick before the others; then the others
piece       the pieces of every template, as tables
held        the number in each field: as it came last, as it is sent
reading     one row a signal that is read: its message and field
crc         what a byte does to each CRC that is used
buffers     texts of templates; an inbox and an outbox for every line, and a desk for work outside the tick, as bytes
"""

from typing import Any

import numpy as np

from firmware_bridge.described import record as described
from firmware_bridge.described.inbox import INBOX
from firmware_bridge.described.signals import OUTPUTS, READINGS
from firmware_bridge.serial_text.settings import MOST_LINES, MOST_MESSAGES, SENT
from hilctl.params import record_of

MOST_PIECES, MOST_FIELDS, MOST_CRCS, TEXTS = 384, 192, 4, 4096
OUTBOX = 256

BUS = record_of(
    [
        *described.BUS,
        ("streams", np.int64),  # how many come by themselves
        ("echo", np.int64),  # the line returns what is sent
        ("echoed", np.int64),  # of the pending request's bytes, those that are still to come back
        ("pulled_ns", np.int64),  # when it was emptied last: what is there has come since
        ("synchronous", np.int64),  # of a stream: where a message begins is known
        ("heard_ns", np.int64),  # of a stream: when one was good last
        ("silence_ns", np.int64),  # of a stream: after which the link is lost
        ("wrong_address", np.int64),
    ]
)

SIDE = record_of(  # a request or an answer
    [
        ("piece", np.int64),  # its first piece
        ("count", np.int64),
        ("least", np.int64),  # bytes
        ("most", np.int64),
        ("end_at", np.int64),  # its terminator, in the texts
        ("end_count", np.int64),  # 0: it has none
        ("covers_from", np.int64),  # what the checksum covers: from this piece of it
        ("covers_to", np.int64),  # up to this one
        ("kind", np.int64),  # of the checksum
        ("bits", np.int64),
        ("begin", np.int64),
        ("reflected", np.int64),
        ("final", np.int64),
        ("negative", np.int64),
        ("crc", np.int64),  # row of its table
    ]
)

REQUEST = record_of(
    [
        ("request", SIDE),
        ("answer", SIDE),
        ("every", np.int64),
        ("due", np.int64),  # tick of the next turn
        ("takes_ns", np.int64),  # by arithmetic, on the line
        ("outputs", np.int64),  # bit k: it sends output k
        ("sent_of", np.float64, (len(OUTPUTS),)),  # what it sent last
        ("on_reset", np.int64),  # it is sent where a reset is wanted, and else never
        ("period_ns", np.int64),  # of a stream
    ]
)

PIECE = record_of(
    [
        ("kind", np.int64),
        ("slot", np.int64),  # -1: bytes that are known, or skipped; -2: the checksum
        ("address", np.int64),  # 1: these bytes are the device's address
        ("text_at", np.int64),
        ("count", np.int64),  # bytes of the text; words
        ("width", np.int64),
        ("decimals", np.int64),
        ("plus", np.int64),
        ("zeros", np.int64),
        ("upper", np.int64),
        ("signed", np.int64),
        ("floating", np.int64),
        ("order", np.int64),
    ]
)

PLACE = record_of(
    [
        ("request", np.int64),  # the message; -1: the rig has no such signal
        ("slot", np.int64),
        ("scale", np.float64),
        ("offset", np.float64),
        ("mask", np.int64),
        ("stale_ns", np.int64),
        ("fast", np.int64),
        ("wraps", np.float64),  # of the heartbeat: the number at which it starts over
        ("shown_in", np.int64),  # of an output: the message whose answer shows it, -1 for none
        ("repeats", np.int64),  # and the field that does
        ("confirmed", np.int64),  # that sending it was answered
        ("step", np.float64),  # and by how much that may be off
    ]
)

HEAD = record_of(
    [
        *described.HEAD,
        ("wanted", np.float64, (len(SENT),)),
        ("resetting", np.int64),  # a reset is wanted, and not said yet
        ("foreign_value", np.float64),
        ("time_to_live", np.float64),  # the number that the device has confirmed
        ("number", np.float64),  # what rt_number found last
        ("bus", BUS, (MOST_LINES,)),
        ("request", REQUEST, (MOST_MESSAGES,)),
        ("piece", PIECE, (MOST_PIECES,)),
        ("held", np.float64, (MOST_FIELDS,)),
        ("came", np.float64, (MOST_FIELDS,)),  # of an answer that is not whole yet
        ("reading", PLACE, (len(READINGS),)),
        ("output", PLACE, (len(SENT),)),
        ("crc", np.int64, (MOST_CRCS, 256)),
        ("scratch", np.float64),  # its bytes, to see a float's
    ]
)

SCRATCH_AT = HEAD.fields["scratch"][1]  # type: ignore[index]
TEXTS_AT = HEAD.itemsize
INBOX_AT = TEXTS_AT + TEXTS
OUTBOX_AT = INBOX_AT + MOST_LINES * INBOX
DESK_AT = OUTBOX_AT + MOST_LINES * OUTBOX
SIZE = DESK_AT + INBOX


def head(state: Any) -> Any:
    """The driver's record over its memory."""
    return state[: HEAD.itemsize].view(HEAD)[0]
