"""A rig whose valve has rounded edges that its rig file does not know commissions itself.

`pytest -s -m slow tests/system/test_valves_edges.py` prints the figures.
"""

import pytest

from hilctl.client import Client, private_service
from hilctl.commission import Commissioning, How

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
LUGRE = {"twin.friction.model": "lugre", "twin.friction.s0": 1e8, "twin.friction.s1": 2e4}


@pytest.mark.parametrize(("preset", "friction", "least"),
                         [("table-500", LUGRE, (25, 20, 20, 20)), ("press-1500", {}, (12, 24, 50, 30))])  # fmt: skip
def test_edges_that_the_rig_file_takes_for_sharp_are_found_rounded_and_made_up_for(preset, friction, least, tmp_path):
    changes = {
        **friction, "twin.machine.dead_band": 0.02, "twin.valve.hysteresis": 0.003, "twin.valve.edge_rounding": 0.004,
    }  # fmt: skip
    with private_service(preset, changes=changes) as service, Client(service.commands) as rig:
        told = Commissioning(rig, How(tmp_path)).run()
        active = rig.get()
    factors = {key: one.factor for key, one in told.thd.items()}
    found = told.plant["edge_rounding"]
    print(f"{preset}: rounded by {100 * found.value:.2f} %; " + " / ".join(f"{one:.3g}" for one in factors.values()))
    assert told.complete and not told.worse
    assert active["machine.edge_rounding"] == found.value == pytest.approx(0.004, abs=2e-4)
    assert found.low < 0.004 < found.high
    assert all(factor > bound for factor, bound in zip(factors.values(), least, strict=True))
