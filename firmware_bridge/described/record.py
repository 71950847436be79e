"""What every driver of described devices has in its memory: fields of its head, and of the row of each connection or
line. A driver adds its own."""

from typing import Any

import numpy as np

from firmware_bridge.described.signals import READINGS

BUS: list[Any] = [
    ("fd", np.int64),  # -1: closed
    ("first", np.int64),  # its first request
    ("fast", np.int64),  # how many are made in every tick
    ("slow", np.int64),  # how many now and then
    ("cursor", np.int64),  # the next fast one of this tick
    ("pending", np.int64),  # the one that waits for its answer, -1 for none
    ("sent_ns", np.int64),
    ("expires_ns", np.int64),  # when it is given up
    ("quiet_until_ns", np.int64),  # nothing is sent on a line before
    ("gap_ns", np.int64),
    ("character_ps", np.int64),  # one character on the line
    ("have", np.int64),  # bytes in the inbox
    ("failed", np.int64),  # this tick's first failure here, a Status
    ("expired_in_a_row", np.int64),
    ("sent", np.int64),  # counters, here and below
    ("answered", np.int64),
    ("timeouts", np.int64),
    ("checksums", np.int64),
    ("bad_replies", np.int64),
    ("strays", np.int64),  # answers to requests that were given up, and bytes of no request
    ("overwritten", np.int64),  # answers with another output than was sent
    ("errno", np.int64),  # that closed it
    ("longest_ns", np.int64),  # from request to answer
]

HEAD: list[Any] = [
    ("buses", np.int64),
    ("ticks", np.int64),  # periods since the start
    ("answered", np.int64),  # periods that were answered in full
    ("counter_raw", np.int64),  # the device's counter as it came last, -1 before
    ("counter", np.int64),  # and unwrapped
    ("counter_mask", np.int64),
    ("counting_ns", np.int64),  # when it was read first
    ("moved_ns", np.int64),  # when it moved last
    ("counted", np.int64),  # by how much since it was read first
    ("answer_ns", np.int64),  # after which a request is given up, beside its time on a line
    ("lost_after", np.int64),
    ("rest_ns", np.int64),  # from the latest instant of an exchange to the next tick
    ("asked", np.int64),  # the last command asked for enable or supply
    ("value", np.float64, (len(READINGS),)),
    ("taken_ns", np.int64, (len(READINGS),)),
    ("told_ns", np.int64, (len(READINGS),)),  # taken_ns of the readings that the last exchange gave
    ("foreign", np.int64),  # the output that was found overwritten last, -1 for none
    ("unreported", np.int64),  # and no exchange has said so yet
]
