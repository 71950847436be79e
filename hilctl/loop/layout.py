"""The memory that core and service share: what lies where, as records.

    header     what this is: magic, layout hash, run, sizes; written once by the service
    words      counters that both sides read while they change, each writer on cache lines of its own
    options    how the core shall run; written once by the service
    realtime   what the core was granted; written once by the core
    loop       the loop's own memory, with its histograms; only the core writes it
    law        the law's state; only the core touches it
    settings   three parameter sets: the mailbox
    statuses   the newest few status records
    requests, answers      two queues
    intakes    what the loop took from outside, in order
    snapshot   one copy of the law's state, made when asked for
    scrap      a sample that found no place among the rows
    knots      waveforms, one a bank
    rows       the samples
    readings   what the driver gave, of each row

Everything but the last two has a fixed place, so compiled code knows it as a constant.
"""

import hashlib
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_bridge.driver import COMMAND, READINGS
from hilctl.law.reference import KNOTS
from hilctl.law.requests import REQUEST
from hilctl.law.settings import SETTINGS
from hilctl.law.state import STATE
from hilctl.loop.histogram import BINS, SLICES
from hilctl.params import record_of
from hilctl.signals import SAMPLE, SENSORS, Status

MAGIC = 0x48494C43_544C3031  # "HILCTL01"
PAGE = 4096

# Two cache lines: processors fetch lines in pairs, and a counter must not share a pair with the other side's.
LINE = 16

# The control words, by index. Who writes each stands behind it.
HEARTBEAT = 0 * LINE  # service: CLOCK_MONOTONIC of its last sign of life
HURRY = 1 * LINE  # core's main thread: the trip that ends the run, 0 while it goes on
RUN_UNTIL = 2 * LINE  # service: virtual time passes until this tick
HELD = 3 * LINE  # service: rows from here on must stay available, FREE when nobody holds any
SNAPSHOT_ASKED = 4 * LINE  # service
SNAPSHOT_DONE = 5 * LINE  # core
MAIL = 6 * LINE  # both, by exchange: the mailbox's middle slot
STATUSES = 7 * LINE  # core: how many status records were written
REQUESTS = 8 * LINE  # a ring, see ring.py: three words on two lines
ANSWERS = 10 * LINE
ROWS = 12 * LINE
DEVICE_LINK = 14 * LINE  # the link to the device, OPEN or LOST (lost.py): the loop loses it, the core's keeper opens it
STALL = 15 * LINE  # both, by exchange: periods that the virtual clock misses before its next tick, as on a stalled host
INTAKES = 16 * LINE
RELINK = 18 * LINE  # service: 1 asks for the link to be opened again now; who acts on it clears it
CALLED_OFF = 19 * LINE  # service: requests up to this id that wait in the loop never begin (parked.py)
WORDS = 20 * LINE

FREE = -1
WORD = np.dtype(np.int64)

REQUEST_SLOTS = 64
ANSWER_SLOTS = 64
INTAKE_SLOTS = 256
STATUS_SLOTS = 16
MAIL_SLOTS = 3
BANKS = 2

# The stages of a tick that are timed and blamed, in this order everywhere.
STAGES = ("wake", "exchange", "law")

HEADER = record_of(
    [
        ("magic", np.int64),
        ("layout", np.int64),
        ("run", np.int64),
        ("total", np.int64),  # bytes
        ("row_slots", np.int64),
    ]
)

OPTIONS = record_of(
    [
        ("period_ns", np.int64),
        ("virtual", np.int64),
        ("spin_ns", np.int64),
        ("exchange_ns", np.int64),  # how long after its deadline a tick's exchange may last
        ("service_timeout_ns", np.int64),  # 0: the service is not watched
        ("hurry_ticks", np.int64),  # an orderly end that takes longer is cut short
        ("hold_rows", np.int64),  # how far the rows may run ahead of those that are held
        ("lost_periods", np.int64),  # without an answer, while off: then the link is lost; 0: never
    ]
)

REALTIME = record_of(
    [
        ("fifo", np.int64),
        ("priority", np.int64),
        ("locked", np.int64),
        ("cpu", np.int64),  # -1: not pinned
        ("awake", np.int64),  # the processor was asked to stay out of deep sleep
        ("running", np.int64),  # 1 once the loop has been entered
    ]
)

STAGE = record_of(
    [
        ("total", np.int64, (BINS,)),
        ("slices", np.int64, (SLICES, BINS)),
        ("most", np.int64),
        ("slice_most", np.int64, (SLICES,)),
    ]
)

STATUS = record_of(
    [
        ("tick", np.int64),
        ("time_ns", np.int64),
        ("ran", np.int64),
        ("missed", np.int64),
        ("blamed", np.int64, (len(STAGES),)),
        ("late_in_a_row", np.int64),
        ("late_in_a_row_most", np.int64),
        ("rows", np.int64),
        ("rows_lost", np.int64),
        ("request", np.int64),  # id of the last request that this status has seen
        ("standing", np.int64),  # 1: nothing is going on, virtual time stands still
        ("ending", np.int64),  # the trip that ends the run
        ("mode", np.int64),
        ("arming", np.int64),
        ("motion_id", np.int64),
        ("motion_done_id", np.int64),
        ("motion_result", np.int64),
        ("trip", np.int64),
        ("trip_tick", np.int64),
        ("trip_value", np.float64),
        ("trip_limit", np.float64),
        ("trip_action", np.int64),
        ("trip_sensor", np.int64),
        ("trips", np.int64),
        ("warnings", np.int64),
        ("epoch", np.int64),
        ("blend", np.float64),
        ("supply_changes", np.int64),  # 1: another level was asked for, and is not there yet
    ]
)

