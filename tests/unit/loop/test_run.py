"""The loop as a whole and what frames its ticks, with a device and a clock that are Python functions."""

import math
from itertools import count

import pytest

from hilctl.law.reference import KNOTS
from hilctl.law.requests import RequestKind
from hilctl.law.sensors import DISPLACEMENT
from hilctl.loop import clock, core, layout
from hilctl.loop.clock import EXCHANGE, LAW, WAKE
from hilctl.loop.intake import IntakeKind
from hilctl.loop.layout import (
    ANSWERS,
    DEVICE_LINK,
    HURRY,
    INTAKES,
    MAIL,
    REQUESTS,
    ROWS,
    RUN_UNTIL,
    SNAPSHOT_ASKED,
    SNAPSHOT_DONE,
    STATUSES,
)
from hilctl.loop.lost import OPEN
from hilctl.loop.mailbox import READER_FIRST, WRITER_FIRST, mail_put
from hilctl.loop.ring import LOST as ROWS_LOST
from hilctl.loop.ring import READ, WRITTEN
from hilctl.loop.standstill import FOREVER_NS
from hilctl.rt.records import words_of
from hilctl.signals import SENSORS, Mode, Status, Trip
from tests.forms import changed, filled
from tests.unit.loop.given import PERIOD_NS, Shared

START_NS = 70_000_000
MOST = 100  # ticks or looks: more, and a run does not come to its end
pytestmark = [pytest.mark.usefixtures("forms"), pytest.mark.parametrize("forms", ["plain"], indirect=True)]


class Clock:
    """Time that passes by a microsecond at each look, and by sleeping."""

    def __init__(self, monkeypatch):
        self.now_ns = START_NS
        for module in (clock, core):
            monkeypatch.setattr(module, "monotonic_ns", self.look)
        monkeypatch.setattr(clock, "sleep_until_ns", self.sleep)
        monkeypatch.setattr(core, "rt_nap", self.nap)

    def look(self):
        self.now_ns += 1000
        return self.now_ns

    def sleep(self, until_ns):
        self.now_ns = max(self.now_ns, until_ns)

    def nap(self, rounds):
        pytest.fail("time stands still")


@pytest.fixture
def ticking(monkeypatch):
    return Clock(monkeypatch)


def run(rig, *, each=lambda k: Status.OK, read_rows=True):
    """Runs the loop with a device at rest; the commands that it was sent. `each` acts before each exchange."""
    sent, numbers = [], count()
    words_of(rig.state)[:] = 5.0  # of an earlier run

    def exchange(driver_state, command, readings):
        k = next(numbers)
        assert k < MOST, "the run does not come to an end"
        status = each(k)
        sent.append(command.copy())
        if read_rows:
            rig.words[ROWS + READ] = rig.words[ROWS + WRITTEN]
        if status == Status.OK:
            values = words_of(readings)
            values[: len(SENSORS)] = 0.0
            readings.displacement_m, readings.age_ns[DISPLACEMENT], readings.device_tick = 0.01, 0, 1 + k
        return int(status or Status.OK)

    assert core.rt_run(rig.memory, exchange, None) == rig.loop.status.ending
    return sent


def ends_at(rig, last, also=lambda k: Status.OK):
    """The main thread ends the run before the exchange `last`."""

    def each(k):
        if k == last:
            rig.words[HURRY] = Trip.SHUTDOWN
        return also(k)

    return each


def virtual(until=50, **options):
    rig = Shared(**{"virtual": 1, "hurry_ticks": 20, **options})
    rig.words[RUN_UNTIL] = until
    return rig


def test_every_tick_of_a_run_sends_a_command_and_leaves_a_row(ticking):
    rig = virtual()
    sent = run(rig, each=ends_at(rig, 6))
    assert [(c.tick, c.periods, c.deadline_ns) for c in sent] == [(k, 1, FOREVER_NS) for k in range(7)]
    assert rig.words[ROWS + WRITTEN] == rig.loop.status.ran == 7
    assert rig.words[STATUSES] == 7
    assert rig.rows().tick.tolist() == [4, 5, 6, 3]
    assert rig.rows().displacement_m.tolist() == [0.01] * 4
    assert (rig.state.tick, rig.state.head_tick) == (6, 7 + rig.state.lead)
    assert rig.loop.status.ending == Trip.SHUTDOWN


