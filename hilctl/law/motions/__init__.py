"""Motions: from a request to a plan that the loop can run, checked whole against the rig's limits.

`plan` turns a request into a `Plan`, `check_plan` looks at all of it, `read_csv` and `samples_of` take in histories.
The formulas stand in `hilctl.law.reference`.
"""

import math
from collections.abc import Mapping
from typing import cast

from hilctl import params
from hilctl.law.limits import Shaping
from hilctl.law.motions.checking import check_plan
from hilctl.law.motions.external import Positions, plan_external
from hilctl.law.motions.limits import KEYS, Flow, MotionLimits, MotionRefused
from hilctl.law.motions.periodic import plan_chirp, plan_sine, plan_triangle
from hilctl.law.motions.planning import Plan
from hilctl.law.motions.requests import MOTIONS, Chirp, External, Move, Sine, Triangle, Waveform
from hilctl.law.motions.samples import Samples, read_csv, samples_of
from hilctl.law.motions.single import plan_move
from hilctl.law.motions.waveform import plan_waveform
from hilctl.params import BadValues, Params, Problem

__all__ = [
    "KEYS",
    "MOTIONS",
    "Chirp",
    "External",
    "Flow",
    "MotionLimits",
    "MotionRefused",
    "Move",
    "Plan",
    "Positions",
    "Samples",
    "Shaping",
    "Sine",
    "Triangle",
    "Waveform",
    "check_plan",
    "plan",
    "read_csv",
    "samples_of",
]


def plan(
    kind: str,
    request: Params | Mapping[str, object],
    limits: MotionLimits,
    start_m: float,
    motion_id: int,
    samples: Samples | None = None,
) -> Plan:
    """The motion that a request asks for, from where the table is. Raises BadValues; not yet checked against limits."""
    table = MOTIONS.get(kind)
    if table is None:
        raise BadValues([Problem("kind", kind, "no such motion", params.nearest(kind, tuple(MOTIONS)))])
    if not math.isfinite(start_m):
        raise BadValues([Problem("start_m", start_m, "must be finite")])
    asked = params.check(table, params.plain(request) if isinstance(request, Params) else request, kind)
    match asked:
        case Move():
            return plan_move(asked, limits, start_m, motion_id)
        case Triangle():
            return plan_triangle(asked, limits, start_m, motion_id)
        case Sine():
            return plan_sine(asked, limits, start_m, motion_id)
        case Chirp():
            return plan_chirp(asked, limits, start_m, motion_id)
        case External():
            return plan_external(asked, limits, start_m, motion_id)
        case _:
            return plan_waveform(cast(Waveform, asked), limits, start_m, motion_id, samples)
