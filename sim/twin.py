"""The twin's memory and its exchange: one record, advanced by whole periods.

The command of the previous exchange acts during the period that this exchange integrates, so that `u_cmd[k]`, sent at
tick k+1, acts from k+1 to k+2. Then the sensors are read, at this tick.

Not enabled, the valve's amplifier is off: the spool goes to its mechanical null, which is closed; `null_bias` belongs
to the enabled amplifier. An open emergency stop switches amplifier and supply off, by wire.
"""

import math
from functools import cache
from typing import Any

import numpy as np

from firmware_bridge.driver import COMMAND, exchange_signature
from hilctl.params import record_of
from hilctl.rt.jit import jit, specialised
from hilctl.rt.records import as_record, words_of
from hilctl.signals import INPUTS, SENSOR_KINDS, SENSORS, Status
from sim.plant import PLANT, plant_under
from sim.random import CHANCES, rt_gaussian_pair, rt_next
from sim.sensors import TRANSDUCER, rt_pick, rt_show
from sim.specimens.record import Kind
from sim.valve import rt_target

_COUNT, _INPUTS = len(SENSORS), len(INPUTS)
_INPUT_AT = tuple(SENSORS.index(name) for name in INPUTS)
TIMEOUT: int = Status.TIMEOUT.value
EMERGENCY_STOP = INPUTS.index("emergency_stop")
SHOWN: "np.dtype[Any]" = record_of([(kind.channel, np.float64) for kind in SENSOR_KINDS])

STATE: "np.dtype[Any]" = record_of(
    [
        ("plant", PLANT),
        ("displacement", TRANSDUCER),
        ("acceleration", TRANSDUCER),
        ("pressure_a", TRANSDUCER),
        ("pressure_b", TRANSDUCER),
        ("supply_noise", np.float64),  # nan where the rig has no such sensor, here and below
        ("spool_noise", np.float64),
        ("oil_temperature", np.float64),
        ("input", np.float64, (len(INPUTS),)),  # 0: the rig has it
        ("holding", np.int64),  # some sensor takes samples less often than once a period
        ("every", np.int64, (_COUNT,)),  # periods from one sample to the next, by sensor
        ("taken", np.int64, (_COUNT,)),  # state: the tick of its last sample
        ("sample", np.float64, (_COUNT,)),  # state
        ("senses", np.int64, (4,)),  # the row of the plant's history that each transducer measures
        ("gravity", np.float64),  # shown by the accelerometer
        ("period_s", np.float64),
        # supply
        ("high", np.float64),
        ("low", np.float64),
        ("rise", np.float64),  # 1 - exp(-period / time constant)
        ("fall", np.float64),
        ("droop", np.float64),
        ("droop_share", np.float64),
        ("source", np.float64),  # state: the pressure that the pump holds
        ("lost", np.float64),  # state: what the flow takes from it
        # the active command
        ("valve_command", np.float64),
        ("enable", np.int64),
        ("supply", np.int64),
        ("played", np.float64),
        ("held", np.float64),
        # faults, in periods
        ("nan_from", np.float64),
        ("stuck_from", np.float64),
        ("drifts_from", np.float64),
        ("drift", np.float64),  # a period
        ("failing", np.int64),  # which sensor: its place in the readings
        ("supply_lost_from", np.float64),
        ("input_from", np.float64, (len(INPUTS),)),
        ("status_from", np.float64),
        ("status_until", np.float64),
        ("status", np.int64),
        ("stuck_at", np.float64),
        # the link
        ("lose_share", np.float64),  # of the exchanges, where none is being lost
        ("lose_ticks", np.int64),  # in a row
        ("losing", np.int64),  # state: how many of these are left
        ("late_share", np.float64),  # of the commands, which act late
        ("late_substeps", np.float64),  # by up to so many
        ("chance", np.int64, (4,)),  # of its own: what is lost changes no noise
        # time and chance
        ("tick", np.int64),
        ("random", np.int64, (4,)),
        ("shown", SHOWN),
    ]
)


@jit()
def _rt_supply(own: Any, stopped: bool) -> None:
    """The supply pressure at the end of a period."""
    wanted = 0.0
    if not stopped and own.tick < own.supply_lost_from:
        if own.supply == 1:
            wanted = own.low
        elif own.supply == 2:
            wanted = own.high
    own.source += (wanted - own.source) * (own.rise if wanted > own.source else own.fall)
    own.lost += (own.droop * max(own.plant.supply_flow, 0.0) - own.lost) * own.droop_share
    own.plant.ps = max(own.source - own.lost, 0.0)


@jit()
def _rt_command(own: Any, stopped: bool) -> None:
    """Where the spool goes during this period."""
    valve = own.plant.valve
    if own.enable == 0 or stopped:
        own.plant.turns_to = 0.0
        return
    u = own.valve_command
    if math.isnan(u):  # a converter has no code for it; its output is at zero
        u = 0.0
    u = min(max(u, -1.0), 1.0) * valve.polarity
    own.played, own.held = rt_target(valve, u, own.played, own.held)
    own.plant.turns_to = own.held + valve.null_bias


