"""The case of the paper: its excitation, its eight parameters with their starts and bounds, and its servo.

Zhao and Wang (2013) drive 1 to 100 Hz in steps of 1 Hz, three periods each. What they measured is not published; here
the servo with the values that they found takes the place of their rig.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.identify.grey_box.model import Record, ServoModel
from hilctl.identify.grey_box.parameters import Choice, free_from
from hilctl.results.response import Reals
from hilctl.servo import BOUNDS, IDENTIFIED, KNOWN, START, State, paper_servo, simulate

RATE_HZ = 2000.0
AMPLITUDE_V = 0.5  # 10 mm at low frequencies
PERIODS = 3
TRUTH = dict(IDENTIFIED)


def sweep(amplitude_v: float = AMPLITUDE_V, rate_hz: float = RATE_HZ) -> Reals:
    """1 to 100 Hz in steps of 1 Hz, each for three whole periods: 15.6 s."""
    ends = np.cumsum([PERIODS / f for f in range(1, 101)])
    t = np.arange(math.ceil(float(ends[-1]) * rate_hz)) / rate_hz
    which = np.searchsorted(ends, t, side="right")
    begins = np.concatenate([[0.0], ends])[which]
    return np.asarray(amplitude_v * np.sin(2 * np.pi * (which + 1) * (t - begins)))


def paper_model() -> ServoModel:
    """With what the paper knows."""
    return ServoModel(KNOWN)


def paper_choices() -> dict[str, Choice]:
    """All eight free, as in its table 1."""
    return free_from(START, BOUNDS)


def paper_record(
    seed: int | None = None, *, noise: float = 0.0, share: float = 0.0, pressure: bool = False,
    pressure_noise: float = 0.0, ui: npt.ArrayLike | None = None, rate_hz: float = RATE_HZ,
) -> Record:  # fmt: skip
    """What the servo does, with white noise of `noise` m (and Pa), or of a share of each output's spread."""
    given = sweep(rate_hz=rate_hz) if ui is None else np.asarray(ui, float)
    outputs = [State.displacement, State.load_pressure][: 1 + pressure]
    exact: Any = simulate(paper_servo(), given, 1 / rate_hz, outputs=outputs)
    spread = share * exact.std(0)
    spread = np.hypot(spread, [noise, pressure_noise][: 1 + pressure])
    random = np.random.default_rng(seed)
    shown = exact + spread * random.standard_normal(exact.shape)
    return Record({"ui": given}, {s.name: shown[:, i] for i, s in enumerate(outputs)}, 1 / rate_hz, name="sweep")
