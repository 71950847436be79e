"""The link to the device as the loop sees it: when it is lost, what goes on meanwhile, and how it comes back."""

import math

import pytest

from hilctl.loop.layout import DEVICE_LINK, RELINK
from hilctl.loop.lost import (
    LOST,
    OPEN,
    rt_count_outcome,
    rt_follow_ages,
    rt_follow_link,
    rt_link_open,
    rt_still_lost,
    rt_without_link,
)
from hilctl.rt.records import words_of
from hilctl.signals import SENSORS, Mode, Status
from tests.forms import changed
from tests.unit.loop.given import PERIOD_NS, Shared

AGES = [1000 + k for k in range(len(SENSORS))]
ANSWERS = (Status.OK, Status.LATE, Status.OVERWRITTEN)
pytestmark = pytest.mark.usefixtures("forms")


def shared(mode=Mode.OFF, lost_periods=100, **health):
    rig = Shared(mode, lost_periods=lost_periods)
    rig.loop.readings.age_ns[:] = AGES
    rig.loop.status.time_ns = 5_300_000_000
    rig.loop.health.second = 5
    for name, value in health.items():
        rig.loop.health[name] = value
    return rig


def follow(rig, outcome):
    assert not rt_follow_link(rig.words, rig.loop, rig.options, rig.state, outcome), "nobody asked"


def test_a_link_that_is_not_lost_is_open_whatever_the_word_of_the_keeper_says():
    rig = shared(failing=7)
    rig.words[DEVICE_LINK] = LOST
    before = rig.loop.copy()
    assert rt_link_open(rig.words, rig.loop)
    assert changed(before, rig.loop) == {}


def test_a_lost_link_stays_lost_until_it_has_been_opened():
    rig = shared(lost=1, failing=7)
    rig.words[DEVICE_LINK] = LOST
    before = rig.loop.copy()
    assert rt_still_lost(rig.words)
    assert not rt_link_open(rig.words, rig.loop)
    assert changed(before, rig.loop) == {}


def test_a_link_that_is_open_again_begins_as_at_the_start():
    rig = shared(lost=1, failing=7)
    rig.words[DEVICE_LINK] = OPEN
    before = rig.loop.copy()
    assert not rt_still_lost(rig.words)
    assert rt_link_open(rig.words, rig.loop)
    assert changed(before, rig.loop) == {
        "health.lost": 0, "health.failing": 0, "health.since_ns": 5_300_000_000, "changed": 1,
        **{f"readings.age_ns[{k}]": 0 for k in range(len(SENSORS))},
    }  # fmt: skip


@pytest.mark.parametrize("skipped", [0, 3])
def test_without_a_link_every_tick_is_closed_and_every_reading_grows_older(skipped):
    rig = shared()
    rig.loop.skipped = skipped
    assert rt_without_link(rig.loop, PERIOD_NS) == Status.CLOSED
    assert rig.loop.readings.age_ns.tolist() == [age + (1 + skipped) * PERIOD_NS for age in AGES]


@pytest.mark.parametrize("outcome", list(Status))
def test_an_exchange_counts_by_its_status_and_only_silence_counts_as_failing(outcome):
    rig = shared(failing=7, errors=20)
    rig.loop.skipped = 3
    before = rig.loop.copy()
    rt_count_outcome(rig.loop, int(outcome))
    silent = outcome not in (*ANSWERS, Status.EXCEPTION)
    expected = {f"health.outcomes[{outcome.value}]": 1, "health.failing": 7 + 1 + 3 if silent else 0}
    if outcome not in ANSWERS:
        expected["health.errors"] = 21
    assert changed(before, rig.loop) == expected


@pytest.mark.parametrize(("outcome", "counted"), [(-1, Status.OK), (len(Status), max(Status)), (99, max(Status))])
def test_a_status_that_no_driver_may_return_is_counted_at_the_end_of_the_list(outcome, counted):
    rig = shared()
    rt_count_outcome(rig.loop, outcome)
    assert rig.loop.health.outcomes[counted] == 1
    assert sum(rig.loop.health.outcomes) == 1
    assert rig.loop.health.errors == 1


