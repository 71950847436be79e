"""What a disturbance did to a motion that repeats is left out, and the rest of the cycles shows the motion."""

import math

import numpy as np
import pytest

from hilctl.experiment.policy import AFTERMATH_S, STEADY
from hilctl.experiment.record import record_of
from hilctl.experiment.undisturbed import STILL, repeated, seen, undisturbed

RATE_HZ, N = 1000.0, 4000
AT = np.arange(N)
WAVE = np.sin(2 * np.pi * AT / 1000) + 0.3 * np.cos(6 * np.pi * AT / 1000) + 0.1
AFTER = round(AFTERMATH_S * RATE_HZ)


def rows(rejected=(), spikes=()):
    given = {"tick": AT, "rejected": np.zeros(N, int), "displacement_m": 0.01 * WAVE, "acceleration_m_s2": WAVE.copy()}
    given["rejected"][list(rejected)] = 1
    given["displacement_m"][list(spikes)] += 0.002
    return given


def left_out(record):
    return np.flatnonzero(~undisturbed(record, "acceleration_m_s2")).tolist()


def test_where_nothing_is_lost_nothing_is_left_out():
    assert left_out(record_of(rows(), RATE_HZ)) == []


@pytest.mark.parametrize(("ticks", "shows"), [(STEADY, False), (STEADY + 1, True)])
def test_a_gap_that_is_no_longer_than_the_loop_bridges_does_not_show_and_a_longer_one_does(ticks, shows):
    record = record_of(rows(range(1500, 1500 + ticks)), RATE_HZ)
    assert left_out(record) == (list(range(1500, 1500 + ticks + AFTER)) if shows else [])


def test_an_exchange_that_failed_shows_at_once_for_its_command_may_be_lost():
    record = record_of({**rows(), "rejected": np.where(AT == 1500, 0xFF, 0)}, RATE_HZ)
    assert left_out(record) == list(range(1500, 1501 + AFTER))


@pytest.mark.parametrize(("ticks", "change", "shows"), [
    (1, 0.9 * STILL, False), (1, 1.1 * STILL, True), (STEADY, 0.4 * STILL, False), (STEADY, 0.6 * STILL, True),
    (STEADY + 1, 0.0, True),
])  # fmt: skip
def test_a_lost_command_shows_where_it_differs_from_the_one_that_acts_on(ticks, change, shows):
    gone = (AT >= 1500) & (1500 + ticks > AT)
    given = {**rows(), "rejected": np.where(gone, 0xFF, 0), "u_applied": change * np.clip(AT - 1499, 0, 10)}
    given["u_applied"][0] = 10 * change - 1.0  # the range of all is 1
    lost = list(range(1500, 1500 + ticks))
    assert left_out(record_of(given, RATE_HZ)) == (list(range(1500, 1500 + ticks + AFTER)) if shows else lost)


@pytest.mark.parametrize(("change", "wake_us", "exchange_us", "shows"), [
    (0.3, 0, 190, False), (0.3, 0, 210, True), (0.3, 110, 110, True), (0.03, 900, 900, False), (-0.3, 210, 0, True),
])  # fmt: skip
def test_a_late_command_shows_by_what_the_one_before_moved_meanwhile(change, wake_us, exchange_us, shows):
    at = AT == 1500
    times = {"wake_ns": 20_000 + 1000 * wake_us * at, "exchange_ns": 170_000 + 1000 * exchange_us * at}
    given = {**rows(), **times, "u_applied": np.where(AT >= 1500, change, 0.0)}
    given["u_applied"][0] = change - math.copysign(1.0, change)  # the range of all is 1
    wanted = list(range(1500, 1501 + AFTER)) if shows else []
    assert left_out(record_of(given, RATE_HZ)) == wanted


def test_where_too_little_would_be_left_short_losses_do_not_count_and_at_last_only_the_readings():
    often = np.where(AT % 50 == 0, 0xFF, 0)
    assert left_out(record_of({**rows(), "rejected": often}, RATE_HZ)) == AT[::50].tolist()
    long = np.where(AT % 1000 < 5, 0xFF, often)
    found = left_out(record_of({**rows(), "rejected": long}, RATE_HZ))
    assert set(range(5, 5 + AFTER)) <= set(found) and 150 in found and 151 not in found
    for_ever = np.where(AT % 50 < 5, 0xFF, 0)
    assert left_out(record_of({**rows(), "rejected": for_ever}, RATE_HZ)) == np.flatnonzero(for_ever).tolist()


def test_a_tick_that_did_not_run_shows_where_there_are_more_of_them():
    kept = np.setdiff1d(AT, range(700, 705))
    record = record_of({name: values[kept] for name, values in rows().items()}, RATE_HZ)
    assert left_out(record) == list(range(700, 705 + AFTER))


def test_a_reading_that_stands_out_was_believed_by_the_loop_and_moves_the_table():
    assert left_out(record_of(rows(spikes=[2000]), RATE_HZ)) == list(range(2000, 2001 + AFTER))
    assert left_out(record_of(rows(rejected=[2000], spikes=[2000]), RATE_HZ)) == [], "it was rejected"


def test_every_instant_of_a_cycle_is_counted_where_it_is_seen():
    there = np.ones(N, bool)
    there[100:300] = there[1200:1400] = False
    counted = seen(there, 4).reshape(10, 50).tolist()
    assert counted == [[often] * 50 for often in (4, 3, 2, 3, 4, 4, 4, 4, 4, 4)]


def test_what_a_cycle_lost_is_taken_from_the_harmonics_of_the_rest():
    there = np.random.default_rng(1).random(N) > 0.1
    begun = np.interp(AT, AT[there], WAVE[there]) + np.where(there, 0.0, 0.05)
    there_once = there.reshape(4, 1000).any(0)
    assert np.abs(repeated(begun, there, 4) - WAVE).reshape(4, 1000)[:, there_once].max() < 1e-6
    assert (repeated(WAVE, np.ones(N, bool), 4) == WAVE).all()
