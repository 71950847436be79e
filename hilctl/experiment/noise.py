"""The noise of a sensor, from its readings while the table is at rest: where the rig file declares none, or too little.

At rest the readings still drift, and the table is shaken by the valve. So the noise is the rms of the differences of
neighbouring readings over √2, as the median of blocks: one rejected reading spoils one block. It is right within 16 %
for all of 500 readings of white noise with: a drift of 10 sd, a swing of 20 Hz and 3 sd, hum of 50 Hz and 2 sd, steps
of a 16-bit converter, two spikes of 20 sd, or a low-pass of 200 Hz. Others, with their worst over the same readings:
standard deviation 216 %, differences without blocks 61 %, second differences 61 %, median absolute difference 20 %,
the spectrum's upper part 57 % (`python -m pytest -s tests/unit/experiment/test_noise.py`).
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.experiment.sensors import CHANNEL_OF

NOISY = 1.3  # times the declared noise: more than the estimate may be wrong by
MUCH = 3.0  # times: worth a remark
REST_S = 0.5  # of samples, and enough
_BLOCKS = 8
_FEWEST = 20  # readings of a block
# Below the resolution of the transducers of a rig; keeps ratios finite where a simulated sensor has no noise.
LEAST = {"displacement": 1e-7, "acceleration": 1e-3, "pressure_a": 100.0, "pressure_b": 100.0}


def at_rest(parts: Sequence[npt.NDArray[Any]]) -> float:
    """Of a sensor, rms, from stretches of readings at rest, nan where one was lost; 0 where there are too few."""
    blocks = [
        block
        for part in parts
        for block in np.array_split(np.asarray(part, float), max(1, min(_BLOCKS, len(part) // _FEWEST)))
    ]
    steps = [step[np.isfinite(step)] for step in map(np.diff, blocks)]
    found = [float(np.std(step)) / math.sqrt(2) for step in steps if len(step) > 1]
    return float(np.median(found)) if found else 0.0


def noise_of(sensor: str, declared: float, parts: Sequence[npt.NDArray[Any]]) -> float:
    """The declared noise; what the sensor shows, where none is declared or it shows more."""
    shown = max(at_rest(parts), LEAST[sensor])
    return shown if declared <= 0.0 or shown > NOISY * declared else declared


def with_noise(
    values: Mapping[str, Any], still: Mapping[str, Sequence[npt.NDArray[Any]]]
) -> tuple[dict[str, Any], list[str]]:
    """Parameters with the noise of the sensors as it is; a remark for each that is far from the declared one."""
    out, remarks = dict(values), []
    for sensor, channel in CHANNEL_OF.items():
        key = f"sensors.{sensor}.noise"
        declared = float(values[key])
        out[key] = noise_of(sensor, declared, still[channel])
        if 0.0 < declared * MUCH < out[key]:
            remarks.append(
                f"the noise of {sensor} at rest is {out[key]:.3g}, {key} is {declared:.3g}: check its cable and "
                "shield, and whether the table hunts; or declare it"
            )
    return out, remarks


def own_noise(values: Mapping[str, Any], declared: Mapping[str, Any]) -> dict[str, float]:
    """Of each sensor, by its key, the declared noise where that is less: at rest it also shows how dither and hunting
    shake the table, which a sound sensor does not show in every motion.
    """
    keys = [f"sensors.{sensor}.noise" for sensor in CHANNEL_OF]
    return {key: min(float(values[key]), float(declared[key]) or math.inf) for key in keys}
