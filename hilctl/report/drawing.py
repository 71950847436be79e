"""All figures, as PNG files or as SVG for the page. matplotlib is an extra (`report`): who lacks it gets the text."""

import io
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from hilctl.errors import NoFigures
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


def figures(result: Commissioned, folder: Path) -> list[Path]:
    """Writes the report's figures into the folder, which is made if need be; NoFigures where matplotlib is missing."""
    written = []
    for name, figure in _drawn(result):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        figure.savefig(path, metadata={"Software": None})  # the same figure gives the same bytes
        written.append(path)
    return written


def inline(result: Commissioned) -> dict[str, str]:
    """Each figure that there is something to draw for, as an SVG element; NoFigures where matplotlib is missing."""
    return elements(_drawn(result))


def elements(drawn: Iterable[tuple[str, Any]]) -> dict[str, str]:
    """Figures as SVG elements, by name."""
    made = {}
    for name, figure in drawn:
        file = io.StringIO()
        figure.savefig(file, format="svg")
        made[name] = element(file.getvalue(), name)
    return made


def _drawn(result: Commissioned) -> Iterator[tuple[str, Any]]:
    try:
        from matplotlib import rc_context
    except ImportError:
        raise NoFigures from None
    with rc_context(RC):
        for name, draw in PICTURES.items():
            figure = draw(result)
            if figure is not None:
                yield name, figure


def element(svg: str, name: str) -> str:
    """As it stands in a page among others: without a head of its own, its names its own."""
    text = _COMMENTS.sub("", _METADATA.sub("", _HEAD.sub("", svg)))
    opening, rest = text.split(">", 1)
    opening = _SIZE.sub("", _NAMESPACES.sub("", opening))
    return _NAMED.sub(rf"\g<1>{name}-", f"{opening}>{rest}").strip()
