"""The linear servo's equations: matrices, poles, frequency response, and what the paper says of them."""

from itertools import pairwise

import numpy as np
import pytest

from hilctl.servo import (
    BOUNDS,
    IDENTIFIED,
    KNOWN,
    START,
    Servo,
    State,
    frequency_response,
    matrices,
    paper_servo,
    poles,
    simulate,
    slopes,
)
from tests.servo_truth import numbers, rates, response

BOTH = {"start": paper_servo(START), "identified": paper_servo(IDENTIFIED)}
HZ = np.arange(1, 110, 0.05)


def decibels(servo):
    gain = np.abs(frequency_response(servo, np.r_[0.0, HZ])[:, 0])
    return 20 * np.log10(gain[1:] / gain[0])


def paper_sweep(rate_hz):
    """1 to 100 Hz in steps of 1 Hz, three periods each."""
    periods = [np.sin(2 * np.pi * f * np.arange(round(3 * rate_hz / f)) / rate_hz) for f in range(1, 101)]
    return np.concatenate(periods)


@pytest.mark.parametrize("servo", BOTH.values(), ids=BOTH)
def test_the_matrices_are_the_equations(servo):
    a, b = matrices(servo)
    p, nothing = numbers(servo), np.zeros((9, 11))
    unit = nothing.copy()
    unit[:, :9] = np.eye(9)
    ui, force = np.r_[np.zeros(9), 1.0, 0.0], np.r_[np.zeros(10), 1.0]
    exact = np.array(rates(p, unit.astype(np.longdouble), ui, force))
    np.testing.assert_allclose(np.c_[a, b], exact.astype(float), rtol=1e-14)


def test_stacked_parameters_give_stacked_matrices():
    several = numbers(paper_servo(), np.float64)
    for name in vars(several):
        setattr(several, name, np.full(3, getattr(several, name)))
    several.m = np.array([10.0, 13.5, 20.0])
    a, b = matrices(several)
    for i, m in enumerate(several.m):
        one_a, one_b = matrices(paper_servo(m=m))
        np.testing.assert_array_equal(a[i], one_a)
        np.testing.assert_array_equal(b[i], one_b)


def test_the_slopes_of_the_matrices_are_their_derivatives():
    servo = paper_servo()
    names = list(KNOWN) + list(BOUNDS)
    da, db = slopes(servo, names)
    for i, name in enumerate(names):
        value = np.longdouble(getattr(servo, name))
        h = value * np.longdouble(1e-6)
        (a1, b1), (a0, b0) = (matrices(numbers(servo, **{name: value + way * h})) for way in (1, -1))
        for slope, up, down in ((da[i], a1, a0), (db[i], b1, b0)):
            near = ((up - down) / (2 * h)).astype(float)
            np.testing.assert_allclose(slope, near, rtol=1e-9, atol=1e-9 * np.abs(slope).max())


@pytest.mark.parametrize("servo", BOTH.values(), ids=BOTH)
@pytest.mark.parametrize("source", ["ui", "Fd"])
def test_the_frequency_response_is_that_of_the_matrices(servo, source):
    a, b = matrices(numbers(servo, np.float64))
    hz = np.array([0.01, 0.1, 5.0, 26.0, 82.0, 300.0, 2000.0])
    column = b[:, ["ui", "Fd"].index(source)]
    exact = np.array([np.linalg.solve(2j * np.pi * f * np.eye(9) - a, column) for f in hz])
    found = frequency_response(servo, hz, source=source, outputs=list(State))
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=0)


def test_the_servo_follows_a_slow_sine_as_its_frequency_response_says():
    servo, dt_s, f = paper_servo(), 1e-3, 5.0
    t = np.arange(4000) * dt_s
    x = simulate(servo, np.sin(2 * np.pi * f * t), dt_s)[2000:, 0]
    gain = 2 * np.mean(x * np.exp(-2j * np.pi * f * t[2000:])) * 1j
    share = np.sinc(f * dt_s) ** 2  # what lines between samples leave of a sine
    assert gain == pytest.approx(frequency_response(servo, [f])[0, 0] * share, rel=1e-4)


def test_the_identified_servo_has_the_papers_bandwidth_and_dip():
    shown = decibels(paper_servo(IDENTIFIED))
    assert HZ[np.argmax(shown < -3)] == pytest.approx(26, abs=0.5)
    lowest = np.argmin(shown)
    assert HZ[lowest] == pytest.approx(82, abs=0.5)
    assert shown[lowest] == pytest.approx(-27, abs=0.3)


def test_the_start_values_fit_the_papers_sweep_as_badly_as_it_says():
    sweep = paper_sweep(1000)
    assert len(sweep) / 1000 == pytest.approx(15.56, abs=0.01)
    y, ym = (simulate(servo, sweep, 1e-3)[:, 0] for servo in (BOTH["identified"], BOTH["start"]))
    fit = 1 - np.linalg.norm(ym - y) / np.linalg.norm(y - y.mean())
    assert 100 * fit == pytest.approx(88.6, abs=0.1)


