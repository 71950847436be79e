"""One plant, what moves it on one line, and transducers on lines of their own.

`hilctl emulate mixed`: the firmware's board moves it. `hilctl emulate text`: an amplifier that takes text commands.
"""

from pathlib import Path

from firmware_bridge.emulate.amplifier import Amplifier
from firmware_bridge.emulate.beside import Beside, Onlooker, Others
from firmware_bridge.emulate.faults import MIXED
from firmware_bridge.emulate.firmware_device import FirmwareDevice
from firmware_bridge.emulate.plant import Plant
from firmware_bridge.emulate.text import Text
from firmware_bridge.serial_text.settings import Described


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


class TextAndOthers(Text):
    """The devices on their lines, and transducers that other parts of the rig read."""

    def __init__(self, described: Described, amplifier: Amplifier, stroke_m: float, beside: Beside) -> None:
        super().__init__(described, amplifier)
        self._others = Others(beside, lambda: Onlooker(self.plant, stroke_m, self.sensors, self.advance))

    async def begin(self, link: Path | None) -> list[str]:
        """Serves every line. Where."""
        return await super().begin(link) + await self._others.begin()

    def end(self) -> None:
        """Takes all away."""
        self._others.end()
        super().end()
