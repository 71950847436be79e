"""The Modbus driver keeps the contract that every driver keeps, on a real device over TCP and over a serial line."""

import importlib.util
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from modbus_parts import device, facts

from firmware_bridge.registry import find

_AT = Path(__file__).resolve().parents[1] / "conformance" / "test_contract.py"
_SPEC = importlib.util.spec_from_file_location("modbus_contract", _AT)
assert _SPEC is not None and _SPEC.loader is not None
contract = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(contract)

globals().update({name: promise for name, promise in vars(contract).items() if name.startswith("test_")})
pytestmark = pytest.mark.timeout(120)


class Bench(contract.Bench):  # type: ignore[name-defined,misc]
    """Every driver has a device of its own; the device has no counter, so that the driver counts."""

    def __init__(self, kind: str, devices: ExitStack) -> None:
        self.name, self.traits = f"modbus over {kind}", {"live"}
        self.kind, self.facts = find("modbus"), facts()
        self._reach = lambda: devices.enter_context(device(kind)).table(amplifier__fc23=True, reading__device_tick={})
        self.config = self._configured()
        self.made: list[Any] = []

    def _configured(self) -> Any:
        return self.kind.resolve(self._reach(), self.facts)

    def fresh(self, *, armed: bool = True) -> Any:
        if self.made:
            self.config = self._configured()
        return super().fresh(armed=armed)


@pytest.fixture(params=["tcp", "rtu"])
def bench(request):
    with ExitStack() as devices:
        made = Bench(request.param, devices)
        yield made
        for driver in made.made:
            driver.disarm()
            driver.close()


@pytest.fixture
def dialogue(bench):
    return contract.Dialogue(bench.fresh())
