"""Gains for the identified machine, if asked for: computed and applied; the loop is measured before and after."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hilctl.commission.work import Work
from hilctl.design.known import Known, from_numbers, from_rig_file
from hilctl.design.result import Measured, measured_loop, predicted_loop
from hilctl.design.search import Design, design
from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import read_facts
from hilctl.identify.frequency.open_loop import measure
from hilctl.law.settings import Controller
from hilctl.params import BadValues
from hilctl.results import proof as results
from hilctl.results.quantity import Quantity
from hilctl.wire.errors import Refused

if TYPE_CHECKING:
    from hilctl.client import Client

SETTLED_S = 0.5  # behind a blend
KEEPS = 0.8  # of the wanted modulus margin: if less is measured, the old gains are restored


def gains(work: Work) -> None:
    """The part of the work."""
    with work.notes.stages("gains"):
        try:
            made = tune_gains(work.rig, work.result.plant, work.origin, work.notes.tell)
        except (LegFault, BadValues, Refused) as fault:
            work.go_on_without("gains", "the gains stay as they are", fault)
            return
        work.result.tuning = made
        if made.taken_back:
            work.notes.warn(f"{made.taken_back}; the gains are restored")
        elif work.result.sent is not None:
            work.result.sent.values |= made.values


def known_of(controller: Controller, plant: Mapping[str, Quantity] | None) -> Known:
    """The active machine parameters, with the intervals of those that were identified."""
    if plant is None:
        return from_rig_file(controller)
    return from_numbers(controller, {name: q for name, q in plant.items() if q.identified}, "this commissioning")


def tune_gains(
    rig: "Client", plant: Mapping[str, Quantity] | None, origin: str, tell: Callable[[str], None]
) -> results.Tuning:
    """The result; it says why the old gains were restored, where they were."""
    facts = read_facts(rig)
    before = measure(rig, facts, lambda text: tell(f"active gains: {text}"))
    known = known_of(facts.controller, plant)
    found = design(known, facts.friction, facts.dt_s, str(facts["law.feedback"]), tell=tell)
    epochs = [rig.set(found.values, origin=f"{origin}, gains")]
    rig.pass_time(float(facts["law.blend_s"]) + SETTLED_S)
    after = measure(rig, read_facts(rig), lambda text: tell(f"new gains: {text}"))
    why = _worse(after, found)
    if why:
        old = {key: facts[key] for key in found.values}
        epochs.append(rig.set(old, origin=f"{origin}, old gains restored"))
    return results.Tuning(
        values=found.values, source=known.source, assumed=list(known.assumed), spread=dict(known.spread),
        decided_by=list(found.decided), before=predicted_loop(found.before), predicted=predicted_loop(found.predicted),
        measured_before=measured_loop(before), measured_after=measured_loop(after), epochs=epochs, taken_back=why,
    )  # fmt: skip


def _worse(after: Measured, found: Design) -> str:
    least = KEEPS * found.wanted.modulus
    if after.margins.modulus >= least:
        return ""
    return (f"with the new gains a modulus margin of {after.margins.modulus:.2f} was measured at "
            f"{after.margins.modulus_hz:.3g} Hz, less than {least:.2f}")  # fmt: skip
