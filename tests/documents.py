"""The parts of the documents that are made from declarations. `python -m tests.documents` writes them into the pages;
`python -m tests.documents papers` also runs the papers' cases, which takes minutes; `papers 000` that one alone.

A part stands between `<!-- NAME: generated -->` and `<!-- NAME: end -->`; what surrounds it is written by hand. The
tests compare every page with what would be written now.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from firmware_bridge.described.signals import OUTPUTS, READINGS
from firmware_bridge.emulate import faults
from firmware_bridge.firmware import header
from firmware_bridge.mixed.settings import Part
from firmware_bridge.modbus.settings import DEVICES, Device, Output, Reading, Watchdog
from firmware_bridge.modbus.settings import Config as Modbus
from firmware_bridge.serial_frame.settings import SerialConfig
from firmware_bridge.serial_text.settings import Device as SerialDevice
from firmware_bridge.serial_text.settings import General, Message
from firmware_bridge.serial_text.settings import Output as SerialOutput
from firmware_bridge.serial_text.settings import Reading as SerialReading
from firmware_bridge.serial_text.settings import Watchdog as SerialWatchdog
from hilctl.cli.document import verbs
from hilctl.friction import MODELS, linear_models
from hilctl.identify.frequency.excite_multisine import Multisine
from hilctl.identify.frequency.excite_shape import Room
from hilctl.identify.frequency.excite_stepped import SteppedSine
from hilctl.identify.frequency.excite_sweep import Sweep
from hilctl.law.limits import Limits
from hilctl.law.motions import document as motions
from hilctl.law.sensors import Sensor
from hilctl.papers import markdown
from hilctl.papers import run as papers
from hilctl.papers.register import CASES, case_of
from hilctl.params import Params, document, leaves
from hilctl.recording.export import formats
from hilctl.results import document as results
from hilctl.rig import Tables
from hilctl.signals import SENSORS, Trip
from hilctl.trips import TRIP_TEXTS
from hilctl.wire import document as protocol
from sim.servo import ServoConfig
from sim.settings import TwinConfig
from tests import messages, pictures

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAPERS = DOCS / "papers"
_PART = re.compile(r"(<!-- (\w+): generated -->\n).*?(<!-- \2: end -->)", re.DOTALL)


def rig_tables() -> str:
    """Every table of the rig file: its keys with unit, bounds, default and meaning."""
    parts = []
    for name in Tables.__struct_fields__:
        if name == "sensors":
            told = ", ".join(f"`{s}`" for s in SENSORS)
            parts.append(_section("sensors.NAME", Sensor, f"NAME is one of {told}."))
        else:
            parts.append(_section(name, _table_of(name)))
        if name == "machine":
            models = [(model, MODELS[model].Params) for model in linear_models()]
            parts += [_section("friction", table, f'`model = "{model}"`', model) for model, table in models]
    return "\n\n".join(parts)


def twin_table() -> str:
    """What [twin] may hold besides its machine and its friction, which are nominal where nothing is said."""
    rows = document(TwinConfig, "twin").splitlines()
    kept = [row for row in rows if not row.startswith(("| `twin.machine.", "| `twin.friction."))]
    return "\n".join(kept)


def driver_tables() -> str:
    """[driver] of every built-in driver that has keys of its own."""
    parts = [
        _section("driver", SerialConfig, '`name = "serial"`: ' + "frames to our own firmware, "
                 "[PROTOCOL.md](../firmware_bridge/PROTOCOL.md)."),
        "### [driver]\n\n`name = \"modbus\"`: devices and registers, "
        "[the driver's page](../firmware_bridge/modbus/README.md).\n\n" + document(_general(Modbus), "driver"),
        _section("driver.DEVICE", Device, f"DEVICE is one of {_named(DEVICES)}."),
        _section("driver.reading.NAME", Reading, f"NAME is one of {_named(READINGS)}."),
        _section("driver.output.NAME", Output, f"NAME is one of {_named(OUTPUTS)}."),
        _section("driver.watchdog", Watchdog),
        "### [driver]\n\n`name = \"serial_text\"`: devices on serial lines by their messages, "
        "[its page](serial-devices.md).\n\n" + document(General, "driver"),
        _section("driver.devices.NAME", SerialDevice, "NAME is one of your own."),
        _section("driver.messages.NAME", Message, "NAME is one of your own."),
        _section("driver.reading.NAME", SerialReading, f"NAME is one of {_named(READINGS)}."),
        _section("driver.output.NAME", SerialOutput, f"NAME is one of {_named(OUTPUTS)}."),
        _section("driver.watchdog", SerialWatchdog),
        _section("driver.parts.NAME", Part, '`name = "mixed"`: several drivers as one, at most four parts under names '
                 "of your own, [how](writing-a-driver.md#one-rig-of-several-drivers)."),
        _section("driver", ServoConfig, '`name = "servo"`: an analog position servo, simulated, '
                 "[its page](servo-004.md); `feedback` of [law] must be `rig`."),
    ]  # fmt: skip
    return "\n\n".join(parts)


def _named(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _general(table: type[Params]) -> type[Params]:
    """Its own keys, without the tables in it."""
    kept = [(f.name, f.type, f.default) for f in msgspec.structs.fields(table)
            if not (isinstance(f.type, type) and issubclass(f.type, Params))]  # fmt: skip
    made: type[Params] = msgspec.defstruct(table.__name__, kept, bases=(Params,), frozen=True)  # type: ignore[assignment]
    return made


def trip_rows() -> str:
    """Every trip: what it means, the key of its limit, what it does by default, and what to do."""
    rows = ["| number | trip | what happened | rig file's key | by default | what to do |", "|---|---|---|---|---|---|"]
    for trip, text in TRIP_TEXTS.items():
        key = f"`{text.key}`" if text.key else ""
        by_default = _default_action(trip)
        rows.append(f"| {trip.value} | `{trip.name.lower()}` | {text.meaning} | {key} | {by_default} | {text.remedy} |")
    return "\n".join(rows)


# What a limit of the rig file does not decide.
_FIXED = {
    Trip.SENSOR_INVALID: "limits.sensing",
    Trip.SENSOR_RANGE: "limits.sensing",
    Trip.SENSOR_STUCK: "limits.stuck",
    Trip.LEASE_LOST: "service.lease_lost",
    Trip.RECORDING_LOST: "recording.lost: nothing",
    Trip.SERVICE_LOST: "stop, null, off",
    Trip.SHUTDOWN: "stop, null, off",
    Trip.EMERGENCY_STOP: "off in one step",
    Trip.POLARITY: "null",
    Trip.ARMING: "null",
    Trip.SENSOR_REVERSED: "null",
    Trip.SENSOR_DEAD: "null",
    Trip.PRESSURES_EXCHANGED: "null",
    Trip.NO_MOTION: "null",
    Trip.NULL_NOT_CONFIRMED: "null",
    Trip.NOT_AT_REST: "null",
    Trip.ARMING_TRAVEL: "null",
    Trip.COMMAND: "null",
    Trip.PRESSURE_AGE: "warn",
    Trip.VALVE_DRIFT: "warn",
    Trip.DRIVER_RAISED: "the core ends",
}


def _default_action(trip: Trip) -> str:
    place = _FIXED.get(trip, TRIP_TEXTS[trip].key)
    defaults = {leaf.path: leaf.default for leaf in leaves(Limits, "limits")}
    if place == "service.lease_lost":
        return next(str(leaf.default) for leaf in leaves(Tables) if leaf.path == place)
    return str(defaults.get(f"{place}.action", place))


def _table_of(name: str) -> type[Params]:
    found = Tables.__annotations__[name]
    assert issubclass(found, Params)
    return found


def _excitation(table: type[Params]) -> str:
    return f"**{table.__name__}.** {table.__doc__}\n\n{document(table)}"


def _section(name: str, table: type[Params], told: str = "", of: str = "") -> str:
    meaning = (table.__doc__ or "").split("\n\n")[0].replace("\n", " ").strip()
    heading = f"### [{name}]{of and f', {of}'}"
    return "\n\n".join(part for part in (heading, meaning, told, document(table, name)) if part)


def register_rows() -> str:
    """The registers of the emulated amplifier."""
    from firmware_bridge.emulate import modbus_map

    return modbus_map.rows(modbus_map.default_config("tcp"))


PARTS: dict[str, Callable[[], str]] = {
    "tables": rig_tables,
    "drivers": driver_tables,
    "twin": twin_table,
    "trips": trip_rows,
    "verbs": verbs,
    "registers": register_rows,
    "faults": faults.rows,
    "formats": formats.rows,
    "orders": lambda: faults.rows(faults.ORDERS),
    "tripped": messages.trips,
    "statuses": messages.statuses,
    "refusals": messages.refusals,
    "errors": messages.errors,
    "pictures": pictures.rows,
    "results": results.rows,
    "verified": lambda: results.rows(tuple(results.VERIFIED.values())),
    "identified": lambda: results.rows(tuple(results.IDENTIFIED.values())),
    "reported": lambda: results.rows(tuple(results.REPORTED.values())),
    "studied": lambda: results.rows(tuple(results.STUDIED.values())),
    "refitted": lambda: results.rows(results.REFITTED),
    "room": lambda: _excitation(Room),
    "stepped": lambda: _excitation(SteppedSine),
    "sweep": lambda: _excitation(Sweep),
    "multisine": lambda: _excitation(Multisine),
}

_OURS = ("rig-file.md", "safety.md", "emulate.md", "dynamics.md", "results.md", "identified.md", "verify.md",
         "recordings.md", "reports.md", "studies.md", "cli.md", "messages.md", "pictures.md")  # fmt: skip


@cache
def pages() -> Mapping[Path, str]:
    """Every page that has such parts, as it should be."""
    made = {DOCS / name: _filled((DOCS / name).read_text(encoding="utf-8")) for name in _OURS}
    made[DOCS / "protocol.md"] = protocol.filled((DOCS / "protocol.md").read_text(encoding="utf-8"))
    made[header.PLACE] = header.text()
    for name in (*results.COMMISSIONED, *results.VERIFIED, *results.IDENTIFIED, *results.REPORTED, *results.STUDIED):
        made[DOCS / f"{name}.schema.json"] = results.schema(name)
    made |= {kept.with_suffix(".md"): markdown.markdown(papers.read(kept)) for kept in PAPERS.glob("*.json")}
    made[DOCS / "motions.md"] = motions.refreshed((DOCS / "motions.md").read_text(encoding="utf-8"))
    return made


def computed_pages(table: Any = None) -> dict[Path, str]:
    """Pages with parts that take seconds to compute, from the table of laws and phenomena."""
    from hilctl.papers.phenomena.table import computed, matrix, page

    table = computed() if table is None else table
    laws = DOCS / "friction-laws.md"
    text = _PART.sub(lambda m: f"{m[1]}{matrix(table)}\n{m[3]}", laws.read_text(encoding="utf-8"))
    return {laws: text, DOCS / "friction" / "phenomena.md": page(table)}


def paper_pages(names: Iterable[str] = CASES) -> dict[Path, str]:
    """The papers' results by a run of these cases: minutes. A page that today's figures agree with stays as it is."""
    with TemporaryDirectory() as folder:
        for name in names:
            written = papers.run(case_of(name), Path(folder), tell=lambda text, name=name: print(f"{name}: {text}"))
            papers.keep(written.page, PAPERS)
    return pages()


def _filled(page: str) -> str:
    return _PART.sub(lambda m: f"{m[1]}{PARTS[m[2]]()}\n{m[3]}", page)


if __name__ == "__main__":
    made = paper_pages(sys.argv[2:] or CASES) if sys.argv[1:2] == ["papers"] else pages()
    for path, text in (made | computed_pages()).items():
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")
