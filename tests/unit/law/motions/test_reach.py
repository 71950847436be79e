"""What the inverse model asks of the valve is known before a motion starts; what the valve cannot do is planned for."""

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from hilctl import rig as rigs
from hilctl.friction import MODELS
from hilctl.law.motions import Plan, Shaping, check_plan, plan
from hilctl.law.motions.demand import _ticks, demand
from hilctl.law.motions.reach import within_reach
from hilctl.law.requests import Refusal, RequestKind
from hilctl.signals import Mode
from tests.unit.law.conftest import Table

CORNER = {"speed_m_s": 0.1, "amplitude_m": 0.025, "cycles": 1}
SLOW = {"machine.wv": 350.0}


def held(model: str = "karnopp", share: float = 1.0, **changes: Any) -> Table:
    friction = {f"friction.{key}": value for key, value in MODELS[model].typical.items()}
    rig = Table(**{"friction.model": model, **friction, "law.feed.inverse": share, "arming.bump": 0.01, **changes})
    rig.arm()
    return rig


def planned(rig: Table, kind: str, request: dict[str, Any], shaping: Shaping | None = None) -> Plan:
    limits = rigs.motion_limits(rig.controller, rig.dt_s)
    if shaping is not None:
        limits = replace(limits, shaping=shaping)
    made = plan(kind, request, limits, float(rig.law.estimate.x), 1)
    check_plan(made, limits)
    return made


def fitted(rig: Table, kind: str, request: dict[str, Any]) -> Plan:
    return within_reach(planned(rig, kind, request), rig.settings(), rig.controller.limits.shaping,
                        lambda shaping: planned(rig, kind, request, shaping))  # fmt: skip


def driven(rig: Table, made: Plan) -> Any:
    assert rig.ask(RequestKind.TRACK, motion=made.motion) == Refusal.ACCEPTED
    rows = rig.run(made.duration_s + 0.2)
    return rows, rows.mode == Mode.TRACK


def rms_um(rig: Table, made: Plan) -> float:
    rows, run = driven(rig, made)
    return float(1e6 * np.sqrt(np.mean((rows.xr_m - rig.truth[:, 0])[run] ** 2)))


@pytest.mark.parametrize("model", ["karnopp", "lugre"])
@pytest.mark.parametrize(
    ("kind", "request_"),
    [("triangle", CORNER), ("sine", {"frequency_hz": 5.0, "amplitude_m": 0.02, "cycles": 3})],
)  # fmt: skip
def test_the_demand_is_what_the_loop_then_computes(model: str, kind: str, request_: dict[str, Any]) -> None:
    rig = held(model)
    made = planned(rig, kind, request_)
    asked = demand(made, rig.settings())
    assert asked is not None
    rows, run = driven(rig, made)
    assert asked.opening == pytest.approx(np.abs(rows.u_inverse[run]).max(), rel=0.05)
    assert asked.slew_per_s == pytest.approx(np.abs(np.diff(rows.u_inverse[run])).max() / rig.dt_s, rel=0.1)


def test_the_spools_way_across_its_overlap_is_a_part_of_it() -> None:
    rig = held("lugre", **{"machine.dead_band": 0.03})
    made = planned(rig, "triangle", {"speed_m_s": 0.005, "amplitude_m": 0.005, "cycles": 1})
    asked = demand(made, rig.settings())
    rows, run = driven(rig, made)
    assert asked is not None
    assert asked.opening > 2 * np.abs(rows.u_inverse[run]).max()
    assert asked.opening == pytest.approx(np.abs(rows.u_cmd[run] - rig.law.arm.null).max(), rel=0.1)


def test_without_the_inverse_model_the_demand_is_that_of_the_linear_feed_forward() -> None:
    rig = held(share=0.0)
    made = planned(rig, "triangle", CORNER)
    asked = demand(made, rig.settings())
    rows, run = driven(rig, made)
    assert asked is not None and asked.opening == pytest.approx(np.abs(rows.u_linear[run]).max(), rel=0.02)
    assert asked == demand(made, held().settings(), 0.0)
    assert asked.pressure_pa == pytest.approx(np.abs(rows.pressure_ref_pa[run]).max(), rel=0.02)


