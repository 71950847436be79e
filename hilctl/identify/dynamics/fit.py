"""How much of a signal a model explains, in per cent: 100 is all of it, 0 what the mean alone explains.

    fit = 100 (1 - |y - ym| / |y - mean(y)|)          equation 29 of Zhao and Wang (2013)
"""

from typing import Any

import numpy as np
import numpy.typing as npt


def fit_percent(measured: npt.ArrayLike, modelled: npt.ArrayLike) -> float:
    """Of one signal; may be real or complex, and below zero where the model is worse than the mean."""
    y: npt.NDArray[Any] = np.asarray(measured)
    ym: npt.NDArray[Any] = np.asarray(modelled)
    if y.shape != ym.shape:
        raise ValueError(f"measured has shape {y.shape}, modelled {ym.shape}: they must be alike")
    spread = float(np.linalg.norm(y - y.mean()))
    if not spread > 0.0:
        raise ValueError("measured never changes: there is nothing to fit")
    return 100 * (1 - float(np.linalg.norm(y - ym)) / spread)
