"""`hilctl emulate`: a rig's plant behind a real device protocol, in real time, with faults on command."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import rig_options
from hilctl.cli.arguments import count
from hilctl.cli.files import result_file
from hilctl.errors import DONE, RIG_SAID_NO, HilctlError, WrongUse

if TYPE_CHECKING:
    from firmware_bridge.emulate.run import Wish

TRANSPORTS = ("modbus-tcp", "modbus-rtu", "serial", "text", "mixed")
RTU_LINK, SERIAL_LINK = "/tmp/hilctl-rtu", "/tmp/hilctl-serial"  # the presets name them
LINKS = {"modbus-tcp": "", "modbus-rtu": RTU_LINK, "serial": SERIAL_LINK, "text": "",
         "mixed": SERIAL_LINK}  # fmt: skip


def emulate(parser: argparse.ArgumentParser) -> None:
    """The arguments of `emulate`."""
    parser.add_argument("transport", metavar="TRANSPORT", choices=TRANSPORTS,
                        help="how the device is reached: " + ", ".join(TRANSPORTS))  # fmt: skip
    rig_options.options(parser, optional=True)
    parser.add_argument("--driver", default="twin", metavar="NAME",
                        help="which plant, by its driver's name; not given: the twin")  # fmt: skip
    parser.add_argument("--port", type=count(0, 65535), metavar="N",
                        help="TCP: another port than the map's, 1502; 0: a free one")  # fmt: skip
    parser.add_argument("--baud", type=count(1200, 4_000_000, "Bd"), metavar="N",
                        help="RTU: another speed than the map's, 921600 Bd")  # fmt: skip
    parser.add_argument("--link", metavar="PATH",
                        help="RTU, serial, mixed: the symbolic link that hosts open (where presets look); mixed: the "
                        "transducers are at PATH-transducers")  # fmt: skip
    parser.add_argument("--at", metavar="PATH", help="the socket for commands; not given: one for each transport")
    parser.add_argument("--tell", metavar="COMMAND", help="a command to a running emulation, instead of a new one")
    parser.add_argument("--die-with-parent", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(do=_emulate)


def _emulate(given: argparse.Namespace) -> int:
    at = Path(given.at) if given.at else _socket(given.transport)
    if given.tell is not None:
        return _tell(at, given.tell)
    if not given.rig:
        raise WrongUse("RIG is missing: a rig file, or a preset's name; or give --tell COMMAND to a running emulation")
    for option, place in (("--link", given.link), ("--at", given.at)):
        if place:
            result_file(option, Path(place))
    if given.die_with_parent:
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)  # PR_SET_PDEATHSIG
    from firmware_bridge.emulate.run import run

    run(_wish(given, at), lambda where: print(f"{given.transport}: {where}; commands: {at}", flush=True))
    return DONE


def _tell(at: Path, text: str) -> int:
    from firmware_bridge.emulate.control import tell
    from hilctl.cli.output import say

    said = tell(at, text)
    if said.startswith("error: "):
        raise WrongUse(said.removeprefix("error: "))
    say(said)
    return DONE if said else RIG_SAID_NO


def _socket(transport: str) -> Path:
    from hilctl.wire import places

    return places.own_directory(places.runtime_root()) / f"emulate-{transport}.sock"


def _wish(given: argparse.Namespace, at: Path) -> "Wish":
    from firmware_bridge.emulate.run import Wish

    messages, beside, own_map = _parts(given)
    config = own_map if given.transport == "text" else None if given.transport == "serial" else _map(given)
    if given.transport == "mixed" and beside and own_map is None:
        config = None  # its transducers are those
    driver, stroke_m = _plant(given)
    place = given.link or LINKS[given.transport]
    return Wish(given.transport, driver, stroke_m, config, given.port, Path(place) if place else None, at,
                messages, beside)  # fmt: skip


def _parts(given: argparse.Namespace) -> tuple[Any, tuple[Any, ...], Any]:
    """The serial devices of the rig file: those with the valve, the others; and the register map of another part."""
    import msgspec

    from firmware_bridge.modbus.settings import Config
    from firmware_bridge.serial_text.settings import SerialTextConfig, described
    from hilctl import rig
    from hilctl.cli.output import pairs

    if given.transport not in ("text", "mixed"):
        return None, (), None
    loaded = rig.load(given.rig, changes=pairs(given.changes))
    there: Any = loaded.driver_config
    parts = msgspec.structs.astuple(there.parts) if loaded.driver == "mixed" else (there,)
    found = [described(part) for part in parts if isinstance(part, SerialTextConfig)]
    own = next((one for one in found if one.sent_in("valve") is not None), None)
    if given.transport == "text" and own is None:
        raise HilctlError(f"{given.rig}: driver.name = {loaded.driver!r} describes no serial device with a valve; name "
                          "a rig file with serial_text, such as table-500-text")  # fmt: skip
    registers = next((part for part in parts if isinstance(part, Config)), None)
    return own, tuple(one for one in found if one is not own), registers


def _plant(given: argparse.Namespace) -> tuple[Any, float]:
    """The driver of the plant, and the machine's stroke."""
    from firmware_bridge import registry
    from firmware_bridge.emulate.run import PERIOD_S
    from hilctl import rig
    from hilctl.cli.output import pairs
    from hilctl.params import check

    twin = given.driver == "twin"
    loaded = rig.load(given.rig, twin=twin, changes=pairs(given.changes))
    facts = loaded.facts()._replace(rate_hz=1 / PERIOD_S)
    made = registry.find(given.driver)
    if not twin and loaded.driver != given.driver:
        config: Any = check(made.Config, {}, "driver")
    else:
        config = loaded.driver_config
    return made(config, facts), loaded.tables.machine.stroke_m


def _map(given: argparse.Namespace) -> Any:
    """The registers: the rig file's own, where its driver, or one of its parts, is modbus."""
    import msgspec

    from firmware_bridge.emulate.modbus_map import default_config, transducers_config
    from firmware_bridge.modbus.settings import DEVICES, Config
    from hilctl import rig
    from hilctl.cli.output import pairs

    mixed = given.transport == "mixed"
    kind = "rtu" if mixed else given.transport.removeprefix("modbus-")
    loaded = rig.load(given.rig, changes=pairs(given.changes))
    there: Any = loaded.driver_config
    parts = msgspec.structs.astuple(there.parts) if mixed and loaded.driver == "mixed" else (there,)
    own = next((part for part in parts if isinstance(part, Config)), None)
    beside = f"{given.link}-transducers" if given.link else RTU_LINK
    config: Any = own or (transducers_config(beside) if mixed else default_config(kind))
    if own and not any(config.device(name).transport == kind for name in DEVICES):
        raise HilctlError(f"{given.rig}: [driver] has no device with transport = {kind!r}")
    if given.baud:
        changed = {name: msgspec.structs.replace(config.device(name), baud=given.baud) for name in DEVICES}
        config = msgspec.structs.replace(config, **changed)
    return config
