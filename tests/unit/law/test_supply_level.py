"""The supply's level, commanded in hold: what is refused, what the guard expects meanwhile, and what the table does."""

import math
from typing import Any

import numpy as np
import pytest

from hilctl.law.modes import rt_request, rt_supply_level, rt_switch_off
from hilctl.law.requests import REQUEST, Refusal, RequestKind
from hilctl.law.sensors import PRESSURE_A, PRESSURE_B, SUPPLY
from hilctl.signals import Action, Mode, Trip
from tests.forms import blank, changed
from tests.unit.law.states import SET, law

LOW, HIGH = 1, 2
MACHINE, ARM = SET.machine, SET.arming
HELD_PA = 2.0 / 3.0 * MACHINE.Ps_low


def ask(s: Any, level: int, kind: RequestKind = RequestKind.SUPPLY) -> Refusal:
    request = blank(REQUEST)
    request.kind, request.action = kind, level
    return Refusal(rt_request(s, request, s.tick))


@pytest.mark.usefixtures("forms")
@pytest.mark.parametrize("level", [LOW, HIGH])
@pytest.mark.parametrize("mode", list(Mode))
def test_the_level_changes_in_hold_alone(mode: Mode, level: int) -> None:
    s = law(mode, supply=HIGH if level == LOW else LOW)
    before = s.copy()
    told = ask(s, level)
    if mode == Mode.HOLD:
        assert told == Refusal.ACCEPTED and set(changed(before, s)) == {"supply", "supply_s"}
        assert (s.supply, s.supply_s) == (level, s.now.dt_s)
        assert ask(s, 0, RequestKind.TRACK) == Refusal.SUPPLY_CHANGES
    else:
        assert told == Refusal.WRONG_MODE and changed(before, s) == {}


@pytest.mark.usefixtures("forms")
def test_a_level_that_is_there_is_no_change_and_others_there_are_none() -> None:
    s = law(Mode.HOLD)
    assert ask(s, HIGH) == Refusal.ACCEPTED and s.supply_s == 0.0
    for level in (-1, 0, 3):
        assert ask(s, level) == Refusal.UNKNOWN and s.supply == HIGH


@pytest.mark.usefixtures("forms")
def test_with_a_trip_latched_the_level_stays() -> None:
    s = law(Mode.HOLD, guard__trip=Trip.VELOCITY, guard__trip_action=Action.STOP)
    assert ask(s, LOW) == Refusal.TRIPPED and s.supply == HIGH


@pytest.mark.usefixtures("forms")
@pytest.mark.parametrize("load_pa", [1.01 * HELD_PA, -1.01 * HELD_PA, math.nan])
def test_a_load_that_low_pressure_cannot_hold_refuses_it(load_pa: float) -> None:
    s = law(Mode.HOLD)
    s.checked.value[PRESSURE_A], s.checked.value[PRESSURE_B] = 1e6 + load_pa, 1e6
    assert ask(s, LOW) == Refusal.LOAD and s.supply == HIGH
    s.supply = LOW
    assert ask(s, HIGH) == Refusal.ACCEPTED  # more pressure is always allowed
    s = law(Mode.HOLD)
    s.checked.value[PRESSURE_A], s.checked.value[PRESSURE_B] = 1e6 + 0.99 * HELD_PA, 1e6
    assert ask(s, LOW) == Refusal.ACCEPTED


@pytest.mark.usefixtures("forms")
@pytest.mark.parametrize(
    ("level", "on_its_way_pa", "there_pa"),
    [(HIGH, 0.999 * ARM.supply_share * MACHINE.Ps, ARM.supply_share * MACHINE.Ps),
     (LOW, 1.001 * MACHINE.Ps_low / ARM.supply_share, 0.999 * MACHINE.Ps_low / ARM.supply_share)],
)  # fmt: skip
def test_it_is_judged_as_low_until_its_pressure_is_there(level: int, on_its_way_pa: float, there_pa: float) -> None:
    s = law(Mode.HOLD, supply=level, supply_s=0.1, checked__value=[on_its_way_pa] * len(law(Mode.HOLD).checked.value))
    assert (rt_supply_level(s), s.supply_s > 0.1) == (LOW, True)
    s.checked.value[SUPPLY] = there_pa
    assert (rt_supply_level(s), s.supply_s) == (level, 0.0)


