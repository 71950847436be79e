"""The trade's English in what people read: pages, messages, docstrings and comments."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

HOUSE = Path(__file__).resolve().parents[3]
READ = ("README.md", "docs", "hilctl", "firmware_bridge", "sim", "deploy")
SUFFIXES = {".md", ".py", ".c", ".h", ".toml", ".service", ".rules", ".conf", ".html"}

# What is not said, and what is said for it. Of a force, write "in the force".
INSTEAD = {
    r"anew": "again; reconnected, rebuilt, restarted",
    r"askew": "not level; misaligned",
    r"mend(?:s|ed|ing)?": "fix, correct",
    r"in force": "active; activate, apply",
    r"Besides,": "Also,",
    r"besides(?=[.,;:)])": "also",
    r"told": "reported, printed, published",
    r"whoever": "the one who; the client, the command that",
    r"hides? what (?:it|its|the)": "its true parameters are withheld",
    r"room to spare": "with margin",
    r"dead (?:band|zone)": "overlap (deadband)",
    r"sticks fast": "static friction, breakaway force, stuck",
    r"data cannot (?:tell|say|fix)": "not identifiable from these data",
    r"how far it may be off": "confidence interval, 95 %",
    r"waking up is": "wake-up latency is",
    r"tells nothing": "gives no reading",
    r"says? no number": "reports no valid number",
    r"says what it cannot": "reports an impossible value",
    r"who got no reply": "if no reply arrives",
    r"somebody asks or not": "whether or not it is polled",
    r"learns? drives": "iterative learning control (ILC)",
    r"are the most": "at most …",
    **dict.fromkeys(("lest", "thrice", "whence", "thence", "thither", "wherein", "thereof"), "a word of today"),
}
# With the letters that each begins with: most files have none of them.
FORBIDDEN = [
    (re.match(r"[A-Za-z ]+?(?=.\?|[,(]|$)", word)[0], re.compile(rf"(?<![\w.])(?:{word})(?!\w)"), instead)
    for word, instead in INSTEAD.items()
]
_QUOTED = re.compile(
    r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'|#[^\n]*", re.DOTALL
)  # the strings and comments of a Python file


class Found(NamedTuple):
    """A word that is not said."""

    place: str
    word: str
    instead: str

    def __str__(self) -> str:
        return f"{self.place}: {self.word!r}; say: {self.instead}"


def prose(text: str, suffix: str) -> Iterator[tuple[int, str]]:
    """The lines that people read, by their number: of Python strings and comments, elsewhere all but quoted code."""
    if suffix != ".py":
        yield from enumerate((re.sub(r"`[^`]*`", "``", line) for line in text.splitlines()), 1)
        return
    number, end = 1, 0
    for quoted in _QUOTED.finditer(text):
        number, end = number + text.count("\n", end, quoted.start()), quoted.start()
        plain = re.sub(r"`[^`\n]*`|\{[^{}]*\}", "``", quoted[0])
        yield from enumerate(plain.splitlines(), number)


def findings(path: str, text: str) -> list[Found]:
    """What this file says that is not said."""
    possible = [(pattern, instead) for begin, pattern, instead in FORBIDDEN if begin in text]
    if not any(pattern.search(text) for pattern, _ in possible):
        return []
    return [
        Found(f"{path}:{number}", found[0], instead)
        for number, line in prose(text, Path(path).suffix)
        for pattern, instead in possible
        for found in pattern.finditer(line)
    ]


def all_findings() -> Iterator[Found]:
    for place in READ:
        top = HOUSE / place
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.suffix in SUFFIXES and path.is_file():
                yield from findings(path.relative_to(HOUSE).as_posix(), path.read_text(encoding="utf-8"))


def test_people_read_the_trades_english():
    found = [str(one) for one in all_findings()]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('def told():\n    return "was told"  # made anew\n', ["told", "anew"]),
        ("told = found(told)\n", []),
        ('"""The set in force."""\n', ["in force"]),
        ('f"{told} of `told` is told"\n', ["told"]),
        ("x = 1  # besides the load, and so on\n", []),
        ("x = 1  # Besides, it moves\n", ["Besides,"]),
        ('"The end of the amendment, a mender."\n', []),
    ],
)
def test_only_what_people_read_is_judged(text, words):
    assert [one.word for one in findings("a.py", text)] == words


def test_a_finding_names_file_line_and_what_to_say():
    (one,) = findings("docs/a.md", "fine\nthe link is made anew\n")
    assert str(one) == "docs/a.md:2: 'anew'; say: again; reconnected, rebuilt, restarted"
