"""A rig that may only move slowly, and has no accelerometer, is made ready all the same."""

from hilctl.client import Client, private_service
from hilctl.experiment.prepare import prepare

SLOW = {"limits.velocity.max_m_s": 0.05, "sensors.acceleration.present": False}


def test_a_warm_up_at_a_twentieth_of_the_speed_is_within_the_limits():
    with private_service("table-500", changes=SLOW) as service, Client(service.commands) as rig:
        made = prepare(rig)
        assert made.warm_up_s > 0 and rig.status()["mode"] == "hold"
    assert [one.sensor for one in made.zeroed] == ["pressure_a", "pressure_b"]
    assert made.remarks == ["acceleration was not zeroed: the rig has no such sensor (sensors.acceleration.present)"]
