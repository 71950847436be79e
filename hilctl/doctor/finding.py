"""What a check says, and what the checks look at."""

from pathlib import Path
from typing import Literal, NamedTuple

Verdict = Literal["good", "better", "bad", "unknown"]


class Finding(NamedTuple):
    """One property of the host. `bad` makes it unfit; `better`: fit, but worth changing; `unknown`: it does not say."""

    what: str
    verdict: Verdict
    found: str
    wanted: str
    how: str = ""


class Wish(NamedTuple):
    """What the loop will ask for: the rig file's [loop]."""

    rate_hz: float = 1000.0
    priority: int = 80
    cpu: int = -1


class Tree:
    """The files in which Linux tells how it is set; below another root in the tests."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    def text(self, path: str) -> str | None:
        """What a file holds; None where it is missing or not for this user."""
        try:
            return (self.root / path.lstrip("/")).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return None

    def number(self, path: str) -> int | None:
        """A file that holds one whole number."""
        text = self.text(path)
        try:
            return int(text) if text is not None else None
        except ValueError:
            return None

    def texts(self, pattern: str) -> dict[str, str]:
        """The readable files of a pattern, by their paths."""
        found = {}
        for path in sorted(self.root.glob(pattern.lstrip("/"))):
            name = f"/{path.relative_to(self.root)}"
            text = self.text(name)
            if text is not None:
                found[name] = text
        return found

    def chosen(self, path: str, marks: str = "[]") -> str | None:
        """The active choice, where a file lists all with the active one in brackets."""
        text = self.text(path)
        if text is None or marks[0] not in text:
            return None
        return text.partition(marks[0])[2].partition(marks[1])[0]


def processors(text: str) -> set[int]:
    """The kernel's way to list processors: `0-2,5`."""
    found: set[int] = set()
    for part in text.split(","):
        low, _, high = part.strip().partition("-")
        if low.isdigit():
            found |= set(range(int(low), int(high or low) + 1))
    return found
