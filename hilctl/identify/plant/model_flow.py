"""What the oil does with a command: the equation that the fit holds against the samples, line by line.

Friction and mass do not enter: pressures and motion are both measured. With the valve's spool xv from the command that
was sent, after the play of its hysteresis and its threshold, held for a tick, later by `delay` and through the valve's
second order, and s its opening beyond the overlap, whose edges may be rounded,

    QA = Qn/sqrt(Ps/2) [o(s) r(ps - pA) - o(-s) r(pA)]      QA - A v - Ctc pL - (Vt/2 + A x) pA'/beta = 0
    QB = Qn/sqrt(Ps/2) [o(-s) r(ps - pB) - o(s) r(pB)]      QB + A v + Ctc pL - (Vt/2 - A x) pB'/beta = 0

half their difference is the equation (o, r: docs/models.md). pA' + pB' says little: it hangs on leakage to the tank.

Of the overlap's two sides and the null only the two edges show. So by how much the sides differ stays as declared, and
`dead_band` is their mean: with it and `null` both edges are where they are.

What the sensors may do to it is in it, too: `bias`, by which pA reads too high and pB too low, shows as a difference
between the two directions; `tau`, by which the motion's sensors are later than declared; `droop`, see motion.py.
Qn, 1/beta, Ctc, tau and droop enter linearly.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from hilctl.experiment.accelerometer import Accelerometer
from hilctl.experiment.record import Mask
from hilctl.identify.plant.model_motion import fuse
from hilctl.identify.plant.model_signals import Grid, Reals, Shown, Waves
from hilctl.identify.plant.model_valve import follow
from hilctl.machine import overlaps

HIGHEST = 1.8  # of the declared hydraulic mode: lines beyond are not used
_LOWEST = 0.5  # of the lowest frequency that the motion asks for
_EXACT = 0.003  # of the flow nearby: how well four orifices and two chambers describe a machine
_SELDOM = 0.3  # likewise of the oil's flow, where a slow sine's pressures are known at some instants only
_NEAR_HZ = 0.5
_CLEAR = 10.0  # times the noise: where there is little else, the noise of a column makes its word smaller
_LEAK = 1e-3  # opening of each edge at null: what a good valve has
_SUPPLY_HZ = 20.0
_REMEMBERED = 4
LINEAR = ("Qn", "compliance", "Ctc", "tau", "droop")
_AT_THE_EDGES = ("bias", "dead_band", "rounding")  # these do not move the spool
CURVED = ("null", "delay", "wv", "zv", "bias", "dead_band", "play", "rounding", "threshold")


class Command:
    """What was sent, after the play of a hysteresis and a threshold."""

    def __init__(self, sent: Reals, grid: Grid) -> None:
        self._sent, self._grid = np.ascontiguousarray(sent, float), grid
        self._made: dict[tuple[float, float], Waves] = {}

    def after(self, play: float, threshold: float) -> Waves:
        """For half the width of the loop; the last few are remembered."""
        asked = play, threshold
        if asked not in self._made:
            if len(self._made) > _REMEMBERED:
                self._made.clear()
            gone, by_play = np.empty_like(self._sent), np.empty_like(self._sent)
            follow(self._sent, play, threshold, gone, by_play)
            self._made[asked] = self._grid.waves(gone)
        return self._made[asked]


class Lines(NamedTuple):
    """A record, ready for the fit; spectra are at the chosen lines and weighed by what is expected of them."""

    grid: Grid
    fresh: Mask  # where every reading is of its tick
    chosen: Any
    weight: Reals
    command: "Command"
    supply: Reals
    pa: Reals
    pb: Reals
    wanted: Any  # A v
    columns: Any  # of 1/beta, Ctc, tau, droop
    sides: Any  # of 1/beta and Ctc, what either chamber's pressure contributes
    load: Reals
    x: Reals
    v: Reals
    a: Reals


def lines_of(record: Shown, meter: Accelerometer, facts: Mapping[str, Any], mode_rad_s: float) -> Lines:
    """What does not change during the fit."""
    grid, area, half = record.grid, facts["machine.A"], 0.5 * facts["machine.Vt"]
    moved = fuse(record, meter, facts)
    wave_a, wave_b = grid.waves(record.of("pressure_a_pa")), grid.waves(record.of("pressure_b_pa"))
    pa, pb = grid.values(wave_a), grid.values(wave_b)
    squeezed_a, squeezed_b = (
        0.5 * (half + way * area * moved.x) * grid.rate(wave) for way, wave in ((1, wave_a), (-1, wave_b))
    )
    squeezed = squeezed_a - squeezed_b
    w = grid.w
    highest = min(HIGHEST * mode_rad_s, 0.25 * np.pi / grid.dt_s, 2 * np.pi * record.pressures_hz)
    chosen: Any = (w > 2 * np.pi * _LOWEST * record.lowest_hz) & (w < highest)
    oil = np.abs(grid.seen(squeezed / facts["machine.beta"], chosen))
    noise, near = _noise(grid, w[chosen], facts), _smoothed(np.abs(grid.seen(area * moved.v, chosen)) + oil, grid)
    clear = near > _CLEAR * noise
    chosen = np.flatnonzero(chosen)[clear]
    if math.isfinite(record.pressures_hz):
        noise = np.hypot(noise, _SELDOM * _smoothed(oil, grid))
    weight = 1 / np.hypot(noise, _EXACT * near)[clear]
    columns = np.stack([
        grid.seen(part, chosen) * weight
        for part in (squeezed, pa - pb, area * moved.a, area * moved.droop)
    ], axis=1)  # fmt: skip
    sides = [
        np.stack([grid.seen(part, chosen) * weight for part in parts], axis=1)
        for parts in ((squeezed_a, pa), (-squeezed_b, -pb))
    ]
    return Lines(
        grid, record.fresh, chosen, weight, Command(record.of("u_applied"), grid), _supply(record, facts), pa, pb,
        grid.seen(area * moved.v, chosen) * weight, columns, sides, pa - pb, moved.x, moved.v, moved.a,
    )  # fmt: skip


def _noise(grid: Grid, w: Reals, facts: Mapping[str, Any]) -> Reals:
    """Of the equation, from the sensors' noise."""
    pressure = math.hypot(facts["sensors.pressure_a.noise"], facts["sensors.pressure_b.noise"])
    oil = 0.25 * facts["machine.Vt"] / facts["machine.beta"] * w * pressure
    speed = np.minimum(facts["sensors.displacement.noise"] * w, facts["sensors.acceleration.noise"] / w)
    return np.asarray(math.sqrt(float(np.sum(grid.window**2))) * np.hypot(oil, facts["machine.A"] * speed))


