"""What a test of a law for a phenomenon says."""

from collections.abc import Callable
from typing import NamedTuple

from hilctl.papers.phenomena.stand import Stand


class Cell(NamedTuple):
    """The answer, and the figure that decides it."""

    shows: bool | None  # None: the phenomenon makes no sense for this law
    figure: float | None
    why: str

    @property
    def word(self) -> str:
        """As it stands in the table."""
        return {True: "yes", False: "no", None: "—"}[self.shows]


class Phenomenon(NamedTuple):
    """Something that real friction does, and how a law is tried for it."""

    key: str
    title: str  # of the column
    figure: str  # what the figure is
    unit: str
    least: float | None  # yes from here on
    most: float | None  # yes up to here
    test: Callable[[Stand], Cell]


NOTHING_HELD = Cell(None, None, "nothing holds the block: there is no break-away force to stay below")


_NOTHING = 0.01  # of a per cent, or of what else decides: a tenth of the least bound


def shown(figure: float) -> str:
    """Two digits, and nothing of what is only rounding."""
    if abs(figure) < _NOTHING:
        return "0"
    return f"{figure:.2g}" if abs(figure) < 99 else f"{figure:.0f}"
