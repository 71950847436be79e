"""The parts of a pendulum's solution: sines turned on, masses and levers, starts from anywhere."""

import math

import numpy as np
import pytest

from sim.specimens import Joint, Link, Pendulum, SpecimenConfig
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


@pytest.mark.parametrize("table_kg", [1e-2, 50.0, 1e9])
def test_masses_and_levers_are_those_of_newtons_law(table_kg):
    spec = pendulum(Pendulum(link1=Link(m=3.0), link2=Link(m=1.5, length_m=0.8, centre_m=0.3)), table_kg)
    one, two = spec.link1, spec.link2
    for known, pt in ((spec.free, 1 / table_kg), (spec.firm, 0.0)):
        whole = np.array([[1 / one.m + pt, -1 / one.m], [-1 / one.m, 1 / one.m + 1 / two.m]])
        inverse = np.linalg.inv(whole)
        assert inverse == pytest.approx(np.array([[known.m11, known.m12], [known.m12, known.m22]]), rel=1e-12)
        assert inverse @ [one.a, one.b] == pytest.approx([known.h1, known.k1], rel=1e-12)
        assert inverse @ [0.0, two.a] == pytest.approx([known.h2, known.k2], rel=1e-12)


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
