"""The reference rig's twin for the tests, and the same equations solved by scipy as exactly as it can."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from firmware_bridge.driver import READINGS, RigFacts
from hilctl.friction import check_friction
from hilctl.machine import Machine
from hilctl.params import check
from sim.driver import TwinDriver, record
from sim.resolve import resolve
from sim.twin import command

MACHINE = {
    "m": 500, "A": 3e-3, "Vt": 8.5e-4, "stroke_m": 0.1, "beta": 9e8, "Ctc": 5e-12, "Ps": 21e6,
    "Qn": 160 / 60000 * 3**0.5, "wv": 643, "zv": 0.88,
}  # fmt: skip
CURVE = {"fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}
KARNOPP = {"model": "karnopp", **CURVE}
LUGRE = {"model": "lugre", **CURVE, "s0": 1e8, "s1": 1e5}
NONE = {"model": "stribeck", "fc": 0, "fs": 0, "vs": 1, "sigma": 0}
EXACT_VALVE = {"null_bias": 0, "hysteresis": 0, "threshold": 0, "slew_per_s": 1e5}


class Rig:
    """A twin, its command and its readings."""

    def __init__(self, friction: Any = KARNOPP, rate_hz: float = 1000.0, machine: Any = None, **twin: Any) -> None:
        tables = {"machine": check(Machine, {**MACHINE, **(machine or {})}), "friction": check_friction(friction)}
        self.facts = RigFacts("test", rate_hz, tables, virtual=True)
        self.config = resolve(twin, self.facts)
        self.driver = TwinDriver(self.config, self.facts)
        self.driver.open()
        self.command, self.readings = command(), np.zeros(1, READINGS)[0]

    @property
    def own(self) -> Any:
        return record(self.driver.state)

    @property
    def plant(self) -> Any:
        return self.own.plant

    def ready(self) -> "Rig":
        """Supply up and pressures settled, without the seconds that this takes."""
        own, ps = self.own, self.config.machine.Ps
        own.source = own.plant.ps = ps
        half = (own.plant.cylinder.weight + self.config.machine.K * own.plant.x) / self.config.machine.A / 2
        own.plant.pa, own.plant.pb = ps / 2 + half, ps / 2 - half
        own.enable, own.supply = 1, 2
        return self

    def run(self, commands: Any, see: Callable[[Any], Any] = lambda own: own.plant.v) -> Any:
        """One exchange a command; what `see` makes of the twin's record after each."""
        seen = []
        for u in commands:
            self.command.valve = u
            assert self.driver.exchange(self.driver.state, self.command, self.readings) == 0
            seen.append(see(self.own))
        return np.array(seen)


