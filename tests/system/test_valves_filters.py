"""A rig whose accelerometer filters more than its rig file says commissions itself, behind a valve as it is sold.

`pytest -s -m slow tests/system/test_valves_filters.py` prints the figures.
"""

import pytest

from hilctl.client import Client, private_service
from hilctl.commission import Commissioning, How
from sim.sensors import filter_delay_s

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
DELAY = "sensors.acceleration.delay_s"


@pytest.mark.parametrize("bandwidth_hz", [100.0, 170.0])
@pytest.mark.parametrize(("overlap", "hysteresis"), [(0.03, 0.005), (0.02, 0.01)])
def test_an_accelerometer_that_filters_more_than_declared_costs_no_distortion(
    overlap, hysteresis, bandwidth_hz, tmp_path
):
    changes = {
        "twin.machine.dead_band": overlap, "twin.valve.hysteresis": hysteresis, "twin.valve.null_bias": -0.01,
        "twin.sensors.acceleration.bandwidth_hz": bandwidth_hz,
    }  # fmt: skip
    with private_service("table-500", changes=changes) as service, Client(service.commands) as rig:
        told = Commissioning(rig, How(tmp_path)).run()
        active = rig.get()
    factors = {key: round(one.factor) for key, one in told.thd.items()}
    print(f"{bandwidth_hz:g} Hz, {100 * overlap:g} % + {100 * hysteresis:g} %: {factors} times less")
    assert told.complete and not told.worse
    assert active[DELAY] == told.plant[DELAY].value == pytest.approx(filter_delay_s(bandwidth_hz), abs=5e-5)
    assert told.plant["wv"].low < 643.0 < told.plant["wv"].high
    assert min(factors.values()) >= 12
