"""The shaking table's case: its rig knows what its controller does not; the paper's objective and its search."""

import numpy as np
import pytest

from hilctl.bench.identify_friction import case
from hilctl.identify.friction import Leg, Measured, Window
from hilctl.identify.friction.estimate_speed import pair
from hilctl.papers.table import step
from hilctl.papers.table.algorithm import curve, evenness, identified, points_of
from hilctl.papers.table.setting import CONTROLLERS, RIG, TABLE_1, changes, speed_of
from hilctl.results.friction import Point
from hilctl.rig import load

SPEEDS = np.geomspace(0.001, 0.8, 12)
OFFSET_N, INERTIA_N = 120.0, 40.0


def window(way: int, speed: float, reason: str = "") -> Window:
    inertia = 1e6 if reason else INERTIA_N
    return Window(way, 0, 1000, speed, 0.0, 0.0, 0.0, inertia, 0.0, 0.0, 0.0, 0.0, 0, 0, reason)


def measured(speed: float) -> Measured:
    force = float(curve(TABLE_1, np.array([speed]))[0])
    points = [Point(way, speed, force + way * OFFSET_N, 1.0, 1, 1000) for way in (1, -1)]
    windows = [window(1, speed), window(-1, speed), window(1, speed, "hunting")]
    leg = Leg(speed, 0.05, 0.0, 2, 0.0, 0.0, 1.0)
    return Measured(0, leg, 1000, None, 500.0, windows, points, pair(points), [])


CAMPAIGN = tuple(measured(float(speed)) for speed in SPEEDS)


def test_the_simulated_rig_has_the_papers_friction_and_its_controller_does_not():
    rig = load(RIG, twin=True, changes=changes())
    simulated = rig.driver_config.friction
    assert simulated.model == "karnopp"
    for name, true in TABLE_1.items():
        assert getattr(simulated, name) == true
        assert getattr(rig.friction.params, name) != true


@pytest.mark.parametrize("controller", CONTROLLERS, ids=lambda one: one.name)
def test_each_controller_is_one_that_the_rig_accepts(controller):
    law = load(RIG, twin=True, changes=controller.values).controller.law
    assert (law.pid.ki_per_m_s == 0.0) == (controller.name == "PD")


def test_a_triangles_speed_is_that_of_the_paper():
    assert [speed_of(amplitude) for amplitude in (0.005, 0.08)] == pytest.approx([0.02, 0.32])


def test_both_directions_are_averaged_and_only_windows_that_count_have_an_acceleration():
    for levelled, more in ((True, 0.0), (False, INERTIA_N)):
        points = points_of(CAMPAIGN, levelled)
        assert points.force_n == pytest.approx(curve(TABLE_1, SPEEDS) + more)


def test_exact_points_give_the_papers_table():
    found = identified(CAMPAIGN)
    for name, true in TABLE_1.items():
        assert found.mean(name) == pytest.approx(true, rel=1e-6)
        assert found.fit.parameters[name].value == pytest.approx(true, rel=1e-6)
    assert found.not_levelled.parameters["fc"].value == pytest.approx(TABLE_1["fc"] + INERTIA_N, rel=1e-3)
    assert (found.intercept_n, found.slope) == pytest.approx((TABLE_1["fc"], TABLE_1["sigma"]), rel=1e-4)
    assert 0 < found.settled < 20
    assert found.alone < 0.5
    assert found.objective(TABLE_1) < 1e-12 < found.objective({**TABLE_1, "fc": 288.0})


def test_the_search_steps_by_equation_7_and_by_no_other(monkeypatch):
    one = case(0)
    assert step.step_off(one.scaled.data, one.low, one.high) < 1e-6
    norm = np.linalg.norm
    monkeypatch.setattr(step.np.linalg, "norm", lambda x: 2 * norm(x))
    assert step.step_off(one.scaled.data, one.low, one.high) > 1e-3


def test_the_start_is_more_even_than_chance():
    assert evenness() < 0.5
