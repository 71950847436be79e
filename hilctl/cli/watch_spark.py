"""A curve in a line of text: each column is a bar from the smallest to the largest value, so no sample is lost."""

import numpy as np
import numpy.typing as npt

_BRAILLE = 0x2800
_DOTS = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))  # of the left and the right column, from the bottom
_PLAIN = "_.-'"  # for a terminal without such characters: the level of a value, `|` for a bar
_LEVELS = 4

DOTS_PER_CHARACTER = 2


def _bars() -> npt.NDArray[np.int64]:
    """The dots of a bar by side, lowest and highest level."""
    made = np.zeros((2, _LEVELS, _LEVELS), np.int64)
    for side, dots in enumerate(_DOTS):
        for low in range(_LEVELS):
            for high in range(low, _LEVELS):
                made[side, low, high] = sum(dots[low : high + 1])
    return made


_BARS = _bars()


def sparks(low: npt.NDArray[np.float64], high: npt.NDArray[np.float64], *, plain: bool) -> list[str]:
    """A line for each row of minima and maxima, scaled to the row's own range; blank where there is no number."""
    none = ~(np.isfinite(low) & np.isfinite(high))
    low, high = np.where(none, np.inf, low), np.where(none, -np.inf, high)
    bottom, top = low.min(axis=1, keepdims=True), high.max(axis=1, keepdims=True)
    span = top - bottom
    flat = ~(np.isfinite(span) & (span > 0.0))
    span, bottom = np.where(flat, 1.0, span), np.where(flat, 0.0, bottom)

    def level(values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        shares = np.where(none | flat, 0.0, (np.where(none, 0.0, values) - bottom) / span)
        return np.clip((shares * _LEVELS).astype(np.int64), 0, _LEVELS - 1)

    lowest, highest = level(low), level(high)
    if plain:
        return [_in_plain(*row) for row in zip(lowest.tolist(), highest.tolist(), none.tolist(), strict=True)]
    dots = np.where(none, 0, _BARS[np.arange(low.shape[1]) % 2, lowest, highest])
    codes = _BRAILLE + dots[:, 0::2] + dots[:, 1::2]
    return ["".join(map(chr, row)) for row in codes.tolist()]


def _in_plain(lowest: list[int], highest: list[int], none: list[bool]) -> str:
    return "".join(
        " " if nothing else _PLAIN[high] if low == high else "|"
        for low, high, nothing in zip(lowest, highest, none, strict=True)
    )
