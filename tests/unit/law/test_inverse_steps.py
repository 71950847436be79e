"""The inverse model, grid point by grid point, against the same equations written out for whole arrays."""

import functools
import math

import numpy as np
import pytest

from hilctl.friction import MODELS, rt_friction, rt_steady
from hilctl.law.inverse import (
    _BEFORE,
    _RESTS_M_S,
    INVERSE,
    RING,
    rt_inverse_advance,
    rt_inverse_command,
    rt_inverse_opening,
    rt_inverse_pressure,
    rt_inverse_rewind,
    rt_inverse_side,
    rt_inverse_stop,
)
from hilctl.law.reference import HISTORY, POINT, rt_history_put
from hilctl.law.settings import pack_settings
from hilctl.rig import load
from tests.forms import blank, changed, filled

pytestmark = pytest.mark.usefixtures("forms")
DT, LEAD, PAST = 1e-3, 7, 24
STEPS = 10
H = DT / STEPS
GRAVITY = 9.80665


@functools.cache
def _settings(model, none):
    zero = dict.fromkeys(("fc", "fs", "sigma"), 0.0) if none else dict(MODELS[model].typical)
    changes = {"friction.model": model, **{f"friction.{key}": value for key, value in zero.items()}}
    rig = load("table-500", twin=True, changes=changes)
    return pack_settings(rig.controller, rig.friction, DT, 1)


def machine_of(settings, **changes):
    """A machine in which every figure counts."""
    machine = settings.machine
    machine.B, machine.K, machine.vertical = 700.0, 9e4, 1
    for name, value in changes.items():
        machine[name] = value
    return machine


