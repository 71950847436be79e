"""GMS: closed forms where the motion is slow, scipy's events where it is not, what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from hilctl.friction import MODELS, STATES, check_friction
from hilctl.friction.gms import ALPHA, ELEMENTS, RATIO, SLIP, TOTAL, F, rt_advance, rt_force
from hilctl.params import BadValues
from hilctl.rt.jit import jit

CURVE = {"model": "gms", "fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}
FOUR = check_friction({**CURVE, "s0": 1e8})
TEN = check_friction({**CURVE, "s0": 3e8, "elements": 10})
UNEQUAL = check_friction({**CURVE, "alpha": [0.1, 0.3, 0.6], "k": [4e7, 3e7, 9e6]})
LAWS = pytest.mark.parametrize("law", [FOUR, TEN, UNEQUAL], ids=["4", "10", "unequal"])
SLOW = 1e-6  # m/s: the curve is fs there to 1e-10


@jit()
def course(p: Any, z: Any, speeds: Any, dt: float, out: Any) -> None:
    """The force, without its viscous part, at the end of each step."""
    for i in range(speeds.size):
        rt_advance(p, z, speeds[i], dt)
        out[i] = z[TOTAL]


@jit()
def pushed(p: Any, z: Any, drives: Any, mass: float, dt: float, out: Any) -> None:
    """A mass under a drive known at the beginning, middle and end of each step, in the twin's symmetric order."""
    v = 0.0
    for i in range(out.size):
        rt_advance(p, z, v, 0.5 * dt)
        a1 = (drives[2 * i] - rt_force(p, z, v)) / mass
        a2 = (drives[2 * i + 1] - rt_force(p, z, v + 0.5 * dt * a1)) / mass
        a3 = (drives[2 * i + 1] - rt_force(p, z, v + 0.5 * dt * a2)) / mass
        a4 = (drives[2 * i + 2] - rt_force(p, z, v + dt * a3)) / mass
        v += dt / 6 * (a1 + 2 * (a2 + a3) + a4)
        rt_advance(p, z, v, 0.5 * dt)
        out[i] = v


def run(law: Any, speeds: Any, dt: float, z: Any = None) -> Any:
    out = np.zeros(len(speeds))
    course(law.packed(), np.zeros(STATES) if z is None else z, np.ascontiguousarray(speeds, float), dt, out)
    return out


def visit(law: Any, z: Any, places: Any, at: float = 0.0, pieces: int = 1) -> Any:
    """The force at each of these places, one after another, slowly."""
    out = []
    for place in places:
        for _ in range(pieces):
            rt_advance(law.packed(), z, math.copysign(SLOW, place - at), abs(place - at) / SLOW / pieces)
        out.append(z[TOTAL])
        at = place
    return np.array(out)


def virgin(law: Any, x: Any) -> Any:
    """The first loading, by hand: each spring up to its share."""
    each = zip(law.params.shares(), law.params.stiffnesses(), strict=True)
    return sum(np.minimum(k * np.asarray(x), share * 3118) for share, k in each)


@LAWS
@pytest.mark.parametrize("pieces", [1, 7])
def test_the_first_loading_is_every_spring_up_to_its_share(law, pieces):
    x = np.linspace(0, 6 * 3118 / 1e8, 60)[1:]
    for way in (1, -1):
        assert visit(law, np.zeros(STATES), way * x, pieces=pieces) == pytest.approx(way * virgin(law, x), rel=1e-9)


@LAWS
def test_a_reversal_follows_masings_rule(law):
    turn = 70e-6
    z = np.zeros(STATES)
    (top,) = visit(law, z, [turn])
    x = np.linspace(turn, -turn, 80)[1:]
    assert visit(law, z, x, turn) == pytest.approx(top - 2 * virgin(law, (turn - x) / 2), rel=1e-9, abs=1e-6)
    assert visit(law, z, -x, -turn) == pytest.approx(-top + 2 * virgin(law, (turn - x) / 2), rel=1e-9, abs=1e-6)


