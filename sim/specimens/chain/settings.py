"""The declaration of a chain: one to four links, and the friction of each joint by its law and coefficients."""

import math
from collections.abc import Iterator
from typing import Annotated, Literal

from hilctl.params import Params, Problem, note, number, whole
from sim.specimens.chain.geometry import MOST_COUPLING, coupling
from sim.specimens.chain.laws import refused
from sim.specimens.links import Link

Name = Literal[
    "none", "stribeck", "karnopp", "lugre", "coulomb", "viscous", "static", "tanh", "breakaway", "breakaway-rotational",
    "armstrong", "dahl", "bliman-sorine-1", "bliman-sorine-2", "gms",
]  # fmt: skip


class Hinge(Params):
    """Friction of a revolute joint: any law, its forces given per newton of the normal force."""

    law: Annotated[Name, note("the friction model, by its name; none: a smooth joint")] = "lugre"
    radius_m: Annotated[float, number(1e-4, 10, "m", "radius of the pin")] = 0.05
    load_n: Annotated[
        float, number(0, 1e6, "N", "normal force where it is constant, as of a seal or a preload; 0: the joint's own")
    ] = 0.0
    mu_c: Annotated[float, number(1e-4, 2, "", "coefficient of sliding friction")] = 0.3
    mu_s: Annotated[float, number(1e-4, 2, "", "coefficient of static friction, at least mu_c")] = 0.4
    vs: Annotated[float, number(1e-5, 10, "m/s", "Stribeck or breakaway speed at the pin's surface")] = 0.01
    delta: Annotated[float, number(0.3, 4, "", "shape of the falling branch, 2 is Gaussian")] = 2.0
    sigma: Annotated[float, number(0, 1e3, "s/m", "viscous slope, per newton")] = 0.0
    s0: Annotated[float, number(1, 1e9, "1/m", "stiffness before sliding, per newton")] = 1e5
    s1: Annotated[float, number(0, 1e5, "s/m", "damping of the bristles at rest, per newton")] = 300.0
    vd: Annotated[float, number(1e-5, 100, "m/s", "speed at which their damping has fallen to 1/e")] = 3e-3

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Breakaway takes no less than sliding, and what the law itself refuses."""
        if self.mu_s < self.mu_c:
            yield Problem(f"{at}.mu_s", self.mu_s, f"must be at least mu_c = {self.mu_c:g}")
        else:
            yield from refused(self, at)


class Chain(Params):
    """Links that hang on one another, the first on a pivot that moves with the table."""

    links: Annotated[int, whole(1, 4, "", "how many of the links below")] = 2
    pivot_m: Annotated[float, number(1e-3, 1e3, "m", "height of the pivot above the table")] = 4.5
    link1: Link = Link()
    link2: Link = Link()
    link3: Link = Link()
    link4: Link = Link()
    joint1: Hinge = Hinge()
    joint2: Hinge = Hinge()
    joint3: Hinge = Hinge()
    joint4: Hinge = Hinge()

    @property
    def bodies(self) -> tuple[Link, ...]:
        """The links that there are."""
        return (self.link1, self.link2, self.link3, self.link4)[: self.links]

    @property
    def hinges(self) -> tuple[Hinge, ...]:
        """Their joints."""
        return (self.joint1, self.joint2, self.joint3, self.joint4)[: self.links]

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """It clears the table, its pins fit, and friction does not jam it."""
        reach = math.fsum(link.length_m for link in self.bodies)
        if self.pivot_m <= reach:
            limit = f"must exceed the links' length {reach:g} m, or they hit the table"
            yield Problem(f"{at}.pivot_m", self.pivot_m, limit)
        after = [hinge.radius_m for hinge in self.hinges[1:]] + [0.0]
        for k, (link, hinge, other) in enumerate(zip(self.bodies, self.hinges, after, strict=True), 1):
            if hinge.radius_m + other >= link.length_m:
                limit = f"must be less than {link.length_m - other:.4g} m: the pins need room on the link"
                yield Problem(f"{at}.joint{k}.radius_m", hinge.radius_m, limit)
        jam = coupling(self.bodies, self.hinges)
        if jam > MOST_COUPLING:
            limit = f"friction may jam the joints: its coupling to their forces is {jam:.3g},"
            limit, remedy = f"{limit} at most {MOST_COUPLING:g}", "reduce mu_s or the pins' radii"
            yield Problem(f"{at}.joint1.radius_m", self.joint1.radius_m, limit, remedy)