def test_the_poles_are_stable_and_slowest_first():
    for servo in BOTH.values():
        found = poles(servo)
        assert len(found) == 9
        assert (found.real < 0).all()
        assert (np.diff(found.real) <= 1e-9).all()
        assert np.sort(found.real) == pytest.approx(np.sort(np.linalg.eigvals(matrices(servo)[0]).real), rel=1e-6)


def test_the_papers_values_lie_within_its_bounds_and_the_declared_ones():
    assert set(BOUNDS) == set(START) == set(IDENTIFIED)
    assert set(BOUNDS) | set(KNOWN) == set(Servo.__struct_fields__)
    for name, (low, high) in BOUNDS.items():
        assert low <= START[name] <= high
        assert low <= IDENTIFIED[name] <= high
    assert KNOWN["Ki"] * KNOWN["Kiq"] * KNOWN["Kd"] / KNOWN["A"] == pytest.approx(108, rel=1e-12)


def test_a_constant_command_ends_where_the_load_spring_lets_it():
    servo = paper_servo()
    x = simulate(servo, np.ones(2000), 1e-3)[-1, 0]
    leak = (servo.Kc + servo.Ctc) * servo.KL / servo.A  # flow that the spring's pressure loses, for each metre
    assert x == pytest.approx(servo.Ki * servo.Kiq / (servo.Ki * servo.Kiq * servo.Kd + leak), rel=1e-12)


def test_the_misprinted_lead_moves_a_servo_that_was_told_nothing():
    servo, p = paper_servo(), numbers(paper_servo(), np.float64)
    assert not simulate(servo, np.zeros(50), 1e-3).any()

    def told_nothing(x, printed):
        return np.array(rates(p, x, 0.0, 0.0, printed=printed))

    creep = told_nothing(np.zeros(9), True)
    printed = np.array([told_nothing(unit, True) - creep for unit in np.eye(9)]).T
    rest = np.linalg.solve(printed, -creep)
    assert rest[State.displacement] == pytest.approx(-12.3e-3, rel=0.01)  # where a volt should mean 19 mm
    assert not told_nothing(np.zeros(9), False).any()


def test_u1_printed_as_a_rate_leaves_a_tenth_of_the_bandwidth():
    p = paper_servo()
    a, b = matrices(p)
    u1 = np.zeros(10)  # du T3/T4 + x1: a tenth state's rate, where it should be u1 itself
    u1[[0, 6, 8]] = 1, -p.T3 / p.T4 * p.Kd * p.T1 / p.T2, -p.T3 / p.T4
    printed, enters = np.zeros((10, 10)), np.r_[b[0, 0], np.zeros(8), p.T3 / p.T4]
    printed[:9, :9], printed[9] = a, u1
    for row, gain in {2: 1 / p.T5**2, 4: p.ws**2 * p.Ki * p.Kiq}.items():
        printed[row] -= gain * u1
        printed[row, 9] = gain
    gain = np.abs([np.linalg.solve(2j * np.pi * f * np.eye(10) - printed, enters)[6] for f in [1e-6, *HZ]])
    assert HZ[np.argmax(gain[1:] < gain[0] / np.sqrt(2))] == pytest.approx(2.5, abs=0.1)
    assert HZ[np.argmax(decibels(p) < -3)] > 25


def test_the_input_goes_past_the_feedbacks_lead_lag():
    """The text says it enters CE1; by the equations it is compared with what CE1 gives."""
    servo = paper_servo()
    f = np.array([26.0])
    past = abs(frequency_response(servo, f)[0, 0]) * servo.Kd
    s = 2j * np.pi * f[0]
    through = past * abs((servo.T1 * s + 1) / (servo.T2 * s + 1))
    assert past == pytest.approx(0.682, abs=0.005)
    assert through > 0.75


def test_the_truth_of_these_tests_agrees_with_an_ode_solver():
    from scipy.integrate import solve_ivp

    servo, dt_s, rng = paper_servo(), 1e-3, np.random.default_rng(4)
    u = np.c_[rng.standard_normal(60), 100 * rng.standard_normal(60)]
    p, size = numbers(servo, np.float64), np.array([1, 1, 1e3, 1e-3, 1, 1e6, 1e-2, 1, 1])
    x, seen = np.zeros(9), [np.zeros(9)]
    for now, then in pairwise(u):

        def slope(t, y, now=now, then=then):
            return np.array(rates(p, y * size, *(now + (then - now) * t / dt_s))) / size

        x = solve_ivp(slope, (0, dt_s), x, "DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
        seen.append(x * size)
    truth = response(numbers(servo), dt_s, u).astype(float)
    assert (np.abs(np.array(seen) - truth).max(0) / np.ptp(truth, axis=0)).max() < 1e-12