def _smoothed(flow: Reals, grid: Grid) -> Reals:
    reach = max(3, int(_NEAR_HZ * grid.count * grid.dt_s))
    kernel = np.ones(2 * reach + 1) / (2 * reach + 1)
    power = np.convolve(np.pad(flow**2, reach, mode="edge"), kernel, "valid")
    return np.asarray(np.sqrt(power))


def _supply(record: Shown, facts: Mapping[str, Any]) -> Reals:
    """Measured where the rig has the sensor, without its noise; else as declared."""
    grid = record.grid
    measured = record.of("supply_pressure_pa")
    if not facts["sensors.supply_pressure.present"] or not np.all(np.isfinite(measured)):
        return np.full(grid.count, float(facts["machine.Ps"]))
    return grid.values(grid.waves(measured), (grid.w < 2 * np.pi * _SUPPLY_HZ).astype(float))


def spool(lines: Lines, curved: Mapping[str, float]) -> Reals:
    """Where the spool is: the command, held, late, and through the valve."""
    grid, wv = lines.grid, curved["wv"]
    s = 1j * grid.w
    valve = wv**2 / (s * s + 2 * curved["zv"] * wv * s + wv**2)
    late = np.exp(-s * curved["delay"])
    gone = lines.command.after(curved["play"], curved["threshold"])
    return grid.values(gone, grid.held * valve * late) + curved["null"]


def _root(drop: Reals) -> Reals:
    return np.asarray(np.sign(drop) * np.sqrt(np.abs(drop)))


def sides(mean: float, facts: Mapping[str, Any]) -> tuple[float, float]:
    """Overlaps of this mean that differ as the declared ones do."""
    up, down = declared_overlaps(facts)
    return max(mean + 0.5 * (up - down), 0.0), max(mean - 0.5 * (up - down), 0.0)


def declared_overlaps(facts: Mapping[str, Any]) -> tuple[float, float]:
    """Those of the rig file."""
    return overlaps(*(float(facts[f"machine.{key}"]) for key in ("dead_band", "overlap_a", "overlap_b")))


def _beyond(place: Reals, rounding: float) -> Reals:
    """How far an edge is open."""
    return np.asarray(0.5 * (place + np.sqrt(place**2 + rounding**2)))


class Roots(NamedTuple):
    """Of what drops at each edge."""

    supply_a: Reals
    supply_b: Reals
    a: Reals
    b: Reals


def roots_of(lines: Lines, bias: float) -> Roots:
    """With the sensors' bias taken out."""
    pa, pb, ps = lines.pa - bias, lines.pb + bias, lines.supply
    return Roots(_root(ps - pa), _root(ps - pb), _root(pa), _root(pb))


def flow_shape(place: Reals, roots: Roots, curved: Mapping[str, float], facts: Mapping[str, Any]) -> Reals:
    """(QA - QB)/2 for Qn = 1 and a spool at `place`."""
    up, down = sides(curved["dead_band"], facts)
    bend = curved["rounding"]
    opening = _beyond(place - up, bend) / (1 - up) - _beyond(-place - down, bend) / (1 - down)
    leak = max(_LEAK, facts["machine.Kc"] * facts["machine.Ps"] / facts["machine.Qn"])
    root = np.sqrt(opening**2 + 4 * leak**2)
    edge, counter = 0.5 * (root + opening), 0.5 * (root - opening)
    into_a = edge * roots.supply_a - counter * roots.a
    into_b = counter * roots.supply_b - edge * roots.b
    return np.asarray(0.5 * (into_a - into_b) / math.sqrt(facts["machine.Ps"] / 2))


def flow_lines(lines: Lines, curved: Mapping[str, float], facts: Mapping[str, Any]) -> Any:
    """The same as weighed spectrum."""
    shape = flow_shape(spool(lines, curved), roots_of(lines, curved["bias"]), curved, facts)
    return lines.grid.seen(shape, lines.chosen) * lines.weight


def flow_slopes(
    lines: Lines, curved: Mapping[str, float], steps: Mapping[str, float], facts: Mapping[str, Any]
) -> tuple[Any, Any]:
    """The weighed spectrum, and what such a step of each curved word adds to it; a column each."""
    place, roots = spool(lines, curved), roots_of(lines, curved["bias"])
    shapes = [flow_shape(place, roots, curved, facts)]
    for name, step in steps.items():
        ahead = {**curved, name: curved[name] + step}
        moved = place if name in _AT_THE_EDGES else spool(lines, ahead)
        there = roots_of(lines, ahead["bias"]) if name == "bias" else roots
        shapes.append(flow_shape(moved, there, ahead, facts) - shapes[0])
    here, *columns = lines.grid.seen(np.stack(shapes), lines.chosen) * lines.weight
    return here, np.stack(columns, axis=1)
