"""Which cases take long: `tests/timings.txt`, a line each, with the seconds that it took on two processors.

What is listed is slow, as if it were marked so: `make test` leaves it out, unless it is marked `always`, and CI runs a
part. A run with HILCTL_TIMINGS=1 writes what it measured into the file: what is slow now, and no longer what is not.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from zlib import crc32

import pytest

FILE = Path(__file__).with_suffix(".txt")
LONG_S, LONG_WAITING_S = 0.5, 1.5  # of those on the real clock three run at once, for they mostly wait
_KNOWN = {"slow", "long", "bench", "always"}
FORGOTTEN = 4.0  # times as long, and not in the list: the summary of a run names it


def kept(text: str) -> dict[str, float]:
    """The seconds of each listed case."""
    parts = [line.partition(" ") for line in text.splitlines()]
    return {name: float(seconds) for seconds, _, name in parts}


def said(took_s: Mapping[str, float]) -> str:
    """As the file has it."""
    return "".join(f"{seconds:.1f} {name}\n" for name, seconds in sorted(took_s.items()))


def turns(took_s: Mapping[str, float], of: int) -> dict[str, int]:
    """In which turn each listed case runs, so that all turns take about as long; the same on every machine."""
    filled, turn_of = [0.0] * of, {}
    for name in sorted(took_s, key=lambda name: (-took_s[name], name)):
        turn_of[name] = filled.index(min(filled))
        filled[turn_of[name]] += took_s[name]
    return turn_of


def checksum(name: str) -> int:
    """The same on every machine."""
    return crc32(name.encode())


def renewed(before: Mapping[str, float], reports: Iterable[pytest.TestReport]) -> dict[str, float]:
    """The list after a run: of the cases that it ran those that took long; the others as before."""
    after = dict(before)
    for report in reports:
        after.pop(report.nodeid, None)
        if report.duration >= long_s(report):
            after[report.nodeid] = report.duration
    return after


def long_s(report: pytest.TestReport) -> float:
    """From how many seconds on it is slow."""
    return LONG_WAITING_S if "realtime" in report.keywords else LONG_S


def look(reports: Iterable[pytest.TestReport]) -> list[str]:
    """At the cases of a run: renews the file where that was asked for; else says which are slow and not listed."""
    if os.environ.get("HILCTL_TIMINGS"):
        FILE.write_text(said(renewed(kept(FILE.read_text(encoding="utf-8")), reports)), encoding="utf-8")
        return []
    return [
        f"slow, and neither marked nor listed in {FILE.name}: {report.nodeid}, {report.duration:.1f} s"
        for report in reports
        if report.duration >= FORGOTTEN * long_s(report) and not _KNOWN & {*report.keywords}
    ]