def test_on_the_real_clock_an_exchange_has_until_its_share_of_the_period_is_over(ticking):
    rig = Shared(virtual=0, exchange_ns=400_000, hurry_ticks=20)
    sent = run(rig, each=ends_at(rig, 3))
    begun_ns = rig.loop.begun_ns
    assert begun_ns == rig.loop.health.since_ns == START_NS + 1000
    assert [c.deadline_ns for c in sent] == [begun_ns + (1 + k) * PERIOD_NS + 400_000 for k in range(4)]


def test_periods_that_were_missed_are_skipped_and_told_to_the_device_and_to_the_law(ticking):
    rig = Shared(virtual=0, exchange_ns=400_000, hurry_ticks=20)

    def slow(k):
        if k == 2:
            ticking.now_ns += 3_500_000
        return Status.OK

    sent = run(rig, each=ends_at(rig, 4, slow))
    assert rig.loop.late == 0.0, "off, it does not count"
    assert [(c.tick, c.periods) for c in sent] == [(0, 1), (1, 1), (2, 1), (5, 3), (6, 1)]
    assert rig.rows().skipped[3] == 2
    assert rig.loop.status.blamed.tolist() == [0, 2, 0]


def test_lateness_is_watched_in_every_tick_that_is_not_off(ticking):
    rig, levels = Shared(virtual=0, hurry_ticks=20), []

    def slow(k):
        levels.append(float(rig.loop.late))
        rig.state.mode = Mode.TRACK if 0 < k < 5 else Mode.OFF
        if k == 2:
            ticking.now_ns += 3_500_000
        return Status.OK

    run(rig, each=ends_at(rig, 5, slow))
    assert [level > 0.0 for level in levels[:6]] == [False, False, False, False, True, True]


def test_a_sample_tells_this_ticks_exchange_and_the_law_of_the_tick_before(ticking):
    rig = Shared(virtual=0, hurry_ticks=20)
    original, seen = core.rt_tick, []

    def law(state, command, readings, outcome, knots, sample):
        ticking.now_ns += 50_000 * (1 + len(seen))
        seen.append(int(outcome))
        original(state, command, readings, outcome, knots, sample)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "rt_tick", law)
        run(rig, each=ends_at(rig, 3))
    rows = rig.rows()
    assert rows.wake_ns.tolist() == [1000] * 4
    assert rows.exchange_ns.tolist() == [1000] * 4
    assert rows.law_ns.tolist() == [0, 51_000, 101_000, 151_000]
    assert rig.loop.stages[LAW].total.sum() == rig.loop.stages[WAKE].total.sum() == 4


def test_a_full_ring_loses_the_newest_rows_and_the_loop_goes_on(ticking):
    rig = Shared(virtual=0, hurry_ticks=20)
    run(rig, each=ends_at(rig, 6), read_rows=False)
    assert rig.rows().tick.tolist() == [0, 1, 2, 3]
    assert (rig.words[ROWS + WRITTEN], rig.words[ROWS + ROWS_LOST]) == (4, 3)
    assert layout.scrap.of(rig.memory)[0].tick == 6
    assert rig.loop.status.ran == 7


def test_requests_wait_for_the_first_readings(ticking):
    rig = virtual()
    layout.requests.of(rig.memory)[0].kind = RequestKind.STOP
    rig.words[REQUESTS + WRITTEN] = 1
    run(rig, each=ends_at(rig, 4))
    assert rig.words[ANSWERS + WRITTEN] == 1
    assert layout.answers.of(rig.memory)[0].tick == 1
    assert noted(rig) == [(IntakeKind.REQUEST, 1, 0, 0)]


def noted(rig):
    """Kind, tick, id and whether it was between two ticks, of what was taken in before the end."""
    entries = layout.intakes.of(rig.memory)[: int(rig.words[INTAKES + WRITTEN])]
    for one in entries:
        assert one.kind == IntakeKind.REQUEST or (one.refusal, one.value, one.limit) == (0, 0.0, 0.0)
    return [(one.kind, one.tick, one.id, one.between) for one in entries if one.kind != IntakeKind.END]


