"""The parts of the plant's identification, each alone."""

import numpy as np
import pytest

from hilctl.experiment.drive import taken
from hilctl.identify.plant.estimate_swallowed import swallowed_m_s
from hilctl.identify.plant.model_signals import Grid, fast_length
from hilctl.identify.plant.model_valve import follow
from hilctl.identify.plant.plan import legs_of
from tests.unit.identify.plant.plant_parts import MODE_RAD_S, facts


def test_only_rest_is_left_out_where_a_fast_transform_likes_another_length():
    for rate_hz, counts in ((200, range(1000, 6000, 7)), (1000, range(5000, 40000, 97)), (5000, (106275, 149999))):
        for count in counts:
            short = fast_length(count)
            assert 0.0 <= (count - short) / rate_hz < 0.1
            assert not any(short % prime == 0 for prime in (67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109))


def test_a_derivative_is_exact_away_from_the_ends_though_the_signal_ends_elsewhere():
    grid = Grid(6000, 1e-3)
    t = np.arange(6000) * 1e-3
    bump = np.exp(-(((t - 3) / 0.05) ** 2))
    values = bump + 1 / (1 + np.exp(-(t - 3) / 0.1))
    rate = -2 * (t - 3) / 0.05**2 * bump + np.exp(-(t - 3) / 0.1) / 0.1 / (1 + np.exp(-(t - 3) / 0.1)) ** 2
    inside = grid.window == 1.0
    assert np.abs(grid.rate(grid.waves(values)) - rate)[inside].max() < 1e-6 * np.abs(rate).max()


def test_a_play_drags_the_spool_along_once_the_command_is_off_by_more():
    sent, gone, by_play = np.array([0.0, 0.5, 1.0, 0.9, 0.5, -1.0]), np.empty(6), np.empty(6)
    follow(sent, 0.2, 0.0, gone, by_play)
    assert gone == pytest.approx([0.0, 0.3, 0.8, 0.8, 0.7, -0.8])
    follow(sent, 0.2, 0.4, gone, by_play)
    assert gone == pytest.approx([0.0, 0.0, 0.8, 0.8, 0.8, -0.8])


def test_motions_keep_to_shares_of_the_limits_whatever_the_machine():
    for m, qn, fastest in ((500.0, 4.6e-3, 1.0), (50.0, 4.6e-3, 0.5), (2000.0, 1e-3, 2.0)):
        believed = facts(**{"machine.m": m, "machine.Qn": qn, "limits.velocity.max_m_s": fastest})
        for leg in legs_of(believed):
            p = leg.parameters
            assert p["amplitude_m"] <= 0.7 * 0.09
            if leg.kind == "sine":
                w = 2 * np.pi * p["frequency_hz"]
                assert w * p["amplitude_m"] <= min(0.6 * fastest, 0.45 * qn / 3e-3) * (1 + 1e-9)
                assert w**2 * p["amplitude_m"] <= min(20.0, 0.15 * 21e6 * 3e-3 / m) * (1 + 1e-9)


@pytest.mark.parametrize("fastest", [0.1, 0.2, 1.0])
def test_chirps_are_no_faster_than_their_share_of_the_limit_and_as_sharp_as_the_fast_sine(fastest):
    """Behind a stall of the host the table swings on its oil, and needs room for it."""
    _, fast, *chirps = (leg.parameters for leg in legs_of(facts(**{"limits.velocity.max_m_s": fastest})))
    for p in chirps:
        hz = np.linspace(*sorted((p["start_hz"], p["end_hz"])), 2000)
        speed = 2 * np.pi * hz * p["amplitude_m"] / (1 + (hz / p["knee_hz"]) ** 2)
        assert speed.max() <= 0.6 * fastest * (1 + 1e-9)
        sharpest = p["amplitude_m"] * (2 * np.pi * p["knee_hz"]) ** 2
        assert sharpest == pytest.approx(fast["amplitude_m"] * (2 * np.pi * fast["frequency_hz"]) ** 2)


