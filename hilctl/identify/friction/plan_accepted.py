"""The plan that the service accepts, before anything moves.

Where stopping needs more room before a position limit, for a table that moves a little further than its reference, the
triangles get smaller. Speeds that were named are then driven or refused. The default ones are reduced: where the
service still refuses the fastest, for the valve's flow, a limit or the stroke, all are spread over the remaining range.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import Facts
from hilctl.identify.friction.plan import FASTEST_M_S, MARGIN, CannotPlan, Leg, Plan, plan

if TYPE_CHECKING:
    from hilctl.client import Client

MARGINS = (MARGIN, 0.8, 0.7, 0.6)  # shares of the way to the position limits, the next where one is refused
SLOWER = 0.9  # times the speed that was refused
OVERSHOOT_S = 3e-3  # times the speed: a table may move so much further than its reference
LEAST_M_S = 0.05  # a curve that ends below shows breakaway only
FAR_FROM = 0.9  # of the default fastest speed: a campaign that ends below says so


def accepted(rig: "Client", facts: Facts, speeds: Sequence[float] | None, budget_s: float) -> list[Leg]:
    """The legs. CannotPlan, or LegFault with the service's reason, where there are none."""
    fastest = FASTEST_M_S
    while True:
        found, refused = _within(rig, facts, speeds, budget_s, fastest)
        if refused is None:
            return found.legs
        leg, why = refused
        fastest = SLOWER * leg.speed_m_s
        if speeds is not None or fastest < LEAST_M_S:
            raise LegFault(
                f"the triangle of {leg.speed_m_s:g} m/s and ±{1e3 * leg.amplitude_m:.3g} mm is refused: {why}; leave "
                "that speed out, or widen that limit"
            )


def _within(
    rig: "Client", facts: Facts, speeds: Sequence[float] | None, budget_s: float, fastest_m_s: float
) -> tuple[Plan, tuple[Leg, str] | None]:
    """The plan that goes furthest, and what is refused even of the one that goes least far."""
    found = plan(facts, speeds, budget_s, fastest_m_s)
    refused = _refused(rig, found.legs)
    for margin in MARGINS[1:]:
        if refused is None or "limits.position" not in refused[1]:
            break
        try:
            found = plan(facts, speeds, budget_s, fastest_m_s, margin)
        except CannotPlan:
            break
        refused = _refused(rig, found.legs)
    return found, refused


def _refused(rig: "Client", legs: Sequence[Leg]) -> tuple[Leg, str] | None:
    """The fastest leg that the service refuses, and why."""
    from hilctl.client import Refused

    for leg in sorted(legs, key=lambda leg: -leg.speed_m_s):
        further = {**leg.parameters, "amplitude_m": leg.amplitude_m + OVERSHOOT_S * leg.speed_m_s}
        try:
            rig.check_motion("triangle", **further)
        except Refused as refused:
            return leg, refused.message
    return None


def slow(legs: Sequence[Leg]) -> list[str]:
    """A remark where the default speeds end early."""
    fastest = max(leg.speed_m_s for leg in legs)
    if fastest >= FAR_FROM * FASTEST_M_S:
        return []
    text = f"speeds go up to {fastest:.3g} m/s instead of {FASTEST_M_S:g}: stroke and limits allow no more"
    return [f"{text}; Coulomb's level and the viscous slope are extrapolated from there"]
