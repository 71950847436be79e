"""The linear servo as a rig: an analog position servo behind the driver contract.

The rig closes its own displacement loop, by the electronics of `hilctl.servo.equations`. Our command is its reference:
a command of 1 is `reference_v` at its input, held from one exchange to the next by the converter, so that

    x[k+1] = phi x[k] + gamma u_applied[k]            exactly (Hold.zero)

Not enabled, or without supply, the amplifier gives no current and a bypass joins the chambers: the load's spring brings
the piston to its centre, damped. Its sensors show displacement, acceleration, and the load pressure as those of two
chambers, (ps ± pL)/2. It is linear: no orifice, no end stop.
"""

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from firmware_bridge.driver import RigFacts, exchange_signature
from hilctl.params import BadValues, Params, Problem, check, number, plain, record_of, whole
from hilctl.rt.jit import jit
from hilctl.rt.records import as_record
from hilctl.servo.discrete import Hold, discretise
from hilctl.servo.equations import State
from hilctl.servo.params import Servo
from hilctl.servo.step import SERVO, SERVO_STATE, rt_servo_begin, rt_servo_step, servo_record
from hilctl.signals import Status
from sim.random import rt_gaussian_pair, rt_seed

LOAD_PRESSURE, DISPLACEMENT, VELOCITY = State.load_pressure.value, State.displacement.value, State.velocity.value
_NO_CURRENT = {"Ki": 1e-9}
OK = Status.OK.value


class ServoConfig(Params, kw_only=True):
    """An analog position servo, simulated."""

    servo: Servo
    reference_v: Annotated[float, number(1e-3, 100, "V", "reference voltage at a command of 1")] = 10.0
    noise_m: Annotated[float, number(0, 0.1, "m", "noise of the displacement, rms")] = 5e-6
    noise_m_s2: Annotated[float, number(0, 100, "m/s²", "noise of the acceleration, rms")] = 0.02
    noise_pa: Annotated[float, number(0, 1e7, "Pa", "noise of the load pressure, rms; of a chamber: / √2")] = 25e3
    bypass: Annotated[float, number(0, 1e-8, "m³/(s·Pa)", "leakage between the chambers while it is not enabled")] = (
        1e-10
    )
    supply_rise_s: Annotated[float, number(1e-3, 60, "s", "time constant of the supply pressure")] = 0.1
    seed: Annotated[int, whole(0, 2**31 - 1, "", "of the noise: the same seed, the same bytes")] = 1


STATE: "np.dtype[Any]" = record_of(
    [
        ("enabled", SERVO),
        ("idle", SERVO),
        ("servo", SERVO_STATE),
        ("on", np.int64),
        ("reference_v", np.float64),
        ("ui", np.float64),  # at the servo's input during the period that comes
        ("A", np.float64),
        ("B", np.float64),
        ("KL", np.float64),
        ("m", np.float64),
        ("noise_m", np.float64),
        ("noise_m_s2", np.float64),
        ("noise_pa", np.float64),  # of each chamber
        ("high", np.float64),  # supply
        ("low", np.float64),
        ("rise", np.float64),  # 1 - exp(-period / time constant)
        ("supply", np.int64),
        ("ps", np.float64),
        ("tick", np.int64),
        ("random", np.int64, (4,)),
    ]
)


@jit()
def _rt_take(own: Any, command: Any) -> None:
    """The command for the next period; amplifier and bypass switch with it."""
    u = command.valve if math.isfinite(command.valve) else 0.0
    own.ui = min(max(u, -1.0), 1.0) * own.reference_v
    own.supply = command.supply if 0 <= command.supply <= 2 else 0
    on = 1 if command.enable == 1 and own.supply > 0 else 0
    if on != own.on:
        if on == 1:
            rt_servo_begin(own.enabled, own.servo, own.ui, 0.0)
        else:
            rt_servo_begin(own.idle, own.servo, own.ui, 0.0)
        own.on = on
    own.servo.ui = own.ui


@jit()
def _rt_period(own: Any) -> None:
    """One period of piston and supply."""
    own.tick += 1
    if own.on == 1:
        rt_servo_step(own.enabled, own.servo, own.ui, 0.0)
    else:
        rt_servo_step(own.idle, own.servo, own.ui, 0.0)
    wanted = own.high if own.supply == 2 else (own.low if own.supply == 1 else 0.0)
    own.ps += (wanted - own.ps) * own.rise


