"""The linear servo's parameters, with the symbols of `hilctl.servo.equations`; and the paper's values for them."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated

from hilctl.params import Params, Problem, check, number, plain
from hilctl.servo.equations import poles


class Servo(Params, kw_only=True):
    """A valve-controlled cylinder under electronic position control, linear."""

    T3: Annotated[float, number(0, 10, "s", "CE2, the forward path's lead-lag: lead")]
    T4: Annotated[float, number(1e-6, 10, "s", "CE2: lag")]
    T5: Annotated[float, number(1e-6, 10, "s", "CE3, the second-order corrector: one over its angular frequency")]
    xi3: Annotated[float, number(0, 10, "", "CE3: damping of the zeros")]
    xi4: Annotated[float, number(0.01, 10, "", "CE3: damping of the poles")]
    Ki: Annotated[float, number(1e-9, 1e3, "A/V", "gain of the amplifier")]
    Kiq: Annotated[float, number(1e-9, 1e3, "m³/(s·A)", "no-load flow of the valve for a current")]
    ws: Annotated[float, number(10, 2e4, "rad/s", "natural frequency of the valve")]
    xis: Annotated[float, number(0.05, 5, "", "damping ratio of the valve")]
    A: Annotated[float, number(1e-5, 1, "m²", "piston area")]
    Vt: Annotated[float, number(1e-6, 10, "m³", "volume of both chambers")]
    beta: Annotated[float, number(1e8, 3e9, "Pa", "effective bulk modulus of the oil")]
    Kc: Annotated[float, number(0, 1e-8, "m³/(s·Pa)", "flow-pressure coefficient of the valve")]
    Ctc: Annotated[float, number(0, 1e-8, "m³/(s·Pa)", "leakage of the cylinder")]
    m: Annotated[float, number(1e-3, 1e6, "kg", "moving mass, at the piston")]
    B: Annotated[float, number(0, 1e6, "N·s/m", "viscous damping of piston and load")]
    KL: Annotated[float, number(0, 1e12, "N/m", "stiffness of the load")]
    Kd: Annotated[float, number(1e-3, 1e6, "V/m", "gain of the displacement transducer")]
    T1: Annotated[float, number(0, 10, "s", "CE1, the feedback's lead-lag: lead")]
    T2: Annotated[float, number(1e-6, 10, "s", "CE1: lag")]

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """The closed loop is stable."""
        unstable = [pole for pole in poles(self) if pole.real >= 0 and pole.imag >= 0]
        if unstable:
            shown = ", ".join(f"{p.real:.4g}" + (f" ± {p.imag:.4g}j" if p.imag else "") for p in unstable)
            gain = self.Ki * self.Kiq * self.Kd / self.A
            remedy = f"lower the loop gain Ki Kiq Kd / A = {gain:.4g} 1/s, or raise the damping"
            yield Problem(f"{at}.Ki", self.Ki, f"the servo is unstable, poles at {shown} 1/s", remedy)


# The paper keeps these to itself. These reproduce its frequency response; of Ki and Kiq only the product is known.
KNOWN: Mapping[str, float] = MappingProxyType(
    {
        "A": 4.9e-4, "Vt": 3.0e-5, "Kd": 50.0, "Ki": 0.01, "Kiq": 108 * 4.9e-4 / 50 / 0.01,
        "T1": 1 / 250, "T2": 1 / 500, "T3": 1 / 150, "T4": 1 / 400,
        "T5": 1 / (2 * 3.141592653589793 * 80), "xi3": 0.12, "xi4": 1.05,
    }
)  # fmt: skip

# Zhao and Wang 2013, tables 1 and 2: where the identification started, its bounds, and what it found.
START: Mapping[str, float] = MappingProxyType(
    {
        "ws": 750.0, "xis": 0.6, "beta": 7e8, "Kc": 2.1e-12, "Ctc": 2.1e-14, "B": 10.0, "m": 16.26, "KL": 1.835e5,
    }
)  # fmt: skip
BOUNDS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "ws": (188.0, 1000.0), "xis": (0.3, 0.99), "beta": (1e8, 1e9), "Kc": (0.0, 9e-12), "Ctc": (0.0, 9e-13),
        "B": (0.0, 200.0), "m": (0.0, 50.0), "KL": (1e4, 1e6),
    }
)  # fmt: skip
IDENTIFIED: Mapping[str, float] = MappingProxyType(
    {
        "ws": 643.36, "xis": 0.8794, "beta": 7.1328e8, "Kc": 8.9768e-12, "Ctc": 8.7655e-13, "B": 121.35, "m": 13.5,
        "KL": 1.0114e5,
    }
)  # fmt: skip


def paper_servo(values: Mapping[str, float] = IDENTIFIED, **changes: float) -> Servo:
    """The paper's servo: its published values, and START or IDENTIFIED for the others."""
    return check(Servo, {**KNOWN, **values, **changes}, "servo")


def checked(servo: Servo) -> Servo:
    """The same servo, checked, for a table that was not read from a rig file."""
    return check(Servo, plain(servo), "servo")
