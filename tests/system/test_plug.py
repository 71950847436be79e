"""A plug that is pulled and put in again: what is behind it now is proved before it is trusted."""


import numpy as np
import pytest

from hilctl.law.requests import Refusal, RequestKind
from hilctl.loop.layout import DEVICE_LINK
from hilctl.loop.lost import LOST
from hilctl.signals import Mode, Trip
from tests.system.core_parts import until
from tests.system.stepped_parts import ARMING, stepped

pytestmark = pytest.mark.timeout(300)


def unplugged_and_plugged(loop, meanwhile):
    """Holding, without a link for a while, with a link again; what was latched is reset."""
    loop.device.faults.unplugged = 1
    loop.run(2000)
    assert loop.status.trip == Trip.DRIVER
    assert loop.status.device.state == "reconnecting"
    assert loop.ask(RequestKind.ARM) != Refusal.ACCEPTED
    meanwhile(loop.device.twin)
    loop.device.faults.unplugged = 0
    until(loop.link, lambda: loop.link.memory.words[DEVICE_LINK] != LOST)  # the handshake is over
    rows, _ = loop.run(2000)
    assert set(rows["mode"]) == {Mode.OFF}, "nobody has armed it"
    assert loop.ask(RequestKind.RESET) == Refusal.ACCEPTED


def reverse_valve(twin):
    twin.plant.valve.polarity = -twin.plant.valve.polarity


def reverse_displacement(twin):
    twin.displacement.gain = -twin.displacement.gain


def exchange_nothing(twin):
    pass


@pytest.mark.parametrize(
    ("meanwhile", "trip"),
    [(reverse_valve, Trip.POLARITY), (reverse_displacement, Trip.SENSOR_REVERSED)],
    ids=["valve", "displacement"],
)
def test_what_was_reversed_while_unplugged_is_found_by_the_bumps_of_the_next_arming(meanwhile, trip):
    with stepped() as loop:
        loop.arm()
        unplugged_and_plugged(loop, meanwhile)
        assert loop.ask(RequestKind.ARM) == Refusal.ACCEPTED
        rows, truth = loop.run(ARMING)
        assert Trip(loop.status.trip) == trip
        assert (rows["mode"][-1], rows["enabled"][-1], rows["supply"][-1]) == (Mode.OFF, 0, 0)
        assert np.ptp((truth["x_low"], truth["x_high"])) <= 3e-3


def test_the_same_device_is_proved_again_and_armed():
    with stepped() as loop:
        loop.arm()
        unplugged_and_plugged(loop, exchange_nothing)
        assert loop.ask(RequestKind.ARM) == Refusal.ACCEPTED
        rows, _ = loop.run(ARMING)
        assert 4 in rows["arming"], "the bumps"
        assert rows["mode"][-1] == Mode.HOLD, Trip(loop.status.trip)
