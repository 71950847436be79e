"""What a motion asks of the valve: against the linear machine, written out over the reference, and in parts of it."""

import functools
import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from hilctl import rig as rigs
from hilctl.friction import MODELS
from hilctl.law.crossing import EARLY, EARLY_JUMP, EARLY_STUCK
from hilctl.law.motions import Plan, plan
from hilctl.law.motions.demand import DEMAND, WORK, demand, rt_demand
from hilctl.law.settings import PID_FEEDBACK, RIG_FEEDBACK, pack_settings
from tests.forms import blank

pytestmark = pytest.mark.usefixtures("forms")
DT, PARTS = 5e-4, 5  # of a tick, which the inverse model's grid has
H = DT / PARTS
NONE = {"fc": 0.0, "fs": 0.0, "sigma": 0.0}
WARM = 6  # ticks: of what has no bristles, it needs few
SINE = ("sine", {"frequency_hz": 25.0, "amplitude_m": 2e-5, "cycles": 2})
HALVES = [(2000, 2040), (2040, 2080)]  # ticks of it
TRIANGLE = ("triangle", {"speed_m_s": 0.1, "amplitude_m": 0.004, "cycles": 1})
OVERLAP = 0.04


@functools.cache
def rig_of(model: str, bare: bool) -> Any:
    typical = {**MODELS[model].typical, **(NONE if bare else {})}
    return rigs.load("table-500", changes={"friction.model": model,
                                           **{f"friction.{key}": value for key, value in typical.items()}})  # fmt: skip


def settings(model: str = "karnopp", bare: bool = True, **changes: float) -> Any:
    """As the loop has them: an inverse model that acts whole, over times that are not searched for. Without `bare`,
    friction is the model's; names are those of the feed-forward or the machine."""
    rig = rig_of(model, bare)
    packed = pack_settings(rig.controller, rig.friction, DT, 1).copy()
    feed, machine = packed.law.feed, packed.machine
    feed.inverse, feed.smooth_s, feed.cross_s = 1.0, 0.0, 2e-3
    machine.overlap_a = machine.overlap_b = machine.edge_rounding = 0.0
    for name, value in changes.items():
        (feed if name in feed.dtype.names else machine)[name] = value
    return packed


@functools.cache
def planned(kind: str, **request: float) -> Plan:
    return plan(kind, request, rigs.motion_limits(rig_of("karnopp", True).controller, DT), 0.0, 1)


def asked_by(motion: tuple[str, dict[str, float]], packed: Any, first: int, last: int, warm: int = WARM,
             most: Any = None, work: Any = None) -> Any:  # fmt: skip
    """The demand of some of a motion's ticks, on top of `most`."""
    made = planned(motion[0], **motion[1])
    most, work = blank(DEMAND) if most is None else most, blank(WORK) if work is None else work
    assert rt_demand(made.motion, made.knots, packed, first, last, warm, work, most) == 0
    return most


SEEN = {"opening": "opening_s", "slew_per_s": "slew_s", "spool_per_s": "spool_s", "pressure_pa": "pressure_s"}


class Expected(NamedTuple):
    """At the ticks of a stretch of SINE; its first is where it begins."""

    command: Any
    spool: Any
    linear: Any  # the linear feed-forward's opening: command and spool alike
    pressure: Any


def expected(packed: Any, first: int, last: int) -> Expected:
    """Of the linear machine without friction, about mid-stroke, with the valve's lag made up for on the command alone.

    A command is the mean over the tick that it is held for, which begins one tick after it is computed.
    """
    m, ticks = packed.machine, np.arange(first, last + 1)
    grid = np.arange((first - 5) * PARTS, (last + 10) * PARTS)
    points = planned(SINE[0], **SINE[1]).points(grid * H)
    load = (m.m * points["a_m_s2"] + m.B * points["v_m_s"] + m.K * points["x_m"]) / m.A
    rate = np.gradient(load, H)
    opening = (m.A * points["v_m_s"] + m.Ctc * load + m.Vt / (4 * m.beta) * rate) / m.Qn
    slope = np.gradient(opening, H)
    command = opening + 2 * m.zv / m.wv * slope + np.gradient(slope, H) / m.wv**2
    fine = (np.arange(200) + 0.5) / 200 * PARTS

    def held(path: Any) -> Any:
        return np.array([np.mean(np.interp((tick + 1) * PARTS + fine, grid, path)) for tick in ticks])

    ahead_s = 1.5 * DT + 2 * m.zv / m.wv
    spool = np.array([np.mean(opening[(tick - first + 5) * PARTS :][:PARTS]) for tick in ticks])
    return Expected(held(command), spool, np.interp(ticks * DT + ahead_s, grid * H, opening),
                    np.interp(ticks * DT, grid * H, load))  # fmt: skip


