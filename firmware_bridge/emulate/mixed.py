"""`hilctl emulate mixed`: one plant, the firmware's board on a serial line, and transducers on lines of their own."""

from pathlib import Path

from firmware_bridge.emulate.beside import Beside, Onlooker, Others
from firmware_bridge.emulate.faults import MIXED
from firmware_bridge.emulate.firmware_device import FirmwareDevice
from firmware_bridge.emulate.plant import Plant


class Mixed(FirmwareDevice):
    """The board and the transducers. Faults of a line are the board's; those of a sensor are wherever it is read."""

    transport = MIXED

    def __init__(self, plant: Plant, beside: Beside, stroke_m: float) -> None:
        super().__init__(plant)
        self._others = Others(beside, lambda: Onlooker(plant, stroke_m, self.sensors, self.advance))

    async def begin(self, link: Path) -> list[str]:
        """Creates every line; returns where they are."""
        return await super().begin(link) + await self._others.begin()

    def end(self) -> None:
        """Removes them."""
        self._others.end()
        super().end()
