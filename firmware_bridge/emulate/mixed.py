"""`hilctl emulate mixed`: one plant, the firmware's board on a serial line, and transducers on Modbus RTU."""

from collections.abc import Callable
from pathlib import Path

from firmware_bridge.emulate.amplifier import Amplifier
from firmware_bridge.emulate.faults import MIXED, RTU
from firmware_bridge.emulate.firmware_device import FirmwareDevice
from firmware_bridge.emulate.modbus import Rtu
from firmware_bridge.emulate.plant import Plant
from firmware_bridge.emulate.sensor_faults import SensorFaults
from firmware_bridge.modbus.settings import Config


class Onlooker(Amplifier):
    """What has sensors on a plant that another device moves, and commands nothing."""

    def __init__(self, plant: Plant, stroke_m: float, sensors: SensorFaults, move: Callable[[], None]) -> None:
        super().__init__(plant, stroke_m)
        self.sensors, self._move = sensors, move

    def advance(self, now_ns: int, *, asked: bool = False) -> None:
        """The other device does."""
        self._move()


class Mixed(FirmwareDevice):
    """The board and the transducers. Faults of a line are the board's; those of a sensor are wherever it is read."""

    transport = MIXED

    def __init__(self, plant: Plant, config: Config, stroke_m: float) -> None:
        super().__init__(plant)
        self._transducers = Rtu(RTU, config, Onlooker(plant, stroke_m, self.sensors, self.advance))

    async def begin(self, link: Path) -> list[str]:
        """Creates both lines; returns where they are. The transducers' is where their register map says."""
        own = await super().begin(link)
        return own + await self._transducers.begin(Path(self._transducers.config.transducers.serial))

    def end(self) -> None:
        """Removes them."""
        self._transducers.end()
        super().end()
