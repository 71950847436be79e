"""The whole experiment against a running service: plan, drive, judge."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.experiment.own_loop import refuse_on
from hilctl.identify.presliding.drive import measure
from hilctl.identify.presliding.facts import read_facts
from hilctl.identify.presliding.judge import judge
from hilctl.identify.presliding.model_curve import curve_of
from hilctl.identify.presliding.plan import Swing, plan
from hilctl.identify.presliding.result import Presliding
from hilctl.identify.presliding.store import save_cycles

if TYPE_CHECKING:
    from hilctl.client import Client


def planned(rig: "Client", curve: Mapping[str, Any], budget_s: float) -> tuple[Swing, ...]:
    """The reversals for this rig; nothing moves. ReversalFault where so much rig time is too short."""
    return plan(curve_of(curve)[0], read_facts(rig), float(rig.get("machine.stroke_m")["machine.stroke_m"]), budget_s)


def identify_presliding(
    rig: "Client",
    curve: Mapping[str, Any],
    *,
    center_m: float = 0.0,
    budget_s: float = 60.0,
    elements: int = 0,
    tell: Callable[[str], None] = lambda what: None,
    keep: Path | None = None,
) -> Presliding:
    """Drives the reversals and identifies the kind of friction.

    `curve`: the sliding curve as a [friction] table of any model that has one, best from a campaign just before.
    `elements`: of GMS, 0 for as many as the data support. `keep`: a file for the measured cycles. Parameters are
    restored at the end; ReversalFault says what is wrong with the rig.
    """
    refuse_on(rig, "presliding")
    facts = read_facts(rig)
    made = measure(rig, planned(rig, curve, budget_s), facts, center_m, tell)
    if keep is not None:
        save_cycles(keep, made.cycles, facts, curve)
    tell("comparing friction models")
    found = judge(made.cycles, facts, curve, elements=elements, rig_seconds=made.ticks / facts.rate_hz)
    return found.with_losses(made.lost, made.notes)
