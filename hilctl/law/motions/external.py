"""An external reference: the plan of its rest before the first position, and what makes a spline of the positions.

The spline of external.py passes by the positions within O(h⁶), if its coefficients are

    c = x - δ²x/4 + 13 δ⁴x/240          δ, the central difference

for its values at the knots are (1 + δ²/4 + δ⁴/120) c. A coefficient thus needs two positions more; of what comes first
and last, those before and behind are equal to it. A position that is the n-th passes the head n + BEHIND intervals
after the motion has begun.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.law.motions.checking import check_plan
from hilctl.law.motions.limits import Flow, MotionLimits, MotionRefused
from hilctl.law.motions.planning import Plan, frame, new_plan, stretch
from hilctl.law.motions.requests import External
from hilctl.law.reference.external import AT_REST, COUNT, FIRST, SENT
from hilctl.law.reference.motion import ENDLESS_S, Kind

Reals = npt.NDArray[np.float64]

_TAPS = np.array([13.0, -112.0, 438.0, -112.0, 13.0]) / 240.0
_AROUND = len(_TAPS) // 2
BEHIND = AT_REST  # intervals from the head to the newest position, at the least
NEAR_M = 1e-5  # so far off the table's place the first position may be
TO_REST = AT_REST + _AROUND + 1  # copies of the last position after which the spline rests there
_PER_INTERVAL = 4  # instants that a check looks at


def plan_external(request: External, limits: MotionLimits, start_m: float, motion_id: int) -> Plan:
    """It rests where it is, until so much has come."""
    plan = new_plan("external", Kind.EXTERNAL, motion_id)
    external, least = plan.motion.external, max(math.ceil(request.buffer_s / request.interval_s - 1e-9), BEHIND + 1)
    external.interval_s, external.least = request.interval_s, least + AT_REST
    plan.knots = np.full(FIRST + AT_REST, start_m)
    plan.knots[:FIRST] = 0.0
    plan.knots[COUNT] = plan.knots[SENT] = AT_REST
    frame(plan, limits, (start_m, start_m, start_m, start_m), ENDLESS_S)
    plan.facts |= {"interval_s": request.interval_s, "least": float(least), "start_m": start_m}
    plan.text = (
        f"external reference, a position every {1e3 * request.interval_s:.4g} ms, begins at "
        f"{1e3 * start_m:.4g} mm when {least} of them have come"
    )
    return plan


class Peaks(NamedTuple):
    """Of what was taken so far."""

    v_m_s: float = 0.0
    a_m_s2: float = 0.0


class Positions:
    """What was sent of one external reference, as coefficients of its spline; each piece is checked before it counts.

    `count`: how many positions were taken.
    """

    def __init__(self, start_m: float, interval_s: float) -> None:
        self.start_m, self.interval_s, self.count, self.peaks = start_m, interval_s, 0, Peaks()
        self._last = np.full(2 * _AROUND, start_m)  # positions
        self._before = np.full(AT_REST, start_m)  # coefficients

    def take(self, positions_m: Reals, limits: MotionLimits, flow: Flow | None) -> Reals:
        """The coefficients that follow from more positions. MotionRefused: nothing of them counts."""
        if not len(positions_m):
            return np.zeros(0)
        known = np.concatenate((self._last, positions_m))
        made = np.convolve(known, _TAPS, "valid")
        window = np.concatenate((self._before, made))
        peaks = self._check(window, limits, flow)
        self.peaks = Peaks(max(self.peaks.v_m_s, peaks.v_m_s), max(self.peaks.a_m_s2, peaks.a_m_s2))
        self._last, self._before = known[-2 * _AROUND :], window[-AT_REST:]
        self.count += len(positions_m)
        return made

    def rest(self, limits: MotionLimits, flow: Flow | None) -> Reals:
        """The coefficients with which it comes to rest at its last position."""
        return self.take(np.full(TO_REST, self._last[-1]), limits, flow)

    def _check(self, window: Reals, limits: MotionLimits, flow: Flow | None) -> Peaks:
        plan = new_plan("external", Kind.WAVEFORM, 0)
        wave, h = plan.motion.wave, self.interval_s
        wave.knot_s, wave.count = h, len(window)
        plan.knots, plan.motion.body_s = window, (len(window) - AT_REST) * h
        stretch(plan, 0.0, plan.motion.body_s, h / _PER_INTERVAL)
        try:
            found = check_plan(plan, limits, flow)
        except MotionRefused as refused:
            at_s = (self.count - BEHIND) * h + refused.t_s
            raise MotionRefused(
                quantity=refused.quantity, unit=refused.unit, t_s=at_s, value=refused.value, limit=refused.limit,
                key=refused.key, remedy=f"position {max(round(at_s / h), 0)} of the reference: {refused.remedy}",
            ) from None  # fmt: skip
        return Peaks(found["v_m_s"], found["a_m_s2"])
