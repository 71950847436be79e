"""Parts of the tests of serial devices: the preset's amplifier on a fast line, emulated in a process of its own."""

import atexit
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hilctl.rig_file import presets
from tests.system.emulate_parts import Emulation

BAUD = 4_000_000  # a pseudo-terminal has no speed; the emulated line takes the time of this one
SLOW = {"limits.velocity.max_m_s": 0.1, "loop.time_to_live_s": 0.1}  # a host that stalls trips no shorter one
ABSENT = {f"sensors.{name}.present": False for name in ("supply_pressure", "spool", "oil_temperature")}
# The reference rig's friction; and a slow valve, so that a host that stalls between commands has way left.
OF_TABLE_500 = ("--set", f"driver.devices.amplifier.baud={BAUD}", "friction.fs=3118.0", "twin.machine.Qn=1.2e-3")
_idle: list[Emulation] = []


def table(port: str) -> dict[str, Any]:
    """The preset's [driver] on this port, patient with a host that stalls; without what it reads now and then."""
    made = tomllib.loads(presets()["table-500-text"].read_text(encoding="utf-8"))["driver"]
    made["devices"]["amplifier"] |= {"port": port, "baud": BAUD}
    made |= {"answer_timeout_s": 0.4, "connect_timeout_s": 1.0}
    for name in ("supply_pressure", "oil_temperature"):
        del made["reading"][name]
    for name in ("displacement", "acceleration", "pressure_a", "pressure_b", "emergency_stop"):
        made["reading"][name]["stale_s"] = 0.4
    del made["messages"]["oil"], made["name"]
    return made


@contextmanager
def device() -> Iterator[Emulation]:
    """A device as after switching on. Its process serves the next test too, for starting it takes seconds."""
    made = _idle.pop() if _idle else Emulation("text", "", *OF_TABLE_500)
    made.settle()
    try:
        yield made
    finally:
        if made.process.poll() is None:
            _idle.append(made)


@atexit.register
def end_idle() -> None:
    """Those that nobody uses: each moves its plant meanwhile."""
    while _idle:
        _idle.pop().end()
