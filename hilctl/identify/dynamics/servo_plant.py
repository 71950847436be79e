"""The paper's servo in a study: driven by its reference voltage, and fitted in nine states.

Such a rig closes its own loop (`law.feedback = "rig"`), so the valve's command of other rigs is its reference: with
the displacement for a command of 1 and the transducer's gain, `ui = u_applied reach_m Kd`, held from tick to
tick.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hilctl.experiment.facts import Facts
from hilctl.identify.dynamics.plant import Modelled
from hilctl.identify.dynamics.study import Grey
from hilctl.identify.frequency.excite_shape import room_of
from hilctl.identify.frequency.judge import RecordFault
from hilctl.identify.frequency.plan import Asked, Excitation, Leg
from hilctl.identify.frequency.record import Experiment, Pair
from hilctl.identify.grey_box.identify import identify
from hilctl.identify.grey_box.model import Record, ServoModel
from hilctl.identify.grey_box.parameters import Choice, Free, Parameters, chosen
from hilctl.identify.grey_box.search import NoMachine, NoStart
from hilctl.servo import BOUNDS, KNOWN, Hold

if TYPE_CHECKING:
    from hilctl.client import Client

# The rig file's key of each parameter that the paper identifies.
KEYS = {
    "ws": "machine.wv", "xis": "machine.zv", "beta": "machine.beta", "Kc": "machine.Kc", "Ctc": "machine.Ctc",
    "B": "machine.B", "m": "machine.m", "KL": "machine.K",
}  # fmt: skip
OUTPUTS = {"displacement": "displacement_m", "load_pressure": "load_pressure_pa"}
SWEEP, STEP = "the paper's sweep", "the paper's step"
AMPLITUDE_M = 7e-3
STEP_M, STEP_S = 4e-3, 8e-3
_STILL_S, _BEHIND_S = 0.05, 0.25  # of the record kept before and after the excitation


class ServoPlant:
    """A servo that closes its own displacement loop, linear."""

    name = "the linear servo in nine states"
    loop = Pair("u_applied", "displacement_m")
    excitations: tuple[Excitation, ...] = ("plant",)

    def legs(self, rig: "Client", facts: Facts) -> Sequence[Leg]:
        """The paper's sweep: 1 to 100 Hz in steps of 1 Hz, three periods each; and a step for validation."""
        most = float(room_of(facts).position_m)
        sine = {
            "start_hz": 1.0, "end_hz": 100.0, "step_hz": 1.0, "periods": 2, "settle_periods": 1,
            "rate_hz": facts.rate_hz,
        }  # fmt: skip
        return [
            Leg(name=SWEEP, group=SWEEP, kind="stepped", role="fit", settings=sine, band_hz=(1.0, 100.0),
                amplitude_m=min(AMPLITUDE_M, most), seconds=sum(3 / f for f in range(1, 101))),
            Leg(name=STEP, group=STEP, kind="step", role="check", settings={"rise_s": STEP_S},
                band_hz=(0.5, 1 / STEP_S), amplitude_m=min(STEP_M, most), seconds=2.0),
        ]  # fmt: skip

    def choices(self, facts: Facts, asked: Asked) -> dict[str, Choice]:
        """The paper's eight from the rig file's values, within the paper's bounds; then the requested changes."""
        starts = {name: float(facts[key]) for name, key in KEYS.items()}
        base: dict[str, Choice] = {name: Free(start, *bounds_of(name, start)) for name, start in starts.items()}
        made = chosen(base, fixed=asked.fixed, free=asked.free, tied=asked.tied, keys=KEYS)
        Parameters(servo_model(facts), made)
        return made

    def grey(self, experiments: Sequence[Experiment], facts: Facts, asked: Asked) -> Grey:
        """All eight parameters of the paper, from its start, within its bounds."""
        chosen = tuple(one.name for one in experiments)
        outputs = ("displacement", "load_pressure") if asked.load_pressure else ("displacement",)
        before = {name: float(facts[key]) for name, key in KEYS.items()}
        made = Grey(self.name, chosen, outputs, None, before, KEYS)
        if not experiments:
            return made
        try:
            records = [servo_record(one, facts, outputs) for one in experiments]
            fit = identify(servo_model(facts), records, self.choices(facts, asked), starts=asked.starts)
        except (NoStart, NoMachine, RecordFault) as error:
            return replace(made, refused=str(error))
        return replace(made, fit=fit)

    def modelled(self, grey: Grey, experiment: Experiment, facts: Facts) -> tuple[Modelled, ...]:
        """The displacement of the grey box for the record's reference."""
        if grey.fit is None:
            return ()
        record = servo_record(experiment, facts, part=slice(None))
        made = servo_model(facts).simulate(grey.fit.values, record)[:, 0]
        return (Modelled("displacement_m", record.inputs["ui"], record.measured()[:, 0], made),)


def servo_model(facts: Facts) -> ServoModel:
    """With the paper's known parameters; piston area and oil volume are the rig file's."""
    return ServoModel({**KNOWN, "A": float(facts["machine.A"]), "Vt": float(facts["machine.Vt"])})


def servo_record(
    one: Experiment, facts: Facts, outputs: Sequence[str] = ("displacement",), part: slice | None = None
) -> Record:
    """From rest before the excitation until its response has decayed; or another part that starts at rest."""
    volts = float(facts["law.rig.reach_m"]) * KNOWN["Kd"]
    part = part or heard(one)
    u = volts * np.asarray(one.channels["u_applied"], float)[part]
    shown = {name: np.asarray(one.channels[OUTPUTS[name]], float)[part] for name in outputs}
    return Record({"ui": u}, shown, 1 / one.rate_hz, hold=Hold.zero, name=one.name)


def heard(one: Experiment) -> slice:
    """The part of an experiment from just before the excitation to just after it."""
    first = max(0, one.begins - round(_STILL_S * one.rate_hz))
    if one.kind == "step":
        return slice(first, None)
    moving = np.flatnonzero(np.diff(np.asarray(one.channels["u_applied"], float)) != 0.0)
    last = (int(moving[-1]) if len(moving) else one.samples) + round(_BEHIND_S * one.rate_hz)
    return slice(first, min(last, one.samples))


def bounds_of(name: str, start: float) -> tuple[float, float]:
    """The paper's bounds; if the rig file's value lies outside them, a factor of four around it."""
    low, high = BOUNDS[name]
    return (low, high) if low < start < high else (start / 4, start * 4)
