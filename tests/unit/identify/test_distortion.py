"""A sine that is driven and judged, the preview's parabola, and both on a running twin."""

import numpy as np
import pytest

from hilctl.client import Client, private_service
from hilctl.experiment.drive import LegFault
from hilctl.identify.distortion import NotMeasuredError, Sine, _Leg, further, judged, measure
from hilctl.identify.preview import KEY, beyond, search, vertex


def test_a_dead_accelerometer_is_no_measurement():
    with pytest.raises(NotMeasuredError, match=r"shows no motion.*sensors\.acceleration"):
        judged(Sine(4, np.zeros(4000), np.zeros(4000)), 1.0, 0.05)


def leg(cycles, *gone):
    """A sine at 1 Hz and 1 kHz; `gone`: ticks from and to which a disturbance spoilt."""
    there = np.ones(1000 * cycles, bool)
    for first, end in gone:
        there[first:end] = False
    return _Leg(cycles, there, there * 1.0, there * 1.0, ())


def test_more_cycles_are_driven_until_nearly_every_instant_was_seen_twice_and_each_once():
    assert further([leg(2)]) == 0
    assert further([leg(2, (300, 308))]) == 0, "eight of a thousand instants were seen once"
    assert further([leg(2, (300, 340))]) > 0
    assert further([leg(2, (300, 308), (1300, 1308))]) > 0, "eight were never seen"
    assert further([leg(2, (300, 340)), leg(1)]) == 0


def test_as_many_as_what_is_lost_of_them_asks_for():
    ends = [(1000 * k, 1000 * k + 430) for k in range(4)]
    assert further([leg(4, *ends)]) == 5, "nine of which each loses 43 % at random"
    assert further([leg(4, *ends), leg(4, *ends)]) == 1


def test_the_parabolas_least_point_is_within_its_neighbours():
    tried = [(x, 3 + (x - 2.3) ** 2) for x in (0.0, 1.0, 2.0, 3.0, 4.0)]
    assert vertex(tried) == pytest.approx(2.3)
    assert vertex(tried[:2]) is None
    assert vertex([(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)]) is None


def test_the_search_goes_on_where_the_best_is_the_last():
    assert beyond([(1.0, 3.0), (0.0, 4.0), (2.0, 2.0)]) == 3.0
    assert beyond([(1.0, 3.0), (0.0, 2.0), (2.0, 4.0)]) == -1.0
    assert beyond([(1.0, 1.0), (0.0, 2.0), (2.0, 4.0)]) is None


@pytest.fixture(scope="module")
def rig():
    with private_service("table-500", changes={"twin.seed": 3}) as service, Client(service.commands) as client:
        client.arm()
        yield client
        client.off()


def test_the_inverse_model_is_measured_and_its_preview_found_on_a_running_rig(rig):
    before = measure(rig, 2.0, 0.05)
    rig.set({"law.feed.inverse": 1.0}, origin="a test")
    rig.pass_time(1.0)
    plain = measure(rig, 2.0, 0.05)
    heard = []
    found = search(rig, tell=lambda shift_s, seen: heard.append(shift_s))
    assert before.percent > 25
    assert plain.percent < before.percent / 6
    assert found.percent <= plain.percent
    assert abs(found.extra_preview_s) < 3e-4
    assert [one[0] for one in found.tried] == heard
    assert rig.get(KEY) == {KEY: pytest.approx(found.extra_preview_s)}
    assert rig.status()["mode"] == "hold"


def test_a_sine_that_trips_is_not_measured(rig):
    """The reference stays below the limit; what friction does to it at the reversals, without the model, does not."""
    limit = {"limits.acceleration.max_m_s2": 5.1, "limits.acceleration.action": "stop"}
    rig.set({**limit, "law.feed.inverse": 0.0}, origin="a test")
    rig.pass_time(1.0)
    with pytest.raises(LegFault, match=r"the sine of 2 Hz.*: the rig tripped by acceleration") as refused:
        measure(rig, 2.0, 0.0275)
    rig.reset()
    assert "2 Hz and ±27.5 mm" in str(refused.value)
