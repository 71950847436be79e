"""The valve alone: the linear one that the nominal model knows, and what a real one adds."""

import numpy as np
import pytest

from hilctl.params import assign
from hilctl.rig import load
from sim.settings import Valve
from sim.valve import rt_opening, valve_record

EXACT = {"null_bias": 0, "hysteresis": 0, "threshold": 0, "slew_per_s": 1e5}


def spool_after(make_rig, commands, machine=None, faults=None, **valve):
    """Spool positions, at 10 kHz, at rest without supply."""
    rig = make_rig(rate_hz=10_000, machine=machine, valve={**EXACT, **valve}, faults=faults or {})
    rig.run([0.0])
    return rig.run(commands, lambda own: own.plant.spool)[1:]


@pytest.mark.parametrize("damping", [0.3, 0.88, 1.0, 1.7])
def test_a_step_is_answered_like_a_second_order_system(make_rig, damping):
    spool = spool_after(make_rig, [0.4] * 151, {"zv": damping})
    t = np.arange(1, 151) * 1e-4
    poles = np.roots([1, 2 * damping * 643, 643**2]).astype(complex)
    if damping == 1.0:
        expected = 1 - (1 + 643 * t) * np.exp(-643 * t)
    else:
        one, two = poles
        expected = (1 - (two * np.exp(one * t) - one * np.exp(two * t)) / (two - one)).real
    assert spool == pytest.approx(0.4 * expected, abs=1e-9)


def test_the_spool_stops_at_full_opening_and_comes_back_at_once(make_rig):
    spool = spool_after(make_rig, [1.0] * 28 + [0.0] * 60, {"zv": 0.1})
    assert np.max(spool) == 1.0
    assert np.all(spool[26:28] == 1.0)
    fallen = np.cos(643 * 0.7e-3)  # 0.7 ms after the command went, from rest; damping takes little of it
    assert spool[34] == pytest.approx(fallen, abs=0.03)


def test_the_spool_moves_no_faster_than_its_slew(make_rig):
    spool = spool_after(make_rig, [0.9] * 200 + [-0.9] * 400, slew_per_s=50.0)
    speed = np.diff(spool) * 1e4
    assert np.max(np.abs(speed)) == pytest.approx(50.0)
    assert np.count_nonzero(np.abs(speed) > 49.9) > 300
    assert spool[-1] == pytest.approx(-0.9, abs=1e-3)


def test_it_comes_out_of_its_slew_at_the_speed_of_its_slew(make_rig):
    spool = spool_after(make_rig, [0.9] * 800, {"zv": 0.3}, slew_per_s=50.0)
    # Free from where wv^2 (u - x) = 2 zv wv 50 on, at 50 1/s: the overshoot follows.
    w, damped = 643, 643 * (1 - 0.3**2) ** 0.5
    t = np.linspace(0, 0.02, 20_001)
    off = -2 * 0.3 * 50 / w
    free = np.exp(-0.3 * w * t) * (off * np.cos(damped * t) + (50 + 0.3 * w * off) / damped * np.sin(damped * t))
    assert np.max(spool) == pytest.approx(0.9 + np.max(free), abs=1e-4)


def test_enabled_it_stands_at_its_bias_and_disabled_at_its_mechanical_null(make_rig):
    rig = make_rig(valve={**EXACT, "null_bias": 0.01})
    assert rig.run([0.0] * 50, lambda own: own.plant.spool)[-1] == pytest.approx(0.01)
    rig.command.enable = 0
    assert rig.run([0.5] * 50, lambda own: own.plant.spool)[-1] == pytest.approx(0, abs=1e-6)


def test_between_opening_and_closing_lies_the_hysteresis(make_rig):
    up = spool_after(make_rig, [0.2] * 300, hysteresis=0.02)[-1]
    down = spool_after(make_rig, [0.6] * 300 + [0.2] * 300, hysteresis=0.02)[-1]
    assert up == pytest.approx(0.19, abs=1e-7)
    assert down - up == pytest.approx(0.02, abs=1e-7)


def test_a_change_within_the_threshold_does_not_move_it(make_rig):
    spool = spool_after(make_rig, [0.2] * 300 + [0.209] * 300 + [0.212] * 300, threshold=0.01)
    assert spool[598] == pytest.approx(0.2, abs=1e-9)
    assert spool[-1] == pytest.approx(0.212, abs=1e-9)


def test_within_the_overlap_nothing_flows_and_beyond_it_the_rest_opens_fully(make_rig):
    none = {"model": "stribeck", "fc": 0, "fs": 0, "vs": 1, "sigma": 0}
    machine = {"dead_band": 0.05, "Ctc": 1e-10}
    for u, speed in ((0.04, 0.0), (0.24, 1.5396 * 0.19 / 0.95)):
        rig = make_rig(none, machine=machine, valve={**EXACT, "null_leakage": 1e-5}).ready()
        assert rig.run([u] * 200)[-1] == pytest.approx(speed, abs=1e-3)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_command_that_is_no_number_does_not_reach_the_spool(make_rig, value):
    spool = spool_after(make_rig, [0.5] * 100 + [value] * 100)
    assert np.all(np.abs(spool) <= 1)
    assert spool[-1] == pytest.approx(0 if np.isnan(value) else np.sign(value), abs=1e-2)


def test_wired_the_wrong_way_round_it_opens_the_wrong_way(make_rig):
    assert spool_after(make_rig, [0.3] * 300, faults={"reversed": True})[-1] == pytest.approx(-0.3, abs=1e-6)


@pytest.mark.parametrize(("u", "share"), [(0.24, 0.19 / 0.95), (-0.24, -0.22 / 0.98), (0.04, 0.0), (-0.01, 0.0)])
def test_overlap_may_differ_from_side_to_side(make_rig, u, share):
    none = {"model": "stribeck", "fc": 0, "fs": 0, "vs": 1, "sigma": 0}
    machine = {"overlap_a": 0.05, "overlap_b": 0.02, "Ctc": 1e-10}
    rig = make_rig(none, machine=machine, valve={**EXACT, "null_leakage": 1e-5}).ready()
    assert rig.run([u] * 200)[-1] == pytest.approx(1.5396 * share, abs=1e-3)


def record(rounding=0.0, **overlap):
    machine = assign(load("table-500").tables.machine, overlap)
    return valve_record(machine, Valve(edge_rounding=rounding), False, 1e-4)


def test_a_rounded_edge_opens_a_little_before_it_and_by_half_of_its_rounding_at_it():
    sharp, rounded = record(overlap_a=0.03, overlap_b=0.01), record(0.004, overlap_a=0.03, overlap_b=0.01)
    assert rt_opening(sharp, 0.03) == 0.0
    other = 0.5 * (-0.04 + np.hypot(0.04, 0.004)) / 0.99  # what the other edge still lets through
    assert rt_opening(rounded, 0.03) == pytest.approx(0.002 / 0.97 - other)
    assert 0.0 < rt_opening(rounded, 0.028) < 0.0013
    assert rt_opening(rounded, -0.01) < -0.0019
    for spool in (1.0, -1.0):
        assert rt_opening(sharp, spool) == pytest.approx(spool)
        assert rt_opening(rounded, spool) == pytest.approx(spool, abs=1e-5)
    spools = np.linspace(-0.1, 0.1, 2001)
    assert np.all(np.diff([rt_opening(rounded, spool) for spool in spools]) > 0.0)
