"""`hilctl doctor`: is this host fit for real time, and what to change."""

import argparse
from typing import TYPE_CHECKING, Any

from hilctl.cli import rig_options
from hilctl.cli.arguments import number
from hilctl.cli.output import as_json, say
from hilctl.errors import DONE, RIG_SAID_NO, WrongUse

if TYPE_CHECKING:
    from hilctl.doctor.examine import Seen
    from hilctl.doctor.finding import Tree, Wish
    from hilctl.rig import Rig

_SECONDS = 10.0


def doctor(parser: argparse.ArgumentParser) -> None:
    """The arguments of `doctor`."""
    rig_options.options(parser, twin="judge by the simulated twin, which has no device", optional=True)
    parser.add_argument("--seconds", type=number(0.1, 3600, "s"), default=_SECONDS, metavar="S",
                        help=f"how long to watch a thread wake, idle and then busy ({_SECONDS:g})")  # fmt: skip
    parser.add_argument("--all", action="store_true", help="also show what is good, a line each")
    parser.add_argument("--fix", action="store_true",
                        help="change what is safe to change, until the next start of the host; needs root")  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="with --fix: show what it would write")
    parser.add_argument("--warm", action="store_true",
                        help="compile what `hilctl run RIG` needs, so that its first start takes a second")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="the answer as one JSON object (docs/doctor.md)")
    parser.set_defaults(do=_doctor)


def _doctor(given: argparse.Namespace) -> int:
    _refuse_what_makes_no_sense(given)
    from hilctl.doctor.finding import Tree

    rig = rig_options.load(given) if given.rig else None
    if given.warm and rig is not None:
        from hilctl.cli.doctor_warm import warm

        return warm(rig, json=given.json)
    wish, tree = _wish(rig), Tree()
    if given.fix:
        from hilctl.cli.doctor_fix import fix

        return fix(tree, wish, given.rig or "", dry=given.dry_run, json=given.json)
    return _examined(tree, wish, _measured(tree, wish, rig, given.seconds), given)


def _refuse_what_makes_no_sense(given: argparse.Namespace) -> None:
    if given.dry_run and not given.fix:
        raise WrongUse("--dry-run shows what --fix would write: give both", key="--dry-run")
    if given.warm and given.fix:
        raise WrongUse("--warm and --fix: one after the other, --fix needs root and --warm the user of the rig")
    if given.warm and not given.rig:
        raise WrongUse("--warm compiles what one rig needs: name it, `hilctl doctor RIG --warm`", key="--warm")
    if not given.rig and (given.twin or given.changes):
        raise WrongUse("--twin and --set belong to a rig: name it, `hilctl doctor RIG`", key="RIG")


def _wish(rig: "Rig | None") -> "Wish":
    from hilctl.doctor import wish

    return wish.of_none() if rig is None else wish.of_rig(rig)


def _measured(tree: "Tree", wish: "Wish", rig: "Rig | None", seconds: float) -> "Seen":
    from hilctl.cli.doctor_warm import needed
    from hilctl.cli.progress import working
    from hilctl.doctor import cache, disk, versions, wake
    from hilctl.doctor import wish as wishes
    from hilctl.doctor.examine import Seen
    from hilctl.doctor.finding import processors

    cpus = len(processors(tree.text("/sys/devices/system/cpu/online") or "0"))
    with working("disk") as tell:
        compiled, of_disk = cache.look(needed(rig)), disk.measure(wishes.folder_of(wish), wish)
        halves = iter((0.0, seconds / 2))

        def begin(course: str) -> None:
            at_s = next(halves)
            tell(at_s, seconds, f"wake-up, {course}", seconds - at_s)

        granted, waking = wake.measure(wish, seconds, cpus, begin)
    return Seen(granted, waking, of_disk, versions.installed(), compiled)


def _examined(tree: "Tree", wish: "Wish", seen: "Seen", given: argparse.Namespace) -> int:
    from hilctl.doctor.examine import examine, fit, worst_first

    findings = worst_first(examine(tree, wish, seen))
    good = fit(findings)
    if given.json:
        as_json(_object(wish, seen, findings, good))
    else:
        from hilctl.cli.doctor_told import told

        for line in told(findings, wish, seen.waking, given.all, given.rig or ""):
            say(line)
    return DONE if good else RIG_SAID_NO


def _object(wish: "Wish", seen: "Seen", findings: Any, good: bool) -> dict[str, Any]:
    from hilctl.bench.host import host
    from hilctl.doctor.histogram import EDGES_US

    waking = {
        name: {
            "number": one.number, "p50_us": one.p50_us, "p99_us": one.p99_us, "max_us": one.max_us,
            "histogram": [{"from_us": EDGES_US[k], "to_us": EDGES_US[k + 1], "count": count}
                          for k, count in enumerate(one.counts)],
            **one.outcome._asdict(),
        }
        for name, one in seen.waking._asdict().items()
    }  # fmt: skip
    return {
        "fit": good,
        "loop": wish._asdict(),
        "findings": [{**one._asdict(), "writes": [write._asdict() for write in one.writes]} for one in findings],
        "waking": waking,
        "disk": seen.disk._asdict(),
        "versions": seen.versions._asdict(),
        "compiled": seen.compiled._asdict(),
        "host": host(),
    }