def alike(most: Any, name: str, when: str, values: Any, first: int, rel: float = 0.01) -> None:
    """The greatest of `values`, whose second is that of tick `first` + 1; and when: at nothing much smaller."""
    sizes = np.abs(values[1:])
    assert most[name] == pytest.approx(np.max(sizes), rel=rel)
    assert sizes[round(most[when] / DT) - first - 1] > 0.98 * np.max(sizes)


@pytest.mark.parametrize(("first", "last"), HALVES)
def test_of_the_machine_without_friction_it_is_what_its_equations_ask_for(first: int, last: int) -> None:
    packed = settings()
    most, wanted = asked_by(SINE, packed, first, last), expected(packed, first, last)
    change, speed = (np.append(0.0, np.diff(one)) / DT for one in (wanted.command, wanted.spool))
    alike(most, "opening", "opening_s", wanted.command, first)
    alike(most, "slew_per_s", "slew_s", change, first)
    alike(most, "spool_per_s", "spool_s", speed, first)
    alike(most, "pressure_pa", "pressure_s", wanted.pressure, first)
    assert most.opening > 1.01 * np.max(np.abs(wanted.spool)), "the valve's lag is a part of it"
    assert most.late < 1e-15, "the spool is fast enough"


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("tick", [2006, 2028, 2046, 2068])
def test_what_the_inverse_model_has_no_share_in_is_the_linear_feed_forward(tick: int, share: float) -> None:
    packed = settings(inverse=share)
    most, wanted = asked_by(SINE, packed, tick - 1, tick), expected(packed, tick - 1, tick)
    command, spool = (wanted.linear + share * (one - wanted.linear) for one in (wanted.command, wanted.spool))
    assert most.opening == pytest.approx(abs(command[1]), rel=2e-3)
    assert most.slew_per_s == pytest.approx(abs(command[1] - command[0]) / DT, rel=5e-3)
    assert most.spool_per_s == pytest.approx(abs(spool[1] - spool[0]) / DT, rel=5e-3)
    assert most.pressure_pa == pytest.approx(abs(wanted.pressure[1]), rel=2e-3)


@pytest.mark.parametrize(("first", "last"), HALVES)
def test_a_spool_that_is_too_slow_is_late_by_what_it_cannot_go(first: int, last: int) -> None:
    path = expected(settings(), first, last).spool
    most_per_s = 0.6 * np.max(np.abs(np.diff(path))) / DT
    spool, late = path[0], [0.0]
    for place in path[1:]:
        spool += min(max(place - spool, -most_per_s * DT), most_per_s * DT)
        late.append(place - spool)
    most = asked_by(SINE, settings(slew_per_s=most_per_s), first, last)
    alike(most, "late", "late_s", np.array(late), first, rel=0.02)
    assert most.opening == asked_by(SINE, settings(), first, last).opening, "what it is commanded stays"


def test_under_the_pid_the_inverse_model_acts_alone_and_the_motion_needs_the_same_pressure() -> None:
    packed, half = settings(), settings(inverse=0.5)
    whole = asked_by(SINE, packed, *HALVES[0])
    packed.law.feedback = half.law.feedback = PID_FEEDBACK
    alone, most = (asked_by(SINE, one, *HALVES[0]) for one in (packed, half))
    for name in ("opening", "slew_per_s", "spool_per_s"):
        assert alone[name] == pytest.approx(whole[name], rel=1e-9), name
        assert most[name] == pytest.approx(0.5 * whole[name], rel=1e-9), name
    assert most.pressure_pa == pytest.approx(whole.pressure_pa, rel=0.01)


CRUISE = (400, 410)  # ticks of TRIANGLE's first leg


