"""Friction in the inverse model: bristles, reversals, and what is held at rest."""

import math

import numpy as np
import pytest

from hilctl.friction import rt_friction, rt_steady
from hilctl.law.inverse import INVERSE, _rt_friction, _rt_jump_lead
from hilctl.law.reference import POINT
from tests.forms import blank, filled
from tests.unit.law.test_inverse_steps import _settings

pytestmark = pytest.mark.usefixtures("forms")
H = 1e-4
MODELS = ("karnopp", "lugre", "gms")


class Path:
    """Points along a reference, and the friction at each."""

    def __init__(self, model, held=0.0, width=10, last=0.0):
        settings = _settings(model, False)
        self.machine, self.friction, self.point = settings.machine, settings.friction, blank(POINT)
        self.s = filled(INVERSE)
        self.s.resting, self.s.moved, self.s.held, self.s.width = 1, 0, held, width
        self.s.offset, self.s.last = 0.0, last
        self.s.z[:] = 0.0

    def at(self, v, a=0.0, j=0.0):
        self.point.v_m_s, self.point.a_m_s2, self.point.j_m_s3 = v, a, j
        return _rt_friction(self.machine, self.friction, self.point, H, self.s)

    def steady(self, v):
        return rt_steady(self.friction.code, self.friction.p, math.copysign(1.0, v), v)


def test_static_friction_is_that_of_the_speed():
    path = Path("karnopp")
    for v in (0.1, 0.02, 1e-4, -1e-4, -0.3):
        assert path.at(v) == pytest.approx(path.steady(v), rel=1e-12)
        assert path.s.last == path.steady(v)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("held", [700.0, -500.0, 0.0])
def test_a_motion_begins_from_what_is_held_as_if_it_had_always_been_there(model, held):
    path = Path(model, held=held)
    before = path.s.copy()
    assert path.at(0.0, 0.5) == held
    assert (path.s.moved, path.s.resting) == (1, 0)
    assert path.s.means == pytest.approx(before.means + held, abs=1e-9)
    assert path.s.pressure == pytest.approx(before.pressure + held / path.machine.A, rel=1e-9)
    if model != "karnopp":
        assert abs(path.s.offset) < 150.0, "bristles hold the most of it"


@pytest.mark.parametrize("model", MODELS[1:])
@pytest.mark.parametrize("held", [700.0, -500.0])
def test_bristles_hold_what_is_held_when_a_motion_begins_and_forget_it_on_the_way(model, held):
    path = Path(model, held=held)
    path.at(0.0, 0.5)
    z, offset = path.s.z.copy(), path.s.offset
    assert path.at(1e-4, 0.5) == pytest.approx(held, abs=0.3 * abs(held))
    own = rt_friction(path.friction.code, path.friction.p, z, 1e-4, H)
    assert path.s.last == pytest.approx(own + offset * math.exp(-1e-8 / path.friction.reach_m))
    for _ in range(3000):
        path.at(0.05, 0.5)
    assert path.s.offset == pytest.approx(0.0, abs=1e-6)
    assert path.s.last == pytest.approx(path.steady(0.05), rel=1e-3)


@pytest.mark.parametrize("model", MODELS[1:])
@pytest.mark.parametrize("held", [300.0, -300.0])
def test_without_a_past_bristles_slid_towards_what_is_held_and_were_bent_to_it(model, held):
    """By hand: sliding first, then creeping by a thirty-second of the way until the force is passed."""
    path = Path(model, held=held)
    path.at(0.0, 0.5)
    z, reach = np.zeros(len(path.s.z)), path.friction.reach_m
    force = rt_friction(path.friction.code, path.friction.p, z, math.copysign(1e-4, held), 10 * reach / 1e-4)
    side = math.copysign(1.0, held - force)
    for _ in range(320):
        if (held - force) * side <= 0:
            break
        force = rt_friction(path.friction.code, path.friction.p, z, side * 1e-4, reach / 32 / 1e-4)
    assert path.s.z == pytest.approx(z, rel=1e-12, abs=1e-15)
    assert path.s.offset == pytest.approx(held - force, abs=1e-9)


