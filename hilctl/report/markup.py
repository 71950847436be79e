"""HTML from parts: whatever is not markup already is escaped."""

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape

from hilctl.friction import MODELS
from hilctl.machine import Machine
from hilctl.params import leaves


class Html(str):
    """Markup. Every other text is text."""

    __slots__ = ()


NOTHING = Html("")
_WHOLE = 16  # rows that stay together on a page
_EMPTY = ("br", "col", "meta")


def html(content: object) -> Html:
    """Text as markup."""
    return content if isinstance(content, Html) else Html(escape(str(content)))


def joined(parts: Iterable[object], between: str = "") -> Html:
    """One after another; `between` is text."""
    return Html(html(between).join(html(part) for part in parts))


def tag(name: str, /, *content: object, **attributes: object) -> Html:
    """An element. `class_` is its class."""
    said = "".join(f' {key.rstrip("_")}="{escape(str(value))}"' for key, value in attributes.items() if value != "")
    opened = f"<{name}{said}>"
    return Html(opened) if name in _EMPTY else Html(f"{opened}{joined(content)}</{name}>")


def p(*content: object, class_: str = "") -> Html:
    """A paragraph; nothing without content."""
    return tag("p", *content, class_=class_) if any(str(part) for part in content) else NOTHING


def sentence(*content: str) -> str:
    """Texts that programs say, as sentences: each ends with a stop and begins large, unless a name begins it."""
    said = [text.strip() for text in content if text.strip()]
    return " ".join(_begun(text) + ("" if text[-1] in ".!?" else ".") for text in said)


def _begun(text: str) -> str:
    word = text.split(maxsplit=1)[0].rstrip(",:;").removesuffix("'s")
    return text[0].upper() + text[1:] if word.isalpha() and word not in names() else text


def moment(text: str) -> str:
    """A date with its time, as a person writes it."""
    return text.replace("T", " ", 1).replace("+00:00", " UTC").replace("Z", " UTC")


def absent(text: str) -> Html:
    """In place of a section, or of a part of one."""
    return p(text, class_="absent")


def bullets(items: Iterable[object], class_: str = "") -> Html:
    """A list; nothing without items."""
    made = [tag("li", item) for item in items]
    return tag("ul", *made, class_=class_) if made else NOTHING


def table(head: Sequence[object], rows: Iterable[Sequence[object]], caption: str = "") -> Html:
    """A heading that begins with > stands over a column of numbers. Nothing without rows."""
    right = [str(cell).startswith(">") for cell in head]
    columns = [tag("th", _unmarked(cell), class_=_side(r)) for cell, r in zip(head, right, strict=True)]
    made = [
        tag("tr", *(tag("td", cell, class_=_side(r)) for cell, r in zip(row, right, strict=True))) for row in rows
    ]
    if not made:
        return NOTHING
    parts = (tag("caption", caption) if caption else NOTHING, tag("thead", tag("tr", *columns)), tag("tbody", *made))
    return tag("div", tag("table", *parts), class_="wide" if len(made) > _WHOLE else "wide whole")


def _unmarked(cell: object) -> object:
    return type(cell)(str(cell).removeprefix(">")) if isinstance(cell, (str, Html)) else cell


def _side(right: bool) -> str:
    return "number" if right else ""


def facts(pairs: Iterable[tuple[str, object]]) -> Html:
    """Names and what they are, those that are something."""
    made = [tag("dt", name) + tag("dd", what) for name, what in pairs if str(what)]
    return tag("dl", *(Html(one) for one in made)) if made else NOTHING


def code(text: str) -> Html:
    """A key, a file."""
    return tag("code", text) if text else NOTHING


def bar(share: float, kind: str) -> Html:
    """A length, from 0 to 1."""
    width = 100 * min(max(share, 0.0), 1.0)
    return tag("span", tag("span", style=f"width:{width:.1f}%", class_=kind), class_="bar")


@cache
def names() -> frozenset[str]:
    """Of laws, and of their and the machine's parameters: a sentence may begin with one, and not change it."""
    declared = [Machine, *(model.Params for model in MODELS.values())]
    found = {part for params in declared for leaf in leaves(params) for part in leaf.path.split(".")}
    return frozenset(MODELS) | found - {"a"}  # which is a word, too
