"""Ring, mailbox and board with both sides at full speed, across threads and across processes: nothing torn, nothing
lost.

Each has a control without its protection, which must tear: a test that cannot see a torn record proves nothing.
"""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from hilctl.loop.board import newest
from hilctl.loop.outside import Reader
from hilctl.loop.ring import READ
from tests.system import core_stress
from tests.system.core_stress import BOARD, BOARD_SLOTS, GO, RING, SEEN, SLOTS, SLOTS_AT, STOP, WIDTH

pytestmark = pytest.mark.timeout(600)

HOUSE = str(Path(core_stress.__file__).parents[2])
FEW = 200_000
MANY = int(10_000_000 * float(os.environ.get("HILCTL_SLOW_SHARE", "1")))
ALSO_MANY = pytest.param(MANY, marks=[pytest.mark.slow, pytest.mark.many])  # CI: on threads or in processes


class Across:
    """Where the writer is: on another thread, or in another process."""

    def __init__(self, where):
        self._where = where
        self.fd, self.words = core_stress.new_memory()

    def start(self, job, count, extra=0):
        if self._where == "threads":
            work, arguments = getattr(core_stress, job), (self.words, count, extra)
            self._writer = threading.Thread(target=work, args=arguments, daemon=True)
            self._writer.start()
            return
        path = os.pathsep.join([HOUSE, os.environ.get("PYTHONPATH", "")])
        self._writer = subprocess.Popen(
            [sys.executable, "-m", core_stress.__name__, job, str(self.fd), str(count), str(extra)],
            pass_fds=[self.fd], env={**os.environ, "PYTHONPATH": path},
        )

    def finish(self):
        if self._where == "threads":
            self._writer.join()
        else:
            assert self._writer.wait() == 0

    def close(self):
        """A test that failed must not leave its writer at full speed."""
        self.words[SEEN] = self.words[RING + READ] = 2**62  # nothing to wait for any more
        if isinstance(self._writer, subprocess.Popen):
            self._writer.kill()
            self._writer.wait()
        os.close(self.fd)


WHERE = ["threads", "processes"]


@pytest.fixture(params=WHERE)
def across(request):
    made = Across(request.param)
    yield made
    made.close()


def _read_rows(words):
    """Everything the writer writes, by the service's own reader: taken, torn, out of order, lost between."""
    reader = Reader(words, RING, core_stress.rows_of(words))
    words[GO] = 1
    taken = torn = disordered = gaps = 0
    last = -1
    while True:
        stopping = words[STOP]
        rows = reader.take(SLOTS)["words"]
        if len(rows):
            first = rows[:, 0]
            taken += len(rows)
            torn += int((rows != first[:, None]).any(axis=1).sum())
            steps = np.diff(first, prepend=last)
            disordered += int((steps < 1).sum())
            gaps += int((steps - 1).sum())
            last = int(first[-1])
            words[SEEN] = torn
        elif stopping:
            return taken, torn, disordered, gaps


@pytest.mark.parametrize("count", [FEW, ALSO_MANY])
def test_every_row_arrives_whole_and_in_order(across, count):
    across.start("write_rows", count)
    assert _read_rows(across.words) == (count, 0, 0, 0)
    across.finish()


@pytest.mark.parametrize("count", [FEW, ALSO_MANY])
def test_rows_that_find_no_place_are_counted_exactly_and_the_others_arrive(across, count):
    across.start("write_rows", count, 1)
    taken, torn, disordered, gaps = _read_rows(across.words)
    across.finish()
    lost = int(across.words[RING + 1])
    assert (torn, disordered) == (0, 0)
    assert taken + lost == count
    assert 0 <= lost - gaps <= count - taken  # what was lost after the last row that arrived leaves no gap
    assert lost > 0


def test_without_its_protection_the_ring_tears(across):
    across.start("write_rows_unprotected", FEW, 1)
    _, torn, disordered, gaps = _read_rows(across.words)
    across.finish()
    assert torn > 0
    assert gaps != 0 or disordered > 0


@pytest.mark.parametrize("count", [FEW, ALSO_MANY])
def test_the_loop_takes_every_request_whole_and_in_order(across, count):
    counts = np.zeros(4, np.int64)
    across.start("write_rows", count)
    core_stress.read_requests(across.words, counts, 0)
    across.finish()
    assert counts.tolist() == [count, 0, 0, count - 1]


@pytest.mark.parametrize("count", [FEW * 5, ALSO_MANY])
def test_a_parameter_set_is_never_torn_never_older_and_the_last_one_arrives(across, count):
    counts = np.zeros(4, np.int64)
    across.start("write_sets", count, 1000)  # it goes on at full speed until the reader has taken so many
    core_stress.read_sets(across.words, counts, 1)
    across.finish()
    taken, torn, older, last = counts.tolist()
    assert (torn, older, last) == (0, 0, int(across.words[STOP]))
    assert taken >= 1000


def test_without_its_protection_the_mailbox_tears(across):
    counts = np.zeros(4, np.int64)
    across.start("write_sets_unprotected", FEW, 1)
    core_stress.read_sets(across.words, counts, 0)
    across.finish()
    assert counts[1] > 0


def _read_statuses(words, read):
    """Looks until the writer stops: looks, looks that found nothing whole, torn, older than one before."""
    records = words[SLOTS_AT : SLOTS_AT + BOARD_SLOTS * WIDTH].reshape(BOARD_SLOTS, WIDTH)
    words[GO] = 1
    looks = nothing = torn = older = last = 0
    while not words[STOP]:
        record = read(words, records)
        looks += 1
        if record is None:
            nothing += 1
            continue
        torn += bool((record != record[0]).any())
        older += int(record[0]) < last
        last = int(record[0])
    return looks, nothing, torn, older


def test_a_status_is_never_torn_and_never_older_than_one_before(across):
    across.start("write_statuses", 400_000, 1000)
    looks, nothing, torn, older = _read_statuses(across.words, lambda words, records: newest(words, BOARD, records))
    across.finish()
    assert (torn, older) == (0, 0)
    assert looks - nothing > 100


@pytest.mark.parametrize("where", WHERE)
def test_without_the_second_look_the_board_tears(where):
    def naive(words, records):
        at = int(words[BOARD]) % BOARD_SLOTS  # the slot that is being written
        return records[at].copy()

    for _ in range(50):  # two that share one processor hardly meet
        across = Across(where)
        across.start("write_statuses", 2_000_000, 0)
        _, _, torn, older = _read_statuses(across.words, naive)
        across.finish()
        across.close()
        if torn or older:
            return
    pytest.fail("a reader that looks once never saw a record that was being written")