@pytest.mark.parametrize("model", MODELS[1:])
def test_with_a_past_bristles_are_bent_on_from_where_they_are(model):
    path = Path(model)
    path.at(0.0, 0.5)
    for _ in range(200):
        path.at(0.01, 0.5)
    path.at(0.0, 0.0)
    assert path.s.held == path.s.last
    assert path.s.resting == 1
    z, force, held = path.s.z.copy(), path.s.last, 0.5 * path.s.last
    path.s.held = held
    path.at(0.0, -0.5)
    for _ in range(320):
        if force <= held:
            break
        force = rt_friction(path.friction.code, path.friction.p, z, -1e-4, path.friction.reach_m / 32 / 1e-4)
    assert path.s.z == pytest.approx(z, rel=1e-12, abs=1e-15)
    assert path.s.offset == pytest.approx(held - force, abs=1e-9)
    assert path.s.last == held


def test_what_cannot_be_held_is_held_by_an_offset():
    path = Path("lugre", held=1e6)
    path.at(0.0, 0.5)
    assert path.s.last == 1e6
    assert path.s.offset == pytest.approx(1e6, rel=0.05)


def test_at_rest_and_at_a_turn_friction_is_what_it_was():
    path = Path("karnopp", held=50.0, last=300.0)
    assert path.at(0.0) == 300.0
    assert (path.s.moved, path.s.resting, path.s.held) == (0, 1, 50.0)
    path.at(0.2, 0.5)
    last = path.s.last
    assert path.at(0.0, 0.5) == last
    assert path.s.resting == 0
    assert path.at(0.0, 0.0) == last
    assert (path.s.resting, path.s.held) == (1, last)


def test_only_speed_that_falls_turns_early_and_within_half_of_the_smoothing_at_most():
    """The lead is shorter than half of the smoothing time, which is 4 ms; acceleration is that of a slow reversal."""
    for sign in (1.0, -1.0):
        path = Path("karnopp")
        path.at(sign * 0.2)
        a = -sign * 0.1
        lead = _rt_jump_lead(path.machine, path.friction, a, 4e-3)
        assert 0.0 < lead < 2e-3
        for share, turned in ((1.02, False), (0.98, True), (0.3, True)):
            v = -share * lead * a
            assert path.at(v, a) == pytest.approx(path.steady(v + lead * a) if turned else path.steady(v), rel=1e-12)
            assert math.copysign(1.0, path.s.last) == (-sign if turned else sign)
            assert path.at(v, -a) == pytest.approx(path.steady(v), rel=1e-12), "it goes faster"


def test_a_motion_that_ends_does_not_turn():
    """Its jerk brings acceleration to zero with speed: v = j t²/2, a = -j t."""
    path = Path("karnopp")
    path.at(0.2)
    for t in (1e-4, 3e-4, 1e-3):
        v = 1000.0 * t * t / 2
        assert path.at(v, -1000.0 * t, 1000.0) == pytest.approx(path.steady(v), rel=1e-12)


def test_an_acceleration_that_lets_nothing_stick_turns_at_the_reversal():
    path = Path("karnopp")
    path.at(0.2)
    a = -2.2 * path.steady(1e-9) / path.machine.m
    assert path.at(1e-6, a) == path.steady(1e-6)
    assert path.at(-1e-6, a) == path.steady(-1e-6)


@pytest.mark.parametrize(("v", "a"), [(0.015, -0.1), (1e-5, 0.1)])
def test_no_jerk_turns_friction_far_from_a_reversal_nor_on_the_way_from_it(v, a):
    path = Path("karnopp")
    path.at(0.2)
    for sign in (1.0, -1.0):
        assert path.at(sign * v, sign * a, -sign * 1e6) == pytest.approx(path.steady(sign * v), rel=1e-12)


def test_a_constant_speed_is_no_rest():
    path = Path("karnopp", held=50.0)
    path.at(0.2, 0.5)
    path.at(0.2, 0.0)
    assert (path.s.resting, path.s.held) == (0, 50.0)


@pytest.mark.parametrize("model", MODELS)
def test_next_to_rest_friction_does_not_turn_round(model):
    """As a spline does that comes to rest: it swings about it."""
    path = Path(model)
    last = [path.at(v, -0.01) for v in np.linspace(1e-3, 1e-5, 50)][-1]
    assert last != 0.0
    assert {path.at(v, a) for v, a in ((-1e-8, 1e-5), (1e-8, -1e-5), (-1e-160, 1e-158), (0.0, 0.0))} == {last}
