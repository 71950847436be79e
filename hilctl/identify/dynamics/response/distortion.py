"""What a rig adds by itself, seen on the lines that a multisine leaves out.

A linear rig answers on the driven lines only. One with x² answers on even lines too, one with friction or x³ on the odd
ones between: a multisine on odd lines, some of them left out by lot, shows both apart, and noise beside them. What
stands on a left-out odd line stands about as high on the driven ones, where it cannot be seen: it is the error that no
averaging takes off a frequency response. Pintelon and Schoukens 2012, chapter 4.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.identify.dynamics.excitation import Tones
from hilctl.identify.dynamics.judge import Finding, RecordFault
from hilctl.identify.dynamics.response.multisine import taken


class LineDistortion(NamedTuple):
    """Rms of a line, over the rms of the driven ones, in per cent; noise taken off, nothing where noise hides it."""

    even_percent: float
    odd_percent: float
    noise_percent: float  # of a line of the whole record


def line_distortion(output: npt.ArrayLike, tones: Tones, *, begins: int = 0) -> LineDistortion:
    """Of the output's record, whose sample `begins` is the signal's first; needs a grid of odd lines."""
    if (tones.lines % 2 == 0).any() or tones.periods < 2:
        text = "the multisine leaves no line out, or has one period; take grid odd or odd_random, and two periods"
        raise RecordFault((Finding("unexcited", "input", text),))
    first = begins + tones.first
    y = np.asarray(output, np.float64)[first : first + tones.periods * tones.period]
    if len(y) < tones.periods * tones.period:
        text = f"{len(y)} samples, {tones.periods * tones.period} are its periods; record to the signal's end"
        raise RecordFault((Finding("too short", "output", text),))
    power = np.abs(np.fft.rfft(y - y.mean()) * (2 / len(y))) ** 2
    every = np.arange(int(tones.lines[0]), int(tones.lines[-1]) + 1)
    left_out = np.setdiff1d(every, tones.lines)
    between = np.arange(every[0] * tones.periods, every[-1] * tones.periods)
    noise = float(np.mean(power[between[~taken(between, tones)]]))
    driven = float(np.mean(power[tones.lines * tones.periods]))
    even, odd = (_over(power[left_out[left_out % 2 == parity] * tones.periods], noise) for parity in (0, 1))
    return LineDistortion(*(100 * float(np.sqrt(each / driven)) for each in (even, odd, noise)))


def _over(lines: npt.NDArray[np.float64], noise: float) -> float:
    """Mean power beyond noise; a mean of n lines of noise scatters by 1/√n."""
    if not len(lines):
        return 0.0
    beyond = float(np.mean(lines)) - noise
    return beyond if beyond > 3 * noise / np.sqrt(len(lines)) else 0.0
