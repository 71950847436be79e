"""The parameters that the inverse model needs, from a rig in hold or from stored records.

    with Client(...) as rig:
        rig.arm()
        fit = identify_plant(rig)
        rig.set(fit.changes(), origin="identification")
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hilctl.experiment.drive import over, usable
from hilctl.experiment.facts import Facts, read_facts
from hilctl.experiment.noise import with_noise
from hilctl.experiment.policy import EQUATION, wider
from hilctl.experiment.sensors import SENSED
from hilctl.identify.plant.drive import drive, ready
from hilctl.identify.plant.estimate_flow import Fitted, fit_flow
from hilctl.identify.plant.estimate_mass import Mass, TooFew, weigh
from hilctl.identify.plant.faults import LEAST_EXPLAINED, PlantFault, check_accelerometer, check_record, check_signs
from hilctl.identify.plant.model_flow import Lines, lines_of, spool
from hilctl.identify.plant.model_motion import compare
from hilctl.identify.plant.model_signals import Grid
from hilctl.identify.plant.plan import plan
from hilctl.identify.plant.record import Record, gaps, whole
from hilctl.identify.plant.result import PlantFit
from hilctl.identify.plant.telling import told

if TYPE_CHECKING:
    from hilctl.client import Client

_STILL_S = 0.2  # of the rest behind each motion


def identify_plant(rig: "Client", tell: Callable[[str, int], None] | None = None) -> PlantFit:
    """Drives the motions and fits. The rig must hold; no parameter is changed."""
    facts = read_facts(rig)
    ready(rig, facts)
    return fit_plant(drive(rig, facts, plan(rig, facts), tell), facts)


def fit_plant(records: Sequence[Record], facts: Facts) -> PlantFit:
    """The machine from records. PlantFault where they cannot be right."""
    records, lost = zip(*(whole(record) for record in records), strict=True)
    for record, losses in zip(records, lost, strict=True):
        if not usable(losses, EQUATION):
            raise PlantFault(f"{record.name}: {over(losses, EQUATION)}")
        check_record(record, facts.values)
    values, remarks = with_noise(facts.values, _still(records))
    pairs = [(record, Grid(len(record.of("tick")), 1 / record.rate_hz, gaps(record))) for record in records]
    meter = compare(pairs, values)
    check_accelerometer(meter.gain)
    lines = [lines_of(record, grid, meter, values, facts.mode_rad_s) for record, grid in pairs]
    _check_signs(lines, values)
    share = sum(losses.share * losses.ticks for losses in lost) / sum(losses.ticks for losses in lost)
    fitted = fit_flow(lines, values, facts.mode_rad_s).wider(wider(share))
    if min(fitted.explained) < LEAST_EXPLAINED:
        worst = int(np.argmin(fitted.explained))
        raise PlantFault(
            f"{records[worst].name}: command, pressures and motion do not fit one valve and cylinder: the best "
            f"parameters explain {fitted.explained[worst]:.0f} % of the flow, less than {LEAST_EXPLAINED:g} %; "
            "check machine.A and machine.Vt, the pressure sensors' scales, that the oil holds no free air, and the "
            "valve's amplifier"
        )
    found = told(records, fitted, meter, _mass(lines, fitted, values), values)
    again = [f"{record.name}: driven again: {text}" for record in records for text in record.again]
    told_of = [f"{r.name}: {losses.text}" for r, losses in zip(records, lost, strict=True) if losses.text]
    return found._replace(notes=(*found.notes, *remarks), losses=(*again, *told_of))


def _mass(lines: Sequence[Lines], fitted: Fitted, values: Mapping[str, Any]) -> Mass:
    try:
        return weigh(lines, fitted.value["tau"], values)
    except TooFew as error:
        raise PlantFault(f"the mass is not identifiable: {error}; widen limits.velocity or limits.position") from error


def _check_signs(lines: Sequence[Lines], values: Mapping[str, Any]) -> None:
    slow, shaken = lines[0], lines[-1]
    start = {"null": 0.0, "delay": 0.0, "wv": values["machine.wv"], "zv": values["machine.zv"], "play": 0.0}
    check_signs(shaken.load, shaken.a, spool(slow, start), slow.v)


def _still(records: Sequence[Record]) -> dict[str, list[Any]]:
    return {channel: [r.samples[channel][-round(_STILL_S * r.rate_hz) :] for r in records] for channel in SENSED}


__all__ = ["PlantFault", "fit_plant", "identify_plant"]
