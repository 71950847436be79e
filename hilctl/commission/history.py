"""An earthquake or another history, tracked before and after: the errors of displacement and acceleration.

Both are rms values relative to the reference's. The power of the accelerometer's declared noise is subtracted from the
error; nothing below a tenth of the noise is reported.
"""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.commission.tracking import Run, Task
from hilctl.results.proof import Worth

if TYPE_CHECKING:
    from hilctl.client import Client

Reals = npt.NDArray[np.float64]

_NOISE_KNOWN = 0.1  # of the noise's rms


class History(NamedTuple):
    """A history, scaled to its peak displacement."""

    name: str
    times_s: Reals
    values: Reals
    quantity: Literal["displacement", "acceleration"]
    peak_m: float

    @property
    def task(self) -> Task:
        """The motion, once the history is uploaded."""
        return Task("waveform", {"upload": self.name, "peak_m": self.peak_m})

    def upload(self, rig: "Client") -> None:
        """Under its name."""
        rig.upload(self.name, self.values, self.quantity, times_s=self.times_s)


def name_of(file: Path) -> str:
    """A history's name, from its file's."""
    return "".join(c for c in file.stem if c.isprintable())[:60] or "history"


def read_history(file: Path, peak_m: float) -> History:
    """From a CSV file, as `hilctl track waveform` reads it."""
    from hilctl.law.motions.samples import read_csv

    found = read_csv(file.read_text(encoding="utf-8"), str(file))
    return History(name_of(file), found.times_s, found.values, found.quantity, peak_m)


def worth_of_history(run: Run, noise_m_s2: float) -> Worth:
    """Percent of the reference's rms, each."""
    x, a = run.samples["error_m"], run.samples["acceleration_m_s2"] - run.samples["ad_m_s2"]
    seen = float(np.mean((a - np.mean(a)) ** 2))
    left = max(seen - noise_m_s2**2, (_NOISE_KNOWN * noise_m_s2) ** 2)
    return Worth(
        1e6 * _rms(x), displacement_percent=100 * _rms(x) / _rms(run.samples["xd_m"]),
        acceleration_percent=100 * math.sqrt(left) / _rms(run.samples["ad_m_s2"]),
    )  # fmt: skip


def _rms(values: Any) -> float:
    return max(float(np.sqrt(np.mean(np.square(values)))), 1e-12)
