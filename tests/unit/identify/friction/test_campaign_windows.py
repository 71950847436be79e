"""Windows, gates and points, from samples made by hand: what is true is known."""


import numpy as np
import pytest

from hilctl.experiment.crossover import speed
from hilctl.experiment.policy import MEANS
from hilctl.experiment.record import record_of
from hilctl.identify.friction.estimate_speed import aligned, evaluate
from hilctl.identify.friction.estimate_windows import Window, slope
from hilctl.identify.friction.judge_expected import expect
from hilctl.identify.friction.judge_windows import hunting
from tests.unit.identify.friction.campaign_parts import LEG, facts, friction, triangle

RIG = facts()
EXPECTED = expect(RIG)
TRUTH = friction(0.1)


def measured(samples, rig=RIG):
    return evaluate(0, LEG, record_of(samples, 1000.0), rig, EXPECTED)


def shaken(amplitude_m_s, hz, samples=None):
    """The same motion with a ripple of the speed, in all that shows it."""
    made = dict(samples or triangle())
    w, t = 2 * np.pi * hz, np.arange(len(made["tick"])) / 1000.0
    made["displacement_m"] = made["displacement_m"] - amplitude_m_s / w * np.cos(w * t)
    made["acceleration_m_s2"] = made["acceleration_m_s2"] + amplitude_m_s * w * np.cos(w * t)
    made["pressure_a_pa"] = made["pressure_a_pa"] + 500 * amplitude_m_s * w * np.cos(w * t) / 3e-3
    return made


def reasons(samples):
    return {w.reason.split(":")[0] for w in measured(samples).windows}


def test_both_directions_give_the_friction_and_what_they_share():
    found = measured(triangle(offset_n=265.0))
    assert [p.direction for p in found.points] == [1, -1]
    assert [p.windows for p in found.points] == [3, 3]
    assert found.pair.force_n == pytest.approx(TRUTH, abs=4 * found.pair.std_n)
    assert found.pair.offset_n == pytest.approx(265.0, abs=4 * found.pair.std_n)
    assert found.pair.speed_m_s == pytest.approx(0.1, rel=1e-3)
    assert not found.discarded


def test_the_standard_error_is_what_repeating_shows():
    errors = [(f.force_n - TRUTH) / f.std_n for f in (measured(triangle(seed=s)).pair for s in range(40))]
    assert 0.6 < float(np.std(errors)) < 1.3


def test_windows_begin_after_the_lead():
    for window in measured(triangle()).windows:
        assert (window.first - 19) % 420 in (200, 201)
        assert 197 <= window.count <= 199  # without the end, where readings and reference differ by their delays


def test_inertia_is_taken_off():
    pushed = triangle(noise=0.0)
    pushed["acceleration_m_s2"] = pushed["acceleration_m_s2"] + 0.2
    pushed["pressure_a_pa"] = pushed["pressure_a_pa"] + 500 * 0.2 / 3e-3
    assert measured(pushed).points[0].force_n == pytest.approx(TRUTH, rel=1e-9)


def test_a_late_accelerometer_is_read_at_its_own_instant():
    late = facts(sensors__acceleration__delay_s=0.002, sensors__displacement__delay_s=0.0)
    samples, w = triangle(noise=0.0), 2 * np.pi * 44
    t = np.arange(len(samples["tick"])) / 1000.0
    fade = 30 * np.exp(-((t * 1000 - 20) % 420) / 150)
    samples["acceleration_m_s2"] = fade * np.sin(w * (t - 0.002))
    samples["pressure_a_pa"] = 10.5e6 + (np.sign(samples["vd_m_s"]) * TRUTH + 500 * fade * np.sin(w * t)) / 3e-3
    samples["pressure_b_pa"] = np.full(len(t), 10.5e6)
    told, untold = measured(samples, late), measured(samples, facts(sensors__acceleration__delay_s=0.0))
    assert np.mean([abs(w.force_n - TRUTH) for w in told.windows]) < 0.5 * np.mean(
        [abs(w.force_n - TRUTH) for w in untold.windows]
    )


def test_stiffness_and_weight_are_taken_off():
    springy = facts(machine__K=1e4, machine__vertical=True, sensors__displacement__delay_s=0.0)
    samples = triangle(noise=0.0)
    samples["pressure_a_pa"] = samples["pressure_a_pa"] + (1e4 * samples["displacement_m"] + 500 * 9.80665) / 3e-3
    assert measured(samples, springy).pair.force_n == pytest.approx(TRUTH, rel=1e-6)
    assert measured(samples, springy).pair.offset_n == pytest.approx(0.0, abs=0.1)


def test_noise_alone_is_never_discarded():
    assert sum(len(measured(triangle(seed=s)).discarded) for s in range(30)) == 0


def test_hunting_is_discarded_by_name():
    assert reasons(shaken(0.02, 44.0)) == {"hunting"}


def windows(*whys):
    return [Window(1, 0, 1000, 0.001, *[0.0] * 8, 0, 0, why) for why in whys]