@jit()
def _rt_sense(own: Any) -> None:
    """The readings at the end of the period."""
    plant, shown = own.plant, own.shown
    n, history, senses = plant.substeps, plant.history, own.senses
    one, two = rt_gaussian_pair(own.random)
    three, four = rt_gaussian_pair(own.random)
    five, six = rt_gaussian_pair(own.random)
    shown.displacement_m = rt_show(own.displacement, rt_pick(own.displacement, history[senses[0]], n), one)
    felt = rt_pick(own.acceleration, history[senses[1]], n) + own.gravity
    shown.acceleration_m_s2 = rt_show(own.acceleration, felt, two)
    shown.pressure_a_pa = rt_show(own.pressure_a, rt_pick(own.pressure_a, history[senses[2]], n), three)
    shown.pressure_b_pa = rt_show(own.pressure_b, rt_pick(own.pressure_b, history[senses[3]], n), four)
    shown.supply_pressure_pa = plant.ps + own.supply_noise * five
    shown.spool = plant.spool + own.spool_noise * six
    shown.oil_temperature_degc = own.oil_temperature


@jit()
def _rt_spoil(own: Any) -> None:
    """The active faults of the sensors."""
    shown = own.shown
    if own.failing == 0:
        value = shown.displacement_m
    elif own.failing == 1:
        value = shown.acceleration_m_s2
    elif own.failing == 2:
        value = shown.pressure_a_pa
    else:
        value = shown.pressure_b_pa
    if own.tick >= own.stuck_from:
        if math.isnan(own.stuck_at):
            own.stuck_at = value
        value = own.stuck_at
    if own.tick >= own.drifts_from:
        value += own.drift * (own.tick - own.drifts_from)
    if own.tick >= own.nan_from:
        value = math.nan
    if own.failing == 0:
        shown.displacement_m = value
    elif own.failing == 1:
        shown.acceleration_m_s2 = value
    elif own.failing == 2:
        shown.pressure_a_pa = value
    else:
        shown.pressure_b_pa = value


@jit()
def _rt_hold(own: Any) -> None:
    """Sensors with a longer sampling period hold their last sample."""
    shown = words_of(own.shown)
    for k in range(_COUNT):
        if own.tick - own.taken[k] >= own.every[k]:
            own.sample[k], own.taken[k] = shown[k], own.tick
        shown[k] = own.sample[k]


@jit()
def _rt_lost(own: Any, periods: int) -> bool:
    """Whether nothing comes through, either way."""
    if own.losing > 0:
        own.losing = max(own.losing - max(periods, 1), 0)
        return True
    if rt_next(own.chance) >= own.lose_share * CHANCES:
        return False
    own.losing = own.lose_ticks - 1
    return True


@jit()
def _rt_begin(own: Any) -> bool:
    """The command of a period that begins; whether the emergency stop is pressed."""
    stopped: bool = own.tick >= own.input_from[EMERGENCY_STOP]
    own.tick += 1
    _rt_command(own, stopped)
    own.plant.turns_at = 0
    if own.late_share > 0.0 and own.enable != 0 and not stopped and rt_next(own.chance) < own.late_share * CHANCES:
        own.plant.turns_at = int(rt_next(own.chance) / CHANCES * (own.late_substeps + 1.0))
    return stopped


@jit()
def _rt_end(own: Any, stopped: bool) -> None:
    """What the sensors show of a period that ends."""
    _rt_supply(own, stopped)
    _rt_sense(own)
    if own.holding != 0:
        _rt_hold(own)
    if own.tick >= min(own.stuck_from, own.drifts_from, own.nan_from):
        _rt_spoil(own)
    shown = words_of(own.shown)
    for i in range(_INPUTS):
        shown[_INPUT_AT[i]] = own.input[i] + (1.0 if own.tick >= own.input_from[i] else 0.0)


rt_period = plant_under("karnopp", Kind.NONE)  # for the exchange; exchange_under binds other plants


@cache
def exchange_under(friction: str, specimen: Kind) -> Any:
    """The twin's exchange with this plant, compiled or from the cache when it is first needed."""
    name = f"{friction}_{specimen.name.lower()}".replace("-", "_")
    return specialised(_rt_exchange, name, exchange_signature, rt_period=plant_under(friction, specimen))


def _rt_exchange(state: Any, command: Any, readings: Any) -> int:
    """Advances the twin by the periods that have passed, reads its sensors, and takes the command for the next."""
    own = as_record(state, STATE)
    for _period in range(command.periods):
        stopped = _rt_begin(own)
        rt_period(own.plant)
        _rt_end(own, stopped)
    if own.lose_share > 0.0 and _rt_lost(own, command.periods):
        return TIMEOUT
    own.valve_command, own.enable, own.supply = command.valve, command.enable, command.supply
    shown, words = words_of(own.shown), words_of(readings)
    for k in range(_COUNT):
        words[k] = shown[k]
        readings.age_ns[k] = round((own.tick - own.taken[k]) * own.period_s * 1e9) if own.holding != 0 else 0
    readings.device_tick = own.tick
    status: int = Status.OK.value
    if not math.isfinite(own.plant.friction) or own.plant.specimen.failures > 0:  # the simulation has diverged
        status = Status.EXCEPTION.value
    if own.status_from <= own.tick < own.status_until:
        status = own.status
    return status


def command(valve: float = 0.0, enable: int = 1, supply: int = 2, periods: int = 1) -> Any:
    """A command, to drive a twin without the loop."""
    out = np.zeros(1, COMMAND)[0]
    out.valve, out.enable, out.supply, out.periods = valve, enable, supply, periods
    return out