@pytest.mark.parametrize("model", ["karnopp", "lugre"])
def test_friction_takes_pressure_and_what_flows_at_it_an_opening(model: str) -> None:
    """Bristles too have slid as far as on all of the leg, though it is looked at from its middle on."""
    packed, friction = settings(model, bare=False), rig_of(model, False).friction
    m, most = packed.machine, asked_by(TRIANGLE, packed, *CRUISE)
    load_pa = friction.steady(0.1) / m.A
    assert most.pressure_pa == pytest.approx(load_pa, rel=1e-3)
    flow = (m.A * 0.1 + m.Ctc * load_pa) / math.sqrt(1 - load_pa / m.Ps)
    assert most.opening == pytest.approx(flow / m.Qn, rel=2e-3)
    packed.law.feed.inverse = 0.0
    assert asked_by(TRIANGLE, packed, *CRUISE).pressure_pa == pytest.approx(load_pa, rel=1e-3)


def test_on_a_stretch_at_constant_speed_nothing_changes_not_even_at_its_first_tick() -> None:
    packed = settings()
    m, most = packed.machine, asked_by(TRIANGLE, packed, *CRUISE)
    assert most.opening == pytest.approx(0.1 * m.A / m.Qn, rel=1e-3)
    assert max(most.slew_per_s, most.spool_per_s) < 0.01
    assert most.late < 1e-4 * most.opening
    assert CRUISE[0] * DT < most.opening_s <= CRUISE[1] * DT


def test_a_stretch_is_looked_at_from_its_second_tick_on() -> None:
    """What is before is past: nothing of how the look begins counts, neither its change nor the spool's way."""
    for warm in (0, 3):
        assert not any(asked_by(SINE, settings(), 2010, 2010, warm).item())
        most = asked_by(SINE, settings(), 2010, 2011, warm)
        for name, when in SEEN.items():
            assert most[name] > 0.0 and most[when] == pytest.approx(2011 * DT, abs=1e-9)


def test_what_was_before_the_ticks_that_run_the_model_in_is_its_past() -> None:
    """Bristles have slid since 24 ms ago, not only since the 12 ms in which commands are computed."""
    packed, friction = settings("lugre", bare=False), rig_of("lugre", False).friction
    speed = 3.0 * packed.friction.reach_m / 0.024
    slow = ("triangle", {"speed_m_s": speed, "amplitude_m": 0.1 * speed, "cycles": 1})
    most = asked_by(slow, packed, 400, 401, warm=24)
    assert most.pressure_pa == pytest.approx(friction.steady(speed) / packed.machine.A, rel=0.07)


def test_ticks_that_ask_for_less_leave_what_others_asked_for() -> None:
    packed, most, work = settings(), blank(DEMAND), blank(WORK)
    whole = asked_by(SINE, packed, 2000, 2024)
    for first in (2016, 2000, 2008):
        asked_by(SINE, packed, first, first + 8, most=most, work=work)
    kept = asked_by(SINE, packed, 4190, 4200, most=most.copy(), work=work)  # it ends
    for name, when in SEEN.items():
        assert most[name] == pytest.approx(whole[name], rel=1e-3), name
        assert (kept[name], kept[when]) == (most[name], most[when])


def test_a_motion_that_was_looked_at_before_leaves_nothing_behind() -> None:
    work, double = blank(WORK), (SINE[0], {**SINE[1], "amplitude_m": 2 * SINE[1]["amplitude_m"]})
    one, two = (asked_by(motion, settings(), 2020, 2024, work=work) for motion in (SINE, double))
    for name in SEEN:
        assert two[name] == pytest.approx(2 * one[name], rel=0.01), name


def test_without_the_inverse_model_the_way_across_an_overlap_is_not_looked_at() -> None:
    """It is the valve stage's then."""
    most = asked_by(TRIANGLE, settings(inverse=0.0, overlap_a=OVERLAP, overlap_b=OVERLAP), *CRUISE)
    bare = asked_by(TRIANGLE, settings(inverse=0.0), *CRUISE)
    assert most.opening == pytest.approx((1 - OVERLAP) * bare.opening)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_behind_an_overlap_the_command_opens_the_edge_first(share: float) -> None:
    packed = settings(overlap_a=OVERLAP - 0.01, overlap_b=OVERLAP + 0.01)
    packed.law.valve.inverse = share
    opening, most = 0.1 * packed.machine.A / packed.machine.Qn, asked_by(TRIANGLE, packed, *CRUISE)
    assert most.opening == pytest.approx((1 - share * OVERLAP) * opening + share * OVERLAP, rel=1e-3)
    assert max(most.slew_per_s, most.spool_per_s) < 0.01


