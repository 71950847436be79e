"""Dynamic-pressure feedback acts on young pressures: with old ones it goes, and comes back, without a jump."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.law.freshness import FRESH, RETURN_S, rt_fresh_start, rt_pressure_share
from hilctl.law.three_state import THREE_STATE, ThreeState, rt_three_state, rt_three_state_start
from hilctl.params import pack
from hilctl.signals import Mode, Trip
from sim.driver import record

DT = 1e-3
YOUNG, OLD = 0.0004, 0.02
GAINS = pack(ThreeState(kd_per_m=0.0, ki_per_m_s=0.0, kp_per_mpa=0.05, high_pass_hz=3.0, unwind_per_s=0.0))


class Term:
    """The pressure term alone, tick by tick."""

    def __init__(self) -> None:
        self.fresh, self.state = np.zeros(1, FRESH)[0], np.zeros(1, THREE_STATE)[0]
        rt_fresh_start(self.fresh)
        rt_three_state_start(0.0, 0.0, self.state)

    def step(self, age_s: float, deviation_pa: float, acts: bool = True) -> float:
        rt_pressure_share(GAINS.pressure_age_s, GAINS.pressure_fade_s, age_s, acts, DT, 1, self.fresh)
        return rt_three_state(GAINS, 0.0, 0.0, 0.0, deviation_pa, self.fresh, 0.0, True, DT, self.state)


def pressures(count: int) -> Any:
    """A deviation that swings by megapascals at several frequencies."""
    t = np.arange(count) * DT
    return 2e6 * np.sin(2 * np.pi * 11.0 * t) + 1e6 * np.sin(2 * np.pi * 1.3 * t) + 1.5e6


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([YOUNG, 0.0049, 0.0051, OLD, math.inf]), st.integers(1, 1200)), max_size=4))
def test_whatever_the_ages_the_command_moves_no_faster_than_the_term_itself_and_its_fade(runs: Any) -> None:
    ages = [age for age, ticks in [*runs, (YOUNG, 1300)] for _ in range(ticks)]
    deviation = pressures(len(ages))
    term, slope = Term(), DT / GAINS.pressure_fade_s
    before, full = 0.0, 0.0
    for age, pressure in zip(ages, deviation, strict=True):
        u = term.step(age, pressure)
        grown = abs(term.state.term - full) if term.fresh.live else 0.0
        assert abs(u - before) <= term.fresh.share * grown + slope * max(abs(full), abs(term.state.term)) + 1e-12
        assert abs(u) <= abs(term.state.term) + 1e-12
        before, full = u, float(term.state.term)
    assert term.fresh.share == 1.0, "young for long enough"


def test_old_pressures_move_nothing_and_the_term_is_gone_after_its_fade() -> None:
    """The term goes straight to zero from where it stood, whatever the old pressures say."""
    term, deviation = Term(), pressures(900)
    for k in range(300):
        stood = term.step(YOUNG, deviation[k])
    gone = np.array([term.step(OLD, deviation[k]) for k in range(300, 900)])
    fade = round(GAINS.pressure_fade_s / DT)
    assert gone[:fade] == pytest.approx(stood * (1 - np.arange(1, fade + 1) / fade), abs=1e-12)
    assert (gone[fade:] == 0.0).all()


def test_it_returns_after_a_second_of_young_pressures_with_its_high_pass_settled() -> None:
    """Once it is back, it is the term of a loop that never lost its pressures."""
    deviation = pressures(4000)
    term, never = Term(), Term()
    ages = [OLD if 300 <= k < 1000 else YOUNG for k in range(4000)]
    u = np.array([term.step(age, pressure) for age, pressure in zip(ages, deviation, strict=True)])
    kept = np.array([never.step(YOUNG, pressure) for pressure in deviation])
    back = np.flatnonzero(u[1000:])[0] + 1000
    assert back == 1000 + round(RETURN_S / DT) - 1
    assert abs(u[back]) <= abs(kept).max() * DT / GAINS.pressure_fade_s * 1.01
    assert u[3000:] == pytest.approx(kept[3000:], abs=1e-6)


@pytest.mark.parametrize(("age_s", "share"), [(0.005, 1.0), (np.nextafter(0.005, 1), 1 - DT / 0.2)])
def test_a_pressure_is_old_from_just_above_the_limit_on(age_s: float, share: float) -> None:
    fresh = np.zeros(1, FRESH)[0]
    rt_fresh_start(fresh)
    rt_pressure_share(0.005, 0.2, age_s, True, DT, 1, fresh)
    assert fresh.share == pytest.approx(share)


def test_the_fade_goes_on_through_skipped_periods() -> None:
    fresh = np.zeros(1, FRESH)[0]
    rt_fresh_start(fresh)
    rt_pressure_share(0.005, 0.2, OLD, True, DT, 50, fresh)
    assert fresh.share == pytest.approx(1 - 50 * DT / 0.2)


def test_a_skipped_period_does_not_count_as_young() -> None:
    fresh = np.zeros(1, FRESH)[0]
    for _ in range(20):
        rt_pressure_share(0.005, 0.2, YOUNG, True, DT, 100, fresh)
    assert fresh.share == 0.0


def test_while_no_term_acts_its_share_is_at_once_what_it_should_be() -> None:
    fresh = np.zeros(1, FRESH)[0]
    rt_fresh_start(fresh)
    rt_pressure_share(0.005, 0.2, OLD, False, DT, 1, fresh)
    assert fresh.share == 0.0
    for _ in range(round(RETURN_S / DT) + 1):
        rt_pressure_share(0.005, 0.2, YOUNG, False, DT, 1, fresh)
    assert fresh.share == 1.0


# A rig whose pressures come forty times a second, and its controller that allows it.
SLOW = {f"twin.sensors.{name}.period_s": 0.025 for name in ("pressure_a", "pressure_b")}
AWAY = 1 << Trip.PRESSURE_AGE


def test_a_rig_with_slow_pressures_is_driven_without_the_term_and_says_so(table: Any) -> None:
    rig = table(**SLOW)
    armed = rig.arm()
    closed = armed.mode == Mode.HOLD
    assert (armed.warnings[closed] & AWAY != 0).all()
    rig.track("triangle", speed_m_s=0.1, amplitude_m=0.04)
    rows = rig.run(2.0)
    assert rig.trip == 0
    assert (rows.u_pressure == 0.0).all() and (rows.pressure_share == 0.0).all()
    assert sorted(set(rows.pressure_a_age_ns // 1_000_000)) == list(range(25))
    assert np.abs(rows.error_m).max() < 2e-3


def test_pressures_that_become_slow_while_it_moves_and_fast_again_make_no_jump(table: Any) -> None:
    rig = table()
    rig.arm()
    rig.track("sine", frequency_hz=1.0, amplitude_m=0.03, cycles=20)
    before = rig.run(2.0)
    own = record(rig.driver.state)
    own.holding, own.every[2:4] = 1, 25
    slow = rig.run(1.5)
    own.every[2:4] = 1
    after = rig.run(2.5)
    assert rig.trip == 0
    assert (before.pressure_share == 1.0).all() and not (before.warnings & AWAY).any()
    assert slow.pressure_share[-1] == 0.0 and slow.warnings[-1] & AWAY
    assert after.pressure_share[-1] == 1.0 and not after.warnings[-1] & AWAY
    usual = np.abs(np.diff(before.u_cmd)).max()
    whole = np.concatenate([before.u_cmd[-100:], slow.u_cmd, after.u_cmd])
    assert np.abs(np.diff(whole)).max() < 1.2 * usual


def test_a_loop_that_feeds_no_pressure_back_does_not_warn(table: Any) -> None:
    for changes in ({"law.three_state.kp_per_mpa": 0.0}, {"law.feedback": "pid"}):
        rig = table(**SLOW, **changes)
        assert not (rig.arm().warnings & AWAY).any()


@pytest.mark.parametrize(("stale_s", "trips"), [({}, True), ({"pressure_a": 0.03, "pressure_b": 0.03}, False)])
def test_a_slow_sensor_may_be_older_than_the_others_where_its_table_says_so(
    table: Any, stale_s: dict[str, float], trips: bool
) -> None:
    own = {f"sensors.{name}.stale_s": value for name, value in {**stale_s, "oil_temperature": 2.0}.items()}
    rig = table(**SLOW, **own, **{"limits.stale.max_s": 0.01, "twin.sensors.oil_temperature.period_s": 1.0})
    rig.run(0.005)
    if not trips:
        rig.arm()
        return
    rows = rig.run(1.0)
    assert (rows.warnings & (1 << Trip.SENSOR_STALE)).any()
    assert (rows.rejected & 0b1100 != 0).any() and not (rows.rejected & ~0b1100).any()
    rig.law.mode = Mode.HOLD
    rig.run(0.05)
    assert rig.trip == Trip.SENSOR_STALE
    assert rig.law.guard.trip_limit == 0.01
    assert 0.01 < rig.law.guard.trip_value < 0.025
