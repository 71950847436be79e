"""The twin as a driver: its table in the rig file, and the record that its exchange works on.

On the real clock the loop paces the twin: exchange only computes. What [twin] says, and where the rest comes from,
stands in `resolve.py`.
"""

import math
from typing import Any, ClassVar

import numpy as np

from firmware_bridge.driver import DriverError, RigFacts
from hilctl.friction import Friction, friction_of
from hilctl.machine import GRAVITY
from hilctl.params import Params
from hilctl.signals import INPUTS, SENSORS
from sim.cylinder import cylinder_record
from sim.plant import ACCELERATION, MOST_SUBSTEPS, POSITION, PRESSURE_A, PRESSURE_B
from sim.random import rt_seed
from sim.resolve import resolve
from sim.sensors import QUEUE, set_transducer
from sim.settings import KarnoppTwin, TwinConfig
from sim.specimens.fill import demands, specimen_record
from sim.specimens.record import Kind
from sim.twin import STATE, exchange_under
from sim.valve import valve_record

_SENSORS = ("displacement", "acceleration", "pressure_a", "pressure_b")


class TwinDriver:
    """The simulated plant behind the driver contract."""

    Config: ClassVar[type[Params]] = KarnoppTwin
    simulation: ClassVar[bool] = True
    resolve = staticmethod(resolve)

    def __init__(self, config: TwinConfig, rig: RigFacts) -> None:
        self._config, self._period_s = config, 1 / rig.rate_hz
        self.state = np.zeros(STATE.itemsize, np.uint8)
        specimen = Kind[config.specimen.kind.upper()]
        self.exchange = exchange_under(friction_of(config.friction).model, specimen)

    def open(self) -> None:
        """Sets the initial state: supply off, the table at rest."""
        fill(self.state, self._config, self._period_s)

    def check(self) -> list[str]:
        """A twin always agrees with its rig file."""
        return []

    def arm(self) -> None:
        """No watchdog: without an exchange the twin does not move."""

    def disarm(self) -> None:
        """Null and not enabled from the next period on."""
        own = record(self.state)
        own.valve_command, own.enable = 0.0, 0

    def close(self) -> None:
        """Nothing to release."""


def record(state: Any) -> Any:
    """The twin's record over a driver's state."""
    return state[: STATE.itemsize].view(STATE)[0]


def truth(state: Any) -> dict[str, float]:
    """The true state, which no sensor shows: for tests, and to judge an identification."""
    plant = record(state).plant
    return {
        "position_m": float(plant.x),
        "velocity_m_s": float(plant.v),
        "acceleration_m_s2": float(plant.acceleration),
        "spool": float(plant.spool),
        "pressure_a_pa": float(plant.pa),
        "pressure_b_pa": float(plant.pb),
        "supply_pressure_pa": float(plant.ps),
        "friction_n": float(plant.friction),
        "deflection_m": float(plant.z[0]),
    }