@pytest.mark.parametrize(("whys", "said", "advice"), [
    (["the mean speed is 0 m/s instead of 1"] * 3 + ["hunting: 3 m/s²"], "the mean speed is 0 m/s", "overlap_a"),
    (["the mean speed is 0 m/s instead of 1"] + ["hunting: 3 m/s²"] * 2, "hunting: 3 m/s²", "hydraulic mode"),
    (["the speed is not constant: it ripples", ""], "the speed is not constant", "noise of the displacement"),
    (["not settled: the force drifts"], "not settled", "the reasons of the discarded windows"),
    ([""], "no straight is long enough", "the reasons of the discarded windows"),
])  # fmt: skip
def test_a_rig_without_windows_that_count_is_told_the_reason_of_most_and_what_it_comes_of(whys, said, advice):
    text = hunting(windows(*whys), 3)
    assert said in text and advice in text
    assert ("hydraulic mode" in text) == (advice == "hydraulic mode")


def test_a_mode_that_moves_too_little_to_matter_stays():
    assert reasons(shaken(0.001, 44.0)) == {""}


def test_a_speed_that_is_not_constant_is_discarded():
    assert reasons(shaken(0.02, 8.0)) == {"the speed is not constant"}


def test_a_force_that_drifts_is_not_settled():
    samples = triangle()
    into = (np.arange(len(samples["tick"])) - 20) % 420 / 420
    samples["pressure_a_pa"] = samples["pressure_a_pa"] + np.sign(samples["vd_m_s"]) * 700 * into / 3e-3
    assert reasons(samples) == {"not settled"}


def test_a_limited_valve_is_discarded():
    samples = triangle()
    samples["saturated"][20 + 300] = 1
    found = measured(samples)
    assert len(found.discarded) == 1
    assert "limited" in found.discarded[0].reason


def without(samples, first, count):
    """The same, without these rows: their ticks did not run."""
    return {name: np.delete(values, slice(first, first + count)) for name, values in samples.items()}


def test_readings_that_were_lost_enter_no_force_and_no_speed():
    plain = measured(triangle())
    spoilt = triangle()
    for channel, wrong in (("pressure_a_pa", 9e6), ("displacement_m", 0.3), ("acceleration_m_s2", 50.0)):
        spoilt[channel][320:335] = wrong
    spoilt["rejected"][320:335] = 0b1111
    window, whole = measured(spoilt).windows[0], plain.windows[0]
    assert (window.reason, window.rejected, window.count) == ("", 15, whole.count)
    assert window.force_n == pytest.approx(whole.force_n, abs=5.0)
    assert window.speed_m_s == pytest.approx(whole.speed_m_s, rel=1e-3)
    assert measured(spoilt).lost == pytest.approx(15 / len(spoilt["tick"]))
    late = measured(without(triangle(), 320, 4))
    assert not late.discarded
    assert [w.first for w in late.windows] == [w.first for w in plain.windows]
    assert late.windows[0].rejected == 4


def test_a_window_that_lost_more_than_the_policy_allows_is_discarded():
    samples = triangle()
    window = measured(samples).windows[0]
    most = int(MEANS.share * window.count)
    samples["rejected"][window.first : window.first + most] = 1
    assert not measured(samples).discarded
    samples["rejected"][window.first : window.first + most + 1] = 1
    assert "were lost, more than 10 %" in measured(samples).discarded[0].reason


def test_a_table_that_goes_at_another_speed_is_discarded():
    samples = triangle()
    samples["displacement_m"] = 0.8 * samples["displacement_m"]
    samples["acceleration_m_s2"] = 0.8 * samples["acceleration_m_s2"]
    assert all(r.startswith("the mean speed is 0.0") for r in reasons(samples))


def test_zeroing_between_two_speeds_moves_no_point():
    before, after = facts(), facts(sensors__pressure_a__offset=5e4)
    samples = triangle(noise=0.0)
    zeroed = {**samples, "pressure_a_pa": samples["pressure_a_pa"] - 5e4}
    zeroed = record_of(zeroed, 1000.0)
    assert np.allclose(aligned(zeroed, before, after)["pressure_a_pa"], samples["pressure_a_pa"])
    assert np.array_equal(aligned(zeroed, before, before)["pressure_a_pa"], zeroed["pressure_a_pa"])


def test_the_speed_of_a_window_ripples_by_the_noise_that_is_expected():
    samples = triangle()
    v = speed(samples["displacement_m"], samples["acceleration_m_s2"], 1000.0, EXPECTED.crossover_rad_s)
    spread = float(np.std(v[20 + 100 : 20 + 300]))
    assert 0.6 * EXPECTED.seen_m_s < spread < 1.5 * EXPECTED.seen_m_s


def test_the_slope_is_that_of_a_straight_line():
    x, there = 3e-4 * np.arange(50) + 7.0, np.ones(50, bool)
    assert slope(x, 1000.0, there) == pytest.approx(0.3)
    x[20], there[20] = 99.0, False
    assert slope(x, 1000.0, there) == pytest.approx(0.3)


def test_corners_weigh_the_table():
    from hilctl.identify.friction.estimate_mass import apparent_mass

    fast = triangle(speed=0.5, corner_s=0.1, offset_n=265.0)
    leg = LEG.__class__(0.5, 0.09, 0.0, 3, 0.1, 0.2, 4.0)
    own = facts(sensors__acceleration__delay_s=0.0, sensors__displacement__delay_s=0.0)
    assert apparent_mass([(leg, record_of(fast, 1000.0))], own) == pytest.approx(500.0, rel=0.01)
    heavier = {**fast, "acceleration_m_s2": 0.8 * fast["acceleration_m_s2"]}
    assert apparent_mass([(leg, record_of(heavier, 1000.0))], own) == pytest.approx(625.0, rel=0.01)
    assert apparent_mass([], own) is None
