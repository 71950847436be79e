"""A threshold beside a play: each lets the spool stay where it is, and a search that follows slopes takes one for the
other, for the flow changes by jumps with a threshold.

Both together hold the spool back by about play + threshold / 1.5, whichever of them it is. So pairs around that line
are tried, with everything else as its slopes say that it would follow; the best is searched from again, first in coarse
steps, then in fine ones. On twins with a threshold of 0.2 % and no hysteresis this tells the two apart, where one
search found a third of the threshold, and a hysteresis of 0.13 % that was not there.
"""

from collections.abc import Callable, Iterator
from typing import Any

from hilctl.identify.plant.model_signals import Reals

_LEAST = 1e-4  # of opening: with less of both, nothing is held back
_COARSE, _FINE = 0.125, 0.04  # steps, of both together
_TRADE = 1.5  # so much threshold holds back as much as a play of one
_NEAR, _FAR = 0.6, 1.35  # how much may be held back by a pair that is tried, of what both together were found to
_AROUND = (4, 2)  # fine steps of threshold and play, either way

Cost = Callable[[Reals], float]


def find_threshold(found: Any, search: Callable[[Reals], Any], around: Callable[[Reals], Cost], at: tuple[int, int],
                   scale: tuple[float, float], most: tuple[float, float]) -> Any:  # fmt: skip
    """The search's best end. `around`: what is left at places near one. `at`: where threshold and play stand among the
    words; `scale`: theirs; `most`: their upper bounds."""
    held = sum(found.x[i] * one for i, one in zip(at, scale, strict=True))
    if held < _LEAST:
        return found
    for pairs in (_line, _neighbours):
        here = tuple(found.x[i] * one for i, one in zip(at, scale, strict=True))
        tried = [
            _with(found.x, at, scale, pair)
            for pair in pairs(held, *here) if all(0.0 <= one <= end for one, end in zip(pair, most, strict=True))
        ]  # fmt: skip
        cost = around(found.x)
        best = min([found.x, *tried], key=cost)
        if best is not found.x:
            found = min(found, search(best), key=lambda one: float(one.cost))
    return found


def _with(q: Reals, at: tuple[int, int], scale: tuple[float, float], pair: tuple[float, float]) -> Reals:
    q = q.copy()
    q[list(at)] = [value / one for value, one in zip(pair, scale, strict=True)]
    return q


def _line(held: float, threshold: float, play: float) -> Iterator[tuple[float, float]]:
    """Every pair that holds back about as much."""
    for i in range(round(_TRADE * _FAR / _COARSE) + 1):
        for k in range(round(_FAR / _COARSE) + 1):
            if _NEAR <= _COARSE * (k + i / _TRADE) <= _FAR:
                yield i * _COARSE * held, k * _COARSE * held


def _neighbours(held: float, threshold: float, play: float) -> Iterator[tuple[float, float]]:
    """Those around what was found."""
    for i in range(-_AROUND[0], _AROUND[0] + 1):
        for k in range(-_AROUND[1], _AROUND[1] + 1):
            yield threshold + i * _FINE * held, play + k * _FINE * held
