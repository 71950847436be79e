"""Sensors that cannot be right, from the samples of a motion: in words, with what to check.

stuck       the table, or its displacement sensor: it moves less than STUCK_SHARE of the reference's travel
dead        no signal: neighbouring readings differ by less than DEAD_SHARE of the declared noise, rms; or no number
repeating   the last readings are equal to the bit for REPEATS_S: what a trip cut short

Differences, not readings, because an open input drifts. On 200 triangles each at 1 and 100 mm/s, for displacement,
acceleration and pressure (`python -m pytest -s tests/unit/experiment/test_sensors.py`):

                                                    differences    spread of the readings
    constant; hum or noise of a tenth of the noise  100 %          100 %
    no noise, drift of 20 times the noise           100 %            0 %
    sound, steps of up to 10 times the noise          0 %            0 %
    sound, each reading held for 10 or 50 ticks       0 %            0 %
    no noise, a step of the converter now and then  100 %            0 %

A transducer that samples at 100 Hz repeats itself for 10 ms: REPEATS_S is a time, not a number of ticks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

STUCK_SHARE = 0.2
DEAD_SHARE = 0.2
REPEATS_S = 0.05
_SOME, _EVEN = 8, 0.3  # changes; spread of the ticks between them, over their mean: by chance it is 1

# The sensors that an identification reads, and their channels.
CHANNEL_OF = {
    "displacement": "displacement_m", "acceleration": "acceleration_m_s2",
    "pressure_a": "pressure_a_pa", "pressure_b": "pressure_b_pa",
}  # fmt: skip
SENSORS, SENSED = tuple(CHANNEL_OF), tuple(CHANNEL_OF.values())


def stuck(went_m: float, wanted_m: float) -> str:
    """Where the table moved so far of what was wanted; empty where it moved."""
    if went_m >= STUCK_SHARE * wanted_m:
        return ""
    return (
        f"the table is stuck, or its transducer is: it moved {1e3 * went_m:.3g} mm while the reference moved "
        f"{1e3 * wanted_m:.3g} mm; check that nothing locks the table, that the supply valve is open, and the "
        "displacement sensor's rod and cable (sensors.displacement)"
    )


def stuck_in(samples: Mapping[str, Any]) -> str:
    """The same, of a motion's samples."""
    return stuck(_travel(samples["displacement_m"]), _travel(samples["xd_m"]))


def _travel(values: Any) -> float:
    there = values[np.isfinite(values)]
    return float(np.ptp(there)) if len(there) else 0.0


def dead(samples: Mapping[str, Any], noise: Mapping[str, float]) -> str:
    """The first of these sensors without a signal; `noise` by sensor, as declared. Empty where all have one."""
    for sensor, declared in noise.items():
        values = np.asarray(samples[CHANNEL_OF[sensor]], float)
        steps = np.diff(values)
        steps, there = _between_readings(steps[np.isfinite(steps)]), values[np.isfinite(values)]
        changes = float(np.sqrt(np.mean(steps**2) / 2)) if len(steps) else 0.0
        if changes == 0.0 or changes < DEAD_SHARE * declared:
            what = "the accelerometer" if sensor == "acceleration" else f"the sensor {sensor}"
            shows = f"shows {float(np.mean(there)):.6g} and hardly changes" if len(there) else "reports no valid number"
            return (
                f"{what} is dead: it {shows} while the table moves; "
                f"check its supply, cable and channel (sensors.{sensor})"
            )
    return ""


def _between_readings(steps: Any) -> Any:
    """Without those within a reading that a transducer holds: it then changes at even intervals."""
    changed = np.flatnonzero(steps)
    apart = np.diff(changed)
    return steps[changed] if len(apart) >= _SOME and np.std(apart) < _EVEN * np.mean(apart) else steps


def silent(samples: Mapping[str, Any], values: Any, sensors: Sequence[str] = SENSORS[1:]) -> str:
    """The same, of accelerometer and pressures; `values`: the active parameters."""
    return dead(samples, {name: float(values[f"sensors.{name}.noise"]) for name in sensors})


def repeating(samples: Mapping[str, Any], rate_hz: float) -> list[str]:
    """The sensors whose readings do not change any more at the end."""
    last = max(3, round(REPEATS_S * rate_hz))
    return [
        sensor
        for sensor, channel in CHANNEL_OF.items()
        if len(samples[channel]) >= last and np.ptp(samples[channel][-last:]) == 0.0
    ]
