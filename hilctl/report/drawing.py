"""All figures, as PNG files or as SVG for the page. matplotlib is an extra (`report`): who lacks it gets the text."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, cast

from hilctl.errors import NoFigures
from hilctl.report.figure_data import Data, data_of
from hilctl.report.pictures import (
    changes,
    convergence,
    friction,
    laws,
    learning,
    preview,
    spectrum,
    tracking,
    turn,
    waves,
)
from hilctl.report.pictures.style import RC
from hilctl.results.commissioned import Commissioned

PICTURES: dict[str, Callable[[Commissioned], Any]] = {
    "friction": friction.draw,
    "laws": laws.draw,
    "turn": turn.draw,
    "convergence": convergence.draw,
    "changes": changes.draw,
    "preview": preview.draw,
    "acceleration": waves.draw,
    "harmonics": spectrum.draw,
    "tracking": tracking.draw,
    "learning": learning.draw,
}
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_HEAD = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_NAMESPACES = re.compile(r' xmlns(:\w+)?="[^"]*"')
_SIZE = re.compile(r' width="[^"]*"| height="[^"]*"')
_COMMENTS = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_NAMED = re.compile(r'(\bid="|href="#|url\(#)')
_COLOUR = re.compile(r"(?<=: )#([0-9a-f]{6})(?=[;\"])")


class Picture(NamedTuple):
    """A figure as it stands in a page, and the numbers that it draws."""

    svg: str
    data: tuple[Data, ...] = ()


def drawn(result: Commissioned) -> dict[str, Any]:
    """Each figure that there is something to draw for, by name; NoFigures where matplotlib is missing."""
    with styled():
        return laid_out((name, figure) for name, figure in pictures_of(result) if figure is not None)


def pictures_of(result: Commissioned) -> Iterator[tuple[str, Any]]:
    """Each figure of a commissioning by name; None where there is nothing to draw."""
    return ((name, draw(result)) for name, draw in PICTURES.items())


def figures(made: Mapping[str, Any], folder: Path) -> list[Path]:
    """Writes them into the folder, as PNG files."""
    written = []
    for name, figure in made.items():
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        with styled(placing=False):
            figure.savefig(path, metadata={"Software": None})  # the same figure gives the same bytes
        written.append(path)
    return written


def inline(made: Mapping[str, Any]) -> dict[str, Picture]:
    """Them as SVG elements with their numbers, by name."""
    pictures = {}
    for name, figure in made.items():
        file = io.StringIO()
        with styled(placing=False):
            figure.savefig(file, format="svg")
        pictures[name] = Picture(element(file.getvalue(), name), tuple(data_of(figure)))
    return pictures


def inlined(draw: Callable[[], Iterable[tuple[str, Any]]]) -> tuple[dict[str, Picture], str]:
    """Each figure that there is something to draw for; and why there are none, where matplotlib is missing."""
    try:
        with styled():
            made = laid_out((name, figure) for name, figure in draw() if figure is not None)
        return inline(made), ""
    except NoFigures as why:
        return {}, f"This page has {why}."


def styled(placing: bool = True) -> AbstractContextManager[None]:
    """The style of all figures, while they are drawn, or written as they are; NoFigures where matplotlib is missing."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise NoFigures from None
    return cast("AbstractContextManager[None]", rc_context({**RC, "figure.constrained_layout.use": placing}))


def laid_out(made: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Figures whose parts stay where they now are placed: that costs as much as drawing them twice, at each writing."""
    figures = dict(made)
    for figure in figures.values():
        figure.get_layout_engine().execute(figure)
        with styled(placing=False):
            figure.set_layout_engine(None)  # after "none" each writing would still draw twice
    return figures


def element(svg: str, name: str) -> str:
    """As it stands in a page among others: without a head of its own, its names its own, its colours the page's."""
    text = _COMMENTS.sub("", _METADATA.sub("", _HEAD.sub("", svg)))
    opening, rest = text.split(">", 1)
    opening = _SIZE.sub("", _NAMESPACES.sub("", opening))
    coloured = _COLOUR.sub(r"var(--c\1, #\1)", f"{opening}>{rest}")
    return _NAMED.sub(rf"\g<1>{name}-", coloured).strip()
