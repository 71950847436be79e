"""What a rig allows of a motion, and how a plan says that a motion asks for more."""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from hilctl.law.limits import Shaping
from hilctl.params import BadValues, Params, Problem, number


class MotionLimits(Params):
    """What a motion is checked against before it starts."""

    x_min_m: Annotated[float, number(-5, 5, "m", "lowest position")]
    x_max_m: Annotated[float, number(-5, 5, "m", "highest position")]
    velocity_m_s: Annotated[float, number(1e-4, 20, "m/s", "highest speed")]
    acceleration_m_s2: Annotated[float, number(1e-2, 1000, "m/s²", "highest acceleration")]
    stop_m_s2: Annotated[
        float, number(0, 500, "m/s²", "deceleration of a stop, for the position with its stopping distance; 0: ignored")
    ] = 0.0
    stop_m_s3: Annotated[float, number(0.1, 1e6, "m/s³", "jerk of a stop")] = 1e6
    reaction_s: Annotated[float, number(0, 1, "s", "from a limit that is passed to the first of the stop")] = 0.0
    shaping: Shaping = Shaping()

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Low below high; an approach within the limits."""
        if self.x_min_m >= self.x_max_m:
            yield Problem(f"{at}.x_min_m", self.x_min_m, f"must be below x_max_m = {self.x_max_m:g} m")


class Flow(NamedTuple):
    """What the valve can give: |v| <= no_load_speed · sqrt(1 - p sgn v), |p| <= 1, with
    p = (a + weight + spring x + resistance sgn v) / force_per_mass, the load pressure as a share of the supply.
    """

    no_load_speed_m_s: float  # Qn / A
    force_per_mass_m_s2: float  # Ps A / m
    resistance_m_s2: float = 0.0  # friction / m at speed
    weight_m_s2: float = 0.0  # of a vertical axis
    spring_per_s2: float = 0.0  # K / m
    supply_pa: float = 0.0  # Ps


# Where a limit stands in the rig file.
KEYS: dict[str, str] = {
    "x_min_m": "limits.position.min_m",
    "x_max_m": "limits.position.max_m",
    "velocity_m_s": "limits.velocity.max_m_s",
    "acceleration_m_s2": "limits.acceleration.max_m_s2",
    "stop_m_s2": "limits.stopping.deceleration_m_s2",
    "corner_acceleration_m_s2": "limits.shaping.corner_acceleration_m_s2",
    "corner_s": "limits.shaping.corner_s",
    "flow": "machine.Qn",
    "supply": "machine.Ps",
}


class MotionRefused(BadValues):
    """A motion that would pass a limit: which quantity, when, how much, what is allowed, which key, what to do."""

    code = "limit"

    def __init__(
        self, *, quantity: str, unit: str, t_s: float, value: float, limit: float, key: str, remedy: str
    ) -> None:
        self.quantity, self.unit, self.t_s, self.limit = quantity, unit, t_s, limit
        super().__init__(
            [
                Problem(
                    key, float(f"{value:.6g}"),
                    f"{quantity} reaches {value:.6g} {unit} at t = {t_s:.4f} s, the limit is {limit:.6g} {unit}",
                    remedy,
                )
            ]
        )
        self.value, self.remedy = value, remedy

    def __str__(self) -> str:
        return (
            f"{self.quantity} reaches {self.value:.6g} {self.unit} at t = {self.t_s:.4f} s, {self.key} is "
            f"{self.limit:.6g} {self.unit}; {self.remedy}"
        )
