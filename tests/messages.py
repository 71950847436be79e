"""The messages of the program, for docs/messages.md: trips from their declaration, refusals and errors as they stand in
the source. What a message fills in is shown as `…`; its last part, after the semicolon, says what to do."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hilctl.signals import Trip
from hilctl.trips import STATUS_TEXTS, TRIP_TEXTS
from hilctl.wire.errors import MEANINGS

HOUSE = Path(__file__).resolve().parents[1]
_LEAST = 12  # characters that are no placeholder: a shorter text is not found by searching for it

# Who says it, by package or module; what is not named here is for developers.
SPEAKERS: dict[str, tuple[str, ...]] = {
    "On the command line": ("hilctl/cli",),
    "The rig file and its checks": ("hilctl/rig", "hilctl/params", "hilctl/design", "hilctl/law"),
    "The service": ("hilctl/service", "hilctl/wire", "hilctl/loop", "hilctl/learning"),
    "Keys and access": ("hilctl/access",),
    "The link to the device": ("firmware_bridge",),
    "Measuring and identifying": ("hilctl/experiment", "hilctl/identify", "hilctl/commission", "hilctl/verify"),
    "Recordings, replay and reports": ("hilctl/recording", "hilctl/replay", "hilctl/report", "hilctl/results"),
    "Clients and the operator's page": ("hilctl/client", "hilctl/panel"),
}


class Message(NamedTuple):
    """What happened, and what to do."""

    said: str
    remedy: str


def trips() -> str:
    """Every trip under a heading of its own, so that it can be linked."""
    parts = []
    for trip, text in TRIP_TEXTS.items():
        key = f" ([`{text.key}`](rig-file.md))" if text.key else ""
        parts.append(f"### {trip.name.lower()}\n\n**{_upper(text.meaning)}**{key}.\n\n*What to do:* {text.remedy}.")
    missing = set(Trip) - set(TRIP_TEXTS) - {Trip.NONE}
    assert not missing, missing
    return "\n\n".join(parts)


def statuses() -> str:
    """What is said of the link, in the trip `driver` and in `hilctl status`."""
    rows = [f"| {text} | `{status.name.lower()}` |" for status, text in STATUS_TEXTS.items()]
    return "\n".join(["| message | status |", "|---|---|", *rows])


def refusals() -> str:
    """The codes of refusals."""
    rows = [f"| `{code}` | {text} |" for code, text in MEANINGS.items()]
    return "\n".join(["| code | meaning |", "|---|---|", *rows])


def errors() -> str:
    """Every error that the source raises with a text, by who says it."""
    parts = []
    for title, places in SPEAKERS.items():
        messages = sorted({message for place in places for message in _raised(HOUSE / place)}, key=_order)
        rows = [f"| {_cell(one.said)} | {_cell(one.remedy)} |" for one in messages]
        parts.append("\n".join([f"### {title}", "", "| message | what to do |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def _raised(place: Path) -> Iterator[Message]:
    """Of a package or a module."""
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                yield from _messages(node.exc)


def _messages(call: ast.Call) -> Iterator[Message]:
    texts = [text for text in map(_text, call.args) if text and len(text.replace("…", "").strip()) > _LEAST]
    if texts:
        said, _, remedy = texts[0].partition("; ")
        given = next((_text(word.value) for word in call.keywords if word.arg == "remedy"), None)
        remedy = remedy or given or ""
        yield Message(said, "named in the message" if remedy.strip("… ") == "" and remedy else remedy)


def _text(node: ast.AST) -> str | None:
    """A string as it would be printed, with `…` for what it fills in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(v.value) if isinstance(v, ast.Constant) else "…" for v in node.values)
    if isinstance(node, ast.BinOp):
        return (_text(node.left) or "…") + (_text(node.right) or "…")
    return None


def _order(message: Message) -> tuple[str, ...]:
    return message.said.lstrip("…:' ").lower(), message.said, message.remedy


def _cell(text: str) -> str:
    for sign in "|<*[]_":
        text = text.replace(sign, f"\\{sign}") if "`" not in text or sign == "|" else text
    return " ".join(text.split())


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]
