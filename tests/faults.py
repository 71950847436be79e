"""Every row of docs/faults.md by the tests that it names, and a table of what came out: `make faults`.

A row holds when every case of its tests passed and at least one ran. The table is printed and written to
out/faults.md; the exit code is 1 where a row does not hold. HILCTL_SLOW_SHARE shortens the long lists.
"""

import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

HOUSE = Path(__file__).parents[1]
PAGE = HOUSE / "docs" / "faults.md"
OUT = HOUSE / "out" / "faults.md"
_ROW = re.compile(r"\| \d")
_TEST = re.compile(r"`(tests/[\w/]+\.py::test_\w+)`")


class Row(NamedTuple):
    """One of the page."""

    number: str
    fault: str
    happens: str
    shown: str

    @property
    def tests(self) -> list[str]:
        """By file and name."""
        return _TEST.findall(self.shown)


def rows() -> list[Row]:
    """All of the page, in its order."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [Row(*(cell.strip() for cell in line.strip("|").split(" | "))) for line in lines if _ROW.match(line)]


class Outcomes:
    """What became of each case, by the test that it belongs to; a plugin of pytest."""

    def __init__(self) -> None:
        self.of: dict[str, Counter[str]] = {}
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A case counts once: as failed wherever it failed."""
        if report.outcome == "rerun" or (report.passed and report.when != "call") or report.nodeid in self._failed:
            return
        if report.failed:
            self._failed.add(report.nodeid)
        counts = self.of.setdefault(report.nodeid.partition("[")[0], Counter())
        if report.failed and report.when == "teardown":
            counts["passed"] -= 1
        counts[report.outcome] += 1

    def line(self, row: Row) -> tuple[str, bool]:
        """Of the table, and whether the row holds."""
        counts = sum((self.of.get(test, Counter()) for test in row.tests), Counter())
        unseen = [test.rpartition(":")[2] for test in row.tests if test not in self.of]
        holds = counts["passed"] > 0 and not counts["failed"] and not unseen
        told = ", ".join(f"{counts[what]} {what}" for what in ("passed", "failed", "skipped") if counts[what])
        told += f"; did not run: {', '.join(unseen)}" if unseen else ""
        return f"| {row.number} | {row.fault} | {'holds' if holds else 'DOES NOT HOLD'} | {told or 'no case'} |", holds


def main(numbers: list[str]) -> int:
    """Runs the rows of these numbers, or all."""
    asked = [row for row in rows() if not numbers or row.number in numbers]
    if not asked:
        print(f"no row {', '.join(numbers)}; docs/faults.md has 1 to {rows()[-1].number}", file=sys.stderr)
        return 2
    outcomes, begun_s = Outcomes(), time.monotonic()
    tests = sorted({test for row in asked for test in row.tests})
    pytest.main(["-q", "--rootdir", str(HOUSE), *(str(HOUSE / test) for test in tests)], [outcomes])
    told = [outcomes.line(row) for row in asked]
    head = ["| # | fault | | cases |", "|---|---|---|---|"]
    held = sum(holds for _, holds in told)
    last = f"{held} of {len(told)} rows hold; {len(tests)} tests in {(time.monotonic() - begun_s) / 60:.0f} min"
    table = "\n".join([*head, *(line for line, _ in told), "", last, ""])
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(table, encoding="utf-8")
    print(f"\n{table}")
    return 0 if held == len(told) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
