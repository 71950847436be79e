"""The rig's own plant as a model: valve, four orifices, two chambers of changing volume; load pressure is its output.

Its inputs are the command and the motion, both measured, so friction and whatever stands on the table do not enter, and
a position that drifts does not either. What it says of the valve hangs on what was driven fast: above 20 Hz.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hilctl.identify.campaign.facts import Facts
from hilctl.identify.dynamics.grey.model import CannotBe, Reals
from hilctl.identify.dynamics.grey.parameters import Choice, Fixed, Free
from hilctl.identify.dynamics.grey.record import Record
from hilctl.identify.dynamics.grey.rig_flow import Word, simulate_load
from hilctl.identify.plant.motion import compare, fuse
from hilctl.identify.plant.record import Record as PlantRecord
from hilctl.identify.plant.signals import Grid, Waves

FINER = 4  # samples for one: between those of the record the signals are what their waves say
LEAK = 1e-3  # opening of each edge at null: what a good valve has
_UNITS = {
    "Qn": "m³/s", "beta": "Pa", "Vt": "m³", "A": "m²", "Ctc": "m³/(s·Pa)", "dead_band": "", "tau": "s", "droop": "",
    "null": "", "wv": "rad/s", "zv": "", "delay": "s",
}  # fmt: skip
_LIMITS = {
    "Qn": (1e-7, 1.0), "beta": (1e7, 1e10), "Vt": (1e-7, 10.0), "A": (1e-6, 1.0), "Ctc": (0.0, 1e-8),
    "dead_band": (0.0, 0.5), "tau": (-0.01, 0.01), "droop": (-5.0, 5.0), "null": (-0.5, 0.5), "wv": (20.0, 2e4),
    "zv": (0.05, 5.0), "delay": (-5e-3, 0.05),
}  # fmt: skip
_COURSE = ("x", "v", "a", "b", "both", "both_rate", "supply")


class RigModel:
    """Parameters as in [machine]; `tau`, `droop`: what the motion's sensors are late by and lose; `null`, `delay`."""

    names: tuple[str, ...] = tuple(word.name for word in Word)
    units: Mapping[str, str] = _UNITS
    outputs: tuple[str, ...] = ("load_pressure",)
    inputs: tuple[str, ...] = ("u", *_COURSE)
    states: int = 1

    def __init__(self, known: Mapping[str, float], ps_pa: float, leak: float = LEAK) -> None:
        self._known, self.ps_pa, self.leak = dict(known), ps_pa, leak

    def known(self, name: str) -> bool:
        """Whether it was given."""
        return name in self._known

    def limits(self, name: str) -> tuple[float, float]:
        """Beyond them is no servo-hydraulic rig."""
        return _LIMITS[name]

    def simulate(self, values: Mapping[str, float], record: Record, initial: Any = None) -> Reals:
        """The load pressure."""
        return self.sensitivities(values, (), record, initial)[0]

    def sensitivities(
        self, values: Mapping[str, float], free: Sequence[str], record: Record, initial: Any = None
    ) -> tuple[Reals, Reals]:
        """With derivatives."""
        p = np.array([float({**self._known, **values}[name]) for name in self.names])
        course, turns = _spool(record, p)
        count = record.samples
        load, slopes = np.empty(2 * count - 1), np.empty((2 * count - 1, len(p)))
        begin = float(np.mean(record.outputs["load_pressure"][:15]))
        simulate_load(p, self.ps_pa, self.leak, record.dt_s / FINER, course, turns, begin, load, slopes)
        if not np.isfinite(load).all():
            raise CannotBe("the load pressure leaves every bound")
        columns = [self.names.index(name) for name in free]
        return load[::2, None].copy(), slopes[::2, None, columns].copy()