HEALTH = record_of(
    [
        ("lost", np.int64),  # 1: no exchange is called, until the link is open again
        ("since_ns", np.int64),  # the loop's time at which it was lost, or was open again
        ("cause", np.int64),  # the status by which it was lost
        ("failing", np.int64),  # periods in a row without an answer
        ("last", np.int64),  # the newest status
        ("outcomes", np.int64, (len(Status),)),  # exchanges by their status, since the start
        ("errors", np.int64),  # exchanges that failed, since the start
        ("age_ns", np.int64, (len(SENSORS),)),  # of each reading, now
        ("oldest_ns", np.int64, (len(SENSORS),)),  # over the last whole second
        ("oldest_yet_ns", np.int64, (len(SENSORS),)),  # over the second that runs
        ("second", np.int64),
    ]
)

LOOP = record_of(
    [
        ("status", STATUS),
        ("stages", STAGE, (len(STAGES),)),
        ("health", HEALTH),
        ("slice", np.int64),  # the second that the newest slice of the histograms counts
        ("deadline_ns", np.int64),
        ("skipped", np.int64),
        ("spent_ns", np.int64, (len(STAGES),)),  # what the tick before spent in each stage
        ("finished_ns", np.int64),
        ("mail_front", np.int64),
        ("hurry_left", np.int64),
        ("changed", np.int64),  # something happened that no status tells yet
        ("request", np.int64),  # id of the last request that was handled
        ("row_slots", np.int64),
        ("begun_ns", np.int64),
        ("late", np.float64),  # bucket of missed periods
        ("stalls", np.float64),  # and of stalls that the motion feels
        ("between", np.int64),  # 1: between two ticks, on the virtual clock
        ("parked", REQUEST),  # the motion that waits; id 0: none
        ("parked_before", np.float64),  # what its channel read last
        ("parked_passed", np.int64),  # its level was passed
        ("command", COMMAND),
        ("readings", READINGS),
    ]
)

ANSWER = record_of([("id", np.int64), ("refusal", np.int64), ("tick", np.int64)])
INTAKE = record_of(
    [
        ("kind", np.int64),
        ("tick", np.int64),  # that runs, or the last one that has run
        ("between", np.int64),  # 1: after that tick
        ("id", np.int64),
        ("refusal", np.int64),
        ("value", np.float64),
        ("limit", np.float64),
    ]
)
# What the loop carries from tick to tick that the law sees.
CARRIED = record_of(
    [
        ("late", np.float64),
        ("stalls", np.float64),
        ("late_in_a_row", np.int64),
        ("failing", np.int64),
        ("lost", np.int64),
        ("errors", np.int64),
        ("ending", np.int64),
        ("lost_periods", np.int64),
        ("points", np.float64, (4,)),  # of an external reference, as seen last: the first words of its bank
    ]
)
SNAPSHOT = record_of(
    [
        ("tick", np.int64),  # the last tick that the state has seen
        ("row", np.int64),  # number of the row that comes next
        ("request", np.int64),  # id of the last request that the state has seen
        ("intake", np.int64),  # number of the intake that comes next
        ("carried", CARRIED),
        ("state", STATE),
    ]
)
BANK = record_of([("knots", np.float64, (KNOTS,))])


class Region(NamedTuple):
    """Where some records of one type lie."""

    at: int
    dtype: "np.dtype[Any]"
    slots: int

    @property
    def end(self) -> int:
        """The first byte behind it."""
        return self.at + self.dtype.itemsize * self.slots

    def of(self, memory: npt.NDArray[np.uint8]) -> Any:
        """The records, as an array over the memory."""
        return memory[self.at : self.end].view(self.dtype)


def _after(end: int, dtype: "np.dtype[Any]", slots: int = 1) -> Region:
    return Region(-(-end // 128) * 128, dtype, slots)


header = Region(0, HEADER, 1)
words = Region(PAGE, WORD, WORDS)
options = _after(words.end, OPTIONS)
realtime = _after(options.end, REALTIME)
loop = _after(realtime.end, LOOP)
law = _after(loop.end, STATE)
settings = _after(law.end, SETTINGS, MAIL_SLOTS)
statuses = _after(settings.end, STATUS, STATUS_SLOTS)
requests = _after(statuses.end, REQUEST, REQUEST_SLOTS)
answers = _after(requests.end, ANSWER, ANSWER_SLOTS)
intakes = _after(answers.end, INTAKE, INTAKE_SLOTS)
snapshot = _after(intakes.end, SNAPSHOT)
scrap = _after(snapshot.end, SAMPLE)
knots = _after(scrap.end, BANK, BANKS)
ROWS_AT = -(-knots.end // PAGE) * PAGE


def rows(row_slots: int) -> Region:
    """The ring of samples, which has the size that the service chose."""
    return Region(ROWS_AT, SAMPLE, row_slots)


def given(row_slots: int) -> Region:  # were it `readings`, which the loop names, its key would take in this too
    """What the driver gave, beside the ring of samples."""
    return Region(rows(row_slots).end, READINGS, row_slots)


def size_of(row_slots: int) -> int:
    """Bytes of the whole memory, in whole pages."""
    return -(-given(row_slots).end // PAGE) * PAGE


def _hash() -> int:
    regions = (header, words, options, realtime, loop, law, settings, statuses, requests, answers, intakes, snapshot,
               scrap, knots)
    rows = repr(SAMPLE.descr) + repr(READINGS.descr)
    text = repr([(r.at, r.slots, r.dtype.descr) for r in regions]) + rows + repr(WORDS)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "little")


LAYOUT = _hash()