@LAWS
def test_nested_loops_close_and_are_forgotten_afterwards(law):
    z = np.zeros(STATES)
    first = visit(law, z, [80e-6, -40e-6, 50e-6, -10e-6, 20e-6], pieces=3)
    again = visit(law, z, [-10e-6, 50e-6, -40e-6, 80e-6], 20e-6)
    assert again == pytest.approx([first[3], first[2], first[1], first[0]], rel=1e-9)
    beyond = visit(law, z, [100e-6], 80e-6)
    assert beyond == pytest.approx(virgin(law, [100e-6]), rel=1e-9)


def test_the_preset_has_equal_shares_geometric_yields_and_the_stiffness_given():
    for law, count, s0 in ((FOUR, 4, 1e8), (TEN, 10, 3e8)):
        shares, k = np.array(law.params.shares()), np.array(law.params.stiffnesses())
        yields = shares * 3118 / k
        assert shares == pytest.approx(np.full(count, 1 / count))
        assert math.fsum(k) == pytest.approx(s0, rel=1e-14) == law.params.spring
        assert yields[-1] / yields[0] == pytest.approx(10)
        assert np.ptp(yields[1:] / yields[:-1]) < 1e-12
    alone = check_friction({**CURVE, "s0": 1e8, "elements": 1})
    assert alone.params.stiffnesses() == pytest.approx((1e8,))


def exact(law: Any, end: float, speed: Any, mass: float | None, drive: Any = None) -> Any:
    """The model as it is written, by scipy: one piece between events. Prescribed speed(t), or a mass under drive(t)."""
    p, tables = law.params, (np.array(law.params.shares()), np.array(law.params.stiffnesses()))
    shares, k = tables
    n = len(shares)

    def level(v: float) -> float:
        return float(p.fc + (p.fs - p.fc) * math.exp(-((v / p.vs) ** 2)))

    def speed_of(t: float, y: Any) -> float:
        return float(speed(t) if mass is None else y[n])

    now, state, way, slips = 0.0, np.zeros(n + 1), 1.0, np.zeros(n, bool)
    times, values = [np.zeros(1)], [np.zeros((n + 1, 1))]
    while now < end:

        def rates(t: float, y: Any, way: float = way, slips: Any = slips) -> Any:
            v = speed_of(t, y)
            pull = way * p.C * (shares - y[:n] * way / level(v))
            force = np.where(slips, pull, k * v)
            push = 0.0 if mass is None else (drive(t) - y[:n].sum() - p.sigma * v) / mass
            return [*force, push]

        def turns(t: float, y: Any, way: float = way) -> float:
            return speed_of(t, y) * way

        def yields(i: int, way: float = way) -> Any:
            return lambda t, y: way * y[i] - shares[i] * level(speed_of(t, y))

        sticking = [i for i in range(n) if not slips[i]]
        events = [turns, *(yields(i) for i in sticking)]
        for event in events:
            event.terminal, event.direction = True, 1  # type: ignore[attr-defined]
        turns.direction = -1  # type: ignore[attr-defined]
        tolerance = [1e-9] * n + [1e-13]
        piece = solve_ivp(rates, (now, end), state, "DOP853", rtol=1e-12, atol=tolerance, events=events, max_step=2e-3)
        now, state = piece.t[-1], piece.y[:, -1].copy()
        times.append(piece.t), values.append(piece.y)
        if piece.status != 1:
            break
        if len(piece.t_events[0]):
            way, slips = -way, np.zeros(n, bool)
        for which, found in zip(sticking, piece.t_events[1:], strict=True):
            if len(found):
                slips[which] = True
    return state


