"""The static laws that a curve is held against, each as the words that it leaves free.

The smooth laws, tanh and breakaway, are the same curves in steady sliding above their knee (some mm/s at the most) and
differ below it only, where no window of constant speed can be measured: they are not among those that a campaign tries
(FORMS). Points from elsewhere may reach below the knee, and may be of a joint: for these breakaway is there, too. Nor
can sliding tell what is held at rest: `static` gets its fs from its fc.
"""

from typing import Any, NamedTuple

import numpy as np

from hilctl.friction.breakaway import ROTATION, TRANSLATION
from hilctl.identify.friction.model_curve import DELTA, FC, FS, NAMES, OFFSET, POWER, SIGMA, SMOOTH, VS, WORDS
from hilctl.identify.friction.model_ranges import Ranges

SMOOTH_KEYS = {"breakaway": TRANSLATION, "breakaway-rotational": ROTATION}  # as peak, level, speed of the peak, slope


class Form(NamedTuple):
    """A law to be tried."""

    name: str
    model: str  # in the rig file
    free: tuple[int, ...]  # words of the curve
    delta: float = 2.0
    speeds: int = 3  # different ones that it needs: one more than it has words
    smooth: bool = False  # through zero, with its peak at vs

    @property
    def falls(self) -> bool:
        """Whether it has a falling branch."""
        return VS in self.free

    def bounds(self, ranges: Ranges, unit_n: float, offset_n: float) -> tuple[Any, Any]:
        """The ends of every word, forces in `unit_n`; an offset within plus and minus `offset_n`, 0 for none."""
        low = np.zeros(WORDS)
        low[DELTA], low[POWER], low[SMOOTH] = self.delta, 1.0, float(self.smooth)
        high = low.copy()
        for word in self.free:
            low[word], high[word] = ranges.ends(NAMES[word])
        low[OFFSET], high[OFFSET] = -offset_n, offset_n
        for word in (FC, FS, SIGMA, OFFSET):
            low[word] /= unit_n
            high[word] /= unit_n
        return low, high

    def keys(self) -> dict[str, int]:
        """Its parameters in the rig file, and the words that they are; `static` has no fs of its own."""
        if self.model == "static":
            names = {"fc": FC, "fv": SIGMA, "dv": POWER}
            return {key: word for key, word in names.items() if word in self.free}
        if self.smooth:
            return dict(zip(SMOOTH_KEYS[self.model], (FS, FC, VS, SIGMA), strict=True))
        return {NAMES[word]: word for word in (FC, FS, VS, SIGMA, DELTA) if word in self.free}

    def table(self, words: Any) -> dict[str, float]:
        """What the rig file says of one direction; `words` in SI."""
        if self.model == "coulomb":
            return {"fc": float(words[FC])}
        if self.model == "static":
            level = float(words[FC])
            return {"fc": level, "fs": level, "fv": float(words[SIGMA]), "dv": float(words[POWER])}
        if self.smooth:
            return {name: float(words[word]) for name, word in self.keys().items()}
        names = ("fc", "fs", "vs", "sigma", "delta")
        table = {name: float(words[word]) for name, word in zip(names, (FC, FS, VS, SIGMA, DELTA), strict=True)}
        table["fs"] = max(table["fs"], table["fc"])
        return table


COULOMB = Form("coulomb", "coulomb", (FC,))
LINE = Form("coulomb+viscous", "static", (FC, SIGMA))
POWERED = Form("coulomb+power", "static", (FC, SIGMA, POWER), speeds=4)
GAUSSIAN = Form("stribeck, delta 2", "stribeck", (FC, FS, VS, SIGMA), speeds=5)
EXPONENTIAL = Form("stribeck, delta 1", "stribeck", (FC, FS, VS, SIGMA), delta=1.0, speeds=5)
ANY_SHAPE = Form("stribeck, delta free", "stribeck", (FC, FS, VS, SIGMA, DELTA), speeds=6)
BREAKAWAY = Form("breakaway", "breakaway", (FC, FS, VS, SIGMA), speeds=5, smooth=True)
ROTARY = BREAKAWAY._replace(name="breakaway-rotational", model="breakaway-rotational")
FORMS = (COULOMB, LINE, POWERED, GAUSSIAN, EXPONENTIAL, ANY_SHAPE)
