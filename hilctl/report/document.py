"""A page that needs nothing but itself: the frame around what it says, its contents, and its file."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from hilctl.report.brief import Brief, brief
from hilctl.report.css import CSS, at_night
from hilctl.report.markup import NOTHING, Html, facts, joined, tag


def document(title: str, body: Iterable[object]) -> str:
    """The whole text."""
    text = joined(body)
    head = joined([
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title), tag("style", Html(CSS + at_night(text))),
    ])  # fmt: skip
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{text}\n</body>\n</html>\n'


def report(
    title: str, lines: Brief, about: Iterable[tuple[str, object]], sections: Mapping[str, tuple[str, Html]], *,
    mark: Html = NOTHING, before: Iterable[object] = (), foot: str = "Made by hilctl.",
) -> str:  # fmt: skip
    """Every report: the answer in five lines and what it is about on the first screen, then section by section."""
    return document(title, [
        tag("header", tag("h1", title, mark), brief(lines), facts(about)), *before,
        contents({key: name for key, (name, _) in sections.items()}),
        *(section(n, key, name, text) for n, (key, (name, text)) in enumerate(sections.items(), 1)),
        tag("footer", foot),
    ])  # fmt: skip


def contents(titles: Mapping[str, str]) -> Html:
    """The list of the sections, each with a link to it."""
    lines = [tag("li", tag("a", title, href=f"#{key}")) for key, title in titles.items()]
    return tag("nav", tag("h3", "Contents"), tag("ol", *lines))


def section(number: int, key: str, title: str, content: Html) -> Html:
    """One section, with its number."""
    return joined([Html("\n"), tag("section", tag("h2", f"{number}. {title}"), content, id=key)])


def save(text: str, path: Path) -> Path:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)  # half a page on a full disk helps nobody
        raise OSError(error.errno, error.strerror, str(path)) from None
    return path
