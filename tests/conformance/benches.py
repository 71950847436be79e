"""Every driver on its bench: what it is, and the device behind it. A new driver joins by a line in BENCHES."""

import tomllib
from collections.abc import Callable
from contextlib import ExitStack

from hilctl.conformance import Bench
from hilctl.rig_file import presets
from tests.system import text_parts
from tests.system.modbus_parts import device
from tests.system.serial_parts import TTL_TICKS, board

QUICK_SUPPLY = {"supply": {"rise_s": 0.02}}
SLOW = {"limits.velocity.max_m_s": 0.1, "loop.time_to_live_s": TTL_TICKS / 2000}


def _modbus(kind: str, devices: ExitStack) -> Bench:
    """The device has no counter, so that the driver counts; its time passes by a period a sample."""

    def reach():
        return devices.enter_context(device(kind)).table(amplifier__fc23=True, reading__device_tick={})

    return Bench("modbus", reach=reach, live=True)


def _serial(devices: ExitStack) -> Bench:
    return Bench("serial", reach=lambda: {"port": devices.enter_context(board()).port}, live=True, real=True,
                 changes=SLOW)  # fmt: skip


def _serial_text(devices: ExitStack) -> Bench:
    def reach():
        return text_parts.table(str(devices.enter_context(text_parts.device()).link))

    return Bench("serial_text", reach=reach, live=True, real=True, changes={**text_parts.ABSENT, **text_parts.SLOW})


def _mixed(devices: ExitStack) -> Bench:
    parts = {"plant": {"name": "twin", **QUICK_SUPPLY}, "still": {"name": "null", "gives": ["spool"], "takes": []}}
    return Bench("mixed", {"parts": parts}, simulation=True, live=True)


def _servo(devices: ExitStack) -> Bench:
    preset = tomllib.loads(presets()["servo-004"].read_text(encoding="utf-8"))
    table = {key: value for key, value in preset["driver"].items() if key != "name"}
    return Bench("servo", table, simulation=True, live=True, rig_file="servo-004")


BENCHES: dict[str, Callable[[ExitStack], Bench]] = {
    "null": lambda devices: Bench("null", simulation=True),
    "twin": lambda devices: Bench("twin", QUICK_SUPPLY, simulation=True, live=True),
    "serial": _serial,
    "serial_text": _serial_text,
    "modbus-tcp": lambda devices: _modbus("tcp", devices),
    "modbus-rtu": lambda devices: _modbus("rtu", devices),
    "mixed": _mixed,
    "servo": _servo,
}
