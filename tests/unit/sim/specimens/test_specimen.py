"""The interface that a plant takes a specimen in by: held and free tables, tried steps, projection, bad numbers."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.specimens import Link, Pendulum, SpecimenConfig
from sim.specimens.fill import specimen_record
from sim.specimens.joint import rt_arm, rt_deflect_pin
from sim.specimens.pendulum import rt_gap_pendulum
from sim.specimens.record import LOSS, TURN1, VX1, VX2, VY1, VY2, W1, W2, X1, X2, Y1, Y2
from sim.specimens.specimen import rt_accelerate, rt_commit, rt_end, rt_project, rt_relax, rt_stage

MOVING = Pendulum(link1=Link(angle_rad=0.7, speed_rad_s=2.0), link2=Link(angle_rad=-0.3, speed_rad_s=-3.0))
JOINT = specimen_record(SpecimenConfig(kind="pendulum"), 500.0).joint1


def pendulum(own=MOVING, table_kg=500.0):
    return specimen_record(SpecimenConfig(kind="pendulum", pendulum=own), table_kg)


def energy(spec):
    y, one, two = spec.y, spec.link1, spec.link2
    kinetic = one.m * (y[VX1] ** 2 + y[VY1] ** 2) + one.J * y[W1] ** 2
    kinetic += two.m * (y[VX2] ** 2 + y[VY2] ** 2) + two.J * y[W2] ** 2
    return kinetic / 2 + spec.gravity * (one.m * y[Y1] + two.m * y[Y2])


def test_force_and_reaction_give_the_tables_acceleration_and_a_held_table_has_none():
    spec = pendulum()
    free, push = rt_accelerate(spec, spec.y, spec.rates[0], 0.0, 700.0, False)
    assert free == pytest.approx((700.0 + push) / 500.0, rel=1e-12)
    held, pull = rt_accelerate(spec, spec.y, spec.rates[1], 0.0, 700.0, True)
    assert held == 0.0
    assert pull != push
    assert rt_accelerate(spec, spec.y, spec.rates[2], 0.0, -1e6, True) == pytest.approx((0.0, pull), rel=1e-12)
    # a table that is pushed so that it does not accelerate is as good as held
    assert rt_accelerate(spec, spec.y, spec.rates[3], 0.0, -pull, False) == pytest.approx((0.0, pull), abs=1e-9)


def test_a_step_may_be_tried_at_any_length_before_it_is_taken():
    tried, straight = pendulum(), pendulum()
    for spec in (tried, straight):
        rt_relax(spec, spec.y, 1e-3)
    begin = tried.y.copy()

    def step(spec, dt):
        for stage, ahead in enumerate((dt / 2, dt / 2, dt)):
            y = spec.trial if stage else spec.y
            rt_accelerate(spec, y, spec.rates[stage], 0.0, 0.0, True)
            rt_stage(spec, stage, ahead)
        rt_accelerate(spec, spec.trial, spec.rates[3], 0.0, 0.0, True)
        rt_end(spec, dt)

    for dt in (1e-3, 3e-4, 7e-4):
        step(tried, dt)
        assert (tried.y == begin).all()
    step(tried, 5e-4)
    rt_commit(tried)
    step(straight, 5e-4)
    rt_commit(straight)
    assert tried.y == pytest.approx(straight.y, rel=1e-13, abs=1e-15)
    assert tried.y[LOSS] > 0
    assert (tried.end == tried.y).all()  # bristles and all: a caller may ask what the forces are there


def test_projection_closes_the_joints_and_leaves_the_energy_alone():
    spec, random = pendulum(), np.random.default_rng(1)
    for word in (X1, Y1, TURN1, X2, Y2, VX1, VY1, W1, VX2, VY2, W2):
        spec.y[word] += random.normal(0, 1e-7)
    before = energy(spec)
    assert rt_gap_pendulum(spec, spec.y) > 1e-8
    rt_project(spec, spec.y, 0.0)
    assert rt_gap_pendulum(spec, spec.y) < 1e-13  # the square of what it was
    assert energy(spec) == pytest.approx(before, abs=3e-13)
    y, one = spec.y, spec.link1
    assert y[VX1] == pytest.approx(one.a * math.cos(y[TURN1]) * y[W1], abs=1e-12)


def test_projection_takes_the_tables_speed_along():
    spec = pendulum()
    for word in (VX1, VX2):
        spec.y[word] += 0.4
    begin = spec.y.copy()
    rt_project(spec, spec.y, 0.4)
    assert spec.y == pytest.approx(begin, abs=1e-15)


def test_a_number_that_is_none_is_counted_and_forgotten():
    spec = pendulum()
    good = rt_accelerate(spec, spec.y, spec.rates[0], 0.0, 0.0, False)
    for count, bad in enumerate((math.nan, math.inf)):
        assert not math.isfinite(rt_accelerate(spec, spec.y, spec.rates[1], 0.0, bad, False)[0])
        assert spec.failures == count + 1
    assert rt_accelerate(spec, spec.y, spec.rates[0], 0.0, 0.0, False) == pytest.approx(good, rel=1e-11)
    assert spec.failures == 2


@given(st.floats(-30, 30), st.floats(-4e-6, 4e-6), st.floats(1e-7, 1e-2), st.integers(2, 20))
def test_one_step_of_a_pins_bristles_is_as_good_as_many(turning, z, dt, parts):
    one, many = rt_deflect_pin(JOINT, z, turning, dt), z
    for _ in range(parts):
        many = rt_deflect_pin(JOINT, many, turning, dt / parts)
    assert one == pytest.approx(many, abs=1e-18, rel=1e-9)
    assert abs(one) <= 4e-6 * (1 + 1e-12)


@given(st.floats(-100, 100), st.floats(-4e-6, 4e-6))
def test_the_arm_of_friction_is_shorter_than_the_pins_radius_and_sliding_takes_energy(turning, z):
    arm, share = rt_arm(JOINT, z, turning)
    assert abs(arm) < 0.05
    assert 0 < share <= 1
    if abs(turning) > 1e-9:
        slid = rt_deflect_pin(JOINT, z, turning, 10 / abs(turning))
        assert rt_arm(JOINT, slid, turning)[0] * turning > 0


def test_relaxing_moves_nothing_but_the_bristles():
    spec = pendulum()
    begin = spec.y.copy()
    rt_relax(spec, spec.y, 1e-4)
    assert (spec.y[:16] == begin[:16]).all()
    assert spec.y[16] > 0 > spec.y[17]


PLAIN = """
from sim.specimens import *
motion = simulate(SpecimenConfig(kind="pendulum"), 0.02, table=Table(30.0, 50.0))
print(*motion.angles_rad[-1], *motion.normal_n[-1], motion.table_m[-1])
"""


def test_plain_python_computes_the_same():
    told = []
    for plain in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": plain}
        command = [sys.executable, "-c", PLAIN]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        told.append([float(word) for word in done.stdout.split()])
    assert told[0] == pytest.approx(told[1], rel=1e-12)