def _spool(record: Record, p: Reals) -> tuple[Reals, Reals]:
    """The finer course with the spool's place in front, and how that turns with the valve's words."""
    fine = np.stack([record.inputs["u"], *(record.inputs[name] for name in _COURSE)])
    count = record.samples
    grid = Grid(count, record.dt_s)
    wv, zv, delay = p[Word.wv], p[Word.zv], p[Word.delay]
    s = 1j * grid.w
    below = s * s + 2 * zv * wv * s + wv**2
    valve, late = wv**2 / below, grid.held * np.exp(-s * delay)
    waves = grid.waves(fine[0, ::FINER])
    by = (2 * wv / below - wv**2 * (2 * zv * s + 2 * wv) / below**2, -2 * wv**3 * s / below**2, -s * valve)
    line = Waves(waves.lines, 0.0, 0.0)
    out = fine.copy()
    out[0] = finer(grid, waves, valve * late) + p[Word.null]
    turns = np.stack([finer(grid, line, each * late) for each in by])
    # What the line of the command is late by is a step of its place.
    turns[2] -= waves.slope / record.dt_s
    return out, turns


def finer(grid: Grid, waves: Waves, shape: Any = 1.0) -> Reals:
    """A signal through a filter, at FINER instants for each sample."""
    lines = np.zeros(FINER * grid.count // 2 + 1, complex)
    lines[: len(waves.lines)] = waves.lines * grid.low_pass * shape
    line = waves.begin + waves.slope * np.arange(FINER * grid.count) / FINER
    return np.asarray(np.fft.irfft(lines, FINER * grid.count) * FINER + line)


def rig_records(records: Sequence[PlantRecord], values: Mapping[str, Any]) -> list[Record]:
    """Motions of a plant's identification as records of this model; `values`: what the rig file says, by dotted key."""
    pairs = [(record, Grid(len(record.of("tick")), 1 / record.rate_hz)) for record in records]
    meter = compare(pairs, values)
    return [_one(record, grid, meter, values) for record, grid in pairs]


def _one(record: PlantRecord, grid: Grid, meter: Any, values: Mapping[str, Any]) -> Record:
    moved = fuse(record, grid, meter, values)
    pressures = [grid.waves(record.of(channel)) for channel in ("pressure_a_pa", "pressure_b_pa")]
    both = Waves(*(one + other for one, other in zip(*pressures, strict=True)))
    rate = grid.waves(grid.rate(both))
    supply = record.of("supply_pressure_pa")
    if not values["sensors.supply_pressure.present"]:
        supply = np.full(grid.count, float(values["machine.Ps"]))
    slow = (grid.w < 2 * np.pi * 20.0).astype(float)
    inputs = {name: finer(grid, grid.waves(part)) for name, part in moved._asdict().items() if name != "droop"}
    inputs |= {"b": finer(grid, grid.waves(moved.droop)), "both": finer(grid, both), "both_rate": finer(grid, rate)}
    inputs |= {"supply": finer(grid, grid.waves(supply), slow), "u": np.repeat(record.of("u_applied"), FINER)}
    load = record.of("pressure_a_pa") - record.of("pressure_b_pa")
    return Record(inputs, {"load_pressure": load}, 1 / record.rate_hz, offset=True, name=record.name)


def rig_choices(facts: Facts) -> dict[str, Choice]:
    """Flow gain, oil, leakage, valve, delay and null free around what the rig file says; geometry fixed."""
    out: dict[str, Choice] = {name: Fixed(float(facts[f"machine.{name}"])) for name in ("Vt", "A", "dead_band")}
    for name in ("Qn", "beta", "wv", "zv"):
        value = float(facts[f"machine.{name}"])
        out[name] = Free(value, 0.2 * value, 5 * value)
    leak = 0.02 * float(facts["machine.Qn"]) / float(facts["machine.Ps"])
    out["Ctc"] = Free(min(float(facts["machine.Ctc"]) + 0.1 * leak, 50 * leak), 0.0, 100 * leak)
    out |= {"delay": Free(0.0, -1e-3, 10e-3), "null": Free(0.0, -0.2, 0.2), "tau": Free(0.0, -3e-3, 3e-3)}
    return out | {"droop": Fixed(0.5)}


def rig_model(facts: Facts) -> RigModel:
    """With what the rig file says of the supply and of leakage at null."""
    Qn, Ps, Kc = (float(facts[f"machine.{name}"]) for name in ("Qn", "Ps", "Kc"))
    return RigModel({}, Ps, max(LEAK, Kc * Ps / Qn))
