"""A rig behind a link, with a valve as it is sold of which the rig file knows nothing, commissions itself.

Over a link limits.velocity is a fifth of what it is without one, and the motions are small: an overlap swallows much of
them. Every preset with a link, as its twin: losses and late answers in virtual time; on the real clock see
test_commission_links. `pytest -s -m slow tests/system/test_valves_links.py` prints the figures.
"""

import pytest

from hilctl.client import Client, private_service
from hilctl.commission import Commissioning, How

pytestmark = pytest.mark.timeout(900)
LOSSES = {"twin.link.lost": 1 / 400, "twin.link.late": 1e-3, "twin.link.late_s": 5e-3}
# Its transducers are read 40 times a second: too seldom for the mass.
SELDOM = {"table-500-mixed": {f"twin.sensors.pressure_{side}.period_s": 0.025 for side in "ab"}}
FOUND = {"overlap_a": 0.002, "overlap_b": 0.002, "hysteresis": 0.001, "null": 0.001}  # of full opening
# Times less distortion.
LEAST = {"table-500-modbus": 8.0, "table-500-serial": 8.0, "table-500-mixed": 8.0, "table-500-rtu": 5.0,
         "table-500-text": 2.0}  # fmt: skip


def a_valve(overlap, hysteresis):
    return {"twin.machine.dead_band": overlap, "twin.valve.hysteresis": hysteresis, "twin.valve.null_bias": -0.01}


def commissioned(preset, changes, folder):
    with private_service(preset, changes=changes) as service, Client(service.commands) as rig:
        told = Commissioning(rig, How(folder)).run()
        share = rig.get("law.valve.inverse")["law.valve.inverse"]
        return told, share, rig.status()["trip"]


def held(preset, overlap, hysteresis, folder):
    truth = {"overlap_a": overlap, "overlap_b": overlap, "hysteresis": hysteresis, "null": 0.01}
    changes = {**a_valve(overlap, hysteresis), **LOSSES, **SELDOM.get(preset, {})}
    told, share, trip = commissioned(preset, changes, folder)
    factors = {key: round(one.factor, 2) for key, one in told.thd.items()}
    print(f"{preset}, {100 * overlap:g} % + {100 * hysteresis:g} %: {factors} times less, law.valve.inverse {share:g}")
    assert trip is None and told.failed is None
    assert {key: told.plant[key].value for key in truth} == {
        key: pytest.approx(value, abs=FOUND[key]) for key, value in truth.items()
    }
    if preset in SELDOM:
        assert "m" not in told.plant and any("mass, oil" in note for note in told.plant_fit.notes)
    else:
        assert told.plant["m"].value == pytest.approx(500.0, rel=0.02)
    assert min(factors.values()) >= LEAST[preset]
    return told, share


def test_a_lost_exchange_in_the_first_bumps_behind_an_overlap_does_not_end_arming():
    changes = {**a_valve(0.05, 0.0), **LOSSES, "twin.valve.null_bias": -0.0044}  # with these losses it is then
    with private_service("table-500-text", changes=changes) as service, Client(service.commands) as rig:
        rig.arm()
        assert rig.status()["mode"] == "hold"


@pytest.mark.always
def test_over_modbus_a_rig_with_a_valve_as_it_is_sold_commissions_itself(tmp_path):
    told, share = held("table-500-modbus", 0.02, 0.003, tmp_path)
    assert told.complete and share == 1.0


def test_with_transducers_that_are_read_seldom_the_valve_is_found_without_the_mass(tmp_path):
    told, share = held("table-500-mixed", 0.02, 0.003, tmp_path)
    assert told.complete and share == 1.0


def test_at_a_slow_rate_the_valve_is_made_up_for_and_not_dithered(tmp_path):
    told, share = held("table-500-text", 0.02, 0.003, tmp_path)
    assert share == 1.0 and "law.valve.inverse" not in told.plant_fit.changes
    assert "law.valve.dither" not in told.plant_fit.changes  # there was none from the start


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.parametrize("preset", LEAST)
@pytest.mark.parametrize(("overlap", "hysteresis"), [(0.02, 0.003), (0.03, 0.005), (0.05, 0.005)])
def test_over_every_link_no_valve_trips_a_commissioning_or_makes_it_worse(preset, overlap, hysteresis, tmp_path):
    held(preset, overlap, hysteresis, tmp_path)
