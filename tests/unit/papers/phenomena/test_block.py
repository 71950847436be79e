"""The block's simulator against tight solutions by scipy."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from hilctl.friction import MODELS
from hilctl.papers.phenomena import stand as stands
from hilctl.papers.phenomena.stand import Block, loop_area, path, sine, stand_for

M, K, C, SPEED = 500.0, 1e5, 700.0, 0.02
CURVE = {"fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}


def level(v):
    return CURVE["fc"] + (CURVE["fs"] - CURVE["fc"]) * math.exp(-((v / CURVE["vs"]) ** 2))


def pull(t):
    return K * SPEED * t + C * SPEED


def stuck_and_slid(seconds):
    """Karnopp's block on the spring: each leap by an event, each rest in closed form; when and where it stops."""
    t, x, stops = 0.0, 0.0, []
    while True:
        t = (CURVE["fs"] + K * x - C * SPEED) / (K * SPEED)
        if t > seconds:
            return stops

        def rates(t, y):
            return [y[1], (pull(t) - K * y[0] - C * y[1] - level(y[1]) - CURVE["sigma"] * y[1]) / M]

        def still(t, y):
            return y[1]

        still.terminal, still.direction = True, -1
        leap = solve_ivp(rates, (t, seconds), [x, 0.0], events=still, rtol=1e-11, atol=1e-14, method="DOP853")
        if not leap.t_events[0].size:
            return stops
        t, x = leap.t_events[0][-1], leap.y_events[0][-1][0]
        stops.append((t, x))


def test_sticking_and_leaping_is_that_of_events_found_by_scipy():
    stops = stuck_and_slid(6.0)
    assert len(stops) >= 2
    run = stand_for("karnopp").block(stiffness=K, damping=C).pull(pull(np.arange(6001) * 1e-3), 1e-3)
    for t, x in stops:
        assert np.interp(t + 0.05, run.t, run.x) == pytest.approx(x, rel=1e-8)
        assert run.v[math.ceil(t / 1e-3) + 1] == 0.0


def test_turning_without_a_rest_does_not_depend_on_where_the_steps_fall(monkeypatch):
    karnopp, ends = stand_for("karnopp"), []
    q = sine(500.0, 3 * karnopp.level, 3.0, 5, 1e-3)
    for step_s in (2e-4, 1e-5):
        monkeypatch.setattr(stands, "STEP_S", step_s)
        run = karnopp.block().pull(q, 1e-3)
        assert np.sum(np.diff(np.sign(run.v)) != 0) > 8
        ends.append(run.x[-1])
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)


def test_a_law_with_a_state_is_that_of_a_stiff_solver(monkeypatch):
    table = MODELS["lugre"].typical
    s0, s1, vd = table["s0"], table["s1"], 0.1

    def rates(t, y):
        x, v, z = y
        bending = v - s0 * abs(v) / level(v) * z
        friction = s0 * z + s1 * math.exp(-((v / vd) ** 2)) * bending + CURVE["sigma"] * v
        return [v, (pull(t) - K * x - C * v - friction) / M, bending]

    tight = solve_ivp(rates, (0, 2.5), [0, 0, 0], method="Radau", rtol=1e-9, atol=1e-13, t_eval=[1.5, 1.9, 2.5])
    errors = []
    for step_s in (2e-4, 1e-4):
        monkeypatch.setattr(stands, "STEP_S", step_s)
        block = stand_for("lugre").block(stiffness=K, damping=C)
        run = block.pull(pull(np.arange(2501) * 1e-3), 1e-3)
        errors.append(np.max(np.abs(run.x[[1500, 1900, 2500]] - tight.y[0])))
    assert errors[0] < 2e-5  # of leaps of 40 mm
    assert errors[1] < errors[0] / 3  # of second order


def test_a_smooth_law_is_that_of_a_stiff_solver():
    law = stand_for("tanh")

    def rates(t, y):
        x, v = y
        friction = level(v) * math.tanh(5300 * v / 2) + CURVE["sigma"] * v
        return [v, (pull(t) - K * x - C * v - friction) / M]

    tight = solve_ivp(rates, (0, 2.5), [0, 0], method="Radau", rtol=1e-10, atol=1e-13, t_eval=[1.5, 2.5])
    run = law.block(stiffness=K, damping=C).pull(pull(np.arange(2501) * 1e-3), 1e-3)
    assert run.x[[1500, 2500]] == pytest.approx(tight.y[0], abs=1e-6)


def test_a_block_that_is_held_does_not_move_at_all():
    karnopp = stand_for("karnopp")
    run = karnopp.block().pull(sine(0.0, 0.999 * karnopp.level, 5.0, 3, 1e-3), 1e-3)
    assert not run.x.any()
    assert not run.v.any()
    assert run.friction == pytest.approx(run.q)


def test_a_state_goes_on_from_run_to_run():
    gms = stand_for("gms")
    q = path(0.0, 0.7 * gms.level, -0.7 * gms.level, seconds=0.3, sample_s=1e-3)
    whole, parts = gms.block().pull(q, 1e-3), gms.block()
    parts.pull(q[:301], 1e-3)
    assert parts.pull(q[300:], 1e-3).x == pytest.approx(whole.x[300:], rel=1e-12)


def test_led_at_a_steady_speed_every_law_comes_to_its_curve():
    for name in MODELS:
        stand = stand_for(name)
        v = 0.1 * stand.size.speed
        felt = Block(stand.friction, stand.size).lead(np.full(11, v), 0.1).friction[-1]
        rested = 2e-4 if name == "armstrong" else 1e-9  # its level keeps the instant of rest before the first sliding
        assert felt == pytest.approx(stand.friction.steady(v), rel=rested), name


@pytest.mark.parametrize(("name", "force"), [("karnopp", 3118), ("coulomb", 287), ("viscous", 0), ("dahl", 287)])
def test_break_away_is_what_the_law_declares(name, force):
    assert stand_for(name).level == pytest.approx(force, rel=1e-4)


def test_a_path_is_gentle_and_meets_its_corners():
    way = path(0.0, 2.0, -1.0, seconds=1.0, sample_s=0.01)
    assert way[[0, 100, 200]].tolist() == [0.0, 2.0, -1.0]
    assert abs(np.diff(way)[[0, 99, 100, 199]]).max() < 1e-4
    t = np.linspace(0, 2 * math.pi, 2001)
    assert loop_area(np.sin(t), np.cos(t)) == pytest.approx(-math.pi, rel=1e-5)


@pytest.mark.slow
def test_half_the_step_changes_no_figure_by_a_hundredth(table, monkeypatch):
    from hilctl.papers.phenomena.table import computed

    monkeypatch.setattr(stands, "STEP_S", stands.STEP_S / 2)
    finer = computed()
    for law, cells in table.items():
        for key, cell in cells.items():
            assert finer[law][key].shows == cell.shows
            if cell.figure is not None:
                assert finer[law][key].figure == pytest.approx(cell.figure, rel=0.01, abs=0.005), (law, key)
