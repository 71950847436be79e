"""Motions planned and checked whole against the rig's limits, as it is now; on a planner's thread."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from hilctl.errors import HilctlError
from hilctl.law.motions import MotionLimits, MotionRefused, Plan, Shaping, check_plan, plan
from hilctl.law.motions.checking import GaveUp
from hilctl.params import BadValues, Problem
from hilctl.rig import Rig, flow, motion_limits
from hilctl.service.service import Service
from hilctl.service.stroke import PassesStroke, Shift, shift_between, unshifted_limits
from hilctl.wire.errors import Code, Refused, refusal_of

_HALVINGS = 12  # of the size that was asked for, in search of one that fits
_SIZES = ("amplitude_m", "position_m", "peak_m")
_SHORT_S = 20.0
_FEW, _ALSO = 6, (*_SIZES, "speed_m_s", "frequency_hz")  # of what the valve can follow

Going = Callable[[], bool]


class PassesLimit(Refused):
    """The motion would pass a limit: when, and what was planned."""

    def __init__(self, message: str, key: str, plan: Plan, at_s: float) -> None:
        self.plan, self.at_s = plan, at_s
        super().__init__(Code.LIMIT, message, key)


class Shown(NamedTuple):
    """What `check_motion` says of a motion."""

    plan: Plan
    extremes: dict[str, float]
    picture: dict[str, Any]  # `preview`, `limits` and `refused`, where points are asked for


def plan_checked(
    s: Service, kind: str, parameters: dict[str, Any], place: float, id: int, going: Going = lambda: True
) -> tuple[Plan, dict[str, float]]:
    """The motion, planned from that place and checked whole, as long as it is `going`."""
    return _checked(s, as_supplied(s), kind, parameters, place, id, going)


def plan_shown(
    s: Service, kind: str, parameters: dict[str, Any], place: float, points: int, going: Going
) -> Shown:  # fmt: skip
    """The same for a question; with points, what passes a limit is no error, so that it is seen where."""
    rig, refused = as_supplied(s), None
    try:
        made, extremes = _checked(s, rig, kind, parameters, place, 1, going)
    except PassesLimit as passes:
        if not points:
            raise
        made, extremes = passes.plan, {}
        refused = {"code": str(passes.code), "key": passes.key, "message": passes.message, "at_s": passes.at_s}
    if not points:
        return Shown(made, extremes, {})
    from hilctl.law.motions.preview import preview

    columns = {name: values.astype("<f8").tobytes() for name, values in preview(made, points, going).items()}
    return Shown(made, extremes, {"preview": columns, "limits": _limits(rig, _shift(s, rig)), "refused": refused})


def as_supplied(s: Service) -> Rig:
    """The rig as its supply drives it now: at the low level the valve gives less flow, and the oil less force."""
    rig, machine = s.store.rig, s.store.rig.tables.machine
    if not s.low_pressure:
        return rig
    weaker = replace(machine, Ps=machine.Ps_low, Qn=machine.Qn * math.sqrt(machine.Ps_low / machine.Ps))
    return dataclasses.replace(rig, tables=replace(rig.tables, machine=weaker))


def _limits(rig: Rig, shift: Shift) -> dict[str, dict[str, float]]:
    """What each column of a preview is checked against; of the two strokes, what both allow."""
    found = motion_limits(rig.controller, rig.dt_s)
    unshifted = unshifted_limits(found, shift)
    low, high = max(found.x_min_m, unshifted.x_min_m), min(found.x_max_m, unshifted.x_max_m)
    return {
        "position_m": {"low": low, "high": high},
        "velocity_m_s": {"low": -found.velocity_m_s, "high": found.velocity_m_s},
        "acceleration_m_s2": {"low": -found.acceleration_m_s2, "high": found.acceleration_m_s2},
    }


def _shift(s: Service, rig: Rig) -> Shift:
    return shift_between(s.store.start.controller, rig.controller)


def _checked(
    s: Service, rig: Rig, kind: str, parameters: dict[str, Any], place: float, id: int, going: Going
) -> tuple[Plan, dict[str, float]]:
    limits: MotionLimits = motion_limits(rig.controller, rig.dt_s)
    samples = s.waveforms.get(str(parameters.get("upload", ""))) if kind == "waveform" else None
    shift = _shift(s, rig)

    extremes: dict[str, float] = {}
    planned: list[Plan] = []  # the first is as it was asked for

    def checked(parameters: Mapping[str, Any], shaping: Shaping = limits.shaping) -> Plan:
        made = plan(kind, parameters, replace(limits, shaping=shaping), place, id, samples)
        planned.append(made)
        if made.kind == "external" and made.facts["interval_s"] < (1.0 - 1e-9) * rig.dt_s:
            told = f"must be at least the loop's period of {rig.dt_s:g} s"
            raise BadValues([Problem("interval_s", made.facts["interval_s"], told, "send fewer positions a second")])
        extremes.update(check_plan(made, limits, flow(rig.controller, rig.friction), going))
        if shift.any:
            try:
                check_plan(made, unshifted_limits(limits, shift), going=going)
            except MotionRefused as refused:
                raise PassesStroke.of(refused, shift) from None
        return made

    try:
        made = checked(parameters)
        from hilctl.law.motions.reach import within_reach

        made = within_reach(made, rig.settings(), limits.shaping, lambda shaping: checked(parameters, shaping),
                            lambda good: _most(parameters, checked, good))  # fmt: skip
        extremes.update(check_plan(made, limits, going=going))  # of the plan that is driven
        return made, extremes
    except GaveUp:
        raise
    except HilctlError as error:
        refused, asked = refusal_of(error), planned[:1]
        most = ""
        for key in _SIZES if refused.code == Code.LIMIT else ():
            fits = largest(key, parameters, checked)
            most += f"; the largest {key} that fits is {fits:.3g}" if fits else ""
        if isinstance(error, MotionRefused) and asked:
            raise PassesLimit(refused.message + most, refused.key, asked[0], error.t_s) from None
        raise Refused(refused.code, refused.message + most, refused.key) from None


def _most(parameters: Mapping[str, Any], checked: Callable[[Mapping[str, Any]], Plan],
          good: Callable[[Plan], bool]) -> str:  # fmt: skip
    """Up to which size and speed, each alone, a plan is good; nothing of a long motion, of which it would take long."""
    if sum(last_s - first_s for first_s, last_s, _ in checked(parameters).stretches) > _SHORT_S:
        return ""

    def good_one(parameters: Mapping[str, Any]) -> None:
        if not good(checked(parameters)):
            raise BadValues([])

    found = ((key, largest(key, parameters, good_one, _FEW)) for key in _ALSO)
    return " or ".join(f"{key} = {most:.3g}" for key, most in found if most)


def largest(
    key: str, parameters: Mapping[str, Any], checked: Callable[[Mapping[str, Any]], object], halvings: int = _HALVINGS
) -> float:  # fmt: skip
    """The largest value of this parameter that is not refused, rounded towards 0; 0 where none is, or it has none."""
    asked = parameters.get(key)
    if not isinstance(asked, float | int):
        return 0.0

    def fits(value: float) -> bool:
        try:
            checked({**parameters, key: value})
        except HilctlError:
            return False
        return True

    good, bad = 0.0, float(asked)
    for _ in range(halvings):
        middle = 0.5 * (good + bad)
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    rounded = float(f"{good:.3g}")
    return rounded if abs(rounded) <= abs(good) else float(f"{0.995 * good:.3g}")
