"""The machine in numbers: what the rig file's [machine] declares, and the linear figures that follow from it.

Symbols as in docs/models.md. The controller's copy is nominal (assumed); the twin has its own, which defaults
to the nominal. Signs: a positive command moves the table towards positive displacement and raises pressure A over
pressure B; displacement is zero at mid-stroke.
"""

import math
from collections.abc import Iterator
from typing import Annotated

from hilctl.params import Params, Problem, note, number


class Machine(Params, kw_only=True):
    """Moving mass, cylinder, oil and valve."""

    m: Annotated[float, number(1, 1e6, "kg", "moving mass")]
    A: Annotated[float, number(1e-5, 1, "m²", "piston area, the same on both sides")]
    Vt: Annotated[float, number(1e-6, 10, "m³", "volume of both chambers at mid-stroke, with their lines")]
    stroke_m: Annotated[float, number(1e-3, 5, "m", "half of the stroke: the end stops are at plus and minus this")]
    beta: Annotated[float, number(1e8, 3e9, "Pa", "effective bulk modulus of the oil")]
    Ctc: Annotated[float, number(0, 1e-8, "m³/(s·Pa)", "leakage between the chambers")]
    Kc: Annotated[float, number(0, 1e-8, "m³/(s·Pa)", "flow-pressure coefficient of the valve at null")] = 0.0
    Ps: Annotated[float, number(1e5, 1e8, "Pa", "supply pressure")]
    Ps_low: Annotated[float, number(1e5, 1e8, "Pa", "supply pressure at the low setting")] = 5e6
    Qn: Annotated[float, number(1e-7, 10, "m³/s", "no-load flow at full opening and at Ps")]
    wv: Annotated[float, number(10, 2e4, "rad/s", "natural frequency of the valve")]
    zv: Annotated[float, number(0.05, 5, "", "damping ratio of the valve")]
    slew_per_s: Annotated[
        float,
        number(1, 1e5, "1/s", "greatest speed of the spool, full openings a second: one over the time of a full step"),
    ] = 250.0
    dead_band: Annotated[
        float, number(0, 0.2, "", "overlap of the spool on both sides, as a share of full opening")
    ] = 0.0
    overlap_a: Annotated[
        float, number(0, 0.2, "", "overlap on the side of positive commands; 0: machine.dead_band")
    ] = 0.0
    overlap_b: Annotated[
        float, number(0, 0.2, "", "overlap on the side of negative commands; 0: machine.dead_band")
    ] = 0.0
    hysteresis: Annotated[
        float, number(0, 0.1, "", "hysteresis of the valve: width of its play, as a share of full opening")
    ] = 0.0
    threshold: Annotated[
        float, number(0, 0.1, "", "threshold of the valve: smallest change of the command that moves its spool")
    ] = 0.0
    edge_rounding: Annotated[
        float, number(0, 0.05, "", "rounding of the edges behind an overlap, as an opening; 0: sharp")
    ] = 0.0
    B: Annotated[float, number(0, 1e6, "N·s/m", "viscous damping in addition to that of the friction model")] = 0.0
    K: Annotated[float, number(0, 1e9, "N/m", "stiffness of the load towards mid-stroke")] = 0.0
    vertical: Annotated[bool, note("the axis is vertical: weight acts towards negative displacement")] = False

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """A volume above the swept one, a low pressure not above the supply pressure, and one overlap a side."""
        swept = 2 * self.A * self.stroke_m
        if self.Vt <= swept:
            yield Problem(f"{at}.Vt", self.Vt, f"must exceed the swept volume {swept:.4g} m³ (2 A stroke_m)")
        if self.Ps_low > self.Ps:
            yield Problem(f"{at}.Ps_low", self.Ps_low, f"must not exceed Ps = {self.Ps:g} Pa")
        if self.dead_band > 0 and self.overlaps != (self.dead_band, self.dead_band):
            yield Problem(f"{at}.dead_band", self.dead_band,
                          f"contradicts overlap_a = {self.overlap_a:g} and overlap_b = {self.overlap_b:g}",
                          "leave it out: it stands for both sides alike")

    @property
    def overlaps(self) -> tuple[float, float]:
        """On the sides of positive and of negative commands."""
        return overlaps(self.dead_band, self.overlap_a, self.overlap_b)


def overlaps(both: float, side_a: float, side_b: float) -> tuple[float, float]:
    """On the sides of positive and of negative commands: a side's own, or that of both."""
    return side_a or both, side_b or both


GRAVITY = 9.80665  # m/s², standard gravity (CGPM 1901)


def hydraulic_frequency(machine: Machine) -> float:
    """wh in rad/s at mid-stroke: the mass on the oil's stiffness 4 beta A² / Vt."""
    return math.sqrt(4 * machine.beta * machine.A**2 / (machine.Vt * machine.m))


def hydraulic_damping(machine: Machine, slope: float) -> float:
    """zh, with `slope` the friction's viscous slope in N·s/m, which adds to B."""
    leak = (machine.Kc + machine.Ctc) / machine.A * math.sqrt(machine.beta * machine.m / machine.Vt)
    viscous = (machine.B + slope) / (4 * machine.A) * math.sqrt(machine.Vt / (machine.beta * machine.m))
    return leak + viscous


def shaken(machine: Machine, opening: float, frequency_hz: float) -> float:
    """The load pressure by which a sine of the command shakes the mass, through valve and oil, as a share of the
    supply.
    """
    w, wh, zh = 2 * math.pi * frequency_hz, hydraulic_frequency(machine), hydraulic_damping(machine, 0.0)
    lags = [abs(1 + 2j * z * w / at - (w / at) ** 2) for at, z in ((machine.wv, machine.zv), (wh, zh))]
    acceleration = velocity_gain(machine) * opening * w / math.prod(lags)
    return machine.m * acceleration / (machine.A * machine.Ps)


def velocity_gain(machine: Machine) -> float:
    """Kq' in m/s for a full opening without load."""
    return machine.Qn / machine.A
