"""What a campaign needs to know of a rig: read once from the service, and kept with the campaign.

Nothing of it is the twin's: `get` tells what the controller believes, and a campaign believes only what weighs a
force: mass, area, stiffness and the sensors' gains. The friction in force shapes what is expected of the noise, no
more.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from hilctl.friction import Friction, check_friction
from hilctl.law.settings import Controller
from hilctl.machine import GRAVITY, hydraulic_frequency
from hilctl.params import check

if TYPE_CHECKING:
    from hilctl.client import Client

# What turns readings into a force. Points measured with different values of these do not belong on one curve.
WEIGHING = (
    "machine.m", "machine.A", "machine.K", "machine.vertical",
    "sensors.displacement.gain", "sensors.acceleration.gain", "sensors.pressure_a.gain", "sensors.pressure_b.gain",
)  # fmt: skip
SENSORS = ("displacement", "acceleration", "pressure_a", "pressure_b")
SENSED = ("displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa")  # their channels
OFFSETS = tuple(f"sensors.{name}.offset" for name in SENSORS)


class Facts(msgspec.Struct, frozen=True):
    """A rig, as a campaign sees it."""

    rig: str
    rate_hz: float
    epoch: int
    values: dict[str, Any]  # parameters in force, by dotted key

    def __getitem__(self, key: str) -> Any:
        """A parameter in force."""
        return self.values[key]

    @property
    def dt_s(self) -> float:
        """The period of the loop."""
        return 1.0 / self.rate_hz

    @property
    def controller(self) -> Controller:
        """The controller's tables."""
        tree = nested(self.values)
        return check(Controller, {name: tree[name] for name in ("machine", "sensors", "limits", "law", "arming")})

    @property
    def friction(self) -> Friction:
        """What the controller believes of friction."""
        return check_friction(nested(self.values)["friction"])

    @property
    def mode_rad_s(self) -> float:
        """The hydraulic mode, as declared."""
        return hydraulic_frequency(self.controller.machine)

    @property
    def weight_n(self) -> float:
        """m g on a vertical axis."""
        return self["machine.m"] * GRAVITY if self["machine.vertical"] else 0.0

    @property
    def trail_s(self) -> float:
        """What is left out before a corner: by so much the reference in the samples is later than the readings.

        Two ticks more, for the table need not turn in the very tick of its reference.
        """
        late = max(self["sensors.displacement.delay_s"], self["sensors.acceleration.delay_s"])
        return float(late) + 2 * self.dt_s

    @property
    def force_noise_n(self) -> float:
        """Noise of A pL - m a in one sample, rms."""
        pressure = math.hypot(self["sensors.pressure_a.noise"], self["sensors.pressure_b.noise"])
        return math.hypot(self["machine.A"] * pressure, self["machine.m"] * self["sensors.acceleration.noise"])

    def weighing(self, mass_kg: float) -> "Facts":
        """The same with another moving mass."""
        return Facts(self.rig, self.rate_hz, self.epoch, {**self.values, "machine.m": mass_kg})

    def differences(self, other: "Facts") -> list[str]:
        """In words, what weighs a force differently in the other; empty when points may be mixed."""
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


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted keys as tables; what is not set is left out."""
    tree: dict[str, Any] = {}
    for key, value in values.items():
        if value is None:
            continue
        *tables, name = key.split(".")
        at = tree
        for table in tables:
            at = at.setdefault(table, {})
        at[name] = value
    return tree
