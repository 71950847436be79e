"""The linear loop that gains are designed on agrees with the law on the twin; tuning keeps its promises."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hilctl import rig as rigs
from hilctl import rig_file
from hilctl.design import tuning
from hilctl.design.loop import (
    MARGIN,
    Loop,
    Plant,
    are_stable,
    family,
    gains_of,
    is_stable,
    margins,
    open_loop,
    refuse_unstable,
    ripple,
    without_pressure,
)
from hilctl.design.tuning import RIPPLE_M_S, Demand, tune
from hilctl.machine import hydraulic_damping, hydraulic_frequency, velocity_gain
from hilctl.params import BadValues, assign

RIG = rigs.load("table-500")


def test_the_reference_rig_has_its_hydraulic_mode() -> None:
    assert hydraulic_frequency(RIG.tables.machine) / (2 * np.pi) == pytest.approx(43.9, abs=0.1)
    assert hydraulic_damping(RIG.tables.machine, 0.0) == pytest.approx(0.038, abs=5e-4)
    assert hydraulic_damping(RIG.tables.machine, 3251.0) == pytest.approx(0.050, abs=5e-4)


def peak_at_every_frequency(loop: Loop, gains: Any) -> float:
    """The sensitivity is the open loop's characteristic polynomial over that of the closed one: cheap, hence finely."""
    z = np.exp(1j * np.geomspace(1.0 * loop.dt, 0.97 * np.pi, 10_000))
    closed = np.linalg.eigvals(loop.F + loop.G @ (gains @ loop.H)[None, :])
    each = [(z - before) / (z - after) for before, after in zip(np.linalg.eigvals(loop.F), closed, strict=True)]
    return float(np.abs(np.prod(each, axis=0)).max())


@pytest.mark.parametrize(
    "name", [name for name in rig_file.presets() if rigs.load(name).controller.law.feedback != "rig"]
)
def test_every_preset_keeps_the_margin_over_the_whole_family_and_what_is_told_of_it_is_true(name: str) -> None:
    rig = rigs.load(name)
    gains, no_frequency = gains_of(rig.controller, "three_state"), np.zeros(0)
    peaks = [
        peak_at_every_frequency(open_loop(plant, rig.controller, rig.dt_s, "three_state", no_frequency), gains)
        for plant in family(rig.controller.machine, rig.friction)
    ]
    told = margins(rig.controller, rig.friction, rig.dt_s)
    assert told.peak == pytest.approx(max(peaks), rel=0.01)
    assert told.stable and max(peaks) <= MARGIN
    assert told.worst


def test_the_preset_whose_pressures_are_too_old_to_be_fed_back_keeps_the_margin_without_them() -> None:
    rig = rigs.load("table-500-mixed")
    assert without_pressure(rig.controller, rig.friction, rig.dt_s).peak <= MARGIN


def boundary(table: Any, key: str, low: float, high: float) -> float:
    """Where raising one gain makes the nominal linear loop unstable."""
    for _ in range(30):
        middle = np.sqrt(low * high)
        trial = assign(RIG.controller, {key: middle})
        stable = margins(trial, RIG.friction, RIG.dt_s, nominal_only=True).stable
        low, high = (middle, high) if stable else (low, middle)
    return float(low)


@pytest.mark.parametrize(("factor", "stays"), [(0.85, True), (1.25, False)])
def test_the_linear_stability_bound_is_that_of_the_twin(table: Any, factor: float, stays: bool) -> None:
    """On a plant without Stribeck's fall the nonlinear loop rings up just where the linear one says."""
    key = "law.three_state.kd_per_m"
    bound = boundary(table, key, 20.0, 2000.0)
    plain = {"friction.fs": 300.0, "friction.fc": 299.0, "limits.tracking_error.action": "warn",
             "limits.acceleration.action": "warn", "limits.velocity.action": "warn", "limits.saturation.action": "warn",
             "limits.position.action": "warn", "limits.pressure.action": "warn", "limits.read_back.action": "warn"}
    rig = table(**plain)
    rig.arm()
    rig.set(law__blend_s=0.0, **{key.replace(".", "__"): factor * bound})
    rig.track("triangle", speed_m_s=0.05, amplitude_m=0.06)
    rows = rig.run(3.0)
    late = np.std(rows.acceleration_m_s2[-500:])
    assert (late < 3.0) == stays