@LAWS
def test_a_fast_motion_through_the_falling_branch_is_as_scipy_has_it(law):
    def speed(t: float) -> Any:
        return 0.3 * np.sin(2 * np.pi * 5 * t) + 0.02 * np.sin(2 * np.pi * 63 * t)

    end = 0.33
    true = exact(law, end, speed, None)[:-1]
    errors = []
    for steps in (20_000, 200_000):
        dt, z = end / steps, np.zeros(STATES)
        run(law, speed((np.arange(steps) + 0.5) * dt), dt, z)
        errors.append(abs(z[TOTAL] - true.sum()) / 3118)
        assert z[F : F + len(true)] == pytest.approx(true, abs=3118e-4)
    assert errors[1] < 1e-6
    assert errors[1] < errors[0] / 20  # second order, but for where yields fall within the steps


@pytest.mark.parametrize("law", [FOUR, TEN], ids=["4", "10"])
def test_a_mass_on_it_moves_as_scipy_has_it(law):
    def drive(t: Any) -> Any:
        return 8000 * np.sin(2 * np.pi * 4 * t)

    end = 0.2
    true = exact(law, end, None, 500.0, drive)[-1]
    errors = {}
    for dt in (50e-6, 20e-6, 5e-6, 1e-6):
        out = np.zeros(round(end / dt))
        drives = drive(np.arange(2 * len(out) + 1) * dt / 2)
        pushed(law.packed(), np.zeros(STATES), drives, 500.0, dt, out)
        errors[dt] = abs(out[-1] - true) / np.max(np.abs(out))
    assert errors[20e-6] < 1e-4
    assert errors[5e-6] < 5e-5
    assert errors[1e-6] < 1e-6


@pytest.mark.parametrize("stiffness", [1e8, 3e8])
@pytest.mark.parametrize("amplitude", [0.001, 0.03, 0.8])
def test_it_never_diverges_at_50_us(stiffness, amplitude):
    law = check_friction({**CURVE, "s0": stiffness})
    t = np.arange(40_000) * 50e-6
    z, out = np.zeros(STATES), np.zeros(40_000)
    force = run(law, amplitude * np.sin(2 * np.pi * 3 * t), 50e-6)
    assert np.max(np.abs(force)) <= 3118 * (1 + 1e-12)
    load = amplitude * 3251 + 3118 + amplitude * 6 * np.pi * 500
    pushed(law.packed(), z, load * np.sin(2 * np.pi * 3 * np.arange(80_001) * 25e-6), 500.0, 50e-6, out)
    assert np.max(np.abs(out)) < 2 * load / math.hypot(3251, 6 * np.pi * 500)  # twice what sigma and mass alone allow
    assert np.max(np.abs(z[F : F + 4])) <= 3118 / 4 * (1 + 1e-12)


speeds = st.floats(-1, 1).map(lambda v: 0.0 if abs(v) < 1e-12 else v)


@given(st.lists(speeds, max_size=6), speeds, st.floats(1e-7, 1e-2), st.integers(2, 20))
def test_one_step_is_as_good_as_many_at_constant_speed(before, v, dt, parts):
    p, one = TEN.packed(), np.zeros(STATES)
    for earlier in before:
        rt_advance(p, one, earlier, 1e-3)
    many = one.copy()
    rt_advance(p, one, v, dt)
    for _ in range(parts):
        rt_advance(p, many, v, dt / parts)
    assert many[:SLIP] == pytest.approx(one[:SLIP], abs=1e-8, rel=1e-10)


@given(st.lists(speeds, min_size=1, max_size=50), st.floats(1e-7, 1e-1))
def test_no_element_carries_more_than_its_share_of_breakaway(history, dt):
    p, z = UNEQUAL.packed(), np.zeros(STATES)
    for v in history:
        rt_advance(p, z, v, dt)
        assert np.all(np.abs(z[F : F + 3]) <= np.array([0.1, 0.3, 0.6]) * 3118 * (1 + 1e-12))
        assert z[TOTAL] == pytest.approx(z[F : F + 3].sum(), abs=1e-9)


