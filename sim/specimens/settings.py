"""What `[twin.specimen]` may say: what stands on the table, and its numbers.

The defaults of the pendulum are ours: what we have of the paper tells none of its masses, lengths and frictions. They
give a free swing that comes to rest in 40 s and, driven by 6 N·m, a periodic motion.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np

from hilctl.params import Params, Problem, note, number
from sim.specimens.geometry import coupling

# Of friction to the joints' forces. At 1 accelerations may not exist; a table that gives way adds a sixth, or so.
MOST_COUPLING = 0.5


class Rigid(Params):
    """A mass that is bolted down."""

    m: Annotated[float, number(1e-3, 1e6, "kg", "its mass; machine.m does not count it")] = 100.0


class Structure(Params):
    """A mass on a spring and a damper."""

    m: Annotated[float, number(1e-3, 1e6, "kg", "the mass on the spring")] = 100.0
    k: Annotated[float, number(1e-3, 1e12, "N/m", "stiffness of the spring")] = 1e5
    c: Annotated[float, number(0, 1e9, "N·s/m", "damping")] = 126.0
    deflection_m: Annotated[float, number(-10, 10, "m", "where the mass stands at the start")] = 0.0

    @property
    def natural_frequency_hz(self) -> float:
        """Of the mass on a table that stands still."""
        return math.sqrt(self.k / self.m) / (2 * math.pi)

    @property
    def damping_ratio(self) -> float:
        """Of the mass on a table that stands still."""
        return self.c / (2 * math.sqrt(self.k * self.m))


class Link(Params):
    """One link of the pendulum: a uniform rod, unless its inertia or centre says otherwise."""

    m: Annotated[float, number(1e-3, 1e5, "kg", "its mass")] = 2.0
    length_m: Annotated[float, number(1e-3, 100, "m", "from its upper joint to the next, or to its tip")] = 1.0
    centre_m: Annotated[
        float | None, number(0, 100, "m", "from its upper joint to its centre of mass; half its length if left out")
    ] = None
    J: Annotated[
        float | None, number(0, 1e9, "kg·m²", "inertia about its centre of mass; a uniform rod's if left out")
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
            yield Problem(f"{at}.J", self.J, f"{limit} its centre", "leave it out for a uniform rod")


class Joint(Params):
    """Friction of a revolute joint: LuGre at the pin. All its forces are per newton of the normal force."""

    radius_m: Annotated[float, number(0, 10, "m", "of the pin")] = 0.05
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


class Pendulum(Params):
    """Two links, the upper one on a pivot that moves with the table."""

    pivot_m: Annotated[float, number(1e-3, 1e3, "m", "height of the pivot above the table")] = 2.5
    link1: Link = Link()
    link2: Link = Link()
    joint1: Joint = Joint()
    joint2: Joint = Joint()

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """It clears the table, its pins have room, and friction does not jam it."""
        reach, first, second = self.link1.length_m + self.link2.length_m, self.link1.angle_rad, self.link2.angle_rad
        elbow = self.pivot_m - self.link1.length_m * math.cos(first)
        tip = elbow - self.link2.length_m * math.cos(second)
        if elbow <= 0 or tip <= 0:
            key = f"{at}.link1.angle_rad" if elbow <= 0 else f"{at}.link2.angle_rad"
            limit = f"is an impossible pose: an end would be {-min(elbow, tip):.3g} m below the table"
            yield Problem(key, first if elbow <= 0 else second, limit, f"raise pivot_m = {self.pivot_m:g}")
        elif self.pivot_m <= reach:
            limit = f"must exceed the links' length {reach:g} m, or they strike the table"
            yield Problem(f"{at}.pivot_m", self.pivot_m, limit)
        pins_fit = True
        for key, radius, room in (
            ("joint1.radius_m", self.joint1.radius_m, self.link1.length_m - self.joint2.radius_m),
            ("joint2.radius_m", self.joint2.radius_m, self.link2.length_m),
        ):
            if radius >= room:
                pins_fit = False
                yield Problem(f"{at}.{key}", radius, f"must be less than {room:.4g} m: both pins need room on the link")
        sound = not any(True for part in (self.link1, self.link2) for _ in part.inconsistencies(""))
        if sound and pins_fit:
            jam = coupling(self)
            if jam > MOST_COUPLING:
                limit = f"friction may jam the joints: its coupling to their forces is {jam:.3g},"
                limit, remedy = f"{limit} at most {MOST_COUPLING:g}", "reduce mu_s or the pins' radii"
                yield Problem(f"{at}.joint1.radius_m", self.joint1.radius_m, limit, remedy)


class SpecimenConfig(Params):
    """What stands on the table; its own mass is not part of machine.m."""

    kind: Annotated[Literal["none", "rigid", "structure", "pendulum"], note("what stands on the table")] = "none"
    rigid: Rigid = Rigid()
    structure: Structure = Structure()
    pendulum: Pendulum = Pendulum()
