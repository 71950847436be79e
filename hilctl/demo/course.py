"""The course: five triangles and a sine under each control law, driven over the wire, every sample fetched.

The law is changed while the rig holds. PID alone cannot follow the fastest triangle within the rig's tracking-error
limit: it trips there, as a rig would, is reset and armed again, and the demonstration says so.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy.typing as npt

if TYPE_CHECKING:
    from hilctl.client import Client

CHANNELS = (
    "tick", "xd_m", "vd_m_s", "ad_m_s2", "position_m", "displacement_m", "acceleration_m_s2", "error_m",
)  # fmt: skip
LAWS = {"pid": "PID", "three_state": "three-variable"}
_SETTLE_S = 1.0  # of the rig's time: before each motion, and after a trip until the table stands


class Task(NamedTuple):
    """One motion of the course."""

    kind: str
    parameters: Mapping[str, float]

    @property
    def text(self) -> str:
        """As the table names it."""
        p = self.parameters
        if self.kind == "triangle":
            return f"triangle {p['speed_m_s']:g} m/s, ±{1e3 * p['amplitude_m']:g} mm"
        return f"sine {p['frequency_hz']:g} Hz, ±{1e3 * p['amplitude_m']:g} mm"


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


def _triangle(speed_m_s: float, amplitude_m: float, cycles: int) -> Task:
    return Task("triangle", {"speed_m_s": speed_m_s, "amplitude_m": amplitude_m, "cycles": cycles})


# The slowest shows stick-slip, the fastest the valve's flow; amplitudes leave room for a straight at each speed.
COURSE = (
    _triangle(0.001, 0.005, 1),
    _triangle(0.02, 0.005, 2),
    _triangle(0.1, 0.025, 3),
    _triangle(0.32, 0.08, 3),
    _triangle(0.8, 0.08, 4),
    Task("sine", {"frequency_hz": 1.0, "amplitude_m": 0.05, "cycles": 4}),
)


def drive(rig: "Client", tell: Callable[[str, int], None]) -> Iterator[Run]:
    """Arms, drives the course under each law, switches off; `tell` hears what comes next, and how much is done."""
    rate_hz = float(rig.hello["rate_hz"])
    noise = rig.get("sensors.displacement.noise", "sensors.acceleration.noise")
    crossover_rad_s = math.sqrt(noise["sensors.acceleration.noise"] / noise["sensors.displacement.noise"])
    done = 0
    tell("arming", done)
    rig.arm()
    for law, name in LAWS.items():
        rig.set({"law.feedback": law}, origin="hilctl demo")
        for task in COURSE:
            tell(f"{name}: {task.text}", done)
            rig.pass_time(_SETTLE_S)
            motion = rig.track(task.kind, **task.parameters)
            outcome = rig.wait(motion)
            samples = rig.samples(motion.first, outcome.last, CHANNELS)
            trip = rig.status()["trip"] if outcome.why != "done" else None
            yield Run(law, task, outcome.why, trip, rate_hz, crossover_rad_s, motion.facts, samples)
            done += 1
            if outcome.why != "done":
                _recover(rig)
    tell("switching off", done)
    rig.off()


def _recover(rig: "Client") -> None:
    """As an operator would: let it come to rest, reset, arm."""
    rig.pass_time(_SETTLE_S)
    rig.reset()
    if rig.status()["mode"] == "off":
        rig.arm()