def test_new_settings_hold_from_the_tick_that_finds_them(ticking):
    rig = virtual()
    rig.settings[WRITER_FIRST] = rig.settings[READER_FIRST]
    rig.settings[WRITER_FIRST].epoch = 42

    def each(k):
        if k == 2:
            mail_put(rig.words, MAIL, WRITER_FIRST)
        return Status.OK

    run(rig, each=ends_at(rig, 3, each))
    assert rig.rows().epoch.tolist() == [1, 1, 42, 42]
    assert rig.loop.mail_front == WRITER_FIRST
    assert noted(rig) == [(IntakeKind.SETTINGS, 2, 42, 0)]


def test_a_run_ends_only_once_the_command_at_rest_has_been_sent(ticking):
    rig = virtual()

    def each(k):
        if k in (3, 6):
            rig.state.mode = {3: Mode.TRACK, 6: Mode.OFF}[k]
        return Status.OK

    sent = run(rig, each=ends_at(rig, 4, each))
    assert len(sent) == 8


def test_an_orderly_end_that_takes_too_long_is_cut_short(ticking):
    rig = virtual(hurry_ticks=3)

    def each(k):
        rig.state.mode = Mode.STOP if k > 0 else Mode.OFF
        return Status.OK

    assert len(run(rig, each=ends_at(rig, 4, each))) == 7
    assert rig.loop.hurry_left == 0


def test_a_lost_link_is_left_alone_until_it_is_open_again(ticking):
    rig = virtual(lost_periods=5)
    original, outcomes = core.rt_tick, []

    def law(state, command, readings, outcome, knots, sample):
        outcomes.append(int(outcome))
        rig.words[ROWS + READ] = rig.words[ROWS + WRITTEN]
        if len(outcomes) == 5:
            rig.words[DEVICE_LINK] = OPEN
        original(state, command, readings, outcome, knots, sample)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "rt_tick", law)
        sent = run(rig, each=ends_at(rig, 3, lambda k: Status.CLOSED if k == 1 else Status.OK))
    assert outcomes == [Status.OK, Status.CLOSED, Status.CLOSED, Status.CLOSED, Status.CLOSED, Status.OK, Status.OK]
    assert [c.tick for c in sent] == [0, 1, 5, 6]
    assert rig.loop.health.outcomes[Status.CLOSED] == 1
    assert rig.loop.health.outcomes[Status.OK] == 3
    assert noted(rig) == [(IntakeKind.LINK_BACK, 5, 0, 0)]


def test_a_motion_is_read_from_its_bank():
    rig = Shared()
    first = core.rt_bank(rig.state)
    rig.state.bank = 1
    assert first == layout.knots.at
    assert core.rt_bank(rig.state) == layout.knots.at + 8 * KNOTS


@pytest.mark.parametrize("virtual", [0, 1])
def test_before_the_first_tick_there_are_no_readings(ticking, virtual):
    rig = Shared(virtual=virtual)
    words_of(rig.loop)[:] = words_of(filled(rig.loop.dtype))
    before = rig.loop.copy()
    core.rt_prepare(rig.loop, rig.options)
    loop, readings = rig.loop, rig.loop.readings
    assert all(math.isnan(value) for value in words_of(readings)[: len(SENSORS)])
    assert not any(readings.age_ns)
    assert (readings.device_tick, readings.lost, loop.mail_front, loop.status.tick) == (0, 0, READER_FIRST, -1)
    assert loop.deadline_ns == loop.finished_ns == START_NS + 1000
    assert loop.begun_ns == START_NS + (2000 if virtual else 1000)
    assert loop.health.since_ns == (before.health.since_ns if virtual else loop.begun_ns)
    kept = {name for name in changed(before, loop) if not name.startswith("readings.")}
    assert kept <= {"mail_front", "status.tick", "deadline_ns", "finished_ns", "begun_ns", "health.since_ns"}


def test_on_the_virtual_clock_nothing_takes_time_and_the_clock_is_seldom_read(ticking):
    rig = Shared(virtual=1)
    rig.loop.spent_ns[:], rig.loop.begun_ns = (7, 8, 9), 555
    for tick, now_ns in ((63, 555), (64, START_NS + 1000), (65, 555), (96, 555), (128, START_NS + 2000)):
        rig.loop.status.tick = tick
        assert core.rt_time_exchange(rig.loop, rig.options) == now_ns
    before = rig.loop.copy()
    core.rt_finish(rig.loop, rig.options, 400)
    assert changed(before, rig.loop) == {}
    assert rig.loop.spent_ns.tolist() == [7, 8, 9]


