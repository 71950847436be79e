"""Triangles and other motions driven for the sake of how well they are followed, every sample fetched."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy.typing as npt

if TYPE_CHECKING:
    from hilctl.client import Client

CHANNELS = (
    "tick", "xd_m", "vd_m_s", "ad_m_s2", "position_m", "displacement_m", "acceleration_m_s2", "error_m",
)  # fmt: skip
SPEEDS_M_S = (0.02, 0.1, 0.32)  # of the triangles that a rig shows before and after
PERIOD_S = 1.0  # of these, where the stroke allows it
CYCLES = 2
TRAVEL_SHARE, SPEED_SHARE = 0.89, 0.8  # of the limits
SETTLE_S = 0.5  # of the rig's time, before each motion


class Task(NamedTuple):
    """One motion."""

    kind: str
    parameters: Mapping[str, Any]

    @property
    def text(self) -> str:
        """As a table names it."""
        p = self.parameters
        if self.kind == "triangle":
            return f"triangle {p['speed_m_s']:g} m/s, ±{1e3 * p['amplitude_m']:g} mm"
        if self.kind == "sine":
            return f"sine {p['frequency_hz']:g} Hz, ±{1e3 * p['amplitude_m']:g} mm"
        return str(p.get("upload", self.kind))


class Run(NamedTuple):
    """What one motion left behind."""

    law: str
    task: Task
    why: str  # done, or how else it ended
    trip: dict[str, Any] | None
    rate_hz: float
    crossover_rad_s: float  # below it, displacement knows the speed better; above it, acceleration
    facts: dict[str, float]
    samples: dict[str, npt.NDArray[Any]]


def triangle(speed_m_s: float, amplitude_m: float, cycles: int = CYCLES, center_m: float = 0.0) -> Task:
    """Constant speed, up and down."""
    return Task(
        "triangle", {"speed_m_s": speed_m_s, "amplitude_m": amplitude_m, "cycles": cycles, "center_m": center_m}
    )


def triangles_of(rig: "Client", speeds_m_s: Sequence[float] = SPEEDS_M_S) -> list[Task]:
    """Those of them that the service accepts."""
    from hilctl.client import Refused

    limits = rig.get("limits")
    low, high = limits["limits.position.min_m"], limits["limits.position.max_m"]
    found = []
    for speed in speeds_m_s:
        if speed > SPEED_SHARE * limits["limits.velocity.max_m_s"]:
            continue
        amplitude = min(0.25 * PERIOD_S * speed, 0.5 * TRAVEL_SHARE * (high - low))
        task = triangle(speed, float(f"{amplitude:.3g}"), center_m=0.5 * (low + high))
        try:
            rig.check_motion(task.kind, **task.parameters)
        except Refused:
            continue
        found.append(task)
    return found


def drive(rig: "Client", task: Task, law: str) -> Run:
    """Drives it under whatever is in force; `law` is what that is called."""
    noise = rig.get("sensors.displacement.noise", "sensors.acceleration.noise")
    x, a = noise["sensors.displacement.noise"], noise["sensors.acceleration.noise"]
    crossover_rad_s = math.sqrt(a / x) if a > 0 and x > 0 else _CROSSOVER_RAD_S
    rig.pass_time(SETTLE_S)
    motion = rig.track(task.kind, **task.parameters)
    outcome = rig.wait(motion)
    samples = rig.samples(motion.first, outcome.last, CHANNELS)
    trip = rig.status()["trip"] if outcome.why != "done" else None
    return Run(law, task, outcome.why, trip, float(rig.hello["rate_hz"]), crossover_rad_s, motion.facts, samples)


_CROSSOVER_RAD_S = 60.0  # where the noise of one of the two is not declared