def fill(state: Any, config: TwinConfig, period_s: float) -> None:
    """Writes constants and the initial state."""
    machine, sensors, faults = config.machine, config.sensors, config.faults
    substeps = max(1, math.ceil(period_s / config.substep_s - 1e-9))
    if substeps > MOST_SUBSTEPS:
        raise DriverError(f"twin.substep_s: {substeps} substeps per period, at most {MOST_SUBSTEPS}; raise it")
    substep_s = period_s / substeps
    state[:] = 0
    own = record(state)
    own.period_s = period_s
    _fill_plant(own.plant, config, substep_s, substeps)
    plant = own.plant

    own.senses[:] = (POSITION, ACCELERATION, *((PRESSURE_B, PRESSURE_A) if faults.pressures_exchanged
                                               else (PRESSURE_A, PRESSURE_B)))  # fmt: skip
    truths = {POSITION: plant.x, ACCELERATION: 0.0, PRESSURE_A: plant.pa, PRESSURE_B: plant.pb}
    for name, sensed in zip(_SENSORS, own.senses, strict=True):
        _fill_sensor(own[name], name, getattr(sensors, name), substep_s, substeps, truths[int(sensed)])
        if name in faults.sensor_reversed:
            own[name].gain, own[name].bias = -own[name].gain, -own[name].bias
        if name in faults.sensor_dead:
            own[name].gain = 0.0
    for k, name in enumerate(SENSORS):
        own.every[k] = max(1, round(getattr(getattr(sensors, name), "period_s", 0.0) / period_s))
    own.taken[:], own.holding = -own.every, int((own.every > 1).any())
    own.gravity = GRAVITY if machine.vertical and sensors.acceleration.specific_force else 0.0
    own.supply_noise = sensors.supply_pressure.noise_pa if sensors.supply_pressure.present else np.nan
    own.spool_noise = sensors.spool.noise if sensors.spool.present else np.nan
    own.oil_temperature = sensors.oil_temperature.value_degc if sensors.oil_temperature.present else np.nan
    own.input[:] = [0.0 if getattr(sensors, name).present else np.nan for name in INPUTS]
    own.input_from[:] = [getattr(faults, f"{name}_after_s") / period_s for name in INPUTS]

    own.high, own.low = machine.Ps, machine.Ps_low
    own.rise, own.fall = -math.expm1(-period_s / config.supply.rise_s), -math.expm1(-period_s / config.supply.fall_s)
    own.droop, own.droop_share = config.supply.droop_pa_s_m3, -math.expm1(-period_s / config.supply.droop_s)

    own.failing, own.stuck_at, own.status = _SENSORS.index(faults.sensor), np.nan, faults.status
    for field, seconds in (
        ("nan_from", faults.sensor_nan_after_s),
        ("stuck_from", faults.sensor_stuck_after_s),
        ("drifts_from", faults.sensor_drifts_after_s),
        ("supply_lost_from", faults.supply_lost_after_s),
        ("status_from", faults.status_after_s),
        ("status_until", faults.status_until_s),
    ):
        own[field] = seconds / period_s
    own.drift = faults.sensor_drift_per_s * period_s
    own.lose_ticks = config.link.lost_ticks
    own.lose_share = config.link.lost / (config.link.lost + config.link.lost_ticks * (1 - config.link.lost))
    own.late_share, own.late_substeps = config.link.late, min(config.link.late_s / substep_s, substeps - 1)
    rt_seed(own.random, config.seed)
    rt_seed(own.chance, config.seed)
    for name, field, sensed in zip(_SENSORS, own.shown.dtype.names, own.senses, strict=False):
        own.shown[field] = own[name].gain * truths[int(sensed)] + own[name].bias


def _fill_plant(plant: Any, config: TwinConfig, substep_s: float, substeps: int) -> None:
    machine, friction = config.machine, friction_of(config.friction)
    plant.valve = valve_record(machine, config.valve, config.faults.reversed, substep_s)
    if config.faults.valve_dead:
        plant.valve.polarity = 0.0
    plant.cylinder = cylinder_record(config)
    _refuse_stiff(friction, machine.m, substep_s)
    plant.substep_s, plant.substeps = substep_s, substeps
    plant.p[:] = friction.packed()
    plant.x = config.cylinder.position_m
    _stand(plant, config, substep_s)
    held = (plant.cylinder.weight + machine.K * plant.x) / machine.A  # the trapped oil carries weight and spring
    plant.pa, plant.pb = max(held, 0.0), max(-held, 0.0)


def _stand(plant: Any, config: TwinConfig, substep_s: float) -> None:
    """The specimen on the table."""
    machine = config.machine
    refused = list(demands(config.specimen, machine.m, substep_s, machine.vertical))
    if refused:
        raise DriverError("\n".join(str(problem) for problem in refused))
    specimen_record(config.specimen, machine.m, machine.vertical, plant.specimen)


def _refuse_stiff(friction: Friction, mass: float, substep_s: float) -> None:
    """A substep must be short against the time constants of friction and mass; bristles are solved exactly."""
    law = friction.params
    bristles = law.damping - law.viscous if law.spring > 0 else 0.0
    for what, rate in (
        ("slope", law.steepest / mass),
        ("bristles' damping", bristles / mass),
        ("bristles' stiffness", math.sqrt(law.spring / mass)),
    ):
        if rate * substep_s > 1:
            raise DriverError(
                f"twin.substep_s: {substep_s:g} s is too long for the {what} of {friction.model} friction on a mass of "
                f"{mass:g} kg; set at most {1 / rate:.2g} s, or take a softer model, or one that jumps (karnopp)"
            )


def _fill_sensor(out: Any, name: str, own: Any, substep_s: float, substeps: int, begin: float) -> None:
    unit = {"displacement": "m", "acceleration": "m_s2"}.get(name, "pa")
    if own.delay_s > (QUEUE - 1) * substep_s * substeps:
        raise DriverError(f"twin.sensors.{name}.delay_s: {own.delay_s:g} s is more than {QUEUE - 1} periods; lower it")
    set_transducer(
        out, substep_s, substeps, own.bandwidth_hz, own.delay_s, own.gain_error,
        getattr(own, f"bias_{unit}"), getattr(own, f"noise_{unit}"), getattr(own, f"quantum_{unit}"), begin,
    )  # fmt: skip
