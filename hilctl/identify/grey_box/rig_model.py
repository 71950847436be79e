"""The rig's own plant as a model: valve, four orifices, two chambers of changing volume; load pressure is its output.

Its inputs are the command and the motion, both measured, so friction and whatever stands on the table do not enter, and
a position that drifts does not either. What it says of the valve hangs on what was driven fast: above 20 Hz.

A record is waves, which go round from its end to its beginning. What noise leaves there moves the oil: a step of 5 µm
is 60 kPa that take a tenth of a second to leak away. So the ends do not count, and what load the rest begins with is
found with it.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hilctl.experiment.drive import Driven
from hilctl.experiment.facts import Facts
from hilctl.identify.grey_box.model import CannotBe, Record
from hilctl.identify.grey_box.parameters import Choice, Fixed, Free
from hilctl.identify.grey_box.rig_flow import Word, simulate_load
from hilctl.identify.plant.model_flow import declared_overlaps
from hilctl.identify.plant.model_motion import compare, fuse
from hilctl.identify.plant.model_signals import EDGE_S, Grid, Shown, Waves, fft, shown
from hilctl.identify.plant.model_valve import follow
from hilctl.results.response import Reals

FINER = 4  # samples for one: between those of the record the signals are what their waves say
DROOP = Fixed(1.0, 0.5)  # of the accelerometer: two equal poles; none has 0, and a single one 2
LEAK = Fixed(1e-3, 1.5e-3)  # opening of each edge at null: what a good valve has
NO_THRESHOLD = Fixed(0.0, 1e-4)  # not known, so it is looked for
_UNITS = {
    "Qn": "m³/s", "beta": "Pa", "Vt": "m³", "A": "m²", "Ctc": "m³/(s·Pa)", "dead_band": "", "tau": "s", "droop": "",
    "null": "", "wv": "rad/s", "zv": "", "delay": "s", "play": "",
    "leak": "", "threshold": "",
}  # fmt: skip
_LIMITS = {
    "Qn": (1e-7, 1.0), "beta": (1e7, 1e10), "Vt": (1e-7, 10.0), "A": (1e-6, 1.0), "Ctc": (0.0, 1e-8),
    "dead_band": (0.0, 0.5), "tau": (-0.01, 0.01), "droop": (-5.0, 5.0), "null": (-0.5, 0.5), "wv": (20.0, 2e4),
    "zv": (0.05, 5.0), "delay": (-5e-3, 0.05), "play": (0.0, 0.2),
    "leak": (0.0, 0.2), "threshold": (0.0, 0.1),
}  # fmt: skip
_COURSE = ("x", "v", "a", "b", "both", "both_rate", "supply")


class RigModel:
    """Parameters as in [machine]; `tau`, `droop`: what the motion's sensors are late by and lose; `null`, `delay`."""

    names: tuple[str, ...] = tuple(word.name for word in Word)
    units: Mapping[str, str] = _UNITS
    outputs: tuple[str, ...] = ("load_pressure",)
    inputs: tuple[str, ...] = ("u", *_COURSE)
    states: int = 1

    def __init__(self, known: Mapping[str, float], ps_pa: float) -> None:
        self._known, self.ps_pa = dict(known), ps_pa
        self._last: _Last | None = None
        self._courses: dict[int, tuple[Record, Reals]] = {}  # by the record's id, which it keeps taken

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
        load, slopes = self._both(values, free, record, initial)
        return load, slopes[:, :, :-1]

    def ways(self, values: Mapping[str, float], record: Record) -> Reals:
        """Of the load."""
        return self._both(values, (), record)[1][:, :, -1:]

    def driven(self, record: Record) -> Reals:
        """The command."""
        begin = _edge(record)
        return np.asarray(record.inputs["u"][::FINER][begin : begin + record.samples])

    def _both(
        self, values: Mapping[str, float], free: Sequence[str], record: Record, initial: Any = None
    ) -> tuple[Reals, Reals]:
        """The load pressure, and what it is by the free words and by the load at the start."""
        p = np.array([float({**self._known, **values}[name]) for name in self.names])
        moving = np.array([self.names.index(name) for name in free], np.int64)
        more_pa = 0.0 if initial is None else float(initial[0])
        asked = (p.tobytes(), moving.tobytes(), more_pa)
        if self._last is None or self._last.record is not record or self._last.asked != asked:
            rows = self._rows(record, p)
            self._last = _Last(record, asked, rows, self._simulated(p, moving, record, rows, more_pa))
        return self._last.made

    def _rows(self, record: Record, p: Reals) -> tuple[Reals, Reals]:
        """What drives the load: the spool's of the last simulation where that had the same valve."""
        last = self._last
        if last is not None and last.record is record and last.asked[0] == p.tobytes():
            return last.rows
        begin, end = FINER * _edge(record), FINER * (_edge(record) + record.samples)
        if id(record) not in self._courses:
            self._courses[id(record)] = record, np.stack([record.inputs[name][begin:end] for name in _COURSE])
        return self._courses[id(record)][1], np.ascontiguousarray(_spool(record, p)[:, begin:end])

    def _simulated(
        self, p: Reals, moving: Any, record: Record, rows: tuple[Reals, Reals], more_pa: float
    ) -> tuple[Reals, Reals]:
        count = record.samples
        load, slopes = np.empty(count), np.empty((count, len(moving) + 1))
        begin = float(np.mean(record.outputs["load_pressure"][:15])) + more_pa
        simulate_load(p, self.ps_pa, record.dt_s / FINER, *rows, moving, begin, load, slopes)
        if not np.isfinite(load).all():
            raise CannotBe("the load pressure leaves every bound")
        return load[:, None], slopes[:, None]


