"""Sensor faults, applied to the readings of the plant's sensors."""

import math
from collections.abc import Callable

from hilctl.signals import SENSORS

NO_NUMBER, LOWEST = math.nan, -math.inf  # no number, and the lowest count, for the packer


class SensorFaults:
    """The active faults, by sensor."""

    def __init__(self) -> None:
        self._of: dict[int, Callable[[float], float]] = {}
        self._swapped = False
        self._spikes: dict[int, float] = {}
        self._frozen: tuple[list[float], int] | None = None

    @property
    def active(self) -> bool:
        """Whether any fault is active."""
        return bool(self._of or self._spikes or self._swapped or self._frozen)

    def clear(self) -> None:
        """Ends all faults."""
        self.__init__()  # type: ignore[misc]

    def shown(self, values: list[float], tick: int) -> tuple[list[float], int]:
        """The values and the sample's number with the faults applied."""
        if not self.active:
            return values, tick
        if self._frozen is not None:
            return self._frozen
        out = list(values)
        if self._swapped:
            a, b = SENSORS.index("pressure_a"), SENSORS.index("pressure_b")
            out[a], out[b] = out[b], out[a]
        for k, spoil in self._of.items():
            out[k] = spoil(out[k])
        for k, size in self._spikes.items():
            out[k] += size
        self._spikes = {}
        return out, tick

    def none(self, sensor: str) -> None:
        """Gives no number."""
        self._of[SENSORS.index(sensor)] = lambda _value: NO_NUMBER

    def lowest(self, sensor: str) -> None:
        """Reads the lowest number of its register: a sentinel."""
        self._of[SENSORS.index(sensor)] = lambda _value: LOWEST

    def stuck(self, sensor: str) -> None:
        """Keeps its next reading."""
        held: list[float] = []

        def hold(value: float) -> float:
            if not held:
                held.append(value)
            return held[0]

        self._of[SENSORS.index(sensor)] = hold

    def hold(self, sensor: str, value: float) -> None:
        """Reads this value."""
        self._of[SENSORS.index(sensor)] = lambda _value: value

    def drift(self, sensor: str, rate: float, now_s: Callable[[], float]) -> None:
        """Drifts at a rate."""
        begun_s = now_s()
        self._of[SENSORS.index(sensor)] = lambda value: value + rate * (now_s() - begun_s)

    def flip(self, sensor: str) -> None:
        """Reverses its sign."""
        self._of[SENSORS.index(sensor)] = lambda value: -value

    def shift(self, sensor: str, by: float) -> None:
        """Adds an offset."""
        self._of[SENSORS.index(sensor)] = lambda value: value + by

    def scale(self, sensor: str, by: float) -> None:
        """Multiplies by a factor."""
        self._of[SENSORS.index(sensor)] = lambda value: value * by

    def swap_pressures(self) -> None:
        """Exchanges the two pressures."""
        self._swapped = True

    def spike(self, sensor: str, size: float) -> None:
        """Adds to one sample."""
        self._spikes[SENSORS.index(sensor)] = size

    def freeze(self, values: list[float], tick: int) -> None:
        """Repeats this sample with this number."""
        self._frozen = (list(values), tick)
