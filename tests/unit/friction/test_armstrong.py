"""Armstrong's seven parameters against a solution of its own, with every event located."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from hilctl.friction import STATES, check_friction, step_of
from hilctl.friction.armstrong import DWELL, MODELS, SPRING, WAY
from hilctl.params import BadValues

TABLE = {"fc": 287.0, "fv": 3251.0, "dfsa": 1500.0, "dfsinf": 2831.0, "vs": 0.115, "gamma": 0.3, "kt": 1e8}
[MODEL] = MODELS
rt_armstrong = step_of(MODEL)


def law(**changes):
    return check_friction({"model": "armstrong", **TABLE, **changes})


def static(dwell):
    return 1500 + (2831 - 1500) * dwell / (dwell + 0.3)


def exact(travel, speed, stops, tau):
    """The force over time under a smooth motion that stops at these instants, from rest with nothing bent at 0."""
    pieces, bent, since = [], 0.0, 0.0
    for a, b in zip([0.0, *stops[:-1]], stops, strict=True):
        way = math.copysign(1, travel(b) - travel(a))

        def spring(t, a=a, bent=bent):
            return bent + 1e8 * (travel(t) - travel(a))

        def lacks(t, way=way, since=since, spring=spring):
            return way * spring(t) - 287 - static(t - since)

        grid = np.linspace(a, b, 2000)
        over = [k for k, t in enumerate(grid) if lacks(t) >= 0]
        if not over:
            pieces.append((b, b, spring, spring))
            bent = spring(b)
            continue
        breaks = brentq(lacks, grid[over[0] - 1], grid[over[0]], xtol=1e-15)
        excess = static(breaks - since)

        def slide(t, way=way, excess=excess):
            past = speed(t - tau) if t > tau else 0.0
            return way * (287 + excess / (1 + (past / 0.115) ** 2)) + 3251 * speed(t)

        pieces.append((b, breaks, spring, slide))
        bent, since = slide(b), b

    def force(t):
        _, breaks, stuck, slides = next(piece for piece in pieces if t <= piece[0] + 1e-12)
        return stuck(t) if t <= breaks else slides(t)

    return force


def follow(friction, speed, t):
    """Ours at these instants, from the speed in the middle of each step."""
    p, z, out = friction.packed(), np.zeros(STATES), []
    for begin, end in zip([0.0, *t[:-1]], t, strict=True):
        MODEL.advance(p, z, speed(0.5 * (begin + end)), end - begin)
        out.append(MODEL.force(p, z, speed(end)))
    return np.array(out)


@pytest.mark.parametrize("tau", [0.0, 0.003, 0.03])
@pytest.mark.parametrize(("hz", "amplitude"), [(5.0, 4e-3), (5.0, 3e-5), (1.0, 1e-3)])
def test_a_sine_with_reversals_is_followed_through_every_stick_and_slide(tau, hz, amplitude):
    w, period = 2 * np.pi * hz, 1 / hz

    def speed(t):
        return amplitude * w * math.sin(w * t)

    def travel(t):
        return amplitude * (1 - math.cos(w * t))

    n = 4000 * (2 if hz < 5 else 1)
    t = np.arange(1, 2 * n + 1) * period / n
    expected = exact(travel, speed, [period * k / 2 for k in range(1, 5)], tau)
    ours, true = follow(law(tauL=tau), speed, t), np.array([expected(s) for s in t])
    later = t > 0.5 * period  # a sine from rest begins with a kink in the speed
    assert np.max(np.abs(ours - true)[later]) < 1e-6 * 3118
    if amplitude > 1e-4:
        assert np.max(true) > 1700
        assert np.min(true) < -1700


def test_held_speeds_at_random_are_exact_with_rests_and_creeping_sticks():
    rng = np.random.default_rng(11)
    friction = law()
    p, z = friction.packed(), np.zeros(STATES)
    way, bent, dwell, seen = 0.0, 0.0, 0.0, set()
    for _ in range(600):
        v = float(rng.choice([0.0, 1e-5, 1e-3, 0.1, 0.8]) * rng.choice([-1, 1]))
        dt = float(10.0 ** rng.uniform(-5, 0))
        if way * v <= 0:
            if way:
                way, bent, dwell = 0.0, way * (287 + static(dwell)), 0.0
            toward = math.copysign(1, v)

            def lacks(t, v=v, bent=bent, dwell=dwell, toward=toward):
                return toward * (bent + 1e8 * v * t) - 287 - static(dwell + t)

            if v and lacks(0) >= 0:
                way, breaks = toward, 0.0
            elif v and lacks(dt) >= 0:
                way, breaks = toward, brentq(lacks, 0, dt, xtol=1e-300, rtol=1e-15)
            else:
                breaks = dt
                bent += 1e8 * v * dt
            dwell += breaks
        expected = way * (287 + static(dwell) / (1 + (v / 0.115) ** 2)) + 3251 * v if way else bent
        seen.add((way, v == 0))
        assert rt_armstrong(p, z, v, dt) == pytest.approx(expected, rel=1e-10, abs=1e-7)
        bent = z[SPRING] if way == 0 else bent
    assert seen == {(0, True), (0, False), (1, False), (-1, False)}


@pytest.mark.parametrize("rest_s", [0.0, 0.1, 1.0, 100.0])
def test_break_away_rises_with_the_time_of_rest_and_is_over_fc(rest_s):
    p, z = law(fv=0).packed(), np.zeros(STATES)
    rt_armstrong(p, z, 0.0, rest_s)
    felt = [rt_armstrong(p, z, 1e-4, 1e-6 / 1e-4 / 100) for _ in range(20000)]
    assert max(felt) == pytest.approx(287 + static(z[DWELL]), rel=1e-4)
    assert z[DWELL] == pytest.approx(rest_s + (287 + static(z[DWELL])) / 1e8 / 1e-4, rel=1e-9)
    assert z[WAY] == 1


def test_the_force_does_not_jump_where_sliding_ends():
    p, z = law(tauL=0.003).packed(), np.zeros(STATES)
    for v in np.linspace(0.3, 1e-9, 3000):  # from fast to none
        before = rt_armstrong(p, z, v, 2e-5)
    after = rt_armstrong(p, z, -1e-9, 2e-5)
    assert z[WAY] == 0
    assert after == pytest.approx(before, abs=1e-3)
    assert before == pytest.approx(287 + static(z[DWELL]), rel=0.2)
    assert rt_armstrong(p, z, -1e-3, 1e-4) == pytest.approx(after - 1e8 * 1e-7, rel=1e-9)


def test_sliding_remembers_where_it_lags_a_sudden_speed_and_nothing_else():
    p, z = law(tauL=0.01, fv=0, dfsinf=1500).packed(), np.zeros(STATES)
    for _ in range(1000):
        slow = rt_armstrong(p, z, 0.01, 1e-3)
    early = [rt_armstrong(p, z, 0.5, 1e-4) for _ in range(50)]
    assert early == pytest.approx([slow] * 50, rel=1e-9)
    for _ in range(200):
        late = rt_armstrong(p, z, 0.5, 1e-4)
    assert late == pytest.approx(law(fv=0).steady(0.5), rel=1e-9)


def test_a_stick_and_a_slide_resist_with_the_same_sign_where_the_printed_spring_pushes():
    p, z = law(tauL=0.0).packed(), np.zeros(STATES)
    stuck = rt_armstrong(p, z, 1e-3, 1e-2)
    assert z[WAY] == 0
    assert stuck == pytest.approx(1e8 * 1e-5)
    slides = rt_armstrong(p, z, 1e-3, 1e-2)
    assert z[WAY] == 1
    printed = -1e8 * (z[SPRING] / 1e8)  # Ff = -kt x, beside a slide with + sgn v
    assert slides - printed > 2 * (287 + 1500)  # it would jump by twice the break-away
    assert slides == pytest.approx(z[SPRING] + 3.251, rel=1e-4)


def test_at_rest_it_is_a_spring_without_damping_and_steady_sliding_hardly_paused():
    declared = law()
    assert (declared.params.spring, declared.params.damping, declared.params.viscous) == (1e8, 0, 3251)
    assert declared.steady(0.115) == pytest.approx(287 + 750 + 3251 * 0.115)
    assert declared.steady(-0.115) == -declared.steady(0.115)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("kt", -1e8), ("fc", 0), ("fv", -1), ("dfsa", -1), ("dfsinf", 1499), ("vs", 0), ("gamma", 0), ("tauL", 1),
        ("tauL", 1e-8), ("tauL", -0.001),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_name(key, value):
    with pytest.raises(BadValues, match=rf"friction\.{key}"):
        law(**{key: value})