@given(st.floats(1e-6, 0.1), st.floats(0.05, 20), st.floats(-1, 1), st.sampled_from([FOUR, TEN, UNEQUAL]))
@settings(max_examples=60)
def test_a_closed_cycle_takes_energy_and_never_gives_any(amplitude, frequency, skew, law):
    n = 4000
    phase = 2 * np.pi * (np.arange(4 * n) + 0.5) / n
    v = amplitude * 2 * np.pi * frequency * (np.cos(phase) + skew * np.cos(2 * phase))
    force = run(law, v, 1 / frequency / n)
    middle = (force[3 * n :] + force[3 * n - 1 : -1]) / 2
    taken = np.sum(middle * v[3 * n :]) / frequency / n
    assert taken >= -1e-9 * 3118 * amplitude


def test_the_attraction_can_store_what_no_motion_gave_but_only_so_much_a_reversal():
    """The limit of passivity: fast until it slips at fc, then all but at rest until the attraction has drawn it up."""
    p, dt = check_friction({**CURVE, "sigma": 0, "s0": 1e8, "elements": 1}).packed(), 1e-7
    legs = [(0.8, 600), (1e-9, 300_000)]
    z, taken, reversals = np.zeros(STATES), 0.0, 6
    for leg in range(1, reversals + 1):
        way = 1.0 if leg % 2 else -1.0
        for speed, count in legs:
            out = np.zeros(count)
            before = z[TOTAL]
            course(p, z, np.full(count, way * speed), dt, out)
            taken += np.sum((out + np.append(before, out[:-1])) / 2) * way * speed * dt
    stored = z[TOTAL] ** 2 / 2e8
    # every leg loads the spring up to fc at most by travel, and slips a little; the attraction does the rest
    assert taken < stored
    assert taken > stored - reversals * (3118**2 - 287**2) / 2e8


def test_without_a_falling_branch_it_is_passive_whatever_the_motion():
    law = check_friction({**CURVE, "fs": 287, "sigma": 0, "s0": 1e8})
    k = np.array(law.params.stiffnesses())
    random = np.random.default_rng(3)
    z, taken, dt = np.zeros(STATES), 0.0, 2e-8
    for v in 10.0 ** random.uniform(-6, 0, 60) * random.choice([-1, 1], 60):
        out, before = np.zeros(1000), z[TOTAL]
        course(law.packed(), z, np.full(1000, v), dt, out)
        taken += np.sum((out + np.append(before, out[:-1])) / 2) * v * dt
        assert taken >= np.sum(z[F : F + 4] ** 2 / (2 * k)) - 1e-9


def test_an_element_that_carries_more_than_the_curve_now_allows_slips_down_to_it():
    z, p = np.zeros(STATES), check_friction({**CURVE, "s0": 1e8, "elements": 1}).packed()
    rt_advance(p, z, SLOW, 25e-6 / SLOW)  # 2500 N, sticking
    assert (z[TOTAL], z[SLIP]) == (pytest.approx(2500), 0)
    level, dt = 287 + 2831 * math.exp(-4), 2e-4
    rt_advance(p, z, 0.23, dt)
    assert z[SLIP] == 1
    assert z[TOTAL] == pytest.approx(level + (2500 - level) * math.exp(-1e6 / level * dt), rel=1e-12)
    rt_advance(p, z, -0.23, 1e-6)  # the other way it is a spring again, whatever it carries
    assert z[SLIP] == 0


def test_rest_keeps_the_force_and_makes_every_element_stick():
    z = np.zeros(STATES)
    rt_advance(FOUR.packed(), z, 0.1, 0.1)
    force = z[TOTAL]
    rt_advance(FOUR.packed(), z, 0.0, 10.0)
    assert (z[TOTAL], z[SLIP : SLIP + 4].tolist()) == (force, [0, 0, 0, 0])
    rt_advance(FOUR.packed(), z, SLOW, 1e-6 / SLOW)
    assert z[TOTAL] == pytest.approx(force + 1e8 * 1e-6, rel=1e-9)