class Run:
    """A reference `t -> (x, v, a, j)` from tick 0 to `ticks`, through the blocks and through arrays."""

    def __init__(self, reference, ticks, model="karnopp", none=False, smooth_s=1.2e-3, held=math.nan, supply=math.nan,
                 preview_s=0.0, **machine):  # fmt: skip
        settings = _settings(model, none).copy()
        self.m, self.friction, self.smooth_s = machine_of(settings, **machine), settings.friction, smooth_s
        self.reference, self.ticks = reference, ticks
        self.s, history, point = filled(INVERSE), blank(HISTORY), blank(POINT)
        self.s.running = 0
        self.out = np.zeros((ticks, 2))
        for tick in range(-40, ticks + LEAD):
            point.x_m, point.v_m_s, point.a_m_s2, point.j_m_s3 = reference(tick * DT)
            rt_history_put(history, tick, point)
            if tick < LEAD:
                continue
            now = tick - LEAD
            still = reference(now * DT)[1] == 0.0
            rt_inverse_advance(self.m, self.friction, supply, held if still else math.nan, smooth_s, 3e-3, history,
                               tick, now, DT, self.s)  # fmt: skip
            self.out[now] = rt_inverse_command(now, preview_s, DT, self.s), rt_inverse_pressure(now, self.s)
        self.preview_s, self.supply = preview_s, self.m.Ps if math.isnan(supply) else supply
        self.held = 0.0 if math.isnan(held) else held
        self._arrays()

    def _friction(self, v):
        """Of the static law, or of the bristles, along the grid."""
        if self.friction.reach_m == 0.0:
            return np.array([rt_steady(self.friction.code, self.friction.p, math.copysign(1.0, one), one)
                             if abs(one) >= _RESTS_M_S else 0.0 for one in v])  # fmt: skip
        z, out, offset, last, begun = np.zeros(len(self.s.z)), [], 0.0, 0.0, False
        for one in v:
            if abs(one) >= _RESTS_M_S:
                begun = True
                last = rt_friction(self.friction.code, self.friction.p, z, one, H) + offset
            out.append(last)
        assert begun
        return np.array(out)

    def _arrays(self):
        first = (0 - PAST) * STEPS
        grid = np.arange(first, (self.ticks + LEAD) * STEPS)
        x, v, a, _ = (np.array(one) for one in zip(*(self.reference(g * H) for g in grid), strict=True))
        m, width = self.m, self.s.width
        friction = self._friction(v)
        moves = np.flatnonzero(np.abs(v) >= _RESTS_M_S)
        begin = moves[0] if len(moves) else len(v)
        friction[:begin] = self.held
        smooth = np.concatenate([np.full(4 * width, friction[0]), friction])
        for _ in range(4):
            smooth = np.convolve(smooth, np.ones(width) / width)[: len(smooth)]
        late = 4 * (width - 1) // 2
        smooth = smooth[4 * width :]
        smooth = np.concatenate([smooth[late:], np.full(late, np.nan)])
        weight = m.m * GRAVITY if m.vertical else 0.0
        load = (m.m * a + m.B * v + m.K * x + weight + smooth) / m.A
        rate = np.gradient(load, H)
        opening, total = np.zeros(len(grid)), self.supply
        for k in range(len(grid)):
            if math.isnan(rate[k]):
                opening[k] = np.nan
                continue
            opening[k], total = self._opening(x[k], v[k], load[k], rate[k], total)
        self.total = total
        slope = (opening[2:] - opening[:-2]) / (2 * H)
        bend = (opening[2:] - 2 * opening[1:-1] + opening[:-2]) / H**2
        command = opening.copy()
        command[1:-1] += 2 * m.zv / m.wv * slope + bend / m.wv**2
        fine = np.linspace(0, 1, 4001)[:-1] + 1 / 8000
        self.command = np.array([
            np.mean(np.interp(((k + 1 + fine) * DT + self.preview_s) / H, grid, command)) for k in range(self.ticks)
        ])  # fmt: skip
        self.pressure = load[-first :: STEPS][: self.ticks]

    def _opening(self, x, v, load, rate, total):
        """Both chambers' equations, of which the difference is solved for U."""
        m = self.m
        va, vb = (max(m.Vt / 2 + side * m.A * x, 0.01 * m.Vt) for side in (1, -1))
        pa, pb = (total + load) / 2, (total - load) / 2
        flow = m.A * v + m.Ctc * load
        opens = rate + (m.beta / va + m.beta / vb) * flow >= 0
        drops = (self.supply - pa, pb) if opens else (pa, self.supply - pb)
        qa, qb = (m.Qn * math.sqrt(2 * max(d, 0.1 * m.Ps) / m.Ps) for d in drops)
        # pA' - pB' = rate
        u = (rate + m.beta / va * flow + m.beta / vb * flow) / (m.beta / va * qa + m.beta / vb * qb)
        total += H * (m.beta / va * (qa * u - flow) + m.beta / vb * (flow - qb * u) + (self.supply - total) / 0.5)
        return u, total

    def agrees(self, since=0):
        """Commands and pressures alike. Before a motion begins no command is made for the friction that is held."""
        assert self.out[:, 1] == pytest.approx(self.pressure, rel=1e-9, abs=1e-3)
        most = np.max(np.abs(self.command[since:]))
        assert most > 1e-3
        assert np.max(np.abs(self.out[since:, 0] - self.command[since:])) < 1e-9 * most


def smooth_start(x=0.03, sign=1.0, size=2e4):
    """Rest, then x of the fourth power of time: jerk is continuous at the start."""

    def at(t):
        u = max(t - 4 * DT, 0.0)
        return x + sign * size * u**4 / 24, sign * size * u**3 / 6, sign * size * u * u / 2, sign * size * u

    return at


@pytest.mark.parametrize(("sign", "x", "supply"), [(1.0, 0.03, math.nan), (-1.0, -0.05, 14e6)])
def test_without_friction_commands_and_pressures_are_those_of_the_machine(sign, x, supply):
    Run(smooth_start(x, sign), 14, none=True, supply=supply, preview_s=0.00037).agrees()


@pytest.mark.parametrize("held", [400.0, -900.0])
def test_static_friction_is_smoothed_and_begins_from_what_holds_the_table(held):
    Run(smooth_start(), 14, held=held, preview_s=0.0001).agrees(since=4)


@pytest.mark.parametrize("width_s", [0.0, 2e-3])
def test_the_smoothing_is_as_wide_as_is_asked_for(width_s):
    run = Run(smooth_start(), 10, held=400.0, smooth_s=width_s)
    assert run.s.width == max(1, round(width_s / H / 4))
    run.agrees(since=4)


def test_a_horizontal_machine_bears_no_weight():
    run = Run(smooth_start(), 8, none=True, vertical=0, K=0.0)
    assert run.out[0, 1] == 0.0
    run.agrees()


