"""What the law does with readings first: correct them, reject what cannot be, replace it by the prediction.

A reading is rejected when it is not finite, out of the sensor's range, older than allowed, or when the exchange failed:
then the link is to blame (`limits.driver`), not the sensor. The last value would be the wrong replacement: at 0.8 m/s
it is 0.8 mm off after a millisecond. A single rejected reading is counted and nothing more; several in a row trip.
"""

import math
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from hilctl.law.bucket import rt_full, rt_leak
from hilctl.params import Params, dtype_of, extended, note, number, record_of
from hilctl.rt.jit import jit
from hilctl.rt.records import rows_of, words_of
from hilctl.signals import REQUIRED, SENSOR_KINDS, SENSORS, Status, Trip

COUNT = len(SENSORS)
DISPLACEMENT, ACCELERATION, PRESSURE_A, PRESSURE_B, SUPPLY, SPOOL = range(6)
EMERGENCY = SENSORS.index("emergency_stop")
_OPTIONAL = len(REQUIRED)  # the first one that a rig may lack


class Sensor(Params):
    """How one sensor is corrected and what it can possibly say: value = gain (reading - offset)."""

    low: Annotated[
        float, number(-1e9, 1e9, "", "below this, in the sensor's unit, a value is rejected", loosens="down")
    ]
    high: Annotated[float, number(-1e9, 1e9, "", "above this, in the sensor's unit, a value is rejected", loosens="up")]
    offset: Annotated[
        float, number(-1e8, 1e8, "", "subtracted from the reading, in the sensor's unit", loosens="never")
    ] = 0.0
    gain: Annotated[float, number(0.2, 5, "", "applied after the offset", loosens="never")] = 1.0
    delay_s: Annotated[
        float, number(0, 0.02, "s", "how late the sensor is: filter, conversion, transport", loosens="never")
    ] = 0.0
    noise: Annotated[
        float, number(0, 1e7, "", "noise, rms, in the sensor's unit; for tuning and reports", loosens="never")
    ] = 0.0
    accuracy: Annotated[
        float,
        number(0, 0.2, "", "by how much its scale may be off, either way, as a share; for intervals", loosens="never"),
    ] = 0.002
    stale_s: Annotated[
        float | None,
        number(1e-4, 600, "s", "older than this, a reading is rejected; left open: limits.stale.max_s", loosens="up"),
    ] = None
    present: Annotated[bool, note("the rig has this sensor", loosens="both")] = True


class _Required(Params):
    """Every sensor that a rig may have. Displacement, acceleration and both pressures are required."""

    displacement: Sensor
    acceleration: Sensor
    pressure_a: Sensor
    pressure_b: Sensor


if TYPE_CHECKING:

    class Sensors(_Required):
        """The others stand in signals.SENSOR_KINDS."""

        def __getattr__(self, name: str) -> Sensor: ...

else:
    Sensors = extended(
        _Required, "Sensors",
        [(kind.name, Sensor, Sensor(low=kind.low, high=kind.high, present=False)) for kind in SENSOR_KINDS
         if not kind.required],
    )  # fmt: skip

ROW = dtype_of(Sensor)  # Sensors is one row a sensor, in the order of SENSORS
# One row a sensor, in the order of SENSORS, which is also the order of the readings' words.
CHECKED = record_of(
    [
        ("value", np.float64, (COUNT,)),  # corrected, or the prediction
        ("rejected", np.int64),  # bit k: sensor k in this tick
        ("in_a_row", np.int64, (COUNT,)),
        ("rejections", np.int64, (COUNT,)),
        ("reason", np.int64, (COUNT,)),  # the trip that the rejection would become
        ("last_raw", np.float64, (COUNT,)),
        ("age_s", np.float64, (COUNT,)),  # of the value in use
        ("allowed_s", np.float64, (COUNT,)),  # how old it may be
        ("age_max_ns", np.int64),  # of the readings that the law uses
        ("seen", np.int64),  # bit k: sensor k has been good once
        ("bad", np.float64, (COUNT,)),  # bucket of rejections
        ("often", np.int64),  # bit k: sensor k's bucket is full
    ]
)


@jit()
def _rt_reason(raw: float, value: float, sensor: Any, age_s: float, allowed_s: float, lost: bool) -> int:
    if lost:
        return Trip.DRIVER.value
    if not math.isfinite(raw):
        return Trip.SENSOR_INVALID.value
    if value < sensor.low or value > sensor.high:
        return Trip.SENSOR_RANGE.value
    if age_s > allowed_s:
        return Trip.SENSOR_STALE.value
    return 0


