"""The plan of a move."""

from hilctl.law.motions.limits import MotionLimits
from hilctl.law.motions.planning import Plan, add_move_stretch, approach, length_text, new_plan
from hilctl.law.motions.requests import Move
from hilctl.law.reference.motion import Kind
from hilctl.law.reference.smooth import STEP_SPEED


def plan_move(request: Move, limits: MotionLimits, start_m: float, motion_id: int) -> Plan:
    """All of it is lead-in; a duration or a speed that was asked for replaces the approach's.

    A speed that was asked for is the peak; the acceleration is then what it takes, and the check refuses too much.
    """
    plan = new_plan("move", Kind.MOVE, motion_id)
    lead, to_m = plan.motion.lead, request.position_m
    approach(lead, start_m, to_m, limits)
    if lead.duration_s and request.duration_s:
        lead.duration_s = request.duration_s
    elif lead.duration_s and request.speed_m_s:
        lead.duration_s = STEP_SPEED * abs(to_m - start_m) / request.speed_m_s
    plan.motion.out.from_m = plan.motion.out.to_m = to_m
    add_move_stretch(plan, 0.0, float(lead.duration_s))
    plan.text = f"move from {1e3 * start_m:.4g} to {1e3 * to_m:.4g} mm, {length_text(plan.duration_s)}"
    return plan
