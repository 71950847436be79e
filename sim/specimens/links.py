"""The parts of the pendulum: a link, and a revolute joint with friction."""

import math
from collections.abc import Iterator
from typing import Annotated

import numpy as np

from hilctl.params import Params, Problem, number


class Link(Params):
    """One link of the pendulum: a uniform rod, unless its inertia or centre says otherwise."""

    m: Annotated[float, number(1e-3, 1e5, "kg", "mass")] = 2.0
    length_m: Annotated[float, number(1e-3, 100, "m", "from its upper joint to the next, or to its tip")] = 1.0
    centre_m: Annotated[
        float | None, number(0, 100, "m", "from its upper joint to its centre of mass; if omitted: half its length")
    ] = None
    J: Annotated[
        float | None, number(0, 1e9, "kg·m²", "inertia about its centre of mass; if omitted: of a uniform rod")
    ] = None
    angle_rad: Annotated[float, number(-math.pi, math.pi, "rad", "at the start; 0 hangs, pi/2 is level")] = math.pi / 2
    speed_rad_s: Annotated[float, number(-100, 100, "rad/s", "at the start")] = 0.0
    couple_n_m: Annotated[float, number(-1e6, 1e6, "N·m", "amplitude of the couple that drives it from outside")] = 0.0
    drive_rad_s: Annotated[float, number(0, 1e3, "rad/s", "angular frequency of that couple, which is a sine")] = 1.0

    @property
    def centre(self) -> float:
        """From the upper joint to the centre of mass."""
        return self.length_m / 2 if self.centre_m is None else self.centre_m

    @property
    def inertia(self) -> float:
        """About the centre of mass."""
        return self.m * self.length_m**2 / 12 if self.J is None else self.J

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """A centre within the link, and an inertia that a body of that length can have."""
        if self.centre > self.length_m:
            limit = f"must lie within the link, at most length_m = {self.length_m:g} m"
            yield Problem(f"{at}.centre_m", self.centre_m, limit)
        least, most = self.m * (1e-3 * self.length_m) ** 2, self.m * self.length_m**2
        if not least <= self.inertia <= most:
            limit = f"must be {least:.4g} to {most:.4g} kg·m²: its mass lies between 0.1 % and 100 % of length_m from"
            yield Problem(f"{at}.J", self.J, f"{limit} its centre", "omit it for a uniform rod")


class Joint(Params):
    """Friction of a revolute joint: LuGre at the pin. All its forces are per newton of the normal force."""

    radius_m: Annotated[float, number(0, 10, "m", "radius of the pin")] = 0.05
    mu_c: Annotated[float, number(0, 2, "", "coefficient of sliding friction; 0 and mu_s = 0: none")] = 0.3
    mu_s: Annotated[float, number(0, 2, "", "coefficient of static friction, at least mu_c")] = 0.4
    vs: Annotated[float, number(1e-5, 10, "m/s", "Stribeck speed at the pin's surface")] = 0.01
    delta: Annotated[float, number(0.3, 4, "", "shape of the falling branch, 2 is Gaussian")] = 2.0
    sigma: Annotated[float, number(0, 1e3, "s/m", "viscous slope, per newton")] = 0.0
    s0: Annotated[float, number(1, 1e9, "1/m", "stiffness of the bristles, per newton")] = 1e5
    s1: Annotated[float, number(0, 1e5, "s/m", "damping of the bristles at rest, per newton")] = 300.0
    vd: Annotated[float, number(1e-6, 100, "m/s", "speed at which their damping has fallen to 1/e")] = 3e-3

    @property
    def rough(self) -> bool:
        """It has bristles at all."""
        return self.mu_s > 0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Breakaway takes no less than sliding, and the bristles never feed energy back."""
        if self.mu_s < self.mu_c:
            yield Problem(f"{at}.mu_s", self.mu_s, f"must be at least mu_c = {self.mu_c:g}")
        elif self.rough and self.mu_c < 1e-4:
            yield Problem(f"{at}.mu_c", self.mu_c, "must be at least 0.0001 where mu_s is not 0")
        elif self.rough:
            speed = first_active_speed(self)
            if speed is not None:
                limit = f"the model feeds energy back at {speed:.3g} m/s: |v|/g must stay below"
                yield Problem(f"{at}.vd", self.vd, f"{limit} 4 (s1(v) + sigma)/s1(v)^2", "reduce vd or s1")


def first_active_speed(joint: Joint) -> float | None:
    """The lowest speed of a fine grid at which the passivity condition fails, or None. Beyond 6 vd s1(v) is nothing."""
    v = 6 * joint.vd * 1.01 ** np.arange(-1000.0, 1.0)
    g = joint.mu_c + (joint.mu_s - joint.mu_c) * np.exp(-((v / joint.vs) ** joint.delta))
    s1 = joint.s1 * np.exp(-((v / joint.vd) ** 2))
    active = v * s1 * s1 > 4 * (s1 + joint.sigma) * g
    return float(v[active.argmax()]) if active.any() else None