def test_off_a_link_that_is_closed_is_lost_at_once():
    rig = shared()
    rig.state.started, rig.state.arm.proved, rig.state.arm.null, rig.state.arm.kept = 12, 1, 0.05, 0.06
    before = rig.state.copy()
    rig.loop.readings.device_tick = 77
    words_of(rig.loop.readings)[: len(SENSORS)] = 0.5
    follow(rig, Status.CLOSED.value)
    health = rig.loop.health
    assert (health.lost, health.cause, health.last, health.since_ns) == (1, Status.CLOSED, Status.CLOSED, 5_300_000_000)
    assert all(math.isnan(value) for value in words_of(rig.loop.readings)[: len(SENSORS)])
    assert rig.loop.readings.age_ns.tolist() == AGES
    assert rig.loop.readings.device_tick == 77
    assert (rig.loop.changed, rig.words[DEVICE_LINK]) == (1, LOST)
    null = rig.state.now.law.valve.null_bias
    assert changed(before, rig.state) == {"started": 0, "arm.proved": 0, "arm.null": null, "arm.kept": null}


@pytest.mark.parametrize("lost_periods", [0, 100])
def test_off_a_link_that_is_to_be_opened_again_is_lost_at_once_and_once(lost_periods):
    rig = shared(lost_periods=lost_periods)
    rig.state.arm.proved, rig.state.arm.null = 1, 0.05
    rig.words[RELINK] = 1
    assert rt_follow_link(rig.words, rig.loop, rig.options, rig.state, Status.OK.value)
    assert (rig.loop.health.lost, rig.loop.health.cause, rig.words[DEVICE_LINK]) == (1, Status.OK, LOST)
    assert (rig.words[RELINK], rig.state.arm.proved) == (0, 0)
    again = shared()
    assert not rt_follow_link(again.words, again.loop, again.options, again.state, Status.CLOSED.value)
    assert again.loop.health.lost == 1


@pytest.mark.parametrize("kept", [{"mode": Mode.HOLD}, {"mode": Mode.STANDBY}, {"lost": 1}], ids=str)
def test_elsewhere_the_wish_is_left_for_who_can_act_on_it(kept):
    rig = shared(**kept)
    rig.words[RELINK] = 1
    follow(rig, Status.OK.value)
    assert (rig.loop.health.lost, rig.words[DEVICE_LINK], rig.words[RELINK]) == (kept.get("lost", 0), OPEN, 1)


@pytest.mark.parametrize(("failing", "lost"), [(99, 0), (100, 1), (101, 1)])
def test_off_a_silent_link_is_lost_after_as_many_periods_as_the_option_says(failing, lost):
    rig = shared(failing=failing)
    follow(rig, Status.TIMEOUT.value)
    assert (rig.loop.health.lost, rig.words[DEVICE_LINK]) == (lost, lost)
    assert rig.loop.health.cause == (Status.TIMEOUT if lost else Status.OK)
    assert rig.loop.health.last == Status.TIMEOUT


@pytest.mark.parametrize(
    "kept",
    [{"mode": Mode.HOLD}, {"mode": Mode.NULL}, {"lost_periods": 0}, {"lost": 1}, {"ending": 1}],
    ids=lambda kept: next(iter(kept)),
)
def test_a_link_is_not_lost(kept):
    """While not off, where the option is off, when it is lost already, or while the run ends."""
    rig = shared(kept.get("mode", Mode.OFF), kept.get("lost_periods", 100), failing=500, lost=kept.get("lost", 0))
    rig.loop.status.ending = kept.get("ending", 0)
    rig.state.started = 12
    follow(rig, Status.CLOSED.value)
    assert (rig.loop.health.last, rig.loop.health.since_ns) == (Status.CLOSED, 0)
    assert (rig.state.started, rig.loop.changed, rig.words[DEVICE_LINK]) == (12, 0, OPEN)


def test_the_ages_of_the_readings_go_on_whatever_becomes_of_the_link():
    for mode, lost in ((Mode.OFF, 0), (Mode.OFF, 1), (Mode.HOLD, 0)):
        rig = shared(mode, lost=lost)
        follow(rig, Status.CLOSED.value)
        assert rig.loop.health.age_ns.tolist() == AGES


def test_the_greatest_age_of_a_second_is_kept_for_the_second_that_follows():
    rig = shared(second=4)
    health, age_ns, status = rig.loop.health, rig.loop.readings.age_ns, rig.loop.status
    last = len(SENSORS) - 1
    for time_ns, age, oldest, yet in [
        (4_999_999_999, 30, 0, 30),
        (5_000_000_000, 20, 30, 20),
        (5_000_000_001, 25, 30, 25),
        (5_999_999_999, 10, 30, 25),
        (6_000_000_000, 5, 25, 5),
        (9_000_000_000, 7, 5, 7),
    ]:
        status.time_ns, age_ns[last] = time_ns, age
        rt_follow_ages(rig.loop)
        assert (health.age_ns[last], health.oldest_ns[last], health.oldest_yet_ns[last]) == (age, oldest, yet)
        assert health.second == time_ns // 10**9