def test_the_pid_alone_feeds_nothing_forward_and_a_rigs_own_loop_neither() -> None:
    for feedback in ("pid", "rig"):
        rig = Table(**{"law.feedback": feedback})
        made = plan("move", {"position_m": 0.01}, rigs.motion_limits(rig.controller, rig.dt_s), 0.0, 1)
        assert demand(made, rig.settings()) is None
        assert within_reach(made, rig.settings(), Shaping(), lambda shaping, made=made: made) is made
        assert "valve_opening" not in made.facts and not made.warnings


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_under_the_pid_the_demand_is_the_inverse_models_alone(share: float) -> None:
    rig = held(share=share, **{"law.feedback": "pid"})
    made = planned(rig, "triangle", {"speed_m_s": 0.1, "amplitude_m": 0.02, "cycles": 1})
    asked = demand(made, rig.settings())
    assert asked is not None
    rows, run = driven(rig, made)
    assert asked.opening == pytest.approx(np.abs(rows.u_feed[run]).max(), rel=0.05)


def test_a_slow_valve_gets_corners_that_it_can_turn_and_the_plan_says_so() -> None:
    rig = held(**SLOW)
    sharp, wide = planned(rig, "triangle", CORNER), fitted(rig, "triangle", CORNER)
    asked = demand(sharp, rig.settings())
    assert asked is not None and asked.opening > 1.2
    assert wide.facts["corner_s"] > 1.1 * sharp.facts["corner_s"]
    assert "corners of 0.0242 s instead of 0.02 s, in which the valve would have to give an opening" in wide.text
    assert "limits.command.opening is 1" in wide.text and not wide.warnings
    cut, whole, without = (
        rms_um(held(share=share, **SLOW), made) for made, share in ((sharp, 1.0), (wide, 1.0), (sharp, 0.0))
    )
    assert cut > 2.0 * without
    assert whole < 0.4 * without


def test_a_valve_that_can_turn_the_corners_keeps_them() -> None:
    rig = held()
    assert fitted(rig, "triangle", CORNER).text == planned(rig, "triangle", CORNER).text


TIGHT = {"speed_m_s": 0.1, "amplitude_m": 0.00065, "cycles": 3}  # no room for wider corners
SINE = {"frequency_hz": 35.0, "amplitude_m": 0.0019, "cycles": 3}


def test_where_nothing_can_be_widened_the_inverse_model_acts_by_the_share_that_does_no_harm() -> None:
    rig = held("lugre", **SLOW)
    for kind, request in (("sine", SINE), ("triangle", TIGHT)):
        made = fitted(rig, kind, request)
        assert 0.0 < made.motion.without_inverse < 1.0, kind
        assert len(made.warnings) == 1, kind
        share = f"the inverse model acts by {100 * (1 - made.motion.without_inverse):.0f} % along this motion"
        for part in (share, "limits.command.", " at t = ", "reduce amplitude, speed or frequency",
                     "law.feed.inverse=0"):  # fmt: skip
            assert part in made.warnings[0]
        assert made.text == planned(rig, kind, request).text
        assert made.facts["inverse_share"] == pytest.approx(1 - made.motion.without_inverse)
        assert made.facts["valve_opening"] <= 1.0


def test_the_share_does_less_harm_than_all_of_the_inverse_model_and_than_none() -> None:
    rig = held(**SLOW)
    limited, whole = fitted(rig, "triangle", TIGHT), planned(rig, "triangle", TIGHT)
    rows, run = driven(rig, limited)
    share = 1 - limited.motion.without_inverse
    assert rows.blend[run].min() == pytest.approx(share) and rows.blend[0] > 0.9
    found = 1e6 * np.sqrt(np.mean((rows.xr_m - rig.truth[:, 0])[run] ** 2))
    cut, without = rms_um(held(**SLOW), whole), rms_um(held(share=0.0, **SLOW), whole)
    assert found < 0.8 * without < 0.8 * cut
    back = rig.run(0.1).blend[-1]
    assert back == pytest.approx(1.0)


