"""Triangles from 1 mm/s to the valve's limit, on valves that cannot do what the inverse model would ask for: with the
inverse model none is tracked worse than without. `pytest -s -m slow tests/system/test_triangles.py` prints the table.
"""

from typing import Any, NamedTuple

import numpy as np
import pytest

from hilctl.errors import HilctlError
from hilctl.signals import Mode
from tests.system.test_valves import FRICTIONS, armed, sold
from tests.unit.law.conftest import Table

WORSE = 1.1  # times the rms error without the inverse model
TRIANGLES = ((0.001, 0.002), (0.005, 0.005), (0.02, 0.005), (0.1, 0.025), (0.32, 0.06), (0.65, 0.07), (0.95, 0.08))


class Valve(NamedTuple):
    """Known to the controller; `more`: changes of table-500."""

    more: dict[str, float]
    overlap: float = 0.0
    hysteresis: float = 0.0


HALF = {"machine.Qn": 2.31e-3, "limits.velocity.max_m_s": 0.7}
VALVES = {
    "as the rig file": Valve({}),
    "overlap": Valve({}, 0.03, 0.005),
    "450 rad/s": Valve({"machine.wv": 450.0}),
    "300 rad/s": Valve({"machine.wv": 300.0}),
    "300 rad/s, overlap": Valve({"machine.wv": 300.0}, 0.03, 0.005),
    "spool 60 1/s": Valve({"machine.slew_per_s": 60.0}),
    "spool 30 1/s": Valve({"machine.slew_per_s": 30.0}),
    "spool 100 1/s, overlap": Valve({"machine.slew_per_s": 100.0}, 0.03, 0.005),
    "command 300 1/s": Valve({"limits.command.slew_per_s": 300.0}),
    "command 150 1/s": Valve({"limits.command.slew_per_s": 150.0}),
    "half the flow": Valve(HALF),
    "half the flow, spool 60": Valve(HALF | {"machine.slew_per_s": 60.0}),
}


def error_um(rig: Table, speed_m_s: float, amplitude_m: float) -> tuple[float, str]:
    """The rms error, and what the plan says of the valve; a trip counts as an endless error."""
    plan = rig.track("triangle", speed_m_s=speed_m_s, amplitude_m=amplitude_m, cycles=2)
    rows = rig.run(plan.duration_s + 0.2)
    run = rows.mode == Mode.TRACK
    told = f"corners {1e3 * plan.facts['corner_s']:.0f} ms, inverse {100 * plan.facts['inverse_share']:.0f} %"
    if rig.trip:
        return np.inf, told
    return float(1e6 * np.sqrt(np.mean((rows.xr_m - rig.truth[:, 0])[run] ** 2))), told


def table(name: str, model: str, triangles: Any = TRIANGLES) -> list[tuple[float, float, float]]:
    """Speed, rms error without and with the inverse model."""
    valve, found = VALVES[name], []
    changes = sold(model, valve.overlap, valve.hysteresis, **valve.more)
    rigs = [armed(share, **changes) for share in (0.0, 1.0)]
    for speed, amplitude in triangles:
        try:
            (without, _), (with_it, told) = (error_um(rig, speed, amplitude) for rig in rigs)
        except HilctlError:
            assert speed > 0.9 * rigs[0].controller.limits.velocity.max_m_s  # refused before it moves
            break
        found.append((speed, without, with_it))
        print(f"{name:24} {model:8} {speed:5g} m/s: {without:5.0f} -> {with_it:5.1f} µm rms, {told}")
        if rigs[0].trip:
            rigs[0] = armed(0.0, **changes)
    return found


@pytest.mark.parametrize(("name", "model"), [("spool 30 1/s", "karnopp"), ("spool 60 1/s", "lugre")])
def test_a_slow_spool_is_planned_for(name, model):
    """The short form."""
    for _, without, with_it in table(name, model, (TRIANGLES[0], (0.1, 0.01))):
        assert with_it < 0.5 * without


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.timeout(900)
@pytest.mark.parametrize("model", FRICTIONS)
@pytest.mark.parametrize("name", list(VALVES))
def test_the_inverse_model_makes_no_triangle_worse(name, model):
    found = table(name, model)
    assert len(found) >= 6
    for _, without, with_it in found:
        assert with_it < WORSE * without
