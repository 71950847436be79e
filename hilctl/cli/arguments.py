"""The values of arguments, checked while the command line is read: the answer names the argument and its bounds."""

import argparse
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from hilctl.params import Leaf, Params

_N = TypeVar("_N", int, float)


def real(text: str) -> float:
    """Any finite number."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} refused, must be a number") from None
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} refused, must be finite")
    return value


def whole(text: str) -> int:
    """Any whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} refused, must be a whole number") from None


def number(low: float, high: float, unit: str = "") -> Callable[[str], float]:
    """A number between two bounds, both included."""
    return _between(real, low, high, unit)


def count(low: int, high: int, unit: str = "") -> Callable[[str], int]:
    """A whole number between two bounds, both included."""
    return _between(whole, low, high, unit)


def _between(read: Callable[[str], _N], low: float, high: float, unit: str) -> Callable[[str], _N]:
    form = ".0f" if read is whole else "g"
    unit = "" if unit.startswith("the ") else unit  # of a sensor that is not known here
    bounds = f"must be {low:{form}} to {high:{form}} {unit}".rstrip()

    def check(text: str) -> _N:
        try:
            value = read(text)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentTypeError(f"{error}, {bounds.removeprefix('must be ')}") from None
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} refused, {bounds}")
        return value

    return check


def declared(table: "type[Params]", name: str) -> Callable[[str], float]:
    """As a declaration bounds it: of an operation, or of a motion."""
    from hilctl.params import leaves

    return of_leaf(next(leaf for leaf in leaves(table) if leaf.path == name))


def of_leaf(leaf: "Leaf") -> Callable[[str], float]:
    """A declared number, real or whole."""
    if leaf.kind == "int":
        return count(int(leaf.low), int(leaf.high), leaf.unit)
    return number(leaf.low, leaf.high, leaf.unit)


SPEED = number(1e-6, 20, "m/s")
BUDGET = number(1, 86_400, "s")  # of the rig's time
