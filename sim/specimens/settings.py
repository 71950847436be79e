"""The declaration of `[twin.specimen]`: the specimen on the table.

The defaults of the pendulum are chosen here, because the paper does not print its masses, lengths and friction: a free
swing comes to rest in 40 s, and 6 N·m drive a periodic motion.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Literal

from hilctl.params import Params, Problem, note, number
from sim.specimens.chain.settings import Chain
from sim.specimens.geometry import coupling
from sim.specimens.links import Joint, Link

# Of friction to the joints' forces (geometry.py). At 1 there may be no acceleration; a free table adds about a sixth.
MOST_COUPLING = 0.5


class Rigid(Params):
    """A mass that is bolted down."""

    m: Annotated[float, number(1e-3, 1e6, "kg", "mass, not part of machine.m")] = 100.0


class Structure(Params):
    """A mass on a spring and a damper."""

    m: Annotated[float, number(1e-3, 1e6, "kg", "the mass on the spring")] = 100.0
    k: Annotated[float, number(1e-3, 1e12, "N/m", "stiffness of the spring")] = 1e5
    c: Annotated[float, number(0, 1e9, "N·s/m", "damping")] = 126.0
    deflection_m: Annotated[float, number(-10, 10, "m", "position of the mass at the start")] = 0.0

    @property
    def natural_frequency_hz(self) -> float:
        """Of the mass on a table that stands still."""
        return math.sqrt(self.k / self.m) / (2 * math.pi)

    @property
    def damping_ratio(self) -> float:
        """Of the mass on a table that stands still."""
        return self.c / (2 * math.sqrt(self.k * self.m))


class Pendulum(Params):
    """Two links, the upper one on a pivot that moves with the table."""

    pivot_m: Annotated[float, number(1e-3, 1e3, "m", "height of the pivot above the table")] = 2.5
    link1: Link = Link()
    link2: Link = Link()
    joint1: Joint = Joint()
    joint2: Joint = Joint()

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """It clears the table, its pins fit, and friction does not jam it."""
        reach, first, second = self.link1.length_m + self.link2.length_m, self.link1.angle_rad, self.link2.angle_rad
        elbow = self.pivot_m - self.link1.length_m * math.cos(first)
        tip = elbow - self.link2.length_m * math.cos(second)
        if elbow <= 0 or tip <= 0:
            key = f"{at}.link1.angle_rad" if elbow <= 0 else f"{at}.link2.angle_rad"
            limit = f"is an impossible pose: an end would be {-min(elbow, tip):.3g} m below the table"
            yield Problem(key, first if elbow <= 0 else second, limit, f"raise pivot_m = {self.pivot_m:g}")
        elif self.pivot_m <= reach:
            limit = f"must exceed the links' length {reach:g} m, or they hit the table"
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
            jam = coupling(self.link1, self.link2, self.joint1, self.joint2)
            if jam > MOST_COUPLING:
                limit = f"friction may jam the joints: its coupling to their forces is {jam:.3g},"
                limit, remedy = f"{limit} at most {MOST_COUPLING:g}", "reduce mu_s or the pins' radii"
                yield Problem(f"{at}.joint1.radius_m", self.joint1.radius_m, limit, remedy)


class SpecimenConfig(Params):
    """The specimen on the table; its mass is not part of machine.m."""

    kind: Annotated[Literal["none", "rigid", "structure", "pendulum", "chain"], note("the specimen on the table")] = (
        "none"
    )
    rigid: Rigid = Rigid()
    structure: Structure = Structure()
    pendulum: Pendulum = Pendulum()
    chain: Chain = Chain()