def test_the_slip_equation_without_the_rule_of_sticking_would_turn_in_time_and_not_in_travel():
    """As it is printed in places: without switching, 0.1 um of creep after a reversal would reverse all the force."""
    z, v, seconds = np.zeros(STATES), 1e-5, 0.01
    rt_advance(FOUR.packed(), z, v, 1e-3 / v)
    rt_advance(FOUR.packed(), z, -v, seconds)
    printed = 3118 * (2 * math.exp(-1e6 / 3118 * seconds) - 1)
    assert printed < -2800
    assert z[TOTAL] == pytest.approx(3118 - 1e8 * v * seconds, rel=1e-6)


def test_shares_that_do_not_add_up_would_miss_the_curve():
    p, z = FOUR.packed(), np.zeros(STATES)
    p[ALPHA : ALPHA + 4] = 0.2
    rt_advance(p, z, 0.05, 1.0)
    assert rt_force(p, z, 0.05) - 3251 * 0.05 == pytest.approx(0.8 * (FOUR.steady(0.05) - 3251 * 0.05))


@pytest.mark.parametrize("v", [math.nan, math.inf, -math.inf])
def test_a_speed_that_is_no_number_gives_no_force_and_leaves_the_elements(v):
    z = np.zeros(STATES)
    rt_advance(FOUR.packed(), z, 0.01, 1e-3)
    before = z.copy()
    rt_advance(FOUR.packed(), z, v, 1e-3)
    assert z.tolist() == before.tolist()
    assert math.isnan(rt_force(FOUR.packed(), z, v))
    smooth = check_friction({**CURVE, "sigma": 0, "s0": 1e8})
    assert math.isnan(rt_force(smooth.packed(), z, v))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"alpha": [0.5, 0.4], "k": [1e7, 1e7]}, "friction.alpha: (0.5, 0.4) refused, must add up to 1, not 0.9"),
        ({"alpha": [0.5, 0.5], "k": [1e7]}, "friction.alpha: '2 values' refused, k has 1"),
        ({"alpha": [0.5, 0.5]}, "friction.alpha: '2 values' refused, k has 0"),
        ({"k": [1e7]}, "friction.alpha: '0 values' refused, k has 1"),
        ({"alpha": [0.5, 0.5], "k": [1e7, 0]}, "friction.k[1]: 0 refused, must be 1 to 1e+12 N/m"),
        ({"alpha": [0.5, 0.5], "k": [1e7, -1e7]}, "friction.k[1]: -10000000.0 refused"),
        ({"alpha": [1.5, -0.5], "k": [1e7, 1e7]}, "friction.alpha[1]: -0.5 refused"),
        ({"alpha": [1 / 11] * 11, "k": [1e7] * 11}, "must be at most 10 values"),
        ({"alpha": [1], "k": [math.nan]}, "friction.k[0]: nan refused, must be finite"),
        ({}, "friction.s0: missing; unless alpha and k list the elements"),
        ({"alpha": [1], "k": [1e7], "s0": 1e8}, "friction.s0: 100000000.0 refused, k says the stiffnesses already"),
        ({"s0": 1e8, "elements": 11}, "friction.elements: 11 refused"),
        ({"s0": -1e8}, "friction.s0: -100000000.0 refused"),
        ({"s0": 1e8, "C": 0}, "friction.C: 0 refused"),
        ({"s0": 1e8, "fs": 100}, "friction.fs: 100.0 refused, must be at least fc"),
    ],
)
def test_elements_that_do_not_fit_are_refused_with_key_and_reason(changes, words):
    with pytest.raises(BadValues) as refused:
        check_friction({**CURVE, **changes})
    assert words in str(refused.value)


@pytest.mark.parametrize("law", [FOUR, UNEQUAL], ids=["preset", "lists"])
def test_a_table_survives_being_written(law):
    assert check_friction(law.table()) == law


def test_ten_elements_fit_the_packed_words_and_the_state():
    words = TEN.params.words()
    assert len(words) == RATIO + 1 <= len(TEN.packed())
    assert MODELS["gms"].states == SLIP + ELEMENTS <= STATES