@pytest.mark.usefixtures("forms")
@pytest.mark.parametrize(("level", "wait_s"), [(LOW, ARM.low_pressure_s), (HIGH, ARM.high_pressure_s)])
def test_where_it_is_not_measured_it_has_its_time(level: int, wait_s: float) -> None:
    s = law(Mode.HOLD, supply=level, supply_s=wait_s - 1.5 * SET.dt_s)
    s.checked.value[SUPPLY] = math.nan
    assert (rt_supply_level(s), s.supply_s > 0.0) == (LOW, True)
    assert (rt_supply_level(s), s.supply_s) == (level, 0.0)


@pytest.mark.usefixtures("forms")
def test_switched_off_it_is_off_and_nothing_is_on_its_way() -> None:
    s = law(Mode.HOLD, supply=HIGH, supply_s=0.3)
    rt_switch_off(s)
    assert (s.supply, s.supply_s, rt_supply_level(s)) == (0, 0.0, 0)


def test_a_table_is_held_and_moved_at_low_pressure_and_again_at_high(table: Any) -> None:
    rig = table()
    rig.arm()
    place_m = rig.truth[-1, 0]
    assert rig.ask(RequestKind.SUPPLY, action=LOW) == Refusal.ACCEPTED
    rows = rig.run(6.0)
    assert (rows.supply == LOW).all() and (rows.mode == Mode.HOLD).all() and rig.trip == 0
    assert rows.supply_pressure_pa[-500:].max() < rig.controller.machine.Ps_low / rig.controller.arming.supply_share
    assert np.abs(rig.truth[:, 0] - place_m).max() < 1e-3
    rig.track("move", position_m=0.01, speed_m_s=0.02)
    rows = rig.run(3.0)
    assert rig.trip == 0 and rows.mode[-1] == Mode.HOLD and abs(rig.truth[-1, 0] - 0.01) < 2e-4
    assert rig.ask(RequestKind.SUPPLY, action=HIGH) == Refusal.ACCEPTED
    rows = rig.run(6.0)
    assert (rows.supply == HIGH).all() and (rows.mode == Mode.HOLD).all() and rig.trip == 0
    assert rows.supply_pressure_pa[-1] > rig.controller.limits.supply.low * rig.controller.machine.Ps
    assert np.abs(rig.truth[:, 0] - 0.01).max() < 1e-3
    assert rig.law.supply_s == 0.0


def test_a_high_level_that_does_not_come_trips_after_its_time(table: Any) -> None:
    rig = table(**{"arming.timeout_s": 3.0, "twin.faults.supply_lost_after_s": 8.0})
    rig.arm()
    rig.ask(RequestKind.SUPPLY, action=LOW)
    rig.run(3.5)  # of its 4 until the supply fails
    assert rig.law.supply_s == 0.0
    rig.run(1.0)
    assert rig.ask(RequestKind.SUPPLY, action=HIGH) == Refusal.ACCEPTED
    rig.run(2.5)
    assert rig.trip == 0
    rig.run(2.0)
    assert rig.trip == Trip.SUPPLY_PRESSURE


def test_off_and_the_emergency_stop_act_while_it_changes(table: Any) -> None:
    rig = table()
    rig.arm()
    rig.ask(RequestKind.SUPPLY, action=LOW)
    rig.run(0.1)
    assert rig.ask(RequestKind.OFF) == Refusal.ACCEPTED
    rows = rig.run(1.0)
    assert (rows.mode[-1], rows.enabled[-1], rows.supply[-1], rig.law.supply_s) == (Mode.OFF, 0, 0, 0.0)
    rows = rig.arm()
    assert rows.supply[-1] == HIGH
