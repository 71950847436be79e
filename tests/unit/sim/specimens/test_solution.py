"""The parts of a pendulum's solution: sines turned on, the reduced systems, starts from anywhere."""

import math

import numpy as np
import pytest

from sim.specimens import Joint, Link, Pendulum, SpecimenConfig
from sim.specimens.blocks import rt_factor, rt_solve, rt_turn
from sim.specimens.fill import specimen_record
from sim.specimens.near import NEAR, rt_sin_cos
from sim.specimens.specimen import rt_accelerate

MOVING = Pendulum(link1=Link(angle_rad=0.7, speed_rad_s=2.0), link2=Link(angle_rad=-0.3, speed_rad_s=-3.0))


def pendulum(own=MOVING, table_kg=50.0):
    return specimen_record(SpecimenConfig(kind="pendulum", pendulum=own), table_kg)


@pytest.mark.parametrize("begin", [0.0, 1.5, -3.1, 400.0])
def test_sine_and_cosine_follow_an_angle_to_the_last_bits(begin):
    near, random = np.zeros(1, NEAR)[0], np.random.default_rng(2)
    near.cos = 1.0
    kept, angle = set(), begin
    for _ in range(3000):
        angle += random.normal(0, 2e-3)
        sine, cosine = rt_sin_cos(near, angle)
        assert abs(sine - math.sin(angle)) <= 2.3e-16
        assert abs(cosine - math.cos(angle)) <= 2.3e-16
        kept.add(float(near.at))
    assert 1 < len(kept) < 500


def test_an_angle_that_is_no_number_is_not_kept_for_good():
    near = np.zeros(1, NEAR)[0]
    assert math.isnan(rt_sin_cos(near, math.nan)[0])
    assert rt_sin_cos(near, 0.3) == (math.sin(0.3), math.cos(0.3))


@pytest.mark.parametrize("pt", [0.0, 0.02, 50.0])
def test_the_reduced_systems_are_the_whole_ones(pt):
    spec = pendulum(Pendulum(link1=Link(m=3.0), link2=Link(m=1.5, length_m=0.8, centre_m=0.3)))
    one, two, random = spec.link1, spec.link2, np.random.default_rng(4)
    for _ in range(20):
        (s1, s2), (c1, c2) = (f(random.uniform(-3, 3, 2)) for f in (np.sin, np.cos))
        v1, v2 = np.array([one.a * c1, one.a * s1, one.b * c1, one.b * s1]), np.array([0, 0, two.a * c2, two.a * s2])
        q1, q2 = v1 + random.normal(0, 0.05, 4), v2 + np.array([0, 0, *random.normal(0, 0.05, 2)])
        whole = np.kron([[1 / one.m, -1 / one.m], [-1 / one.m, 1 / one.m + 1 / two.m]], np.eye(2))
        whole[0, 0] += pt
        whole += np.outer(v1, q1) / one.J + np.outer(v2, q2) / two.J
        rows, r = (*map(float, q1), *map(float, q2[2:])), random.normal(0, 10, 4)
        factors = rt_factor(one, two, pt, float(c1), float(s1), float(c2), float(s2), rows)
        d, turn = rt_solve(factors, rows, *map(float, r))
        assert d == pytest.approx(np.linalg.solve(whole, r), rel=1e-12, abs=1e-12)
        assert turn == pytest.approx([q1 @ d / one.J, q2 @ d / two.J], rel=1e-11, abs=1e-12)
        z = random.normal(0, 1, 2)
        d, turn = rt_turn(factors, *map(float, z))
        assert d == pytest.approx(np.linalg.solve(whole, v1 * z[0] / one.J + v2 * z[1] / two.J), rel=1e-12, abs=1e-12)
        # the torques less what the smaller forces give back
        assert turn == pytest.approx([(z[0] - q1 @ d) / one.J, (z[1] - q2 @ d) / two.J], rel=1e-10, abs=1e-11)


@pytest.mark.parametrize("start", [(0, 0, 0, 0), (1e-3, 2, 1e5, 0), (-30, -50, 20, -10), (1e-200, 0, 0, 1e-200)])
@pytest.mark.parametrize("held", [True, False])
def test_the_solution_is_the_same_from_wherever_it_starts(start, held):
    joint = Joint(radius_m=0.15)
    spec = pendulum(Pendulum(link1=MOVING.link1, link2=MOVING.link2, joint1=joint, joint2=joint))
    spec.y[16:18] = 2e-6, -3e-6
    for _ in range(3):
        true = rt_accelerate(spec, spec.y, spec.rates[0], 0.0, 40.0, held)
    rates = spec.rates[0].copy()
    spec.force[:] = start
    found = rt_accelerate(spec, spec.y, spec.rates[0], 0.0, 40.0, held)
    assert found == pytest.approx(true, rel=1e-12, abs=1e-12)
    assert spec.rates[0] == pytest.approx(rates, rel=1e-12, abs=1e-12)
    assert spec.failures == 0
