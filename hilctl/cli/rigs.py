"""Verbs about rig files: check, presets."""

import argparse
import contextlib
from typing import TYPE_CHECKING

from hilctl.cli import rig_options
from hilctl.cli.output import as_json, note, say
from hilctl.errors import DONE, RIG_SAID_NO

if TYPE_CHECKING:
    from hilctl.design.loop import Margins
    from hilctl.rig import Rig

_LAWS = ("three_state", "pid")


def check(parser: argparse.ArgumentParser) -> None:
    """The arguments of `check`."""
    rig_options.options(parser, twin="open the twin instead of the rig's driver")
    parser.add_argument("--json", action="store_true", help="margins and what the driver says, as one JSON object")
    parser.set_defaults(do=_check)


def presets(parser: argparse.ArgumentParser) -> None:
    """The arguments of `presets`."""
    parser.add_argument("--json", action="store_true", help="names and paths as one JSON object")
    parser.set_defaults(do=_presets)


def _check(given: argparse.Namespace) -> int:
    from hilctl.design.loop import MARGIN

    rig = rig_options.load(given)
    told, bare = _margins(rig), _without_pressure(rig)
    notes, complaints = _driver(rig)
    unwritable = _recordings(rig)
    in_force = rig.tables.law.feedback
    holds = in_force == "rig" or told[in_force][0].stable
    if given.json:
        as_json(
            {
                "rig": rig.name,
                "file": str(rig.path),
                "driver": rig.driver,
                "complaints": [*complaints, *unwritable],
                "notes": notes,
                "feedback": in_force,
                "margins": {law: {"nominal": n._asdict(), "family": f._asdict()} for law, (n, f) in told.items()},
                "without_pressure": bare._asdict() if bare is not None else None,
            }
        )
        return DONE if holds and not complaints and not unwritable else RIG_SAID_NO
    say(f"{rig.name}: {rig.path}: every value is allowed")
    if told:
        say(f"peak of the sensitivity, at most {MARGIN:g} wanted:")
    else:
        say("the rig closes its own displacement loop: no gains of ours")
    for law, (nominal, whole) in told.items():
        used = "active" if law == in_force else ""
        say(f"  {law:<12} {_peak(nominal)} on the nominal plant; {_peak(whole)} over its family   {used}".rstrip())
        if not whole.good:
            say(f"  {'':<12} worst: {whole.worst}")
    if bare is not None and not bare.good:
        say(f"  without the pressure term, that is where pressures are older than law.three_state.pressure_age_s: "
            f"{_peak(bare)} over the family, worst {bare.worst}")
    if not holds:
        note(f"law.feedback = {in_force}: unstable; `hilctl tune {given.rig}` computes gains that hold")
    for text in (*notes, *complaints):
        note(f"driver {rig.driver}: {text}")
    if not complaints:
        say(f"driver {rig.driver}: opened, and is what the rig file says")
    for text in unwritable:
        note(text)
    return DONE if holds and not complaints and not unwritable else RIG_SAID_NO


def _recordings(rig: "Rig") -> list[str]:
    """What keeps recordings from being written."""
    from pathlib import Path

    from hilctl.cli.files import why_not_writable
    from hilctl.recording.room import DiskFull
    from hilctl.service.filing import room_of
    from hilctl.wire import places

    own = rig.recording.folder
    folder = Path(own) if own else places.state_root() / rig.name / "recordings"
    why = why_not_writable(folder)
    named = repr(own) if own else f"the default {folder}"
    remedy = "name a folder where this user may write"
    if why:
        return [f"recording.folder: {named} cannot be written: {why}; {remedy}"]
    there = next(place for place in (folder, *folder.parents) if place.is_dir())
    try:
        room_of(rig).need(there)
    except DiskFull as full:
        return [str(full)]
    return []


def _margins(rig: "Rig") -> "dict[str, tuple[Margins, Margins]]":
    """Of every law; of none where the rig closes its own loop."""
    from hilctl.design.loop import margins

    return {
        law: (
            margins(rig.controller, rig.friction, rig.dt_s, law, nominal_only=True),
            margins(rig.controller, rig.friction, rig.dt_s, law),
        )
        for law in (() if rig.tables.law.feedback == "rig" else _LAWS)
    }


def _without_pressure(rig: "Rig") -> "Margins | None":
    """What the loop is worth while its pressures are too old; None where that changes nothing."""
    from hilctl.design.loop import without_pressure

    if rig.tables.law.feedback != "three_state" or rig.tables.law.three_state.kp_per_mpa == 0.0:
        return None
    return without_pressure(rig.controller, rig.friction, rig.dt_s)


def _peak(margins: "Margins") -> str:
    return f"{margins.peak:.2f}" if margins.stable else "unstable"


def _driver(rig: "Rig") -> tuple[list[str], list[str]]:
    """Notes, and what stands between the device and the rig file; one that cannot be reached is one of these things."""
    from firmware_bridge import registry
    from firmware_bridge.driver import DriverError, Note, complaints

    driver = None
    try:
        driver = registry.find(rig.driver)(rig.driver_config, rig.facts())
        driver.open()
        found: list[str] = driver.check()
        registry.exchange_of(driver)
        return [text for text in found if isinstance(text, Note)], complaints(found)
    except DriverError as error:
        return [], [str(error)]
    except Exception as error:  # a driver's code may raise anything
        return [], [f"its code raised {type(error).__name__}: {error}"]
    finally:
        if driver is not None:
            with contextlib.suppress(Exception):  # nothing is armed; the first complaint counts
                driver.close()


def _presets(given: argparse.Namespace) -> int:
    import tomllib

    from hilctl.rig_file import presets as known

    found = known()
    if given.json:
        as_json({name: str(path) for name, path in found.items()})
        return DONE
    for name, path in found.items():
        identity = tomllib.loads(path.read_text(encoding="utf-8")).get("rig", {})
        say(f"{name:<16} {identity.get('description', '')}   {path}")
    return DONE
