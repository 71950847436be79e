"""`hilctl probe PORT`: what comes on a serial line, and what it is likely to be. Nothing is sent."""

import argparse

from hilctl.cli.arguments import count, number
from hilctl.cli.output import as_json, note, say
from hilctl.errors import DONE, RIG_SAID_NO


def probe(parser: argparse.ArgumentParser) -> None:
    """The arguments of `probe`."""
    parser.add_argument("port", metavar="PORT", help="the serial port, for example /dev/ttyUSB0")
    parser.add_argument("--baud", type=count(300, 4_000_000, "Bd"), metavar="N",
                        help="bits per second; not given: every usual speed is tried")  # fmt: skip
    parser.add_argument("--parity", choices=("none", "even", "odd"), default="none", help="parity (none)")
    parser.add_argument("--data-bits", type=count(7, 8), default=8, metavar="N", help="data bits (8)")
    parser.add_argument("--seconds", type=number(0.1, 600, "s"), default=3.0, metavar="S",
                        help="how long to listen, in all (3)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="what came, and its framing, as one JSON object")
    parser.set_defaults(do=_probe)


def _probe(given: argparse.Namespace) -> int:
    from firmware_bridge.serial_text.probe import lines, probe
    from firmware_bridge.serial_text.settings import Device

    device = Device(port=given.port, baud=given.baud or 9600, parity=given.parity, data_bits=given.data_bits)
    found = probe(device, given.seconds, every_speed=given.baud is None)
    own = found.framing
    if given.json:
        as_json({
            "port": given.port, "baud": found.device.baud, "parity": found.device.parity, "bytes": len(found.data),
            "framing": {**own._asdict(), "terminator": own.terminator.hex(), "header": own.header.hex()},
            "chunks": [{"at_s": chunk.at_s, "hex": chunk.data.hex()} for chunk in found.chunks],
        })  # fmt: skip
        return DONE if found.data else RIG_SAID_NO
    for line in lines(found):
        say(line)
    settings = f"{found.device.baud} Bd, {found.device.data_bits} data bits, parity {found.device.parity}"
    note(f"{given.port}, {settings}: {len(found.data)} bytes; {own.text}")
    if own.template:
        period = f", period_s = {own.period_s:.3g}" if own.period_s else ""
        note(f"as a rig file would have it: answer = '{own.template}'{period}; docs/serial-devices.md has the rest")
    return DONE if found.data else RIG_SAID_NO
