"""An emulation from its beginning to its end: an event loop, a device, a beat that moves it, and who commands it."""

import asyncio
import gc
import selectors
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from firmware_bridge.emulate.amplifier import Amplifier
from firmware_bridge.emulate.arrivals import arrivals
from firmware_bridge.emulate.beside import Beside
from firmware_bridge.emulate.control import Control
from firmware_bridge.emulate.faults import MIXED, SERIAL, TEXT
from firmware_bridge.emulate.plant import Plant
from firmware_bridge.modbus.settings import Config
from firmware_bridge.serial_text.settings import Described
from hilctl.rt.priority import prefer

PERIOD_S = 50e-6  # of the plant: a command waits no longer for it
BEAT_S = 7e-4  # a device that nobody asks moves so often; no multiple meets the requests of a loop at 1 kHz
_PRIORITY = 40  # below every loop; a device does nothing else, but it shares this host


class Wish(NamedTuple):
    """What is to be emulated."""

    transport: str
    driver: Any  # of the plant, with the period PERIOD_S
    stroke_m: float
    config: Config | None  # the register map, of the transducers alone where these are apart
    port: int | None
    link: Path | None
    control: Path
    described: Described | None = None  # messages of the serial devices that move the plant
    beside: tuple[Described, ...] = ()  # of others, which only read


def run(wish: Wish, tell: Callable[[str], None]) -> None:
    """Until `quit`, SIGTERM or Ctrl-C. `tell` is given the places where it is reached, when they are."""
    prefer(_PRIORITY)
    arrivals.begin()
    with asyncio.Runner(loop_factory=_loop) as runner:
        runner.run(_run(wish, tell))


def _loop() -> asyncio.AbstractEventLoop:
    """One whose timers are exact: epoll waits in whole milliseconds."""
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


async def _run(wish: Wish, tell: Callable[[str], None]) -> None:
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    plant = Plant(wish.driver, PERIOD_S)
    device = _device(wish, plant)
    device.later, device.finish = loop.call_later, over.set
    control = Control(device.obey)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, over.set)
    try:
        await control.open(wish.control)
        place = wish.port if wish.transport == "modbus-tcp" else wish.link
        tell("; ".join(await device.begin(place)))
        gc.collect()
        gc.freeze()
        listening = asyncio.ensure_future(control.read_input())
        beating = asyncio.ensure_future(_beat(device))
        await over.wait()
        for task in (listening, beating):
            task.cancel()
    finally:
        device.end()
        control.close()
        plant.close()


async def _beat(device: Any) -> None:
    """Moves it where no request does: what ran while a request comes would delay its command."""
    while True:
        await asyncio.sleep(BEAT_S - device.plant.behind_s())
        if device.plant.behind_s() >= BEAT_S:
            device.advance()


def _device(wish: Wish, plant: Plant) -> Any:
    beside = Beside(wish.config, wish.beside)
    if wish.transport == TEXT and wish.described is not None:
        from firmware_bridge.emulate.mixed import TextAndOthers

        return TextAndOthers(wish.described, Amplifier(plant, wish.stroke_m), wish.stroke_m, beside)
    if wish.transport == SERIAL or (wish.config is None and not wish.beside):  # without transducers beside it
        from firmware_bridge.emulate.firmware_device import FirmwareDevice

        return FirmwareDevice(plant)
    if wish.transport == MIXED:
        from firmware_bridge.emulate.mixed import Mixed

        return Mixed(plant, beside, wish.stroke_m)
    from firmware_bridge.emulate.modbus import MODBUS

    amplifier = Amplifier(plant, wish.stroke_m)
    return MODBUS[wish.transport](wish.transport, wish.config, amplifier)
