"""What a held command adds to the sensors between its steps, against a table that is stepped exactly."""

import math

import numpy as np
import pytest
from scipy.signal import cont2discrete

from hilctl.identify.plant import fit_plant
from hilctl.identify.plant.model_motion import of_steps
from tests.unit.identify.plant.plant_parts import MODE_RAD_S, facts, records

MACHINE = {"machine.wv": 643.0, "machine.zv": 0.88}
FINE = 20  # instants of a tick
SLOW_HZ = 1.5


def shares(rate_hz: float) -> np.ndarray:
    """By how much acceleration shows more than displacement, read at each of those instants after a step."""
    wv, zv, wh = MACHINE["machine.wv"], MACHINE["machine.zv"], MODE_RAD_S
    dynamics = np.polymul([1 / wv**2, 2 * zv / wv, 1], [1 / wh**2, 0.2 / wh, 1])
    # states: place and the four of the dynamics; command to speed
    order = len(dynamics) - 1
    a, b = np.zeros((order + 1, order + 1)), np.zeros((order + 1, 1))
    a[:-1, 1:] = np.eye(order)
    a[-1, 1:] = -dynamics[:0:-1] / dynamics[0]
    b[-1] = 1 / dynamics[0]
    step, push, *_ = cont2discrete((a, b, np.eye(order + 1), np.zeros((order + 1, 1))), 1 / rate_hz / FINE)
    ticks, warm = round(8 * rate_hz), round(4 * rate_hz)
    state, rows = np.zeros(order + 1), np.empty((ticks * FINE, 2))
    for k in range(ticks):
        u = math.sin(2 * math.pi * SLOW_HZ * k / rate_hz)
        for j in range(FINE):
            rows[k * FINE + j] = state[0], state[2]
            state = step @ state + push[:, 0] * u
    w, found = 2 * math.pi * SLOW_HZ, []
    for j in range(FINE):
        t = np.arange(warm, ticks) / rate_hz
        waves = np.stack([np.cos(w * t), np.sin(w * t), np.ones(len(t)), t], axis=1)
        fit, *_ = np.linalg.lstsq(waves, rows[warm * FINE + j :: FINE], rcond=None)
        (x, acceleration) = fit[0] - 1j * fit[1]
        found.append((acceleration / (-(w**2) * x)).real - 1)
    return np.array(found)


@pytest.mark.parametrize("rate_hz", [150.0, 200.0, 400.0])
def test_a_held_command_adds_to_acceleration_what_is_allowed_for(rate_hz):
    seen, told = shares(rate_hz), of_steps(MACHINE, MODE_RAD_S, 1 / rate_hz)
    assert math.sqrt(np.mean(seen**2)) == pytest.approx(told, rel=0.1)
    assert np.max(np.abs(seen)) == pytest.approx(math.sqrt(2) * told, rel=0.1)


def test_a_slow_loop_widens_the_intervals_of_mass_and_gain_and_says_so_and_a_fast_one_does_not():
    assert of_steps(MACHINE, MODE_RAD_S, 1e-3) < 5e-5
    fast, slow = (fit_plant(records(), facts(rate_hz)) for rate_hz in (1000.0, 200.0))
    for key in ("machine.m", "sensors.acceleration.gain"):
        near, wide = fast.quantity(key), slow.quantity(key)
        assert near.value == wide.value
        assert wide.high - wide.low > 2 * 1.96 * 0.015 * wide.value > near.high - near.low
    assert not any("steps of the command" in note for note in fast.notes)
    (note,) = [note for note in slow.notes if "steps of the command" in note]
    assert "at 200 Hz" in note and "loop.rate_hz" in note
