"""What sensors say when something is wrong with them: laid over what the plant's sensors show."""

import math
from collections.abc import Callable

from hilctl.signals import SENSORS

NO_NUMBER, LOWEST = math.nan, -math.inf  # how a value that no count stands for is told to whoever packs it


class SensorFaults:
    """The faults in force, by the sensor that they spoil."""

    def __init__(self) -> None:
        self._of: dict[int, Callable[[float], float]] = {}
        self._swapped = False
        self._spikes: dict[int, float] = {}
        self._frozen: tuple[list[float], int] | None = None

    @property
    def active(self) -> bool:
        """Whether anything is spoilt."""
        return bool(self._of or self._spikes or self._swapped or self._frozen)

    def clear(self) -> None:
        """None from now on."""
        self.__init__()  # type: ignore[misc]

    def shown(self, values: list[float], tick: int) -> tuple[list[float], int]:
        """The values and the sample's number as they are told."""
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
        """It says no number."""
        self._of[SENSORS.index(sensor)] = lambda _value: NO_NUMBER

    def lowest(self, sensor: str) -> None:
        """It says the lowest number that its register has: a sentinel."""
        self._of[SENSORS.index(sensor)] = lambda _value: LOWEST

    def stuck(self, sensor: str) -> None:
        """It says for ever what it says next."""
        held: list[float] = []

        def hold(value: float) -> float:
            if not held:
                held.append(value)
            return held[0]

        self._of[SENSORS.index(sensor)] = hold

    def hold(self, sensor: str, value: float) -> None:
        """It says this."""
        self._of[SENSORS.index(sensor)] = lambda _value: value

    def drift(self, sensor: str, rate: float, now_s: Callable[[], float]) -> None:
        """It moves away at a rate."""
        begun_s = now_s()
        self._of[SENSORS.index(sensor)] = lambda value: value + rate * (now_s() - begun_s)

    def flip(self, sensor: str) -> None:
        """Its sign is reversed."""
        self._of[SENSORS.index(sensor)] = lambda value: -value

    def shift(self, sensor: str, by: float) -> None:
        """It is off by so much."""
        self._of[SENSORS.index(sensor)] = lambda value: value + by

    def scale(self, sensor: str, by: float) -> None:
        """It says so many times what it should."""
        self._of[SENSORS.index(sensor)] = lambda value: value * by

    def swap_pressures(self) -> None:
        """The two hoses, or the two plugs, are exchanged."""
        self._swapped = True

    def spike(self, sensor: str, size: float) -> None:
        """One sample is off by so much."""
        self._spikes[SENSORS.index(sensor)] = size

    def freeze(self, values: list[float], tick: int) -> None:
        """The sample, and its number, are repeated for ever."""
        self._frozen = (list(values), tick)
