"""A driver that does what a test says: it answers with a status and readings, and remembers what it was told."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from firmware_bridge.driver import COMMAND, READINGS, DriverError, Has, RigFacts, exchange_signature
from hilctl.params import Params, check, note, number, record_of
from hilctl.rt.jit import jit
from hilctl.rt.libc import monotonic_ns
from hilctl.rt.records import as_record, words_of

SCRIPT: Any = record_of([("status", np.int64), ("heard", COMMAND), ("says", READINGS), ("called_ns", np.int64),
                         ("wait", np.int64)])  # fmt: skip


@jit(exchange_signature, cached=True)
def rt_scripted(state: Any, command: Any, readings: Any) -> int:
    """Copies the command to where the test sees it, and the test's readings to the caller."""
    own = as_record(state, SCRIPT)
    own.called_ns = monotonic_ns()
    heard, said = words_of(own.heard), words_of(command)
    for i in range(said.size):
        heard[i] = said[i]
    if own.status in (0, 1, 5, 8):
        told, wanted = words_of(readings), words_of(own.says)
        for i in range(wanted.size):
            told[i] = wanted[i]
    while own.wait != 0 and monotonic_ns() < command.deadline_ns:
        pass
    return int(own.status)


class Scripted:
    """Its life is written down in `calls`."""

    class Config(Params):
        """What it shall refuse."""

        refuses: Annotated[str, note("the step that fails")] = ""
        gain: Annotated[float, number(0, 10, "", "any number")] = 1.0

    calls: ClassVar[list[str]] = []

    def __init__(self, config: Config, rig: RigFacts) -> None:
        self.config, self.rig = config, rig
        self.state = np.zeros(0, np.uint8)
        self.exchange = rt_scripted

    def _step(self, name: str) -> None:
        self.calls.append(f"{self.rig.at.rpartition('.')[2]} {name}")
        if self.config.refuses == name:
            raise DriverError(f"it does not {name}")

    def open(self) -> None:
        self.state = np.zeros(SCRIPT.itemsize, np.uint8)
        self._step("open")

    def check(self) -> list[str]:
        return [f"{self.rig.at}.gain = {self.config.gain:g}: too much"] if self.config.gain > 5 else []

    def arm(self) -> None:
        self._step("arm")

    def disarm(self) -> None:
        self._step("disarm")

    def close(self) -> None:
        self._step("close")

    @property
    def script(self) -> Any:
        """What it answers."""
        return self.state.view(SCRIPT)[0]


class Slow(Scripted):
    """It never waits, and gives the pressures."""

    @staticmethod
    def has(table: Mapping[str, Any], at: str = "driver") -> Has:
        check(Scripted.Config, table, at)
        return Has(("pressure_a", "pressure_b"), (), waits=False)
