"""A record: a value for every tick, and what was lost of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.experiment.record import HELD, LOST, fresh, longest, lost, record_of, spikes

N, RATE_HZ, FIRST = 2000, 1000.0, 7000
TICKS = FIRST + np.arange(N)
WAVE = np.sin(2 * np.pi * 40 * TICKS / RATE_HZ)


def rows(gone=(), **rejected):
    """As the service gives them: without the ticks that did not run; displacement predicted where it was rejected."""
    bits = np.zeros(N, np.int64)
    for bit, ticks in rejected.items():
        bits[list(ticks)] |= 1 << int(bit.removeprefix("b"))
    shown = np.where(bits & 1, 99.0, WAVE)
    kept = np.setdiff1d(np.arange(N), gone)
    columns = {
        "tick": TICKS, "rejected": bits, "displacement_m": shown, "acceleration_m_s2": -WAVE, "xd_m": WAVE,
        "u_applied": np.round(WAVE, 1), "saturated": TICKS // 1000,
    }  # fmt: skip
    return {name: values[kept] for name, values in columns.items()}


def test_where_nothing_was_lost_nothing_is_changed():
    record = record_of(rows(), RATE_HZ)
    assert all((record[name] == values).all() for name, values in rows().items())
    assert not record[LOST].any()
    assert record.losses(["displacement_m"]).text == ""


def test_ticks_that_did_not_run_are_bridged_where_they_belong_and_held_where_a_command_was():
    gone = (500, 1200, 1201, 1202)
    record = record_of(rows(gone), RATE_HZ)
    assert (record["tick"] == TICKS).all()
    for name in ("displacement_m", "xd_m"):
        assert np.flatnonzero(np.isnan(record[name])).tolist() == list(gone)
        assert np.abs(record.bridged[name] - WAVE).max() < 0.005
    assert (record.bridged[LOST] == record[LOST]).all(), "what is bridged is still not fresh"
    assert (record["u_applied"][list(gone)] == np.round(WAVE, 1)[[499, 1199, 1199, 1199]]).all()
    assert record["saturated"].dtype.kind == "i"
    assert np.flatnonzero(~fresh(record)).tolist() == list(gone)
    losses = record.losses(["displacement_m"])
    assert (losses.missed, losses.longest, losses.share) == (4, 3, 4 / N)
    assert "4 ticks did not run" in losses.text


def test_what_the_loop_predicted_is_never_handed_on_and_only_that_sensor_is_lost():
    record = record_of(rows(b0=[600, 601], b1=[1500]), RATE_HZ)
    assert np.abs(record.bridged["displacement_m"] - WAVE).max() < 0.002
    assert np.flatnonzero(~fresh(record, "displacement_m")).tolist() == [600, 601]
    assert np.flatnonzero(~fresh(record, "displacement_m", "acceleration_m_s2")).tolist() == [600, 601, 1500]
    assert fresh(record, "xd_m").all()
    assert np.flatnonzero(np.isnan(record.readings("displacement_m"))).tolist() == [600, 601]
    assert record.losses(["displacement_m", "acceleration_m_s2"]).rejected == {
        "displacement_m": 2, "acceleration_m_s2": 1,
    }  # fmt: skip


def test_at_the_ends_the_nearest_reading_is_held():
    record = record_of(rows(b0=[0, 1, N - 1]), RATE_HZ)
    assert record.bridged["displacement_m"][:2].tolist() == [WAVE[2]] * 2
    assert record.bridged["displacement_m"][-1] == WAVE[-2]


def test_a_sensor_that_the_rig_lacks_stays_without_a_number():
    given_rows = rows([700])
    given_rows["spool"] = np.full(N - 1, np.nan)
    assert np.isnan(record_of(given_rows, RATE_HZ).bridged["spool"]).all()


@given(st.sets(st.integers(1, 98)), st.sets(st.integers(0, 99)), st.sets(st.integers(0, 99)))
def test_every_tick_is_fresh_rejected_or_missed_and_fresh_ones_are_as_they_came(gone, no_x, no_a):
    wave = np.arange(100.0) ** 2
    bits = np.zeros(100, np.int64)
    bits[list(no_x)] |= 1
    bits[list(no_a)] |= 2
    kept = np.setdiff1d(np.arange(100), list(gone))
    given_rows = {"tick": TICKS[:100], "rejected": bits, "displacement_m": wave, "acceleration_m_s2": -wave}
    record = record_of({name: values[kept] for name, values in given_rows.items()}, RATE_HZ)
    for channel, bad in (("displacement_m", no_x), ("acceleration_m_s2", no_a)):
        there = fresh(record, channel)
        assert set(np.flatnonzero(~there)) == gone | bad
        assert (record[channel][there] == given_rows[channel][there]).all()
        assert np.isnan(record[channel][~there]).all()
        assert np.isfinite(record.bridged[channel]).all()
    losses = record.losses(["displacement_m", "acceleration_m_s2"])
    assert losses.ticks == 100 and losses.missed == len(gone)
    assert losses.longest == longest(~fresh(record, "displacement_m", "acceleration_m_s2"))


@pytest.mark.parametrize(("mask", "most"), [([], 0), ([0], 0), ([1], 1), ([1, 1, 0, 1], 2), ([0, 1, 1, 1], 3)])
def test_the_longest_gap(mask, most):
    assert longest(np.array(mask, bool)) == most


def test_a_reading_whose_age_grows_with_time_is_held_and_is_no_loss():
    """Pressures that are read every fourth tick: with a tick that did not run, and one reading rejected."""
    wave, since = np.sin(2 * np.pi * TICKS / RATE_HZ), np.arange(N) % 4
    given_rows = {
        "tick": TICKS, "rejected": np.where(np.arange(N) == 801, 0b100, 0), "pressure_a_pa": wave[np.arange(N) - since],
        "pressure_a_age_ns": 300_000 + since * 1_000_000 + NOISE.integers(-50_000, 50_000, N), "pressure_b_pa": wave,
    }  # fmt: skip
    record = record_of({name: np.delete(values, 1001) for name, values in given_rows.items()}, RATE_HZ)
    expected = (since != 0) & (np.arange(N) != 1001)
    assert ((record[HELD] & 0b100 != 0) == expected).all()
    assert fresh(record, "pressure_a_pa").sum() == N / 4
    assert fresh(record, "pressure_b_pa").sum() == N - 1, "each sensor for itself"
    assert np.flatnonzero(lost(record, "pressure_a_pa")).tolist() == [801, 1001]
    losses = record.losses(["pressure_a_pa", "pressure_b_pa"])
    assert (losses.rejected, losses.missed, losses.share) == ({"pressure_a_pa": 1}, 1, 2 / N)
    assert losses.held == {"pressure_a_pa": 3 * N // 4 - 2} and losses.stale == 3 / 4
    assert "75 % of the readings of pressure_a_pa are held" in losses.held_text
    assert (record["pressure_a_pa"][1:4] == wave[0]).all(), "as it came"
    assert np.isnan(record.readings("pressure_a_pa")[1:4]).all()
    assert np.abs(record.bridged["pressure_a_pa"] - wave)[:-4].max() < 1e-4


NOISE = np.random.default_rng(4)


@pytest.mark.parametrize("at", [2, 777, N - 3])
@pytest.mark.parametrize("size", [3e-3, -3e-3])
def test_one_reading_that_stands_out_is_lost_like_one_that_was_rejected(at, size):
    given_rows = rows()
    given_rows["displacement_m"] = 0.05 * WAVE / 40 + 5e-6 * NOISE.standard_normal(N)
    given_rows["displacement_m"][at] += size
    record = record_of(given_rows, RATE_HZ)
    assert np.flatnonzero(~fresh(record, "displacement_m")).tolist() == [at]
    assert abs(record.bridged["displacement_m"][at] - 0.05 * WAVE[at] / 40) < 5e-5


def test_noise_steps_pulses_and_held_readings_are_no_spikes():
    noise = 0.02 * NOISE.standard_normal(20_000)
    assert not spikes(noise).any()
    step = noise.copy()
    step[9000:] += 8.0
    assert not spikes(step).any()
    pulse = noise.copy()
    pulse[9000:9004] += [4.0, 8.0, 8.0, 4.0]
    assert not spikes(pulse).any()
    assert not spikes(np.round(np.repeat(NOISE.standard_normal(2000), 10), 1)).any()
    assert not spikes(np.zeros(1000)).any()
    assert not spikes(np.full(1000, np.nan)).any()
