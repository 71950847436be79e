"""What `hilctl doctor` prints: the histogram, the findings with the worst first, one line of verdict; 80 columns."""

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hilctl.doctor.finding import Finding, Wish
    from hilctl.doctor.wake import Waking

WIDE = 80
MARKS = {"good": "ok", "better": "better", "bad": "UNFIT", "unknown": "?"}
_INDENT = " " * 7


def told(findings: "list[Finding]", wish: "Wish", waking: "Waking", everything: bool, rig: str) -> Iterator[str]:
    """All lines."""
    from hilctl.doctor.histogram import bars

    yield from bars({name: one.counts for name, one in waking._asdict().items()}, wish.period_us, WIDE)
    yield ""
    for finding in findings:
        if everything or finding.verdict != "good":
            yield from _lines(finding)
    if not everything:
        good = ", ".join(finding.what for finding in findings if finding.verdict == "good")
        if good:
            yield from textwrap.wrap(good, WIDE, initial_indent=f"{MARKS['good']:<7}", subsequent_indent=_INDENT)
    if any(finding.writes for finding in findings):
        yield f"{_INDENT}`sudo hilctl doctor {rig + ' ' if rig else ''}--fix` changes what is safe to change"
    yield verdict(findings, wish, waking)


def _lines(finding: "Finding") -> Iterator[str]:
    yield from _wrapped(f"{MARKS[finding.verdict]:<7}", f"{finding.what}: {finding.found}")
    if finding.verdict == "good":
        return
    yield from _wrapped(_INDENT, f"wanted: {finding.wanted}")
    if finding.how:
        yield from _wrapped(_INDENT, f"how: {finding.how}")


def _wrapped(begin: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDE, initial_indent=begin, subsequent_indent=_INDENT, break_long_words=False,
                         break_on_hyphens=False)  # fmt: skip


def verdict(findings: "list[Finding]", wish: "Wish", waking: "Waking") -> str:
    """One line: whether, for which rate, what was late, and why not."""
    bad = [finding.what for finding in findings if finding.verdict == "bad"]
    better = sum(finding.verdict == "better" for finding in findings)
    loop = f"{wish.rig + ', ' if wish.rig else ''}{wish.rate_hz:g} Hz"
    seen = [one.outcome for one in waking]
    missed, due = sum(one.missed for one in seen), sum(one.due for one in seen)
    late = f"{missed} of {due} ticks late"
    if missed:
        late += f", {max(one.in_a_row for one in seen)} in a row"
    if any(one.tripped for one in seen):
        late += ", would have tripped"
    if bad:
        return f"NOT FIT for {loop}: {', '.join(bad)}; {late}"
    more = f"; {better} {'things' if better > 1 else 'thing'} could be better" if better else ""
    return f"fit for {loop}: {late}{more}"
