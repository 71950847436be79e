"""What the inverse model asks of the valve is known before a motion starts; what the valve cannot do is planned for."""

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from hilctl import rig as rigs
from hilctl.friction import MODELS
from hilctl.law.motions import Plan, Shaping, check_plan, plan
from hilctl.law.motions.demand import demand
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


@pytest.mark.parametrize("feedback", ["three_state", "pid"])
def test_without_the_inverse_model_there_is_no_demand_of_it(feedback: str) -> None:
    rig = held(share=0.0, **{"law.feedback": feedback})
    assert demand(planned(rig, "triangle", CORNER), rig.settings()) is None


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
    assert "corners of 0.0242 s instead of 0.02 s, in which the inverse model would ask for an opening" in wide.text
    assert "limits.command.opening is 1" in wide.text and not wide.warnings
    cut, whole, without = (
        rms_um(held(share=share, **SLOW), made) for made, share in ((sharp, 1.0), (wide, 1.0), (sharp, 0.0))
    )
    assert cut > 2.0 * without
    assert whole < 0.4 * without


def test_a_valve_that_can_turn_the_corners_keeps_them() -> None:
    rig = held()
    assert fitted(rig, "triangle", CORNER).text == planned(rig, "triangle", CORNER).text


def test_what_nobody_may_change_is_warned_of_with_value_limit_key_and_remedy() -> None:
    rig = held(**SLOW)
    for kind, request in (
        ("sine", {"frequency_hz": 35.0, "amplitude_m": 0.0019, "cycles": 3}),
        ("triangle", {"speed_m_s": 0.1, "amplitude_m": 0.00065, "cycles": 3}),  # no room for wider corners
    ):
        made = fitted(rig, kind, request)
        assert len(made.warnings) == 1, kind
        for part in ("limits.command.", " at t = ", "reduce amplitude, speed or frequency", "law.feed.inverse=0"):
            assert part in made.warnings[0]
        assert made.text == planned(rig, kind, request).text
