"""`hilctl replay FILE`: the recorded readings through today's controller."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli import rig_options
from hilctl.cli.files import source_file
from hilctl.cli.output import as_json, note, pairs, say
from hilctl.cli.progress import working
from hilctl.errors import DONE, RIG_SAID_NO

if TYPE_CHECKING:
    from hilctl.replay.run import Replayed

_FEW = 8  # gaps, and terms, that are printed


def replay(parser: argparse.ArgumentParser) -> None:
    """The arguments of `replay`."""
    parser.add_argument("file", metavar="FILE", help="a recording")
    rig_options.changes(parser, "replay with these parameters: what would it have commanded")
    parser.add_argument("--json", action="store_true", help="what was compared and the first difference, as JSON")
    parser.set_defaults(do=_replay)


def _replay(given: argparse.Namespace) -> int:
    from hilctl.recording.reader import open_recording
    from hilctl.replay.altered import altered
    from hilctl.replay.run import Replay, prepare

    changes = pairs(given.changes)
    source = source_file("FILE", Path(given.file))
    with open_recording(source) as recording:
        run = Replay(recording, altered(recording, changes) if changes else None)
        prepare(lambda: note("compiling the replay, once for this version: this takes up to a minute"))
        with working(f"replaying {source.name}") as tell:
            found = run.run(tell)
        end = recording.end
    if given.json:
        as_json(_plain(found, source, changes))
    else:
        for line in _lines(found, changes, end):
            say(line)
    return RIG_SAID_NO if not found.ticks or (found.differ and not changes) else DONE


def _plain(found: "Replayed", source: Path, changes: dict[str, Any]) -> dict[str, Any]:
    first = found.first
    return {
        "file": str(source),
        "ticks": found.ticks,
        "differ": found.differ,
        "exact": found.exact,
        "real_time": found.real_time,
        "first_difference": first and {name: getattr(first, name) for name in first._fields if name != "others"},
        "also": list(first.others) if first else [],
        "gaps": [gap._asdict() for gap in found.gaps],
        "tolerance": found.tolerance,
        "build": list(found.build.others),
        "set": changes,
        "command": found.commands._asdict(),
    }


def _lines(found: "Replayed", changes: dict[str, Any], end: str) -> list[str]:
    """For people."""
    if not found.ticks:
        return [f"nothing was compared: {found.gaps[0].why if found.gaps else 'the file holds no samples'}"]
    how = f"to {found.tolerance:g} of each channel's largest value" if found.tolerance else "bit for bit"
    lines = [f"{found.ticks} ticks compared {how}, {found.real_time:.0f} times as fast as they were recorded"]
    lines += [f"  recorded with {other}" for other in found.build.others]
    if changes:
        lines += _answer(found, changes)
    elif found.differ == 0:
        lines.append("none differs")
    else:
        lines.append(f"{found.differ} differ")
    if found.first is not None:
        first = found.first
        lines.append(f"first at tick {first.tick} in {first.term}: recorded {first.recorded!r}, "
                     f"replayed {first.replayed!r}")  # fmt: skip
        if first.others:
            more = f" and {len(first.others) - _FEW} more" if len(first.others) > _FEW else ""
            lines.append(f"  in the same tick also {', '.join(first.others[:_FEW])}{more}")
    for gap in found.gaps[:_FEW]:
        until = "not compared again" if gap.until is None else f"compared again from tick {gap.until}"
        lines.append(f"from tick {gap.first}: {gap.why}; {until}")
    if len(found.gaps) > _FEW:
        lines.append(f"and {len(found.gaps) - _FEW} gaps more; --json lists them")
    if end != "complete":
        lines.append(f"the recording is {end}; what it holds was compared")
    return lines


def _answer(found: "Replayed", changes: dict[str, Any]) -> list[str]:
    told = ", ".join(f"{key}={value}" for key, value in changes.items())
    if not found.differ:
        return [f"with {told} every command is the same"]
    apart = found.commands
    far = f"by {apart.rms:.3g} of full opening, rms, at most by {apart.largest:.3g}, at tick {apart.largest_tick}"
    return [
        f"with {told} {found.differ} ticks differ: commands {far}",
        "  the readings are those recorded: what the table would have done with these commands, they do not show",
    ]