SPOOL = {"machine.slew_per_s": 30.0}


@pytest.mark.parametrize(("model", "harm"), [("karnopp", 0.4), ("lugre", 0.8)])
def test_a_spool_that_cannot_go_so_fast_gets_corners_in_which_it_can(model: str, harm: float) -> None:
    rig = held(model, **SPOOL)
    request = {**CORNER, "cycles": 2}
    sharp, wide = planned(rig, "triangle", request), fitted(rig, "triangle", request)
    asked = demand(sharp, rig.settings())
    assert asked is not None and asked.spool_per_s > 50.0 and asked.late > 0.03
    assert wide.facts["corner_s"] > 1.3 * sharp.facts["corner_s"] and not wide.warnings
    assert "a spool speed of" in wide.text and "(machine.slew_per_s is 30, which makes it late by" in wide.text
    assert wide.facts["spool_late"] <= 0.001
    late, found, without = (
        rms_um(held(model, share=share, **SPOOL), made) for made, share in ((sharp, 1.0), (wide, 1.0), (sharp, 0.0))
    )
    assert late > harm * without
    assert found < 0.3 * without


def test_the_spools_speed_is_that_of_the_twins_spool() -> None:
    still = dict.fromkeys(("null_bias", "hysteresis", "threshold"), 0.0)
    rig = held(**{"twin.sensors.spool.noise": 0.0, **{f"twin.valve.{key}": value for key, value in still.items()}})
    made = planned(rig, "triangle", {"speed_m_s": 0.2, "amplitude_m": 0.03, "cycles": 1})
    asked = demand(made, rig.settings())
    rows, run = driven(rig, made)
    spool = np.abs(np.diff(rows.spool[run])).max() / rig.dt_s
    assert asked is not None and asked.spool_per_s == pytest.approx(spool, rel=0.3)


def test_what_harms_little_stays_whole_with_a_warning() -> None:
    rig = held(**{"limits.command.slew_per_s": 170.0})
    made = fitted(rig, "sine", {"frequency_hz": 20.0, "amplitude_m": 0.004, "cycles": 3})
    assert made.motion.without_inverse == 0.0
    assert len(made.warnings) == 1
    assert "a change of" in made.warnings[0] and "the valve gives a little less" in made.warnings[0]


def test_a_motion_that_asks_for_too_much_by_itself_is_told_so_also_without_the_inverse_model() -> None:
    for share in (0.0, 1.0):
        rig = held(share=share, **{"machine.slew_per_s": 5.0})
        made = fitted(rig, "triangle", TIGHT)
        assert len(made.warnings) == 1
        assert "the motion alone asks for a spool speed of" in made.warnings[0]
        assert ("and the inverse model stays off" in made.warnings[0]) == bool(share)
        assert made.facts["inverse_share"] == 0.0


def test_the_warning_says_up_to_where_the_valve_can_follow() -> None:
    rig, asked = held("lugre", **SLOW), SINE
    seen: list[bool] = []

    def most(good: Any) -> str:
        seen[:] = [good(planned(rig, "sine", {**asked, "amplitude_m": a})) for a in (0.0002, 0.0019)]
        return "amplitude_m = 0.0004"

    made = within_reach(planned(rig, "sine", asked), rig.settings(), rig.controller.limits.shaping,
                        lambda shaping: planned(rig, "sine", asked, shaping), most)  # fmt: skip
    assert "reduce amplitude, speed or frequency (to amplitude_m = 0.0004)" in made.warnings[0]
    assert seen == [True, False]


