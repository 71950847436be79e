"""The plan of an uploaded history."""

from hilctl.law.motions.limits import MotionLimits
from hilctl.law.motions.planning import Plan, frame, length_text, new_plan, stretch
from hilctl.law.motions.requests import Waveform
from hilctl.law.motions.samples import Samples
from hilctl.law.motions.spline import fit, peak
from hilctl.law.reference.motion import Kind
from hilctl.params import BadValues, Problem

_PER_KNOT = 4  # instants that a check looks at between two knots: the acceleration is a cubic there


def plan_waveform(
    request: Waveform, limits: MotionLimits, start_m: float, motion_id: int, samples: Samples | None
) -> Plan:
    """To where the history begins, the history, rest where it ends."""
    if samples is None:
        raise BadValues([Problem("upload", request.upload, "names no uploaded history", "upload it first")])
    spline = fit(samples, request)
    count = len(spline.knots)
    plan = new_plan("waveform", Kind.WAVEFORM, motion_id)
    plan.knots = spline.knots
    wave = plan.motion.wave
    wave.center_m, wave.knot_s, wave.count = request.center_m, spline.knot_s, count
    begin_m = request.center_m + float(spline.knots[0])
    end_m = request.center_m + float(spline.knots[-1])
    body_s = (count - 5) * spline.knot_s
    frame(plan, limits, (start_m, begin_m, end_m, end_m), body_s)
    stretch(plan, 0.0, body_s, spline.knot_s / _PER_KNOT)
    plan.facts |= {
        "knot_s": spline.knot_s,
        "count": float(count),
        "first_sample_s": plan.facts["lead_s"] + spline.offset_s,
    }
    plan.text = (
        f"waveform{' ' + request.upload if request.upload else ''} ({samples.quantity}, {len(samples.values)} samples) "
        f"of up to {1e3 * peak(spline.knots):.4g} mm, knots every {spline.knot_s:.4g} s, {length_text(plan.duration_s)}"
    )
    return plan