class Exact:
    """The equations of docs/models.md with scipy's steps and events. State: spool, its rate, pA, pB, x, v, z."""

    TOLERANCE = np.array([1e-13, 1e-10, 1e-4, 1e-4, 1e-15, 1e-13, 1e-18])

    def __init__(self, rig: Rig) -> None:
        self.machine, self.friction = rig.config.machine, rig.config.friction
        self.leak, self.period_s = rig.config.valve.null_leakage, 1 / rig.facts.rate_hz
        plant = rig.plant
        self.state = np.array([plant.spool, plant.spool_rate, plant.pa, plant.pb, plant.x, plant.v, plant.z[0]])
        self.direction = 0

    def level(self, v: float) -> float:
        f = self.friction
        return float(f.fc + (f.fs - f.fc) * np.exp(-((abs(v) / f.vs) ** f.delta)))

    def slip(self, way: int, v: float) -> float:
        """Friction that jumps, while it slides this way."""
        return way * self.level(v) + float(self.friction.sigma) * v

    def hold(self, way: int) -> float:
        """What it holds at rest."""
        return float(self.friction.fs)

    def bristles(self, t: float, v: float, z: Any) -> tuple[float, list[float]]:
        """Friction with a state, and how the state changes."""
        f = self.friction
        bend = v - f.s0 * abs(v) * z[0] / self.level(v)
        return f.s0 * z[0] + f.s1 * np.exp(-((v / f.vd) ** 2)) * bend + f.sigma * v, [bend]

    def drive(self, y: Any) -> float:
        m = self.machine
        return float(m.A * (y[2] - y[3]) - m.B * y[5] - m.K * y[4] - (m.m * 9.80665 if m.vertical else 0))

    def rates(self, u: float, y: Any, force: float | None, bend: Any = (0.0,)) -> list[float]:
        """y' with the friction force, or with the mass held."""
        m, (s, rate, pa, pb, x, v) = self.machine, y[:6]
        root = np.sqrt(s * s + 4 * self.leak**2)
        open_, counter = (root + s) / 2, (root - s) / 2
        k = m.Qn / math.sqrt(m.Ps / 2)
        qa = k * (open_ * np.sqrt(m.Ps - pa) - counter * np.sqrt(pa))
        qb = k * (counter * np.sqrt(m.Ps - pb) - open_ * np.sqrt(pb))
        leak = m.Ctc * (pa - pb)
        return [
            rate,
            m.wv**2 * (u - s) - 2 * m.zv * m.wv * rate,
            m.beta / (m.Vt / 2 + m.A * x) * (qa - m.A * v - leak),
            m.beta / (m.Vt / 2 - m.A * x) * (qb + m.A * v + leak),
            v,
            0.0 if force is None else (self.drive(y) - force) / m.m,
            *bend,
        ]

    def held(self, u: float) -> tuple[Any, Any]:
        """The rates while friction holds the mass, and what falls to zero when it breaks away."""

        def function(t: float, y: Any) -> list[float]:
            return self.rates(u, y, None)

        def event(t: float, y: Any) -> float:
            drive = self.drive(y)
            return self.hold(math.copysign(1, drive)) - abs(drive)

        return function, event

    def sliding(self, u: float, way: int) -> tuple[Any, Any]:
        """The rates while it slides this way, and what falls to zero when it comes to rest."""

        def function(t: float, y: Any) -> list[float]:
            return self.rates(u, y, self.slip(way, y[5]))

        def event(t: float, y: Any) -> float:
            return float(y[5] * way)

        return function, event

    def sliding_tick(self, u: float) -> None:
        """A period under friction that jumps, every start and stop located by scipy's event finder."""
        now = 0.0
        while self.period_s - now > 1e-15:
            way = self.direction
            push = int(math.copysign(1, self.drive(self.state)))
            if way == 0 and abs(self.drive(self.state)) > self.hold(push):
                way = self.direction = push
            function, event = self.held(u) if way == 0 else self.sliding(u, way)
            event.terminal, event.direction = True, -1
            solved = solve_ivp(
                function, (now, self.period_s), self.state, "DOP853", rtol=1e-11, atol=self.TOLERANCE, events=event
            )
            now, self.state = solved.t[-1], solved.y[:, -1].copy()
            if solved.status == 1:
                drive = self.drive(self.state)
                if way == 0:
                    self.direction = int(math.copysign(1, drive))
                else:
                    self.state[5] = 0.0
                    push = int(math.copysign(1, drive))
                    self.direction = 0 if abs(drive) <= self.hold(push) else push

    def bristle_tick(self, u: float) -> None:
        """A period of friction with a state, by a stiff solver."""

        def function(t: float, y: Any) -> list[float]:
            return self.rates(u, y, *self.bristles(t, y[5], y[6:]))

        solved = solve_ivp(function, (0, self.period_s), self.state, "Radau", rtol=1e-9, atol=self.TOLERANCE * 10)
        self.state = solved.y[:, -1].copy()

    def run(self, commands: Any, tick: Callable[[float], None]) -> Any:
        """The speed after each period; the first command acts at once."""
        seen = []
        for u in commands:
            tick(u)
            seen.append(self.state[5])
        return np.array(seen)


@pytest.fixture
def make_rig() -> type[Rig]:
    """Builds twins of the reference rig."""
    return Rig


@pytest.fixture
def make_exact() -> type[Exact]:
    """Solves the same rig's equations with scipy."""
    return Exact