def test_a_supply_too_low_for_the_load_gives_no_more_flow_than_a_tenth_of_it_would():
    for sign in (1.0, -1.0):
        Run(smooth_start(0.0, sign, 1.6e6), 14, none=True, supply=3e6, m=1500.0).agrees()


def test_at_the_end_of_the_stroke_a_chamber_is_never_empty():
    for x in (0.6, -0.6):
        Run(smooth_start(x), 8, none=True, K=0.0).agrees()


def test_a_rest_takes_what_leaks_and_the_pressure_of_spring_and_weight():
    run = Run(lambda t: (0.02, 0.0, 0.0, 0.0), 6)
    run.agrees()
    assert np.max(np.abs(np.diff(run.out[:, 0]))) < 1e-12, "what leaks alone"
    m = run.m
    assert run.out[:, 1] == pytest.approx(np.full(6, (m.K * 0.02 + m.m * GRAVITY) / m.A), rel=1e-12)
    assert run.s.moved == 0
    assert run.s.resting == 1


def fresh(held=0.0, supply=math.nan, tick=0, smooth_s=1.2e-3, dt_s=DT, head=3, state=None):
    """One advance, at rest."""
    settings = _settings("karnopp", False)
    s = blank(INVERSE) if state is None else state
    rt_inverse_advance(settings.machine, settings.friction, supply, held, smooth_s, 3e-3, blank(HISTORY), tick + head,
                       tick, dt_s, s)  # fmt: skip
    return s


@pytest.mark.parametrize(
    ("dt_s", "steps"), [(1e-3, 10), (1.5e-4, 2), (2.5e-4, 3), (0.02, 64)]
)
def test_the_grid_is_a_tenth_of_a_millisecond_or_finer(dt_s, steps):
    s = fresh(dt_s=dt_s)
    assert s.steps == steps
    assert s.done == 3 * steps


@pytest.mark.many(quick=3)
@pytest.mark.parametrize(
    ("smooth_s", "head", "width"), [(4e-3, 12, 10), (0.0, 4, 1), (1.0, 20, 64), (1.0, 4, 9),
                                    (1.0, 3, 4), (1.0, 0, 1)]
)  # fmt: skip
def test_the_smoothing_takes_no_more_than_is_known_ahead(smooth_s, head, width):
    assert fresh(smooth_s=smooth_s, head=head).width == width


def test_the_measured_supply_and_the_friction_at_rest_are_averaged():
    s = fresh(held=300.0, supply=15e6)
    assert (s.supply, s.held) == (15e6, 300.0)
    fresh(held=800.0, supply=16e6, tick=1, state=s)
    assert s.supply == pytest.approx(15e6 + 1e6 * DT / (DT + 0.02))
    assert s.held == pytest.approx(300.0 + 500.0 * DT / (DT + 0.05))
    before = s.supply, s.held
    fresh(held=math.nan, supply=math.nan, tick=2, state=s)
    assert (s.supply, s.held) == before
    s = fresh(held=math.nan, supply=math.nan)
    assert (s.supply, s.held) == (_settings("karnopp", False).machine.Ps, 0.0)


def test_it_stops_and_starts_again_from_nothing():
    s = filled(INVERSE)
    before = s.copy()
    rt_inverse_stop(s)
    assert changed(before, s) == {"running": 0}
    fresh(held=5.0, state=s)
    clean = fresh(held=5.0)
    assert changed(clean, s) in ({}, {"width": int(s.width)}) or not set(changed(clean, s)) - {"means"}


@pytest.mark.parametrize(("running", "tick", "done"), [(1, 3, 30), (1, 7, 50), (0, 3, 50), (1, 5, 50)])
def test_it_runs_again_through_a_reference_that_was_changed(running, tick, done):
    s = filled(INVERSE)
    s.running, s.steps, s.done = running, 10, 50
    before = s.copy()
    rt_inverse_rewind(tick, s)
    assert s.done == done
    assert set(changed(before, s)) <= {"done"}


def test_a_command_beyond_what_is_known_is_the_last_that_is_known():
    run = Run(smooth_start(), 10, held=400.0)
    far = rt_inverse_command(9, 0.02, DT, run.s)
    newest = run.s.done - 4 * (run.s.width - 1) // 2 - 2
    assert far == pytest.approx(run.s.command[newest & 1023], rel=1e-12)
    assert far != 0.0


