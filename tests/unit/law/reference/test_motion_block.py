"""A motion part after part: lead-in, body, lead-out, rest; and the motions that hold and that stop."""

import math

import numpy as np
import pytest

from hilctl.law.reference.motion import (
    ENDLESS_S,
    MOTION,
    Kind,
    rt_hold_motion,
    rt_reference,
    rt_stop_motion,
)
from hilctl.law.reference.move import MOVE, rt_move
from hilctl.law.reference.stop import STOP, rt_plan_stop, rt_stop
from tests.forms import blank, changed, filled
from tests.unit.law.reference.models import jet, point, smooth_step

pytestmark = pytest.mark.usefixtures("forms")
KNOTS = np.full(20, 0.07)
LEAD, BODY, OUT = 1.0, 4.0, 2.0


def motion(kind):
    """Its parts do not join: so it shows which of them an instant belongs to."""
    m = blank(MOTION)
    m.kind, m.body_s = kind, BODY
    m.lead.from_m, m.lead.to_m, m.lead.duration_s = 0.1, 0.2, LEAD
    m.out.from_m, m.out.to_m, m.out.duration_s = 0.3, 0.4, OUT
    m.sine.center_m, m.sine.amplitude_m, m.sine.frequency_hz = 0.03, 0.01, 0.5
    m.triangle.center_m, m.triangle.speed_m_s, m.triangle.reach_m = 0.05, 0.01, 0.004
    m.triangle.straight_s, m.triangle.corner_s = 0.8, 0.2
    m.chirp.center_m, m.chirp.amplitude_m, m.chirp.start_hz = 0.06, 0.01, 0.25
    m.wave.center_m, m.wave.knot_s, m.wave.count = 0.01, 1.0, 9
    return m


def at(m, t):
    out = point()
    return rt_reference(m, KNOTS, t, out), out.tolist()


def test_a_move_is_the_smooth_step_over_its_distance():
    move, out = blank(MOVE), point()
    move.from_m, move.to_m, move.duration_s = 0.1, -0.3, 1.6
    rt_move(move, 0.5, out)
    wanted = jet(lambda t: 0.1 - 0.4 * smooth_step(t / 1.6), 0.5, 0.05)
    assert out.tolist() == pytest.approx(wanted, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("t", [49.0, 50.0])
def test_a_move_is_over_at_its_end_and_exactly_there(t):
    move, out = blank(MOVE), point()
    move.from_m, move.to_m, move.duration_s = -0.3, 0.1, 49.0  # in binary, -0.3 + (0.1 - -0.3) is not 0.1
    rt_move(move, t, out)
    assert out.tolist() == (0.1, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("kind", "x"),
    [
        (Kind.SINE, lambda u: 0.03 + 0.01 * math.sin(math.pi * u)),
        (Kind.TRIANGLE, lambda u: 0.05 + 0.01 * (u - 0.1) - 0.004),
        (Kind.CHIRP, lambda u: 0.06 + 0.01 * math.sin(0.5 * math.pi * u)),
        (Kind.WAVEFORM, lambda u: 0.08),
    ],
)
def test_each_kind_has_its_body_after_the_lead_in(kind, x):
    state, out = at(motion(kind), LEAD + 0.3)
    assert state == 0
    assert out[0] == pytest.approx(x(0.3), abs=1e-12)


def test_an_instant_at_a_seam_belongs_to_what_follows():
    m = motion(Kind.WAVEFORM)
    assert at(m, 0.0) == (0, (0.1, 0.0, 0.0, 0.0))
    assert at(m, 0.5)[1][0] == pytest.approx(0.15)
    assert at(m, LEAD)[1][0] == pytest.approx(0.08)
    assert at(m, LEAD + BODY) == (0, (0.3, 0.0, 0.0, 0.0))
    assert at(m, LEAD + BODY + 1.0)[1][0] == pytest.approx(0.35)
    assert at(m, LEAD + BODY + 1.99)[0] == 0
    for t in (LEAD + BODY + OUT, LEAD + BODY + OUT + 1.0):
        assert at(m, t) == (1, (0.4, 0.0, 0.0, 0.0))


def test_what_has_a_soft_end_comes_to_rest_at_the_end_of_the_body():
    """The sine and the sweep by their ramps, the triangle by half a corner."""
    for kind, name in ((Kind.SINE, "sine"), (Kind.CHIRP, "chirp")):
        m = motion(kind)
        m[name].rise_s = m[name].fall_s = 1.0
        assert at(m, LEAD + BODY - 1e-3)[1][0] == pytest.approx(m[name].center_m, abs=1e-9)
    m = motion(Kind.TRIANGLE)
    assert at(m, LEAD + BODY - 1e-6)[1][1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("t", [math.inf, math.nan, 3 * ENDLESS_S])
def test_at_an_instant_that_is_none_a_motion_has_ended_and_an_endless_one_goes_on(t):
    assert at(motion(Kind.SINE), t) == (1, (0.4, 0.0, 0.0, 0.0))
    endless = motion(Kind.SINE)
    endless.body_s = ENDLESS_S
    state, out = at(endless, t)
    assert state == 0
    assert abs(out[0] - 0.03) <= 0.01


def test_a_hold_rests_at_its_place_from_its_start_and_keeps_what_it_does_not_use():
    m = filled(MOTION)
    before = m.copy()
    rt_hold_motion(0.031, 9, m)
    assert changed(before, m) == {"id": 9, "kind": Kind.HOLD, "peak_m_s": 0.0, "peak_m_s2": 0.0, "lead.duration_s": 0.0,
                                  "body_s": 0.0, "out.duration_s": 0.0, "out.to_m": 0.031}  # fmt: skip
    for t in (0.0, 1.0, 1e9):
        assert at(m, t) == (1, (0.031, 0.0, 0.0, 0.0))


def test_a_stop_is_planned_from_the_point_and_lasts_until_it_rests():
    m, stop, start = filled(MOTION), filled(STOP), point()
    start.x_m, start.v_m_s, start.a_m_s2, start.j_m_s3 = 0.01, 0.8, -3.0, 200.0
    before = m.copy()
    rt_stop_motion(start, 10.0, 1500.0, 7, m)
    rt_plan_stop(start, 10.0, 1500.0, stop)
    assert m.stop.tolist() == stop.tolist()
    assert {k: v for k, v in changed(before, m).items() if not k.startswith("stop.")} == {
        "id": 7, "kind": Kind.STOP, "peak_m_s": 0.8, "peak_m_s2": 10.0, "lead.duration_s": 0.0, "out.duration_s": 0.0,
        "body_s": pytest.approx(stop.turn_s + stop.plateau_s + stop.release_s), "out.to_m": stop.rest_m,
    }  # fmt: skip


def test_a_stop_begins_at_its_point_runs_as_planned_and_rests():
    m, start, wanted = blank(MOTION), point(), point()
    start.x_m, start.v_m_s = 0.01, 0.8
    rt_stop_motion(start, 10.0, 1500.0, 7, m)
    assert at(m, -1.0) == at(m, 0.0) == (0, start.tolist())
    assert rt_stop(m.stop, 0.03, wanted) == 0
    assert at(m, 0.03) == (0, wanted.tolist())
    assert at(m, 1.5) == (1, (m.stop.rest_m, 0.0, 0.0, 0.0))