@jit(exchange_signature, cached=True)
def rt_servo_exchange(state: Any, command: Any, readings: Any) -> int:
    """Advances the servo by the periods that have passed, shows it, and takes the command for the next."""
    own = as_record(state, STATE)
    for _ in range(command.periods):
        _rt_period(own)
    _rt_take(own, command)
    x = own.servo.x
    one, two = rt_gaussian_pair(own.random)
    three, four = rt_gaussian_pair(own.random)
    force = own.A * x[LOAD_PRESSURE] - own.B * x[VELOCITY] - own.KL * x[DISPLACEMENT]
    readings.displacement_m = x[DISPLACEMENT] + own.noise_m * one
    readings.acceleration_m_s2 = force / own.m + own.noise_m_s2 * two
    readings.pressure_a_pa = 0.5 * (own.ps + x[LOAD_PRESSURE]) + own.noise_pa * three
    readings.pressure_b_pa = 0.5 * (own.ps - x[LOAD_PRESSURE]) + own.noise_pa * four
    readings.supply_pressure_pa = own.ps
    readings.device_tick = own.tick
    return OK


class ServoDriver:
    """The paper's servo behind the driver contract: its own twin."""

    Config: ClassVar[type[Params]] = ServoConfig
    simulation: ClassVar[bool] = True

    def __init__(self, config: ServoConfig, rig: RigFacts) -> None:
        self._config, self._rig = config, rig
        self.state = np.zeros(STATE.itemsize, np.uint8)
        self.exchange = rt_servo_exchange

    @staticmethod
    def resolve(table: Mapping[str, Any], rig: RigFacts, at: str = "driver") -> Params:
        """The table, checked, and whether the rig file hands references to it."""
        config = check(ServoConfig, table, at)
        law = rig.tables.get("law")
        if law is None:
            return config
        problems = []
        if law.feedback != "rig":
            told = "must be rig: this device closes its own displacement loop"
            problems.append(Problem("law.feedback", law.feedback, told, "its command is a displacement, no opening"))
        reach_m = config.reference_v / config.servo.Kd
        if not math.isclose(law.rig.reach_m, reach_m, rel_tol=0.01):
            told = f"must be {at}.reference_v / {at}.servo.Kd = {reach_m:g} m"
            problems.append(Problem("law.rig.reach_m", law.rig.reach_m, told))
        if problems:
            raise BadValues(problems)
        return config

    def open(self) -> None:
        """At rest in its centre, supply off."""
        config, period_s = self._config, 1 / self._rig.rate_hz
        machine, servo = self._rig.tables["machine"], config.servo
        self.state[:] = 0
        own = record(self.state)
        idle = check(Servo, {**plain(servo), **_NO_CURRENT, "Kc": max(config.bypass, servo.Kc)}, "driver.servo")
        for name, kind in (("enabled", servo), ("idle", idle)):
            own[name] = servo_record(discretise(kind, period_s, Hold.zero))
        own.A, own.B, own.KL, own.m = servo.A, servo.B, servo.KL, servo.m
        own.reference_v = config.reference_v
        own.noise_m, own.noise_m_s2, own.noise_pa = config.noise_m, config.noise_m_s2, config.noise_pa / math.sqrt(2)
        own.high, own.low, own.rise = machine.Ps, machine.Ps_low, -math.expm1(-period_s / config.supply_rise_s)
        rt_seed(own.random, config.seed)
        rt_servo_begin(own.idle, own.servo, 0.0, 0.0)

    def check(self) -> list[str]:
        """A simulation always agrees with its rig file."""
        return []

    def arm(self) -> None:
        """No watchdog: without an exchange the servo does not move."""

    def disarm(self) -> None:
        """No current, from the next period on."""
        own = record(self.state)
        if own.on == 1:
            own.on, own.supply = 0, 0
            rt_servo_begin(own.idle, own.servo, own.ui, 0.0)

    def close(self) -> None:
        """Nothing to release."""


def record(state: Any) -> Any:
    """The servo's record over a driver's state."""
    return state[: STATE.itemsize].view(STATE)[0]