def ramps(width=5, crosses=9, steps=10, done=500):
    """What was run through: each path is the number of its grid point."""
    s = blank(INVERSE)
    s.steps, s.width, s.crossing.width, s.done = steps, width, crosses, done
    s.opening[:] = np.arange(RING)
    s.command[:] = 1e4 + np.arange(RING)
    s.crossing.command[:] = 2e4 + np.arange(RING)
    return s


@pytest.mark.parametrize("steps", [2, 10])
@pytest.mark.parametrize("preview_s", [0.0, 0.13e-3, 2.47e-3])
def test_what_is_commanded_is_the_mean_over_the_next_tick_and_of_the_side_half_a_step_on(preview_s, steps):
    s = ramps(steps=steps)
    middle = (20 + 1.5 + preview_s / DT) * steps
    assert rt_inverse_opening(20, preview_s, DT, s) == pytest.approx(middle)
    assert rt_inverse_command(20, preview_s, DT, s) == pytest.approx(1e4 + middle)
    assert rt_inverse_side(20, preview_s, DT, s) == pytest.approx(2e4 + middle + 0.5)


@pytest.mark.parametrize("width", [1, 4, 5])
@pytest.mark.parametrize("crosses", [1, 4, 9])
def test_of_each_path_the_last_point_that_is_known_is_the_last_that_is_commanded(width, crosses):
    """The smoothing, the derivatives, and the crossing's own means each need points beyond."""
    s = ramps(width, crosses)
    smoothed = 500 - 4 * (width - 1) // 2
    assert rt_inverse_opening(90, 0.0, DT, s) == pytest.approx(smoothed - 1)
    assert rt_inverse_command(90, 0.0, DT, s) == pytest.approx(1e4 + smoothed - 2)
    assert rt_inverse_side(90, 0.0, DT, s) == pytest.approx(2e4 + smoothed - 2 - 4 * (crosses - 1) // 2)


def past(x_of_tick, rests=True):
    """A history of a table that went nowhere fast, and what the pipeline begins with in tick 40."""
    settings, history, point, s = _settings("karnopp", False), blank(HISTORY), blank(POINT), blank(INVERSE)
    for tick in range(60):
        point.x_m, point.v_m_s = x_of_tick(tick), 0.0 if rests else 0.01
        rt_history_put(history, tick, point)
    return settings, history, s


def test_it_begins_where_the_reference_was_a_little_while_ago():
    settings, history, s = past(lambda tick: 1e-3 * tick)
    rt_inverse_advance(settings.machine, settings.friction, math.nan, 0.0, 1e-3, 3e-3, history, 43, 40, DT, s)
    first = (40 - _BEFORE) * s.steps
    assert s.x[first] == pytest.approx(1e-3 * (40 - _BEFORE))
    assert s.x[430] == pytest.approx(0.043)


@pytest.mark.parametrize(("rests", "base_s"), [(True, 4e-3), (False, 3e-3)])
def test_another_time_of_the_crossing_is_taken_at_rest_alone(rests, base_s):
    settings, history, s = past(lambda tick: 0.0, rests)
    machine, friction = settings.machine, settings.friction
    rt_inverse_advance(machine, friction, math.nan, 0.0, 1e-3, 3e-3, history, 58, 50, DT, s)
    assert (s.resting, s.crossing.wanted_s) == (int(rests), 3e-3)
    kept = s.crossing.copy()
    rt_inverse_advance(machine, friction, math.nan, 0.0, 1e-3, 3e-3, history, 58, 50, DT, s)
    assert changed(kept, s.crossing) == {}
    rt_inverse_advance(machine, friction, math.nan, 0.0, 1e-3, 4e-3, history, 58, 50, DT, s)
    assert s.crossing.wanted_s == base_s


@pytest.mark.parametrize(("head", "smooth_s", "widest"), [(8, 0.0, 2), (9, 0.0, 7), (10, 0.0, 12), (10, 2e-3, 8)])
def test_a_crossing_takes_no_more_than_is_known_ahead(head, smooth_s, widest):
    settings, history, s = past(lambda tick: 0.0)
    rt_inverse_advance(settings.machine, settings.friction, math.nan, 0.0, smooth_s, 30e-3, history, 45 + head, 45, DT,
                       s)  # fmt: skip
    assert s.crossing.width == widest