def test_behind_an_overlap_the_spool_goes_the_less_between_its_ends() -> None:
    packed = settings(overlap_a=OVERLAP, overlap_b=OVERLAP)
    most, wanted = asked_by(SINE, packed, 2028, 2029), expected(packed, 2028, 2029)
    change, way = (abs(one[1] - one[0]) / DT for one in (wanted.command, wanted.spool))
    assert most.slew_per_s == pytest.approx((1 - OVERLAP) * change, rel=0.01)
    assert most.spool_per_s == pytest.approx((1 - OVERLAP) * way, rel=0.01)


@pytest.mark.parametrize(
    ("friction_n", "early", "cross_s"), [(0.0, EARLY, 4e-3), (2e4, EARLY_JUMP + EARLY_STUCK * math.sqrt(5 / 6), 8e-3)]
)
def test_the_overlap_is_crossed_within_its_time_and_earlier_where_the_table_sticks(
    friction_n: float, early: float, cross_s: float
) -> None:
    """Of a valve so large that flow takes no opening, on stiff oil. The acceleration takes a sixth of friction's jump.

    The side changes by four running means, and the lag is made up for on the way across too.
    """
    packed = settings(bare=False, overlap_a=OVERLAP, overlap_b=OVERLAP, cross_s=cross_s, Qn=1e3, Ctc=0.0, beta=1e15)
    packed.friction.p[:10] = [friction_n, friction_n, 1.0, 0.0, 2.0] * 2
    fine = 100  # of a tick
    width = round(cross_s / DT * fine / 4)
    first, last, m, made = 511, 518, packed.machine, planned(TRIANGLE[0], **TRIANGLE[1])
    times = np.arange((first - 10) * fine, (last + 10) * fine) * DT / fine
    side = np.where(made.points(times + early * cross_s)["v_m_s"] < 0.0, -1.0, 1.0)
    for _ in range(4):
        side = np.convolve(np.pad(side, width // 2, "edge"), np.ones(width + 1) / (width + 1), "valid")
    slope = np.gradient(side, DT / fine)
    command = side + 2 * m.zv / m.wv * slope + np.gradient(slope, DT / fine) / m.wv**2
    spool_per_s, slew_per_s = (
        OVERLAP * np.abs(np.diff(one.reshape(-1, fine).mean(axis=1))) / DT
        for one in (np.roll(side, fine // PARTS), command)
    )  # a step of the grid late
    for tick in range(first, last):
        most, k = asked_by(TRIANGLE, packed, tick - 1, tick, warm=3), tick - first + 9
        assert most.spool_per_s == pytest.approx(spool_per_s[k], abs=0.04 * np.max(spool_per_s)), tick
        assert most.slew_per_s == pytest.approx(slew_per_s[k + 1], abs=0.04 * np.max(slew_per_s)), tick


def test_the_flow_that_turns_round_takes_the_spool_farther_on_its_way_across() -> None:
    small, large = (
        settings(overlap_a=OVERLAP, overlap_b=OVERLAP, Qn=qn, Ctc=0.0) for qn in (settings().machine.Qn, 1e3)
    )
    with_flow, without = (asked_by(TRIANGLE, packed, 512, 519, warm=3) for packed in (small, large))
    flow_per_s2 = small.machine.A / small.machine.Qn * 40 / 3  # of a corner's acceleration
    assert with_flow.spool_per_s - without.spool_per_s == pytest.approx((1 - OVERLAP) * flow_per_s2, rel=0.15)


def test_a_rig_that_closes_its_own_loop_is_asked_for_nothing() -> None:
    packed, made = settings(), planned("move", position_m=1e-5)
    assert demand(made, packed) is not None
    packed.law.feedback = RIG_FEEDBACK
    assert demand(made, packed) is None
    packed.law.feedback = PID_FEEDBACK
    assert demand(made, packed, 0.0) is None
