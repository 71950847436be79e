"""The twin's own noise: the same seed gives the same numbers, in compiled code and in plain Python.

sfc32 (Chris Doty-Humphrey, PractRand): four 32-bit words of state, kept in int64 and masked, so that nothing
overflows in either. Gaussian by Box and Muller, in pairs.
"""

import math
from typing import Any

from hilctl.rt.jit import jit

_MASK = 0xFFFFFFFF
_WARM_UP = 15  # rounds after seeding, as the generator's author does
CHANCES = 4294967296.0  # different random words
_UNIT = 1.0 / CHANCES


@jit(lambda: "void(int64[::1], int64)", cached=True)
def rt_seed(words: Any, seed: int) -> None:
    """Sets the four words of state."""
    words[0], words[1], words[2], words[3] = seed & _MASK, (seed >> 32) & _MASK, 0, 1
    for _ in range(_WARM_UP):
        rt_next(words)


@jit()
def rt_next(words: Any) -> int:
    """The next 32 random bits; advances the state."""
    a, b, c, counter = words[0], words[1], words[2], words[3]
    out: int = (a + b + counter) & _MASK
    words[0] = b ^ (b >> 9)
    words[1] = (c + (c << 3)) & _MASK
    words[2] = ((((c << 21) & _MASK) | (c >> 11)) + out) & _MASK
    words[3] = (counter + 1) & _MASK
    return out


@jit()
def rt_gaussian_pair(words: Any) -> tuple[float, float]:
    """Two independent standard normal numbers."""
    radius = math.sqrt(-2.0 * math.log((rt_next(words) + 0.5) * _UNIT))
    angle = 2.0 * math.pi * (rt_next(words) + 0.5) * _UNIT
    return radius * math.cos(angle), radius * math.sin(angle)
