"""Stored measurements judged again, without the rig: the answers of `hilctl identify`, by today's program.

`sets` is empty in each: what the rig's active parameters are by now is not known here.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from hilctl.experiment import course
from hilctl.experiment.drive import LegFault
from hilctl.identify import friction, plant, presliding
from hilctl.identify.dynamics.again import judged
from hilctl.identify.dynamics.written import told
from hilctl.identify.frequency import drive
from hilctl.identify.friction import campaign
from hilctl.identify.plant import judge as machine
from hilctl.results.dynamics import IdentifiedDynamics
from hilctl.results.identified import IdentifiedFriction, IdentifiedPlant, IdentifiedReversals, answer
from hilctl.results.quantity import Quantity


class Row(NamedTuple):
    """A result in a line of a table."""

    model: str
    explained_percent: float | None
    parameters: Mapping[str, Quantity]
    refused: str = ""


class Kind(NamedTuple):
    """A measurement as a folder holds it."""

    plan: str  # the file that begins it; legs/ has its samples
    judged: Callable[[Path], Struct]
    row: Callable[[Any], Row]  # of what that gives


def _friction(folder: Path) -> IdentifiedFriction:
    return friction.identified(friction.Campaign.resume(None, folder))


def _friction_row(made: IdentifiedFriction) -> Row:
    fit = made.fit
    return Row(fit.law, fit.fit_percent, fit.parameters) if fit else Row("", None, {}, made.fit_refused)


def _presliding(folder: Path) -> IdentifiedReversals:
    begun = course.opened(folder, presliding.WORK)
    return answer(
        IdentifiedReversals, presliding.judge_stored(folder).told(), rig=begun.rig, curve=begun.asked["curve"],
        prepared=course.prepared(folder), folder=str(folder), sets=[], applied=None,
    )  # fmt: skip


def _plant(folder: Path) -> IdentifiedPlant:
    begun, fit = course.opened(folder, machine.WORK), plant.fit_stored(folder)
    return answer(
        IdentifiedPlant, fit.evidence(), rig=begun.rig, plant=fit.told, prepared=course.prepared(folder),
        folder=str(folder), sets=[], applied=None,
    )  # fmt: skip


def _dynamics(folder: Path) -> IdentifiedDynamics:
    """Without tuning: gains are proposed for the machine that is tuned next."""
    run = drive.Run.resume(None, folder)
    if run.left:
        names = ", ".join(leg.name for leg in run.left)
        raise LegFault(f"{len(run.left)} of {len(run.header.legs)} motions are not driven, or their files cannot be "
                       f"read: {names}; `hilctl identify dynamics --resume DIR` drives them")  # fmt: skip
    return answer(
        IdentifiedDynamics, told(judged(run, run.header.command)), prepared_rig=run.header.prepared,
        folder=str(folder), sets=[], applied=None, report=None,
    )  # fmt: skip


def _dynamics_row(made: IdentifiedDynamics) -> Row:
    percent = made.fit_percent.final if made.fit_percent else None
    return Row(made.grey.model if made.grey else "", percent, made.parameters or {})


KINDS = {
    "friction": Kind(campaign.PLAN, _friction, _friction_row),
    "presliding": Kind(course.PLAN, _presliding, lambda made: Row(made.kind, None, made.parameters)),
    "plant": Kind(course.PLAN, _plant,
                  lambda made: Row("machine", min(made.explained_percent.values(), default=None), made.plant)),
    "dynamics": Kind(drive.PLAN, _dynamics, _dynamics_row),
}  # by the word after `hilctl identify`  # fmt: skip
