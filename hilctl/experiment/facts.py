"""The parameters of a rig that a campaign needs: read once from the service, and stored with the campaign.

They are the controller's, not the twin's true ones. Of these, mass, area, stiffness and the sensors' gains enter the
force; the active friction model only enters what is expected of the noise.
"""

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from hilctl.experiment.sensors import SENSORS
from hilctl.friction import Friction, check_friction
from hilctl.law.settings import Controller
from hilctl.machine import GRAVITY, hydraulic_frequency
from hilctl.params import check
from hilctl.params.tables import nested

if TYPE_CHECKING:
    from hilctl.client import Client

# These turn readings into a force: points that were measured with different values do not belong on one curve.
WEIGHING = (
    "machine.m", "machine.A", "machine.K", "machine.vertical",
    "sensors.displacement.gain", "sensors.acceleration.gain", "sensors.pressure_a.gain", "sensors.pressure_b.gain",
)  # fmt: skip
OFFSETS = tuple(f"sensors.{name}.offset" for name in SENSORS)


class Facts(msgspec.Struct, frozen=True, dict=True):
    """A rig, as a campaign sees it."""

    rig: str
    rate_hz: float
    epoch: int
    values: dict[str, Any]  # active parameters, by dotted key

    def __getitem__(self, key: str) -> Any:
        """An active parameter."""
        return self.values[key]

    @property
    def _tables(self) -> dict[str, Any]:
        return nested({key: value for key, value in self.values.items() if value is not None})

    @cached_property
    def dt_s(self) -> float:
        """The period of the loop."""
        return 1.0 / self.rate_hz

    @cached_property
    def controller(self) -> Controller:
        """The controller's tables."""
        tree = self._tables
        return check(Controller, {name: tree[name] for name in ("machine", "sensors", "limits", "law", "arming")})

    @cached_property
    def friction(self) -> Friction:
        """The controller's friction model."""
        return check_friction(self._tables["friction"])

    @cached_property
    def mode_rad_s(self) -> float:
        """The hydraulic mode, as declared."""
        return hydraulic_frequency(self.controller.machine)

    @property
    def weight_n(self) -> float:
        """m g on a vertical axis."""
        return self["machine.m"] * GRAVITY if self["machine.vertical"] else 0.0

    @cached_property
    def trail_s(self) -> float:
        """The time left out before a corner: so much later than the readings is the reference in the samples.

        Two ticks more, because the table need not turn in the very tick of its reference.
        """
        late = max(self["sensors.displacement.delay_s"], self["sensors.acceleration.delay_s"])
        return float(late) + 2 * self.dt_s

    @property
    def force_noise_n(self) -> float:
        """Noise of A pL - m a in one sample, rms."""
        pressure = math.hypot(self["sensors.pressure_a.noise"], self["sensors.pressure_b.noise"])
        return math.hypot(self["machine.A"] * pressure, self["machine.m"] * self["sensors.acceleration.noise"])

    @property
    def oil_n_m(self) -> float:
        """4 beta A²/Vt: the spring of the oil, in series with that of friction."""
        return float(4 * self["machine.beta"] * self["machine.A"] ** 2 / self["machine.Vt"])

    @property
    def late_pressure_s(self) -> float:
        """The delay of the load pressure."""
        return float(0.5 * (self["sensors.pressure_a.delay_s"] + self["sensors.pressure_b.delay_s"]))

    def but(self, key: str, value: Any) -> "Facts":
        """The same with another value."""
        return msgspec.structs.replace(self, values={**self.values, key: value})

    def weighing(self, mass_kg: float) -> "Facts":
        """The same with another moving mass."""
        return self.but("machine.m", mass_kg)

    def differences(self, other: "Facts") -> list[str]:
        """In words, the parameters of the force that differ in the other; empty where points may be mixed."""
        return [
            f"{key} was {self[key]!r}, is {other[key]!r}" for key in WEIGHING if self[key] != other[key]
        ]  # fmt: skip


def read_facts(rig: "Client") -> Facts:
    """Asks the service."""
    values = {key: value for key, value in rig.get().items() if not key.startswith("twin.")}
    return Facts(
        rig=str(rig.hello["rig"]), rate_hz=float(rig.hello["rate_hz"]), epoch=int(rig.status()["epoch"]),
        values=values,
    )  # fmt: skip
