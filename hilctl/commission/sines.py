"""The sines whose distortion is measured: four frequencies, each as large as the rig can do with margin.

On a table of ±90 mm, 1 m/s and a valve for 1.5 m/s these are 80, 80, 50 and 20 mm at 0.5, 1, 2 and 5 Hz.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.identify.distortion import Sine, judged, record, sine
from hilctl.results.distortion import Distortion
from hilctl.results.proof import Cycle

if TYPE_CHECKING:
    from hilctl.client import Client

FREQUENCIES_HZ = (0.5, 1.0, 2.0, 5.0)
TRAVEL_SHARE = 0.89  # of the way to the position limits
SPEED_SHARE = 0.63  # of the velocity limit
VALVE_SHARE = 0.41  # of the nominal no-load speed: accelerating the mass needs the rest of the pressure
PUSH_SHARE, ACCELERATION_SHARE = 0.35, 0.2  # of the supply's force on the mass; of the acceleration limit
SMALLER, LEAST_M = 0.8, 1e-4
ROOM = 1.03  # times the amplitude: the service must accept that too, for the table overshoots where an answer is lost
CYCLES = {0.5: 3, 1.0: 4, 2.0: 5, 5.0: 10}
FEW_CYCLES = 2  # enough to compare friction models, or previews
_POINTS = 500  # of a cycle that is kept for a picture


class Size(NamedTuple):
    """One sine."""

    frequency_hz: float
    amplitude_m: float
    center_m: float

    @property
    def key(self) -> str:
        """Its name in an answer."""
        return f"{self.frequency_hz:g}"


class Measured(NamedTuple):
    """One sine, measured."""

    size: Size
    distortion: Distortion
    picture: Cycle
    losses: Sequence[str] = ()
    left_out: float = 0.0  # share of the cycles that a disturbance spoilt


def sizes_of(rig: "Client", frequencies_hz: Iterable[float] = FREQUENCIES_HZ) -> list[Size]:
    """The largest sines that keep their distance from every limit, and that the service accepts."""
    values = rig.get("machine", "limits")
    low, high = values["limits.position.min_m"], values["limits.position.max_m"]
    travel = TRAVEL_SHARE * min(0.5 * (high - low), values["machine.stroke_m"] - abs(0.5 * (low + high)))
    valve = values["machine.Qn"] / values["machine.A"] * values["limits.command.opening"]
    speed = min(SPEED_SHARE * values["limits.velocity.max_m_s"], VALVE_SHARE * valve)
    push = PUSH_SHARE * values["machine.A"] * values["machine.Ps"] / values["machine.m"]
    most = min(push, ACCELERATION_SHARE * values["limits.acceleration.max_m_s2"])
    found = []
    for hz in frequencies_hz:
        w = 2 * math.pi * hz
        size = Size(hz, _plain(min(travel, speed / w, most / w**2)), 0.5 * (low + high))
        accepted = _accepted(rig, size)
        if accepted is not None:
            found.append(accepted)
    return found


def _accepted(rig: "Client", size: Size) -> Size | None:
    from hilctl.client import Refused

    while size.amplitude_m >= LEAST_M:
        try:
            rig.check_motion("sine", **sine(size.frequency_hz, ROOM * size.amplitude_m, FEW_CYCLES, size.center_m))
        except Refused:
            size = size._replace(amplitude_m=_plain(SMALLER * size.amplitude_m))
        else:
            return size
    return None


def _plain(amplitude_m: float) -> float:
    """Two digits, rounded down."""
    step = 10 ** (math.floor(math.log10(amplitude_m)) - 1)
    return float(f"{math.floor(amplitude_m / step + 1e-9) * step:.2g}")


def measure(rig: "Client", size: Size, cycles: int = 0, left_out: float = 0.0) -> Measured:
    """Drives it and measures its distortion. `left_out`: the share of the cycles that an earlier one lost."""
    count = cycles or CYCLES.get(size.frequency_hz, 4)
    made = record(rig, size.frequency_hz, size.amplitude_m, count, size.center_m, left_out)
    found = judged(made, size.frequency_hz, size.amplitude_m)
    return Measured(size, found, picture_of(made, found), made.notes, made.left_out)


def picture_of(made: Sine, found: Distortion) -> Cycle:
    """One cycle, the mean of all, and its harmonics."""
    count = max(2, min(_POINTS, int(len(made.acceleration) / made.cycles)))
    at = np.arange(count) / count
    return Cycle(
        count * found.frequency_hz, _mean_cycle(made.reference, made.cycles, at),
        _mean_cycle(made.acceleration, made.cycles, at), [float(one) for one in found.harmonics_percent],
    )  # fmt: skip


def _mean_cycle(values: npt.NDArray[np.float64], cycles: int, at: npt.NDArray[np.float64]) -> list[float]:
    phase = np.arange(len(values) + 1) * cycles / len(values)
    closed = np.append(values, values[0])
    mean: list[float] = np.mean([np.interp(k + at, phase, closed) for k in range(cycles)], axis=0).tolist()
    return mean