@pytest.mark.parametrize("rate_hz", [200.0, 400.0, 1000.0])
def test_a_command_that_a_loss_holds_for_four_ticks_leaves_the_table_below_the_limit(rate_hz):
    for leg in legs_of(facts(rate_hz, **{"limits.velocity.max_m_s": 0.2})):
        if leg.kind == "sine":
            w, amplitude_m = 2 * np.pi * leg.parameters["frequency_hz"], leg.parameters["amplitude_m"]
            assert w * amplitude_m + w**2 * amplitude_m * 4 / rate_hz <= 0.95 * 0.2 * (1 + 1e-9)


@pytest.mark.parametrize("fastest", [0.2, 1.0])
@pytest.mark.parametrize("swallowed", [0.03, 0.06, 0.09])
def test_where_the_valve_swallows_speed_as_much_more_is_asked_within_the_limit(fastest, swallowed):
    believed = facts(**{"limits.velocity.max_m_s": fastest})
    slow, fast, *chirps = (leg.parameters for leg in legs_of(believed, swallowed=swallowed))
    clean = [leg.parameters for leg in legs_of(believed)]
    assert slow == clean[0]
    for p in (fast, *chirps):
        hz = np.linspace(p["start_hz"], p["end_hz"], 2000) if "knee_hz" in p else np.array([p["frequency_hz"]])
        asked = 2 * np.pi * hz * p["amplitude_m"] / (1 + (hz / p.get("knee_hz", np.inf)) ** 2)
        assert asked.max() - swallowed <= 0.6 * fastest * (1 + 1e-9)
        assert asked.max() <= 0.9 * fastest * (1 + 1e-9)
    p, mode_hz = chirps[0], MODE_RAD_S / (2 * np.pi)
    at_mode = p["amplitude_m"] * MODE_RAD_S / (1 + (mode_hz / p["knee_hz"]) ** 2)
    assert at_mode - swallowed > 0.5 * clean[2]["amplitude_m"] * MODE_RAD_S / (1 + (mode_hz / clean[2]["knee_hz"]) ** 2)


def test_little_that_is_swallowed_changes_no_motion():
    assert legs_of(facts(), swallowed=0.01) == legs_of(facts())


@pytest.mark.parametrize("overlap", [0.0, 0.01, 0.03])
@pytest.mark.parametrize("known", [0.0, 0.01])
@pytest.mark.parametrize("missed", [0, 60])  # ticks that did not run
def test_a_slow_sine_shows_the_speed_that_the_valve_swallows(overlap, known, missed):
    believed, rng = facts(**{"machine.dead_band": known}), np.random.default_rng(3)
    t = np.arange(0.0, 9.0, 1e-3)
    x, v = 0.06 * np.sin(2.1 * t), 0.126 * np.cos(2.1 * t)
    load = 1e6 * np.sign(v) + 25e3 * rng.standard_normal(len(t))
    opening = 0.004 + v * 3e-3 / 4.6e-3 / np.sqrt(1 - np.sign(v) * load / 21e6) + overlap * np.sign(v)
    rows = {"tick": np.arange(len(t)), "rejected": np.zeros(len(t), int), "xd_m": x, "u_applied": opening,
            "pressure_a_pa": 10e6 + 0.5 * load, "pressure_b_pa": 10e6 - 0.5 * load}  # fmt: skip
    ran = np.sort(rng.permutation(np.arange(1, len(t) - 1))[missed:])
    rows = {name: values[ran] for name, values in rows.items()}
    found = swallowed_m_s(taken("slow sine", rows, 1000.0, {}).record, believed)
    assert found == pytest.approx(max(0.0, overlap - known) * 4.6e-3 / 3e-3, abs=2e-3)


def test_chirps_go_through_the_hydraulic_mode_both_ways():
    up, down = (leg.parameters for leg in legs_of(facts()) if leg.kind == "chirp")
    mode_hz = MODE_RAD_S / (2 * np.pi)
    assert up["start_hz"] < 0.3 * mode_hz and up["end_hz"] > 1.3 * mode_hz
    assert (down["start_hz"], down["end_hz"]) == (up["end_hz"], up["start_hz"])
