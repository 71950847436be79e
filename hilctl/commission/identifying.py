"""What is identified: the machine, friction at constant speeds, friction before it slides."""

from typing import Any

from hilctl.commission.parameters import adopt
from hilctl.commission.telling import sliding_curve
from hilctl.commission.valve import lessened
from hilctl.commission.work import Work
from hilctl.experiment.drive import LegFault, holds
from hilctl.identify.friction import Campaign, campaign_of, fit_friction, points_of
from hilctl.identify.friction.campaign import PLAN
from hilctl.identify.plant import PlantFit, identify_plant
from hilctl.identify.presliding import identify_presliding
from hilctl.params.tables import nested
from hilctl.wire.errors import Refused

REVERSALS_S = 40.0


def plant(work: Work) -> None:
    """Moving mass, flow gain, oil, valve, delay; applied at once, because the mass is needed for the forces."""
    with work.notes.stages("mass, flow, oil and delay"):
        try:
            fit = _with_the_valve(work)
        except (LegFault, Refused) as fault:
            work.go_on_without("plant", "the machine parameters stay those of the rig file", fault)
            return
        result = work.result
        earlier = result.plant_fit.flags if result.plant_fit else ()
        result.plant_fit = fit.evidence()
        result.plant = {key.removeprefix("machine."): q for key, q in fit.told.items()}
        work.notes.losses("mass, flow, oil and delay", fit.losses)
        work.flags(fit.flags, fit.quantities, earlier)
        work.gains(adopt(work.rig, fit.changes(), f"{work.origin}, plant")[1])
        lessened(work)


def _with_the_valve(work: Work) -> PlantFit:
    """Where the valve swallows the fast motions, it is made up for first, and all of them are driven again."""

    def identified() -> PlantFit:
        return identify_plant(work.rig, lambda name, share: work.notes.say(f"plant: {name}", share))

    valve = identified()
    if not valve.fast_left_out:
        return valve
    work.gains(adopt(work.rig, valve.changes(), f"{work.origin}, valve")[1])
    try:
        return identified().since(valve)
    except (LegFault, Refused) as fault:
        if not holds(work.rig):
            raise
        work.notes.warn(f"{work.notes.stage}: {fault}. Only what the slow sine shows of the valve is set")
        return valve


def friction(work: Work) -> None:
    """Constant speeds, both directions; the friction model of the curve."""
    try:
        _measured(work)
    except (LegFault, Refused, ValueError) as fault:
        work.go_on_without("friction", "friction is not identified, and not compensated; the speeds that were measured "
                           "are kept", fault)  # fmt: skip


def _measured(work: Work) -> None:
    result, how = work.result, work.how
    with work.notes.stages("measuring friction"):
        folder = how.samples / "friction"
        if (folder / PLAN).exists():
            campaign = Campaign.resume(work.rig, folder)
        else:
            speeds = list(how.speeds_m_s) if how.speeds_m_s else None
            campaign = Campaign.begin(work.rig, folder, speeds, how.campaign_s, result.prepared)
        work.origin = f"commission {campaign.header.id}{work.oil()}"
        try:
            for _ in campaign.run():
                done, of, _, left_s = campaign.progress
                work.notes.say(f"measuring friction: {done} of {of} speeds, {left_s:.0f} s left", done / of)
        finally:
            made = campaign_of(campaign)
            if made.complete or result.fit is None:  # an earlier fit keeps its own points
                result.campaign = made
    with work.notes.stages("fitting the friction model"):
        # Zeroed sensors still differ in gain, and half the supply pressure turns that into a constant force.
        fit = fit_friction(points_of(campaign))
        earlier = result.fit.flags if result.fit else ()
        result.fit = fit.told()
        for remark in made.remarks:
            work.notes.warn(remark)
        for one in campaign.finished:
            said = [f"driven again: {text}" for text in one.again]
            said += [f"{100 * one.lost:.2g} % of the readings were lost"] if one.lost else []
            work.notes.losses(f"{one.leg.speed_m_s:g} m/s", said)
        work.flags(fit.flags, fit.parameters, earlier)


def reversals(work: Work) -> None:
    """The friction before it slides, from the sliding curve that was identified, else from the active one."""
    with work.notes.stages("reversals"):
        try:
            found = identify_presliding(work.rig, _curve(work), center_m=work.center_m, budget_s=REVERSALS_S,
                                        tell=work.notes.say)  # fmt: skip
        except (LegFault, Refused, ValueError) as fault:
            work.go_on_without("reversals", "friction before sliding is not identified, and the static model is used",
                               fault)  # fmt: skip
            return
        work.result.presliding = found.told()
        work.notes.losses("reversals", found.losses)
        for warning in found.warnings:
            work.notes.warn(warning)


def _curve(work: Work) -> dict[str, Any]:
    if work.result.fit is not None:
        return sliding_curve(work.result.fit.table)
    active = {key: value for key, value in work.rig.get("friction").items() if value is not None}
    return sliding_curve(nested(active)["friction"])