def test_the_ripple_that_noise_makes_is_that_of_the_twin(table: Any) -> None:
    loop = open_loop(Plant(RIG.tables.machine, 0.0, 0.0), RIG.controller, RIG.dt_s, "three_state")
    expected = ripple(loop, gains_of(RIG.controller, "three_state"))
    rig = table()
    rig.arm()
    plan = rig.track("triangle", speed_m_s=0.002, amplitude_m=0.004, cycles=1)
    rows = rig.run(plan.duration_s)
    straight = np.flatnonzero(rows.vr_m_s == 0.002)
    settled = straight[len(straight) // 2 : -10]
    assert len(settled) > 500
    assert np.std(rig.truth[settled, 1]) == pytest.approx(expected, rel=0.3)


def test_an_unstable_design_is_refused_with_its_key() -> None:
    trial = assign(RIG.controller, {"law.three_state.kd_per_m": 2000.0})
    with pytest.raises(BadValues, match=r"law\.three_state\.kd_per_m: 2000"):
        refuse_unstable(trial, RIG.friction, RIG.dt_s)
    refuse_unstable(RIG.controller, RIG.friction, RIG.dt_s)


def test_a_design_that_needs_its_pressures_young_is_refused_and_check_can_tell_what_it_is_worth_without_them() -> None:
    column = rigs.load("column-50")
    assert without_pressure(column.controller, column.friction, column.dt_s, nominal_only=True).stable
    assert not without_pressure(column.controller, column.friction, column.dt_s).good
    bare = assign(column.controller, {"law.three_state.kp_per_mpa": 0.0})
    assert without_pressure(column.controller, column.friction, column.dt_s) == margins(
        bare, column.friction, column.dt_s, "three_state"
    )
    trial = assign(column.controller, {"law.three_state.kd_per_m": 200.0})
    assert margins(trial, column.friction, column.dt_s, nominal_only=True).stable
    with pytest.raises(BadValues, match=r"kp_per_mpa: 0\.0093809 refused, the nominal plant is unstable without"):
        refuse_unstable(trial, column.friction, column.dt_s)


@pytest.mark.slow
def test_tuning_gives_the_gains_of_the_preset() -> None:
    found = tune(RIG.controller, RIG.friction, RIG.dt_s)
    have = RIG.controller.law.three_state
    assert found.values["law.three_state.kd_per_m"] == pytest.approx(have.kd_per_m, rel=0.02)
    assert found.margins.peak <= 1.02 * MARGIN


@cache
def some_loops() -> list[Loop]:
    plants = family(RIG.controller.machine, RIG.friction)[::7]
    return [open_loop(plant, RIG.controller, RIG.dt_s, "three_state", np.array([10.0, 100.0])) for plant in plants]


@given(st.lists(st.floats(-2.0, 2.0), min_size=5, max_size=5))
def test_loops_are_stable_together_when_each_has_its_poles_in_the_unit_circle(factors: list[float]) -> None:
    gains = gains_of(RIG.controller, "three_state") * np.array(factors)
    loops = some_loops()
    largest = [np.abs(np.linalg.eigvals(loop.F + loop.G @ (gains @ loop.H)[None, :])).max() for loop in loops]
    assume(min(abs(size - 1 - 1e-9) for size in largest) > 1e-7)  # else rounding decides
    assert [is_stable(loop, gains) for loop in loops] == [size < 1 for size in largest]
    assert are_stable(loops, gains) == (max(largest) < 1)


@pytest.mark.slow
def test_tuned_gains_keep_margin_and_quiet_at_another_rate() -> None:
    dt_s = 2e-4
    found = tune(RIG.controller, RIG.friction, dt_s)
    trial = assign(RIG.controller, found.values)
    assert margins(trial, RIG.friction, dt_s).good
    loop = open_loop(Plant(RIG.tables.machine, 0.0, 0.0), trial, dt_s, "three_state")
    assert ripple(loop, gains_of(trial, "three_state")) <= 1.05 * RIPPLE_M_S
    assert is_stable(loop, gains_of(trial, "three_state"))


def test_tuning_a_pid_keeps_the_nominal_margin() -> None:
    found = tune(RIG.controller, RIG.friction, RIG.dt_s, "pid")
    assert found.margins.stable
    assert found.margins.peak <= 1.02 * MARGIN


def test_the_search_for_gains_leaves_out_those_that_stand_by_the_pressures_term_alone():
    """That term is faded out where pressures are late; a rig file with such gains is refused."""
    rig = rigs.load("table-500")
    machine, dt = rig.controller.machine, 1e-3
    nominal = Plant(machine, rig.friction.params.viscous, 0.0)
    problem = next(tuning._problems(rig.controller, rig.friction, dt, Demand([nominal], [], lambda loops: 0.0)))
    wh = hydraulic_frequency(machine)
    unit = np.array([0.5, 0.5 / wh, 1e6 * machine.A / (machine.m * wh)]) / velocity_gain(machine)

    def cost(kd, kv, ka, kp_per_mpa):
        x = np.array([np.log(kd), *(np.array([kv, ka, kp_per_mpa]) / unit)])
        k, loop = problem.gains(x), open_loop(nominal, rig.controller, dt, "three_state")
        assert is_stable(loop, k), "with the term both are"
        return problem.objective(x)

    assert cost(40.0, -0.13, 0.0, 0.01) < 100.0
    assert cost(68.8, -0.0113, 3.63e-4, 3.53e-3) >= tuning._UNSTABLE
    keys = {"kd_per_m": 68.8, "kv_s_per_m": -0.0113, "ka_s2_per_m": 3.63e-4, "kp_per_mpa": 3.53e-3}
    set_so = assign(rig.controller, {f"law.three_state.{key}": value for key, value in keys.items()})
    with pytest.raises(BadValues, match="unstable without this term"):
        refuse_unstable(set_so, rig.friction, dt)
