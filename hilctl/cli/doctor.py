"""`hilctl doctor`: is this host fit for real time, and what to change."""

import argparse
from typing import TYPE_CHECKING

from hilctl.cli.arguments import number
from hilctl.cli.output import as_json, say
from hilctl.errors import DONE, RIG_SAID_NO

if TYPE_CHECKING:
    from hilctl.doctor.finding import Finding, Wish

_SECONDS = 2.0
_MARKS = {"good": "", "better": "better", "bad": "UNFIT", "unknown": "?"}


def doctor(parser: argparse.ArgumentParser) -> None:
    """The arguments of `doctor`."""
    parser.add_argument("rig", metavar="RIG", nargs="?", default="",
                        help="judge by this rig's [loop]; not given: 1 kHz, priority 80, any processor")  # fmt: skip
    parser.add_argument("--seconds", type=number(0.1, 600, "s"), default=_SECONDS, metavar="S",
                        help=f"how long to watch threads wake, idle and busy ({_SECONDS:g} each)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="fit, findings and latencies, as one JSON object")
    parser.set_defaults(do=_doctor)


def _doctor(given: argparse.Namespace) -> int:
    from hilctl.doctor.examine import examine, fit
    from hilctl.doctor.finding import Tree, processors
    from hilctl.doctor.wake import measure

    wish, tree = _wish(given.rig), Tree()
    cpus = len(processors(tree.text("/sys/devices/system/cpu/online") or "0"))
    granted, waking = measure(wish, given.seconds, cpus)
    findings = examine(tree, wish, granted, waking)
    good = fit(findings)
    if given.json:
        from hilctl.bench.host import host

        times = {name: part._asdict() for name, part in waking._asdict().items()}
        as_json({"fit": good, "loop": wish._asdict(), "findings": [f._asdict() for f in findings], "waking": times,
                 "host": host()})  # fmt: skip
    else:
        for finding in findings:
            _say(finding)
        say(_verdict(findings, wish))
    return DONE if good else RIG_SAID_NO


def _wish(name: str) -> "Wish":
    from hilctl.doctor.finding import Wish

    if not name:
        return Wish()
    from hilctl import rig

    loop = rig.load(name).tables.loop
    return Wish(loop.rate_hz, loop.priority, loop.cpu)


def _say(finding: "Finding") -> None:
    say(f"{_MARKS[finding.verdict]:<7} {finding.what:<16} {finding.found}")
    if finding.verdict != "good":
        say(f"{'':<24} wanted: {finding.wanted}")
        if finding.how:
            say(f"{'':<24} how: {finding.how}")


def _verdict(findings: "list[Finding]", wish: "Wish") -> str:
    bad = [finding.what for finding in findings if finding.verdict == "bad"]
    better = sum(finding.verdict == "better" for finding in findings)
    rate = f"a loop of {wish.rate_hz:g} Hz"
    if bad:
        return f"not fit for {rate} on a rig: {', '.join(bad)}"
    return f"fit for {rate}" + (f"; {better} {'things' if better > 1 else 'thing'} could be better" if better else "")