class _Last(NamedTuple):
    """What was simulated last: it is asked for again at once."""

    record: Record
    asked: tuple[bytes, bytes, float]
    rows: tuple[Reals, Reals]
    made: tuple[Reals, Reals]


def _edge(record: Record) -> int:
    """Samples at either end of the motion that have no output."""
    return (len(record.inputs["u"]) // FINER - record.samples) // 2


@lru_cache(maxsize=32)
def _grid(count: int, dt_s: float) -> Grid:
    """That of a record, which is simulated hundreds of times."""
    return Grid(count, dt_s)


def _spool(record: Record, p: Reals) -> Reals:
    """The spool's place at the finer instants, and below it how that turns with the valve's words."""
    sent = np.ascontiguousarray(record.inputs["u"][::FINER])
    grid = _grid(len(sent), record.dt_s)
    wv, zv, delay = p[Word.wv], p[Word.zv], p[Word.delay]
    s = 1j * grid.w
    below = s * s + 2 * zv * wv * s + wv**2
    valve, late = wv**2 / below, grid.held * np.exp(-s * delay)
    played, by_play = np.empty_like(sent), np.empty_like(sent)
    follow(sent, p[Word.play], p[Word.threshold], played, by_play)
    waves, dragged = grid.waves(played), grid.waves(by_play)
    by = (2 * wv / below - wv**2 * (2 * zv * s + 2 * wv) / below**2, -2 * wv**3 * s / below**2, -s * valve)
    moved = [waves.lines * each for each in (valve, *by)]
    out = _finer(grid, np.stack([*moved, dragged.lines * valve]) * late)
    out[0] += _line(grid, waves) + p[Word.null]
    # What the line of the command is late by is a step of its place.
    out[3] -= waves.slope / record.dt_s
    out[4] += _line(grid, dragged)
    return out


def finer(grid: Grid, waves: Waves, shape: Any = 1.0) -> Reals:
    """A signal through a filter, at FINER instants for each sample."""
    return _finer(grid, waves.lines * grid.low_pass * shape) + _line(grid, waves)


def _finer(grid: Grid, lines: Any) -> Reals:
    """Sums of waves, one or several below each other."""
    return np.asarray(fft().irfft(lines, FINER * grid.count) * FINER)


def _line(grid: Grid, waves: Waves) -> Reals:
    return waves.begin + waves.slope * np.arange(FINER * grid.count) / FINER


def rig_records(driven: Sequence[Driven], values: Mapping[str, Any]) -> list[Record]:
    """Motions of a plant's identification as records of this model; `values`: what the rig file says, by dotted key."""
    records = [shown(one) for one in driven]
    meter = compare(records, values)
    return [_one(record, meter, values) for record in records]


def _one(record: Shown, meter: Any, values: Mapping[str, Any]) -> Record:
    grid, moved = record.grid, fuse(record, meter, values)
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
    edge = round(EDGE_S / grid.dt_s)
    return Record(
        inputs, {"load_pressure": load[edge:-edge]}, grid.dt_s, begin="free", offset=True, name=record.driven.name
    )


def rig_choices(facts: Facts) -> dict[str, Choice]:
    """Flow gain, oil, leakage, valve, overlap, delay and null free around what the rig file says; geometry fixed.

    A wrong overlap that is fixed makes leakage and valve several times too large.
    """
    out: dict[str, Choice] = {name: Fixed(float(facts[f"machine.{name}"])) for name in ("Vt", "A")}
    out["dead_band"] = Free(max(0.5 * sum(declared_overlaps(facts.values)), 1e-3), 0.0, 0.2)
    for name in ("Qn", "beta", "wv", "zv"):
        value = float(facts[f"machine.{name}"])
        out[name] = Free(value, 0.2 * value, 5 * value)
    per_pa = float(facts["machine.Qn"]) / float(facts["machine.Ps"])
    out["Ctc"] = Free(min(float(facts["machine.Ctc"]) + 2e-3 * per_pa, per_pa), 0.0, 2 * per_pa)
    out |= {"delay": Free(0.0, -1e-3, 10e-3), "null": Free(0.0, -0.2, 0.2), "tau": Free(0.0, -3e-3, 3e-3)}
    out["play"] = Free(2e-4, 0.0, 0.05)
    Qn, Ps, Kc = (float(facts[f"machine.{name}"]) for name in ("Qn", "Ps", "Kc"))
    leak = max(LEAK.value, Kc * Ps / Qn)  # Kc is a leakage at null, too
    return out | {"threshold": NO_THRESHOLD, "droop": DROOP, "leak": Fixed(leak, leak / LEAK.value * LEAK.sd)}


def rig_model(facts: Facts) -> RigModel:
    """With what the rig file says of the supply."""
    return RigModel({}, float(facts["machine.Ps"]))