@jit(inline=True)
def _rt_check_one(k: int, raw: float, age_ns: int, lost: bool, sensor: Any, limits: Any, predicted: float,
                  dt_s: float, periods: int, checked: Any) -> None:
    """One sensor: its value or the prediction, and why."""
    value, age_s = sensor.gain * (raw - sensor.offset), age_ns * 1e-9
    allowed_s = limits.stale.max_s if math.isnan(sensor.stale_s) else sensor.stale_s
    reason = _rt_reason(raw, value, sensor, age_s, allowed_s, lost)
    checked.reason[k], checked.allowed_s[k] = reason, allowed_s
    if reason != 0:
        _rt_reject(k, predicted, age_s, dt_s, periods, checked)
    else:
        checked.value[k], checked.age_s[k] = value, age_s
        checked.seen |= 1 << k
        checked.in_a_row[k] = 0
    checked.last_raw[k] = math.nan if lost else raw
    if reason != 0 or checked.bad[k] > 0.0:  # an empty bucket stays empty
        _rt_pour(k, reason != 0 and not lost, limits.sensing.share, dt_s, periods, checked)
    if k <= SPOOL and age_ns > checked.age_max_ns:
        checked.age_max_ns = age_ns


@jit()
def _rt_reject(k: int, predicted: float, age_s: float, dt_s: float, periods: int, checked: Any) -> None:
    checked.value[k] = predicted
    checked.age_s[k] = max(age_s, checked.age_s[k] + dt_s * periods)
    checked.rejected |= 1 << k
    checked.in_a_row[k] += periods if checked.in_a_row[k] > 0 else 1
    checked.rejections[k] += 1


@jit()
def _rt_pour(k: int, bad: bool, share: float, dt_s: float, periods: int, checked: Any) -> None:
    checked.bad[k] = rt_leak(checked.bad[k], bad, share, dt_s, periods)
    if rt_full(checked.bad[k], share, dt_s):
        checked.often |= 1 << k


@jit()
def rt_check_readings(sensors: Any, limits: Any, readings: Any, status: int, predicted_m: float,
                      predicted_m_s2: float, dt_s: float, periods: int, checked: Any) -> None:
    """Fills `checked` from the readings of this tick. A failed exchange rejects every reading."""
    checked.rejected = checked.often = 0
    checked.age_max_ns = 0
    lost = rt_failed(status)
    age, value, raw, rows = readings.age_ns, checked.value, words_of(readings), rows_of(sensors, 0, ROW)
    _rt_check_one(DISPLACEMENT, readings.displacement_m, age[DISPLACEMENT], lost, sensors.displacement, limits,
                  predicted_m, dt_s, periods, checked)
    _rt_check_one(ACCELERATION, readings.acceleration_m_s2, age[ACCELERATION], lost, sensors.acceleration, limits,
                  predicted_m_s2, dt_s, periods, checked)
    _rt_check_one(PRESSURE_A, readings.pressure_a_pa, age[PRESSURE_A], lost, sensors.pressure_a, limits,
                  value[PRESSURE_A], dt_s, periods, checked)
    _rt_check_one(PRESSURE_B, readings.pressure_b_pa, age[PRESSURE_B], lost, sensors.pressure_b, limits,
                  value[PRESSURE_B], dt_s, periods, checked)
    for k in range(_OPTIONAL, COUNT):
        if rows[k].present:
            _rt_check_one(k, raw[k], age[k], lost, rows[k], limits, value[k], dt_s, periods, checked)
        else:  # a sensor that the rig lacks is never rejected
            value[k] = math.nan


@jit()
def rt_failed(status: int) -> bool:
    """An exchange without readings that may be used."""
    return status != Status.OK and status != Status.LATE and status != Status.OVERWRITTEN


@jit()
def rt_silent(k: int, limits: Any, checked: Any) -> bool:
    """Whether a sensor has never been good, or not for so long that it would trip. One bad reading is not silence."""
    if checked.seen & (1 << k) == 0:
        return True
    if checked.reason[k] == Trip.SENSOR_STALE:
        return bool(checked.in_a_row[k] >= limits.stale.ticks)
    return bool(checked.in_a_row[k] >= limits.sensing.ticks)
