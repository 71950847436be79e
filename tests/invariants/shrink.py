"""A failing sequence made short: as few lines as break the same invariant, and then as short times as do."""

from collections.abc import Callable
from pathlib import Path

from tests.invariants.judge import Violation, judged
from tests.invariants.run import Run
from tests.invariants.script import played

_PLAYS = 250


def violations(lines: list[str], runtime: Path) -> list[Violation]:
    """What a sequence breaks."""
    with played(lines, runtime) as play:
        return judged(Run(play))


def shrunk(lines: list[str], judge: str, runtime: Path) -> list[str]:
    """The shortest that was found."""
    left = [_PLAYS]

    def fails(some: list[str]) -> bool:
        if left[0] <= 0:
            return False
        left[0] -= 1
        try:
            return any(found.judge == judge for found in violations([lines[0], *some], runtime))
        except Exception as error:
            return type(error).__name__ == judge

    body = _fewer(lines[1:], fails)
    body = _shorter(body, fails)
    return [lines[0], *_fewer(body, fails)]


def _fewer(body: list[str], fails: Callable[[list[str]], bool]) -> list[str]:
    size = max(1, len(body) // 2)
    while size >= 1:
        at = 0
        while at < len(body):
            without = body[:at] + body[at + size :]
            if fails(without):
                body = without
            else:
                at += size
        size //= 2
    return body


def _shorter(body: list[str], fails: Callable[[list[str]], bool]) -> list[str]:
    for at, line in enumerate(body):
        words = line.split()
        if words[0] != "wait":
            continue
        for seconds in (0.01, 0.1, 0.5, 1.0, 2.0):
            if seconds >= float(words[1]):
                break
            tried = [*body[:at], f"wait {seconds}", *body[at + 1 :]]
            if fails(tried):
                body = tried
                break
    return body


def as_test(lines: list[str], found: Violation) -> str:
    """A sequence as a test to be kept."""
    text = "\n".join(f"        {line}" for line in lines)
    return f'    # {found}\n    "{found.judge}": """\n{text}\n    """,'
