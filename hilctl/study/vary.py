"""What varies, as it is written: KEY=LOW:HIGH, KEY=LOW:HIGH:log, KEY=±20%, KEY=-10%:+20%, KEY=±0.5, KEY=a,b,c.

A number may carry the key's unit. All that is wrong is reported at once, before anything runs.
"""

import math
import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from hilctl.params import BadValues, Leaf, Problem
from hilctl.study.keys import Known, unknown

_NUMBER = re.compile(r"\s*(±|\+-|\+/-)?\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(%?)\s*(.*?)\s*$")
_FORMS = "write KEY=LOW:HIGH, KEY=LOW:HIGH:log, KEY=±20% or KEY=a,b,c"
MOST = 64  # quantities: beyond that nobody could tell which of them mattered


class Varied(Struct, frozen=True):
    """A quantity that varies: over a range, or among choices."""

    key: str
    unit: str
    kind: str  # of the key: float, int, bool, choice
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    choices: tuple[Any, ...] = ()  # of a list; else it is a range
    nominal: Any = None

    def at(self, u: float) -> Any:
        """The value for a number from 0 to below 1."""
        if self.choices:
            return self.choices[min(int(u * len(self.choices)), len(self.choices) - 1)]
        if self.kind == "int":
            return min(int(self.low + u * (self.high - self.low + 1)), int(self.high))
        if self.log:
            return min(max(self.low * (self.high / self.low) ** u, self.low), self.high)
        return min(max(self.low + u * (self.high - self.low), self.low), self.high)

    @property
    def text(self) -> str:
        """As a person reads it."""
        if self.choices:
            return ", ".join(_shown(one) for one in self.choices)
        return f"{self.low:g} to {self.high:g} {self.unit}".strip() + (", by equal ratios" if self.log else "")


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)


def parse(words: Iterable[str], known: dict[str, Known], taken: str) -> list[Varied]:
    """All of `--vary`; BadValues with every problem. `taken`: a key that the study sets itself."""
    problems: list[Problem] = []
    found: dict[str, Varied] = {}
    for word in words:
        key, mark, text = (part.strip() for part in word.partition("="))
        if not mark or not key or not text:
            problems.append(Problem("--vary", word, "is not KEY=VALUES", _FORMS))
        elif key in found:
            problems.append(Problem(key, text, "is given twice"))
        elif key == taken:
            problems.append(Problem(key, text, "is set by the study, another one in each run", "give --seed"))
        elif key not in known:
            problems.append(unknown(key, text, known))
        else:
            made = _varied(key, text, known[key], problems)
            if made is not None:
                found[key] = made
    if not problems and not found:
        problems.append(Problem("--vary", "nothing", "at least one quantity must vary", _FORMS))
    if len(found) > MOST:
        problems.append(Problem("--vary", f"{len(found)} keys", f"must be at most {MOST}"))
    if problems:
        raise BadValues(problems)
    return list(found.values())


def _varied(key: str, text: str, known: Known, problems: list[Problem]) -> Varied | None:
    leaf = known.leaf
    before = len(problems)
    if leaf.kind in ("bool", "choice") or "," in text:
        choices = tuple(_choice(key, part.strip(), leaf, problems) for part in text.split(","))
        if len(problems) == before and len(set(choices)) < 2:
            problems.append(Problem(key, text, "must name at least two different values"))
        made = Varied(key, leaf.unit, leaf.kind, choices=choices, nominal=known.nominal)
        return made if len(problems) == before else None
    ends = _range(key, text, known, problems)
    if ends is None:
        return None
    low, high, log = ends
    for end in (low, high):
        _within(key, end, leaf, problems)
    if low >= high:
        problems.append(Problem(key, text, "must begin with its lower end", _FORMS))
    if log and low <= 0:
        problems.append(Problem(key, text, "must lie above 0 for equal ratios", "leave :log out"))
    if len(problems) > before:
        return None
    return Varied(key, leaf.unit, leaf.kind, low, high, log, nominal=known.nominal)


def _choice(key: str, text: str, leaf: Leaf, problems: list[Problem]) -> Any:
    if leaf.kind == "bool":
        if text not in ("true", "false"):
            problems.append(Problem(key, text, "must be true or false", f"write {key}=true,false"))
        return text == "true"
    if leaf.kind == "choice":
        if text not in leaf.choices:
            problems.append(Problem(key, text, f"must be one of {', '.join(leaf.choices)}"))
        return text
    value = _number(key, text, leaf, problems)
    if value is None:
        return math.nan
    _within(key, value, leaf, problems)
    return int(value) if leaf.kind == "int" else value


def _range(key: str, text: str, known: Known, problems: list[Problem]) -> tuple[float, float, bool] | None:
    """Both ends, and whether by equal ratios."""
    parts = text.split(":")
    log = len(parts) == 3 and parts[2].strip() == "log"
    parts = parts[:2] if log else parts
    about = len(parts) == 1 and parts[0].startswith(("±", "+-", "+/-"))
    if len(parts) != 2 and not about:
        problems.append(Problem(key, text, "is no range and no list", _FORMS))
        return None
    parts = [f"-{_bare(parts[0])}", f"+{_bare(parts[0])}"] if about else parts
    if about or any("%" in part for part in parts):
        nominal = known.nominal
        if isinstance(nominal, bool) or not isinstance(nominal, (int, float)):
            problems.append(Problem(key, text, "has no nominal value in this rig file", "write KEY=LOW:HIGH"))
            return None
        if nominal == 0 and "%" in text:
            problems.append(Problem(key, text, "is relative, and the nominal value is 0", "write KEY=LOW:HIGH"))
            return None
    else:
        nominal = 0.0
    ends = [_end(key, part, known.leaf, float(nominal), about, problems) for part in parts]
    if ends[0] is None or ends[1] is None:
        return None
    low, high = float(ends[0]), float(ends[1])
    return (high, low, log) if float(nominal) < 0 and "%" in text and low > high else (low, high, log)


def _bare(text: str) -> str:
    return text.removeprefix("±").removeprefix("+/-").removeprefix("+-").strip()


def _end(key: str, part: str, leaf: Leaf, nominal: float, about: bool, problems: list[Problem]) -> float | None:
    if part.rstrip().endswith("%"):
        share = _number(key, part.rstrip()[:-1], leaf._replace(unit="%"), problems)
        return None if share is None else nominal * (1 + share / 100)
    value = _number(key, part, leaf, problems)
    return value if value is None or not about else nominal + value


def _number(key: str, text: str, leaf: Leaf, problems: list[Problem]) -> float | None:
    """With the key's unit or none."""
    found = _NUMBER.match(text)
    if found is None or found[1] or found[3] or not math.isfinite(float(found[2])):
        problems.append(Problem(key, text, "is not a number", _FORMS))
        return None
    if found[4] and found[4] != leaf.unit:
        unit = f"its unit is {leaf.unit}" if leaf.unit and leaf.unit != "%" else "it has no unit"
        problems.append(Problem(key, text, f"is in another unit: {unit}", "write the number alone"))
        return None
    return float(found[2])


def _within(key: str, value: float, leaf: Leaf, problems: list[Problem]) -> None:
    if not leaf.low <= value <= leaf.high:
        unit = f" {leaf.unit}" if leaf.unit else ""
        problems.append(Problem(key, value, f"must be {leaf.low:g} to {leaf.high:g}{unit}"))
    elif leaf.kind == "int" and value != int(value):
        problems.append(Problem(key, value, "must be a whole number"))
