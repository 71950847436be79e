"""Triangles and other motions that are driven to see how well they are tracked, every sample fetched."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hilctl.experiment import drive as experiment
from hilctl.experiment.crossover import crossover_rad_s
from hilctl.experiment.drive import Leg, LegEnded, look
from hilctl.experiment.noise import noise_of
from hilctl.experiment.policy import TRACKING
from hilctl.experiment.record import Record, record_of
from hilctl.experiment.sensors import CHANNEL_OF

if TYPE_CHECKING:
    from hilctl.client import Client

CHANNELS = (
    "tick", "xd_m", "vd_m_s", "ad_m_s2", "position_m", "displacement_m", "acceleration_m_s2", "error_m",
)  # fmt: skip
SPEEDS_M_S = (0.02, 0.1, 0.32)  # of the triangles before and after
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
    """One motion as it was driven."""

    law: str  # what was active: pid, before, after
    task: Task
    why: str  # done, or how else it ended
    trip: dict[str, Any] | None
    rate_hz: float
    crossover_rad_s: float  # see hilctl.experiment.crossover
    facts: dict[str, float]
    samples: Record
    ended: str = ""  # why it was not finished, in words
    losses: Sequence[str] = ()


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


def drive(rig: "Client", task: Task, law: str, also: Sequence[str] = ()) -> Run:
    """Drives it with the active parameters, which `law` names; how it ended stands in the run. `also`: channels."""
    channels = (*CHANNELS, *also)
    still = look(rig, SETTLE_S, tuple(_CROSSED.values()), f"rest before the {task.text}, {law}")
    crossover = crossover_rad_s(*(
        noise_of(name, float(rig.get(key)[key]), [still.readings(channel)])
        for name, channel in _CROSSED.items() for key in [f"sensors.{name}.noise"]
    ))  # fmt: skip
    leg = Leg(f"the {task.text}, {law}", lambda: rig.track(task.kind, **task.parameters), channels, TRACKING)
    try:
        driven = experiment.drive(rig, leg)
    except LegEnded as ended:
        rows = rig.samples(ended.motion.first, ended.outcome.last, ("rejected", *channels))
        trip, facts = rig.status()["trip"], ended.motion.facts
        samples = record_of(rows, still.rate_hz).bridged
        return Run(law, task, ended.outcome.why, trip, still.rate_hz, crossover, facts, samples, str(ended))
    facts, samples = dict(driven.facts), driven.record.bridged
    return Run(law, task, "done", None, still.rate_hz, crossover, facts, samples, losses=driven.notes)


_CROSSED = {name: CHANNEL_OF[name] for name in ("displacement", "acceleration")}
