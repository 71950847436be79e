"""The pictures of the documents, each made by a run on a simulated rig: `python -m tests.pictures` makes all but those
that need a browser, `python -m tests.pictures commissioning servo` some. docs/pictures.md lists them."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

HOUSE = Path(__file__).resolve().parents[1]
DOCS = HOUSE / "docs"


class Maker(NamedTuple):
    """What makes pictures: a command, and the function that it runs, if it is one of this file."""

    command: str
    source: str
    pictures: tuple[str, ...]  # below docs
    make: Callable[[], None] | None = None


def commissioning() -> None:
    """The figures of the tutorial's own command."""
    with tempfile.TemporaryDirectory() as folder:
        _hilctl("commission", "table-500", "--twin", "--out", folder)
        for picture in MAKERS["commissioning"].pictures:
            shutil.copy(Path(folder) / "figures" / Path(picture).name, DOCS / picture)


def friction() -> None:
    """The pictures of the friction models."""
    _hilctl("models", "--out", str(DOCS / "friction"))


def pendulum() -> None:
    """The pictures of the specimens."""
    from sim.specimens import figures

    figures.draw(DOCS)


def servo() -> None:
    """The identified model beside the measured response, from the paper's experiment."""
    from hilctl.papers.servo.experiment import driven
    from hilctl.papers.servo.pictures import model
    from hilctl.papers.servo.tables import paper_of
    from hilctl.report.drawing import figures, laid_out, styled

    paper = paper_of(driven("servo-004", print))
    with styled(), tempfile.TemporaryDirectory() as folder:
        (path,) = figures(laid_out([("servo-004", model(paper))]), Path(folder))
        shutil.copy(path, DOCS / "servo-004.png")


MAKERS: dict[str, Maker] = {
    "commissioning": Maker(
        "python -m tests.pictures commissioning", "`hilctl commission table-500 --twin`",
        ("acceleration.png", "tutorial/friction.png", "tutorial/turn.png", "tutorial/tracking.png"), commissioning,
    ),
    "friction": Maker(
        "python -m tests.pictures friction", "`hilctl models`",
        tuple(f"friction/{name}.png" for name in ("break-away-rate", "break-away-rest", "curves", "lag", "memory",
                                                  "presliding", "steady-sliding", "stick-slip", "vibration")),
        friction,
    ),
    "pendulum": Maker(
        "python -m tests.pictures pendulum", "the pendulum as a specimen, integrated alone and on a table",
        ("pendulum-free.png", "pendulum-driven.png", "pendulum-on-the-table.png"), pendulum,
    ),
    "servo": Maker(
        "python -m tests.pictures servo", "the sweep of `hilctl paper 004`", ("servo-004.png",), servo,
    ),
    "panel": Maker(
        "make pictures", "the operator's page in Chromium, of a rig that was commissioned",
        tuple(f"panel-{name}.png" for name in ("run-light", "scope-dark", "friction-light", "commission-light",
                                               "parameters-light", "health-dark")),
    ),
}  # fmt: skip


def rows() -> str:
    """Every picture with its maker."""
    made = [f"| [{picture}]({picture}) | {maker.source} | `{maker.command}` |"
            for maker in MAKERS.values() for picture in maker.pictures]  # fmt: skip
    return "\n".join(["| picture | shows a run of | made by |", "|---|---|---|", *made])


def _hilctl(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "hilctl", *words], check=True, cwd=HOUSE)


def main(names: Sequence[str]) -> int:
    """Makes the pictures of these makers, or all."""
    able = {name: maker.make for name, maker in MAKERS.items() if maker.make is not None}
    unknown = [name for name in names if name not in able]
    if unknown:
        print(f"no pictures {unknown[0]!r}; known: {', '.join(able)}", file=sys.stderr)
        return 2
    for name in names or able:
        able[name]()
        print(f"made: {', '.join(MAKERS[name].pictures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
