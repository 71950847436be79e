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
_NAMED = 3  # in the verdict


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
    yield from _wrapped("", _ticks(wish, waking))
    yield verdict(findings, wish)


def _lines(finding: "Finding") -> Iterator[str]:
    wanted = "" if finding.verdict == "good" else f"; wanted: {finding.wanted}"
    yield from _wrapped(f"{MARKS[finding.verdict]:<7}", f"{finding.what}: {finding.found}{wanted}")
    if finding.how:
        yield from _wrapped(_INDENT, f"how: {finding.how}")


def _wrapped(begin: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDE, initial_indent=begin, subsequent_indent=_INDENT, break_long_words=False,
                         break_on_hyphens=False)  # fmt: skip


def _ticks(wish: "Wish", waking: "Waking") -> str:
    """What the loop would have made of the wake-ups."""
    seen = [one.outcome for one in waking]
    late, due, row = sum(one.missed for one in seen), sum(one.due for one in seen), max(one.in_a_row for one in seen)
    text = f"{late} of {due} ticks would have been late"
    if late:
        text += f", {row} in a row at worst, of {wish.late_ticks} that trip"
    if wish.driver:
        silence_ms = max(one.silence_us for one in seen) / 1000
        text += f"; {silence_ms:.3g} ms between two exchanges, of {1000 * wish.time_to_live_s:g} ms to live"
    why = next((one.tripped for one in seen if one.tripped), "")
    return f"{text}; would have tripped: {why}" if why else f"{text}; no trip"


def verdict(findings: "list[Finding]", wish: "Wish") -> str:
    """One line: whether, at which rate, and why not."""
    bad = [finding.what for finding in findings if finding.verdict == "bad"]
    better = sum(finding.verdict == "better" for finding in findings)
    loop = f"{wish.rig or 'a loop'} at {wish.rate_hz:g} Hz"
    if bad:
        more = f" and {len(bad) - _NAMED} more" if len(bad) > _NAMED else ""
        return f"NOT FIT for {loop}: {', '.join(bad[:_NAMED])}{more}"
    more = f"; {better} {'things' if better > 1 else 'thing'} could be better" if better else ""
    return f"fit for {loop}{more}"
