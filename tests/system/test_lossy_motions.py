"""The presets with a link, as twins whose link loses exchanges: motions stay below limits.velocity."""

import numpy as np
import pytest

from hilctl.client import Client, private_service
from hilctl.friction import MODELS
from hilctl.identify.friction.plan import FASTEST_SHARE
from hilctl.rig import load

LOSSES = {"twin.link.lost": 0.0125, "twin.link.lost_ticks": 3}
STALLS = {"twin.link.lost": 0.008, "twin.link.lost_ticks": 8}  # nearly half a swing of the oil
LIMIT_M_S = 0.2
TRIANGLES = 20, {"kind": "triangle", "amplitude_m": 0.025, "speed_m_s": 0.17, "cycles": 3}
SINES = 30, {"kind": "sine", "amplitude_m": 0.02, "frequency_hz": 1.0, "cycles": 10}


def fastest_m_s(preset, motions, **changes):
    """Of these motions, without the limit that would end one."""
    wide = {"limits.velocity.max_m_s": 0.5, "loop.time_to_live_s": 0.04}
    count, motion = motions
    with private_service(preset, changes={**wide, **changes}) as service, Client(service.commands) as rig:
        rig.arm()
        most = []
        for _ in range(count):
            driven = rig.track(**motion)
            rows = rig.samples(driven.first, rig.wait(driven).last, ["velocity_m_s"])
            most.append(np.nanmax(np.abs(rows["velocity_m_s"])))
        assert rig.status()["trip"] is None
    print(f"{preset}, {motion['kind']}, {changes}: {max(most):.3f} m/s")
    return max(most)


def test_over_serial_it_moves_as_over_modbus_at_the_same_rate():
    one, other = (load(f"table-500-{name}") for name in ("modbus", "serial"))
    assert one.friction == other.friction and one.controller.machine == other.controller.machine
    assert one.controller.law == other.controller.law
    for limit in ("position", "velocity", "acceleration", "shaping"):
        assert getattr(one.controller.limits, limit) == getattr(other.controller.limits, limit)


@pytest.mark.parametrize("preset", ["table-500-modbus", "table-500-mixed", "table-500-rtu"])
def test_the_fastest_speed_of_a_campaign_leaves_room_for_losses(preset):
    sharp = fastest_m_s(preset, TRIANGLES, **LOSSES, **{"limits.shaping.corner_s": 0.02})
    assert fastest_m_s(preset, TRIANGLES, **LOSSES) < 0.95 * LIMIT_M_S < LIMIT_M_S < sharp


@pytest.mark.parametrize("friction", ["karnopp", "lugre"])
def test_so_it_does_where_a_link_holds_a_command_with_its_dither(friction):
    valve = {"machine.dead_band": 0.02, "machine.hysteresis": 0.003, "twin.valve.hysteresis": 0.003}
    model = {f"friction.{key}": value for key, value in MODELS[friction].typical.items()}
    changes = {**valve, "friction.model": friction, **model, "twin.link.lost": 0.01, "twin.link.lost_ticks": 5}
    count, motion = TRIANGLES
    fastest = count, {**motion, "speed_m_s": FASTEST_SHARE * LIMIT_M_S}
    assert fastest_m_s("table-500-serial", fastest, **changes) < LIMIT_M_S


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["table-500-modbus", "table-500-mixed"])
def test_a_command_that_is_held_for_eight_ticks_while_friction_turns_leaves_the_table_below_the_limit(preset):
    compensated = {**STALLS, "law.feed.inverse": 1.0}
    sharp = fastest_m_s(preset, SINES, **compensated, **{"law.feed.smooth_s": 0.0})
    assert fastest_m_s(preset, SINES, **compensated) < LIMIT_M_S < 1.5 * LIMIT_M_S < sharp
