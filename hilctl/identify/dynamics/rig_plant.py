"""The rig's own plant in a study: flow and oil from the sines and chirps of `identify plant`, and the mass.

Flow, oil, valve and delay come from the grey box, whose only output is the load pressure: command and motion are its
inputs. The mass is not identifiable from it; it comes from force and acceleration.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hilctl.experiment.drive import Driven, LegFault, taken
from hilctl.experiment.facts import Facts
from hilctl.experiment.sensors import SENSED
from hilctl.identify.dynamics.plant import Modelled
from hilctl.identify.dynamics.study import Grey
from hilctl.identify.frequency.plan import EXCITATIONS, Asked, Excitation, Leg
from hilctl.identify.frequency.record import Experiment, Pair
from hilctl.identify.grey_box.model import Record
from hilctl.identify.grey_box.parameters import Choice, Fixed, Parameters, chosen
from hilctl.identify.grey_box.rig_model import rig_choices, rig_model, rig_records
from hilctl.identify.grey_box.rig_search import identify_rig
from hilctl.identify.grey_box.search import NoMachine, NoStart
from hilctl.identify.plant.model_flow import declared_overlaps
from hilctl.identify.plant.plan import CHANNELS, plan
from hilctl.params import BadValues, Problem

if TYPE_CHECKING:
    from hilctl.client import Client
    from hilctl.identify.plant import PlantFit

FAST_HZ = 20.0  # the valve dynamics show only above it
_KEYS = {name: f"machine.{name}" for name in ("Qn", "beta", "wv", "zv", "Ctc", "Vt", "A", "dead_band")}


def _keys(facts: Facts) -> dict[str, str]:
    """Where the rig file has what is identified; an overlap that it gives by sides is for `hilctl identify plant`."""
    by_sides = facts["machine.overlap_a"] > 0 or facts["machine.overlap_b"] > 0
    return {name: key for name, key in _KEYS.items() if name != "dead_band" or not by_sides}


class RigPlant:
    """Valve, cylinder and table."""

    name = "the rig's own plant"
    loop = Pair("xd_m", "displacement_m")
    excitations: tuple[Excitation, ...] = EXCITATIONS

    def legs(self, rig: "Client", facts: Facts) -> Sequence[Leg]:
        """Sines and chirps up and down, through the hydraulic mode."""
        if facts["law.feedback"] != "three_state":
            raise LegFault(f"law.feedback is {facts['law.feedback']}; set it to three_state for the plant's motions")
        legs = []
        for one in plan(rig, facts):
            p = one.parameters
            top = max(p.get("start_hz", one.lowest_hz), p.get("end_hz", one.lowest_hz))
            legs.append(Leg(
                name=one.name, group=one.name, kind="motion", role="fit",
                settings={"kind": one.kind, "parameters": p}, band_hz=(one.lowest_hz, top),
                amplitude_m=p["amplitude_m"], seconds=p["duration_s"],
            ))  # fmt: skip
        return legs

    def choices(self, facts: Facts, asked: Asked) -> dict[str, Choice]:
        """Flow, oil, valve and delays free; geometry as in the rig file; then the requested changes."""
        base = rig_choices(facts)
        made = chosen(base, fixed=asked.fixed, free=asked.free, tied=asked.tied, keys=_KEYS)
        if not isinstance(made["threshold"], Fixed):
            limit = "must not be free: the output jumps with it, so a search by derivatives does not find it"
            raise BadValues([
                Problem("threshold", "", limit, "leave it out: it is searched separately; or --fix threshold=VALUE")
            ])  # fmt: skip
        Parameters(rig_model(facts), made)
        return made

    def grey(self, experiments: Sequence[Experiment], facts: Facts, asked: Asked) -> Grey:
        """From the plant's own motions; without any, from all records that models are fitted to."""
        chosen = [one for one in experiments if one.kind == "motion"] or list(experiments)
        lacking = {one.name: [c for c in CHANNELS if c not in one.channels] for one in chosen}
        chosen = [one for one in chosen if not lacking[one.name]]
        before = {name: float(facts[key]) for name, key in _KEYS.items()}
        before["dead_band"] = 0.5 * sum(declared_overlaps(facts.values))
        made = Grey(self.name, tuple(one.name for one in chosen), ("load_pressure",), None, before, _keys(facts))
        if not chosen:
            without = next(iter(lacking.items()), ("there is no record", ["multisine", "plant"]))
            why = f"{without[0]} lacks {', '.join(without[1])}; record these channels as well"
            return replace(made, refused=why)
        if max(one.band_hz[1] for one in chosen) <= FAST_HZ:
            why = f"nothing was driven above {FAST_HZ:g} Hz, where the valve shows; widen the band"
            return replace(made, refused=why)
        try:
            records = rig_records([plant_record(one) for one in chosen], facts.values)
            fit = identify_rig(facts, records, self.choices(facts, asked), starts=asked.starts)
        except (NoStart, NoMachine, LegFault) as error:
            return replace(made, refused=str(error))
        mass, refused = _weighed(chosen, facts)
        return replace(made, fit=fit, mass=mass, refused=refused)

    def modelled(self, grey: Grey, experiment: Experiment, facts: Facts) -> tuple[Modelled, ...]:
        """The load pressure of the grey box for the record's command and motion."""
        if grey.fit is None or any(name not in experiment.channels for name in CHANNELS):
            return ()
        record: Record = rig_records([plant_record(experiment)], facts.values)[0]
        model = rig_model(facts)
        made = model.simulate(grey.fit.values, record)[:, 0]
        measured = record.measured()[:, 0]
        offset = float(np.mean(measured - made))  # of the two sensors, different in every record
        return (Modelled("load_pressure_pa", model.driven(record), measured, made + offset),)


def plant_record(one: Experiment) -> Driven:
    """The record in the form of the plant's identification."""
    about = {"lowest_hz": one.band_hz[0]}
    if one.record is not None:
        return Driven(one.name, one.record, one.record, one.record.losses(SENSED), about)
    return taken(one.name, {name: one.channels[name] for name in CHANNELS}, one.rate_hz, about)


def _weighed(chosen: Sequence[Experiment], facts: Facts) -> "tuple[PlantFit | None, str]":
    """The mass, or why it is not identifiable from the motions."""
    from hilctl.identify.plant import fit_plant

    try:
        return fit_plant([plant_record(one) for one in chosen], facts), ""
    except LegFault as error:
        return None, f"the mass: {error}"