def test_on_the_real_clock_exchange_and_law_are_timed(ticking):
    rig = Shared(virtual=0)
    rig.loop.status.time_ns = START_NS - 30_000
    assert core.rt_time_exchange(rig.loop, rig.options) == START_NS + 1000
    assert rig.loop.spent_ns[EXCHANGE] == 31_000
    core.rt_finish(rig.loop, rig.options, START_NS + 1000)
    assert (rig.loop.finished_ns, rig.loop.spent_ns[LAW]) == (START_NS + 2000, 1000)
    assert rig.loop.stages[LAW].most == 1000


class Standing:
    """A rig at tick 7 on the virtual clock, and what happens at each nap of the loop."""

    def __init__(self, monkeypatch, *happens, mode=Mode.OFF):
        self.rig, self.happens, self.naps, self.told = Shared(mode, virtual=1, hurry_ticks=9), happens, [], []
        self.rig.loop.status.tick = 7
        monkeypatch.setattr(core, "rt_nap", self._nap)

    def _nap(self, rounds):
        self.naps.append(rounds)
        rig = self.rig
        self.told.append((int(rig.words[STATUSES]), int(rig.loop.status.standing)))
        assert rounds < len(self.happens), "time stands still for ever"
        self.happens[rounds](rig)

    def stand(self):
        rig = self.rig
        core.rt_stand_still(rig.memory, rig.words, rig.loop, rig.options, rig.state)
        return int(rig.loop.status.tick)


def nothing(rig):
    pass


def pass_on(rig):
    rig.words[RUN_UNTIL] = 8


def test_time_that_has_to_pass_passes_without_a_word(monkeypatch):
    standing = Standing(monkeypatch)
    pass_on(standing.rig)
    assert standing.stand() == 8
    assert (standing.naps, standing.rig.words[STATUSES], standing.rig.loop.deadline_ns) == ([], 0, 8 * PERIOD_NS)


def test_while_time_stands_still_one_status_says_so(monkeypatch):
    standing = Standing(monkeypatch, nothing, nothing, pass_on)
    assert standing.stand() == 8
    assert standing.naps == [0, 1, 2]
    assert standing.told == [(1, 1)] * 3
    assert standing.rig.loop.status.standing == 0


def test_a_full_ring_is_waited_for_and_that_is_no_standstill(monkeypatch):
    def read(rig):
        rig.words[ROWS + READ] = 100

    standing = Standing(monkeypatch, nothing, read)
    pass_on(standing.rig)
    standing.rig.words[ROWS + WRITTEN], standing.rig.words[ROWS + READ] = 100, 90
    assert standing.stand() == 8
    assert standing.told == [(1, 0)] * 2


def test_what_reaches_the_loop_meanwhile_is_taken_and_told(monkeypatch):
    def ask(rig):
        layout.requests.of(rig.memory)[0].kind = RequestKind.STOP
        rig.words[REQUESTS + WRITTEN] = 1

    def set_(rig):
        rig.settings[WRITER_FIRST] = rig.settings[READER_FIRST]
        rig.settings[WRITER_FIRST].epoch = 42
        mail_put(rig.words, MAIL, WRITER_FIRST)

    standing = Standing(monkeypatch, ask, nothing, set_, nothing, pass_on)
    standing.stand()
    assert [posted for posted, _ in standing.told] == [1, 2, 2, 3, 3]
    assert layout.answers.of(standing.rig.memory)[0].tick == 8, "the first tick that sees it"
    assert standing.rig.state.epoch == 42
    assert noted(standing.rig) == [(IntakeKind.REQUEST, 7, 0, 1), (IntakeKind.SETTINGS, 7, 42, 1)]
    assert standing.rig.loop.between == 0


def test_a_copy_of_the_state_is_made_meanwhile(monkeypatch):
    def ask(rig):
        rig.words[SNAPSHOT_ASKED] = 1

    standing = Standing(monkeypatch, ask, nothing, pass_on)
    standing.stand()
    assert [posted for posted, _ in standing.told] == [1, 2, 2]
    assert standing.rig.words[SNAPSHOT_DONE] == 1
    assert not core.rt_snapshot_asked(standing.rig.words)


def test_the_end_of_the_run_makes_time_pass_again(monkeypatch):
    def end(rig):
        rig.words[HURRY] = Trip.SHUTDOWN

    standing = Standing(monkeypatch, end, nothing)
    assert standing.stand() == 8
    assert standing.rig.loop.status.ending == Trip.SHUTDOWN
