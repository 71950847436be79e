"""The stand on which every law is tried: a block of the reference rig's size, and paths along which it is pushed.

A law of a joint has a stand of its own size: the same times, other units. Newtons and metres are read as newton metres
and radians there.
"""

import math
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.friction import MODELS, STATES, Friction, Kind, friction_of
from hilctl.papers.phenomena.block import rt_run
from hilctl.papers.phenomena.words import (
    DAMPING,
    FRICTION,
    KIND,
    LAW,
    LED,
    MASS,
    PEAK,
    POSITION,
    ROWS,
    SAMPLE_S,
    SPEED,
    STIFFNESS,
    SUBSTEPS,
    VISCOUS,
    WORDS,
)  # fmt: skip
from hilctl.params import check

Line = npt.NDArray[np.floating[Any]]

STEP_S = 2e-4  # the reference rig's bristles swing in 14 ms; half this step changes no figure of the table by 1 %
_STEEP = 1.0  # of a smooth law's slope over the mass, in steps: half of what Runge–Kutta bears is 1.4


class Size(NamedTuple):
    """What a block is measured in."""

    mass: float  # kg, or kg·m²
    speed: float  # what 1 m/s of the table stands for: m/s, or rad/s
    force_unit: str
    length_unit: str
    mass_unit: str


TABLE = Size(500.0, 1.0, "N", "m", "kg")  # the reference rig's moving mass
JOINT = Size(0.4, 20.0, "N·m", "rad", "kg·m²")  # the same mass · speed / friction for 50 N·m that falls from 0.2 rad/s


class Run(NamedTuple):
    """What a run leaves behind, a value a sample."""

    t: Line
    x: Line
    v: Line
    friction: Line
    q: Line


class Stand(NamedTuple):
    """A law with its typical parameters, and the block that it rubs on."""

    friction: Friction
    size: Size
    level: float  # the force that breaks the block away; 0 where nothing holds it

    @property
    def name(self) -> str:
        """Of the law."""
        return self.friction.model

    @property
    def kind(self) -> Kind:
        """Of the law."""
        return MODELS[self.name].kind

    def block(self, *, stiffness: float = 0.0, damping: float = 0.0) -> "Block":
        """A block at rest, whose friction has no past; with a spring, if given."""
        return Block(self.friction, self.size, stiffness, damping)


class Block:
    """A block with its state, which goes on from run to run."""

    def __init__(self, friction: Friction, size: Size, stiffness: float = 0.0, damping: float = 0.0) -> None:
        model, law = MODELS[friction.model], friction.params
        self._p, self._z, self._words = friction.packed(), np.zeros(STATES), np.zeros(WORDS)
        self._words[[LAW, KIND, MASS]] = model.code, model.kind, size.mass
        self._words[[STIFFNESS, DAMPING, VISCOUS]] = stiffness, damping, law.viscous
        self._longest_s = STEP_S
        if model.kind == Kind.SMOOTH:
            self._longest_s = min(STEP_S, _STEEP * size.mass / law.steepest)

    def pull(self, q: Line, sample_s: float) -> Run:
        """Pulled by q, linear between samples."""
        return self._run(q, sample_s, self._longest_s)

    def lead(self, v: Line, sample_s: float, step_s: float | None = None) -> Run:
        """Led at the speeds v; the steps may be longer where these do not change."""
        self._words[LED] = 1.0
        run = self._run(v, sample_s, STEP_S if step_s is None else step_s)
        self._words[LED] = 0.0
        return run

    @property
    def peak(self) -> float:
        """The greatest friction so far, without its viscous part."""
        return float(self._words[PEAK])

    def forget_peak(self) -> None:
        """From now on."""
        self._words[PEAK] = 0.0

    def _run(self, q: Line, sample_s: float, step_s: float) -> Run:
        q = np.ascontiguousarray(q, np.float64)
        rows = np.zeros((ROWS, q.size))
        self._words[SAMPLE_S], self._words[SUBSTEPS] = sample_s, math.ceil(sample_s / step_s - 1e-9)
        rt_run(self._p, self._z, self._words, q, rows)
        return Run(np.arange(q.size) * sample_s, rows[POSITION], rows[SPEED], rows[FRICTION], q)


@cache
def stand_for(name: str) -> Stand:
    """The law of that name with its typical parameters."""
    model = MODELS[name]
    friction = friction_of(check(model.Params, {"model": name, **model.typical}, name))
    size = JOINT if model.rotary else TABLE
    return Stand(friction, size, _break_away(friction, size))


def _break_away(friction: Friction, size: Size) -> float:
    """What a push has to pass, in a tenth of a second from nothing, before the block slides."""
    model, p = MODELS[friction.model], friction.packed()
    if model.kind == Kind.JUMPS:
        return float(model.hold(p, 1.0)) if model.hold is not None else 0.0
    speeds = size.speed * np.geomspace(1e-6, 1.0, 4001)
    if model.kind == Kind.SMOOTH:
        return float(np.max(friction.curve(speeds) - friction.params.viscous * speeds))
    top, broken = friction.steady(float(speeds[0])), math.inf  # a law may hold more than it takes to slide
    while broken > 0.99 * top:
        top *= 2.0
        block = Block(friction, size)
        block.pull(path(0.0, top, seconds=0.2, sample_s=1e-3), 1e-3)
        broken = block.peak
    return broken


def path(*corners: float, seconds: float, sample_s: float) -> Line:
    """From corner to corner, so gently at either end that nothing is set swinging."""
    share = np.linspace(0.0, 1.0, round(seconds / sample_s) + 1)
    rise = share**3 * (10 - 15 * share + 6 * share**2)
    legs = [a + (b - a) * rise[1:] for a, b in pairwise(corners)]
    return np.concatenate([[corners[0]], *legs])


def sine(mean: float, amplitude: float, frequency_hz: float, cycles: float, sample_s: float) -> Line:
    """A sine about a mean, which it leaves upwards."""
    t = np.arange(round(cycles / frequency_hz / sample_s) + 1) * sample_s
    out: Line = mean + amplitude * np.sin(2 * math.pi * frequency_hz * t)
    return out


def loop_area(y: Line, x: Line) -> float:
    """∮ y dx of one closed cycle."""
    return float(np.sum(0.5 * (y[1:] + y[:-1]) * np.diff(x)))
