"""Devices with sensors on a plant that another device moves: transducers in boxes of their own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from firmware_bridge.emulate.amplifier import Amplifier
from firmware_bridge.emulate.faults import RTU
from firmware_bridge.emulate.modbus import Rtu
from firmware_bridge.emulate.plant import Plant
from firmware_bridge.emulate.sensor_faults import SensorFaults
from firmware_bridge.emulate.text import Text
from firmware_bridge.modbus.settings import Config
from firmware_bridge.serial_text.settings import Described


class Onlooker(Amplifier):
    """What has sensors on a plant that another device moves, and commands nothing."""

    def __init__(self, plant: Plant, stroke_m: float, sensors: SensorFaults, move: Callable[[], None]) -> None:
        super().__init__(plant, stroke_m)
        self.sensors, self._move = sensors, move

    def advance(self, now_ns: int, *, asked: bool = False) -> None:
        """The other device does."""
        self._move()


class Beside(NamedTuple):
    """What stands beside the device that moves the plant."""

    modbus: Config | None = None
    messages: tuple[Described, ...] = ()


class Others:
    """The devices beside one. They are where their tables say."""

    def __init__(self, beside: Beside, onlooker: Callable[[], Onlooker]) -> None:
        self._made: list[tuple[Any, Path | None]] = []
        if beside.modbus is not None:
            self._made.append((Rtu(RTU, beside.modbus, onlooker()), Path(beside.modbus.transducers.serial)))
        self._made += [(Text(described, onlooker()), None) for described in beside.messages]

    async def begin(self) -> list[str]:
        """Serves; where."""
        return [place for device, link in self._made for place in await device.begin(link)]

    def end(self) -> None:
        """Takes them away."""
        for device, _ in self._made:
            device.end()
