"""The speed that the valve swallows of a fast motion: an overlap and a hysteresis that the rig file does not know.

A slow sine is followed, whatever the valve, for the loop has time. What it opens the valve by is then the flow's share
and, with the direction, half of what opens nothing. A motion through the hydraulic mode is too fast for the loop to add
that, and lacks the speed which it is worth.
"""

import numpy as np

from hilctl.experiment.facts import Facts
from hilctl.experiment.record import Record
from hilctl.identify.plant.model_flow import declared_overlaps

_MOVING = 0.3  # of the greatest speed: at less the table may stick
_LEAST_DROP = 0.1  # of the supply pressure across the valve


def swallowed_m_s(record: Record, facts: Facts) -> float:
    """From the record of a slow sine; 0 where the rig file's overlap explains it all."""
    speed = np.gradient(record["xd_m"], facts.dt_s)
    moving = np.abs(speed) > _MOVING * np.nanmax(np.abs(speed))  # ticks that did not run have no number
    side, supply = np.sign(speed), facts["machine.Ps"]
    load = record.bridged["pressure_a_pa"] - record.bridged["pressure_b_pa"]
    opening = record["u_applied"] * np.sqrt(np.maximum(1 - side * load / supply, _LEAST_DROP))
    terms = np.stack([side, speed, np.ones(len(speed))], axis=1)
    seen = moving & np.isfinite(opening) & np.isfinite(speed)
    shut = float(np.linalg.lstsq(terms[seen], opening[seen], rcond=None)[0][0])
    known = facts["law.valve.inverse"] * 0.5 * (sum(declared_overlaps(facts.values)) + facts["machine.hysteresis"])
    return max(0.0, shut - float(known)) * float(facts["machine.Qn"] / facts["machine.A"])
