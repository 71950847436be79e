"""The motions driven over the wire, every sample fetched without loss."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hilctl.experiment import drive as experiment
from hilctl.experiment.facts import Facts
from hilctl.experiment.own_loop import refuse_own_loop
from hilctl.experiment.policy import EQUATION, REST_S
from hilctl.experiment.trips import trip_text
from hilctl.identify.plant.faults import PlantFault, check_record
from hilctl.identify.plant.plan import Leg, last_hz, oldest_s
from hilctl.identify.plant.record import CHANNELS, Record, whole

if TYPE_CHECKING:
    from hilctl.client import Client, Motion

PRESSURES = ("pressure_a", "pressure_b")
LOOKED_S = 0.5  # at rest, before the first motion


def ready(rig: "Client", facts: Facts) -> None:
    """PlantFault when the rig is not in a state to be identified; BadValues when it closes its own loop."""
    refuse_own_loop(facts["law.feedback"], "plant")
    status = rig.status()
    if status["trip"]:
        raise PlantFault(f"{trip_text(status['trip'])}. Correct it, then `hilctl reset`")
    if status["mode"] != "hold":
        raise PlantFault(f"the rig is in {status['mode']}, not in hold; `hilctl arm`, or end the running motion")
    if facts["law.feedback"] != "three_state":
        raise PlantFault("law.feedback is not three_state; `hilctl set law.feedback=three_state`")
    _refuse_old_pressures(rig, facts)


def _refuse_old_pressures(rig: "Client", facts: Facts) -> None:
    seen = experiment.look(rig, LOOKED_S, [f"{name}_age_ns" for name in PRESSURES])
    for name in PRESSURES:
        held_s = 1e-9 * float(np.quantile(seen[f"{name}_age_ns"], 0.95))
        if held_s > oldest_s(facts):
            raise PlantFault(
                f"{name} is up to {1e3 * held_s:.0f} ms old when it is used; motions up to {last_hz(facts):.0f} Hz, "
                f"from which mass, flow, oil and valve are identified, need it at most {1e3 * oldest_s(facts):.1f} ms "
                "old: read it more often (driver.reading, every), or let machine.* be as the rig file says"
            )


def drive(
    rig: "Client", facts: Facts, legs: Sequence[Leg], tell: Callable[[str, int], None] | None = None
) -> list[Record]:
    """The records. PlantFault when a motion does not end as planned, or its samples cannot be right."""
    rig.wait(rig.move(legs[0].parameters["center_m"]))
    records = []
    for done, leg in enumerate(legs):
        if tell is not None:
            tell(leg.name, done)
        records.append(_one(rig, facts, leg))
    return records


def _one(rig: "Client", facts: Facts, leg: Leg) -> Record:
    def start() -> "Motion":
        return rig.track(leg.kind, **leg.parameters)

    driven = experiment.drive(rig, experiment.Leg(leg.name, start, CHANNELS, EQUATION, rest_s=REST_S))
    record = Record(leg.name, leg.lowest_hz, facts.rate_hz, driven.rows, driven.again)
    check_record(whole(record)[0], facts.values)
    return record
