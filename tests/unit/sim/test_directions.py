"""A twin whose seals rub differently in either direction, against a controller that believes them alike."""

import numpy as np
import pytest

from sim.driver import TwinDriver
from sim.resolve import resolve

EXACT = {"null_bias": 0, "hysteresis": 0, "threshold": 0, "slew_per_s": 1e5}
NOMINAL = {"fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}
OTHER = {"fc": 500, "fs": 2000, "vs": 0.05}  # sigma is left out: as in the positive direction


@pytest.fixture
def rig(make_rig):
    made = make_rig({"model": "karnopp", **NOMINAL})
    table = {"friction": {"negative": OTHER}, "valve": EXACT}
    made.config = resolve(table, made.facts)
    made.driver = TwinDriver(made.config, made.facts)
    made.driver.open()
    return made.ready()


def seen(own):
    """Speed, and what the pressures push besides what accelerates the mass: the friction that one can measure."""
    plant, c = own.plant, own.plant.cylinder
    return plant.v, c.A * (plant.pa - plant.pb) - c.m * plant.acceleration


def test_what_the_twin_says_of_one_direction_leaves_the_rest_nominal(rig):
    friction = rig.config.friction
    own = friction.negative
    assert (friction.fs, own.fs, own.vs, own.sigma) == (3118, 2000, 0.05, None)


@pytest.mark.parametrize("command", [0.02, -0.02, 0.12, -0.12])
def test_it_slides_with_the_friction_of_its_direction(rig, command):
    speed, force = rig.run(np.full(400, command), seen).T
    sliding = speed * command > 0
    assert sliding.sum() > 200
    curve = {**NOMINAL, **(OTHER if command < 0 else {})}
    level = curve["fc"] + (curve["fs"] - curve["fc"]) * np.exp(-((speed / curve["vs"]) ** 2))
    expected = np.sign(speed) * level + curve["sigma"] * speed
    assert force[sliding] == pytest.approx(expected[sliding], rel=1e-9, abs=1e-6)


@pytest.mark.parametrize(("command", "most"), [(0.002, 3118), (-0.002, 2000)])
def test_it_sticks_up_to_the_static_friction_of_the_push(rig, command, most):
    speed, force = rig.run(np.full(400, command), seen).T
    first = int(np.argmax(speed != 0))
    assert first > 20
    assert speed[first] * command > 0
    held = np.abs(force[:first])
    assert np.all(np.diff(held) >= 0)
    assert 0.95 * most < held[-1] <= most
