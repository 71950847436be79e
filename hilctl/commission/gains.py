"""Gains for the identified machine, if asked for: computed and applied; the loop is measured before and after."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from hilctl.design.known import Interval, Known, from_numbers, from_rig_file
from hilctl.design.result import Measured, Tuning
from hilctl.design.search import design
from hilctl.experiment.facts import read_facts
from hilctl.identify.frequency.open_loop import measure
from hilctl.identify.plant.result import PlantFit
from hilctl.law.settings import Controller

if TYPE_CHECKING:
    from hilctl.client import Client

SETTLED_S = 0.5  # behind a blend
KEEPS = 0.8  # of the wanted modulus margin: if less is measured, the old gains are restored


def known_of(controller: Controller, plant: PlantFit | None) -> Known:
    """The active machine parameters, with the intervals of those that were identified."""
    if plant is None:
        return from_rig_file(controller)
    numbers = {
        q.key.removeprefix("machine."): Interval(q.value, q.low, q.high)
        for q in plant.quantities if q.key.startswith("machine.") and q.identified
    }  # fmt: skip
    return from_numbers(controller, numbers, "this commissioning")


def tune_gains(rig: "Client", plant: PlantFit | None, origin: str, tell: Callable[[str], None]) -> tuple[Tuning, str]:
    """The result; and why the old gains were restored, where they were."""
    facts = read_facts(rig)
    before = measure(rig, facts, lambda text: tell(f"active gains: {text}"))
    known = known_of(facts.controller, plant)
    found = design(known, facts.friction, facts.dt_s, str(facts["law.feedback"]), tell=tell)
    epoch = rig.set(found.values, origin=f"{origin}, gains")
    rig.pass_time(float(facts["law.blend_s"]) + SETTLED_S)
    after = measure(rig, read_facts(rig), lambda text: tell(f"new gains: {text}"))
    made = Tuning(facts.rig, known, found, before, after, None, (epoch,))
    why = _worse(after, made)
    if why:
        old = {key: facts[key] for key in found.values}
        made = made._replace(applied=(epoch, rig.set(old, origin=f"{origin}, old gains restored")))
    return made, why


def _worse(after: Measured, made: Tuning) -> str:
    assert made.design is not None
    least = KEEPS * made.design.wanted.modulus
    if after.margins.modulus >= least:
        return ""
    return (f"with the new gains a modulus margin of {after.margins.modulus:.2f} was measured at "
            f"{after.margins.modulus_hz:.3g} Hz, less than {least:.2f}")  # fmt: skip