@pytest.mark.parametrize(
    ("key", "value", "kind", "request_", "said"),
    [
        ("inverse_to_m_s", 0.05, "triangle", CORNER, "0.1 m/s is above law.feed.inverse_to_m_s = 0.05 m/s"),
        ("inverse_from_m_s", 0.2, "triangle", CORNER, "0.1 m/s is below law.feed.inverse_from_m_s = 0.2 m/s"),
        ("inverse_to_m_s", 0.1, "triangle", CORNER, ""),
        ("inverse_from_hz", 1.0, "triangle", CORNER, ""),
        ("inverse_from_hz", 1.0, "sine", {"frequency_hz": 0.5, "amplitude_m": 0.02, "cycles": 1},
         "0.5 Hz is below law.feed.inverse_from_hz = 1 Hz"),
        ("inverse_to_hz", 5.0, "sine", {"frequency_hz": 5.0, "amplitude_m": 0.01, "cycles": 1}, ""),
        ("inverse_to_hz", 5.0, "chirp",
         {"start_hz": 20.0, "end_hz": 1.0, "amplitude_m": 0.0005, "duration_s": 5.0},
         "20 Hz is above law.feed.inverse_to_hz = 5 Hz"),
        ("inverse_to_m_s", 0.05, "move", {"position_m": 0.05}, "m/s is above law.feed.inverse_to_m_s = 0.05 m/s"),
    ],
)  # fmt: skip
def test_the_inverse_model_acts_at_the_speeds_and_frequencies_that_it_is_limited_to(
    key: str, value: float, kind: str, request_: dict[str, Any], said: str
) -> None:
    rig = Table(**{"law.feed.inverse": 1.0, f"law.feed.{key}": value})
    made = fitted(rig, kind, request_)
    assert made.motion.without_inverse == (1.0 if said else 0.0)
    assert made.facts["inverse_share"] == (0.0 if said else 1.0)
    assert not made.warnings
    assert ("; without the inverse model: " in made.text) == bool(said) and said in made.text


def test_a_pressure_that_the_inverse_model_does_not_count_on_is_warned_of() -> None:
    rig = Table(**{"law.feed.inverse": 1.0, "machine.Ps": 4e6, "machine.Ps_low": 1e6, "machine.Qn": 8e-3})
    made = fitted(rig, "sine", {"frequency_hz": 3.0, "amplitude_m": 0.045, "cycles": 2})
    assert made.facts["load_pressure_pa"] > 0.8 * 4e6
    assert "the motion needs a load pressure of" in made.warnings[-1] and "(machine.Ps is 4e+06)" in made.warnings[-1]


def test_a_long_motion_is_looked_at_where_it_asks_for_most() -> None:
    rig = Table(**{"law.feed.inverse": 1.0})
    sweep = {"amplitude_m": 0.002, "start_hz": 0.2, "end_hz": 20.0, "duration_s": 100.0}
    short, long = (planned(rig, "chirp", {**sweep, "duration_s": seconds}) for seconds in (100.0, 4000.0))
    whole, parts = demand(short, rig.settings()), demand(long, rig.settings())
    assert whole is not None and parts is not None
    for one in ("opening", "slew_per_s", "spool_per_s", "pressure_pa"):
        assert getattr(parts, one) == pytest.approx(getattr(whole, one), rel=0.1), one


def test_the_longest_motions_are_looked_at_within_seconds() -> None:
    rig = Table(**{"law.feed.inverse": 1.0})
    limits = rigs.motion_limits(rig.controller, rig.dt_s)
    for kind, request in (
        ("sine", {"amplitude_m": 0.05, "frequency_hz": 1e-4, "cycles": 100.0}),
        ("chirp", {"amplitude_m": 0.05, "start_hz": 1e-3, "end_hz": 0.5, "duration_s": 1e5}),
    ):
        made = plan(kind, request, limits, 0.0, 1)
        looked = sum(last - first for first, last in _ticks(made, rig.dt_s))
        assert looked < 300_000
