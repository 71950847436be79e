"""The parameters of a rig that the reversal experiment needs: the controller's, not the twin's true ones."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hilctl.machine import GRAVITY

if TYPE_CHECKING:
    from hilctl.client import Client


class Facts(NamedTuple):
    """A rig, as the experiment sees it."""

    rate_hz: float
    mass_kg: float
    area_m2: float
    damping_n_s_m: float  # B
    stiffness_n_m: float  # K
    weight_n: float
    oil_n_m: float  # 4 beta A²/Vt: the spring of the oil, in series with that of friction
    late_x_s: float
    late_a_s: float
    late_p_s: float
    noise_x_m: float
    noise_a_m_s2: float
    noise_p_pa: float
    gain_a: float = 1.0  # of the accelerometer against displacement; see alignment.py

    @property
    def noise_n(self) -> float:
        """Of the force in one sample."""
        return float((2 * (self.area_m2 * self.noise_p_pa) ** 2 + (self.mass_kg * self.noise_a_m_s2) ** 2) ** 0.5)


def read_facts(rig: "Client") -> Facts:
    """Asks the service."""
    return facts_of(rig.get("machine", "sensors"), float(rig.hello["rate_hz"]))


def facts_of(values: Mapping[str, Any], rate_hz: float) -> Facts:
    """From active parameters, by dotted key."""

    def of(name: str, what: str) -> float:
        return float(values[f"sensors.{name}.{what}"])

    m, area = values["machine.m"], values["machine.A"]
    return Facts(
        rate_hz, m, area, values["machine.B"], values["machine.K"],
        m * GRAVITY if values["machine.vertical"] else 0.0,
        4 * values["machine.beta"] * area**2 / values["machine.Vt"],
        of("displacement", "delay_s"), of("acceleration", "delay_s"),
        0.5 * (of("pressure_a", "delay_s") + of("pressure_b", "delay_s")),
        of("displacement", "noise"), of("acceleration", "noise"),
        0.5 * (of("pressure_a", "noise") + of("pressure_b", "noise")),
    )  # fmt: skip
