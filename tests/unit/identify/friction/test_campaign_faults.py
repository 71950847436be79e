"""What is wrong with a rig is said by name, from its samples."""


import numpy as np
import pytest

from hilctl.experiment.accelerometer import seen_gain
from hilctl.experiment.record import record_of
from hilctl.experiment.trips import failing, trip_text, tripped
from hilctl.identify.friction.estimate_speed import evaluate
from hilctl.identify.friction.judge_expected import expect
from hilctl.identify.friction.judge_windows import examine
from tests.unit.identify.friction.campaign_parts import LEG, facts, triangle

RIG = facts()
EXPECTED = expect(RIG)


def said(samples, rig=RIG):
    record = record_of(samples, 1000.0)
    return examine(record, evaluate(0, LEG, record, rig, EXPECTED).pair, rig, RIG)


def test_a_sound_rig_is_not_blamed():
    assert all(said(triangle(seed=s)) == "" for s in range(10))


def test_a_sound_accelerometer_of_a_table_that_was_shaken_at_rest_is_not_dead():
    shaken = facts(sensors__acceleration__noise=10 * RIG["sensors.acceleration.noise"])
    assert said(triangle(), shaken) == ""


def test_a_stuck_table():
    stuck = triangle()
    stuck["displacement_m"] = 1e-5 * stuck["displacement_m"]
    assert "the table is stuck, or its transducer is" in said(stuck)
    assert "sensors.displacement" in said(stuck)


def test_a_swapped_pressure_pair():
    swapped = triangle()
    swapped["pressure_a_pa"], swapped["pressure_b_pa"] = swapped["pressure_b_pa"], swapped["pressure_a_pa"]
    assert "The pressure pair is swapped" in said(swapped)
    assert "sensors.pressure_a" in said(swapped)


@pytest.mark.parametrize(
    ("factor", "says"), [(-1.0, "wrong sign"), (0.1, "only 0.1"), (3.0, "shows 3.")]
)  # fmt: skip
def test_an_accelerometer_that_is_wrong(factor, says):
    samples = triangle(noise=0.2)
    samples["acceleration_m_s2"] = factor * samples["acceleration_m_s2"]
    assert says in said(samples)
    assert "sensors.acceleration" in said(samples)


@pytest.mark.parametrize("channel", ["acceleration_m_s2", "pressure_a_pa", "pressure_b_pa"])
def test_a_dead_sensor_is_named(channel):
    samples = triangle()
    samples[channel] = np.full(len(samples["tick"]), 0.013)
    name = channel.removesuffix("_m_s2").removesuffix("_pa")
    assert "is dead: it shows 0.013" in said(samples)
    assert f"sensors.{name}" in said(samples)


def test_the_accelerometers_gain_is_seen_where_the_motion_says_enough():
    assert seen_gain(triangle(noise=0.2), RIG) == pytest.approx(1.0, abs=0.1)
    assert seen_gain(triangle(speed=1e-4), RIG) is None


@pytest.mark.parametrize("ticks", [500, 700, 911, 1500, 2100])
def test_a_motion_that_is_cut_off_anywhere_tells_the_gain_as_well(ticks):
    for factor in (1.0, -1.0, 0.02):
        samples = {name: values[:ticks] for name, values in triangle().items()}
        samples["acceleration_m_s2"] = factor * samples["acceleration_m_s2"]
        assert seen_gain(samples, RIG) == pytest.approx(factor, abs=0.05)
        blamed = "accelerometer" in tripped(_Rig({**TRIP, "name": "supply_pressure"}), "tripped", samples, RIG)
        assert blamed == (factor < 1)


def test_the_sensor_that_made_it_trip_is_named():
    rejected, still = triangle(), triangle()
    rejected["rejected"][-3:] = 1 << 2
    still["acceleration_m_s2"][-60:] = 0.5
    assert failing(rejected, RIG) == ["pressure_a"]
    assert failing(still, RIG) == ["acceleration"]
    assert failing(triangle(), RIG) == []


TRIP = {
    "name": "tracking_error", "key": "limits.tracking_error", "unit": "m", "value": 0.04, "limit": 0.03,
    "meaning": "the table did not follow", "remedy": "look",
    "text": "the table did not follow: 0.04 m, limit 0.03 m (limits.tracking_error.max_m); look",
}  # fmt: skip


class _Rig:
    def __init__(self, trip):
        self._trip = trip

    def status(self):
        return {"trip": self._trip, "gone": "exit 3"}


def test_a_trip_is_told_with_value_limit_key_remedy_and_what_is_seen():
    stuck = triangle()
    stuck["displacement_m"] = 1e-5 * stuck["displacement_m"]
    text = tripped(_Rig(TRIP), "tripped", stuck, RIG)
    for part in ("0.04 m, limit 0.03 m", "limits.tracking_error", "look", "The table is stuck"):
        assert part in text
    assert trip_text(None) == ""


def test_a_trip_at_the_position_limit_says_how_far_the_table_went_beyond_its_reference():
    beyond = triangle()
    beyond["displacement_m"] = 1.05 * beyond["displacement_m"]
    text = tripped(_Rig({**TRIP, "name": "position"}), "tripped", beyond, RIG)
    assert f"{1e3 * 0.05 * np.max(beyond['xd_m']):.2g} mm further than its reference" in text
    assert "machine.m" in text


def test_a_link_that_is_gone_is_not_told_as_eight_sensors():
    gone = triangle()
    gone["rejected"][-3:] = 0xFF
    text = tripped(_Rig({**TRIP, "name": "sensor_invalid"}), "tripped", gone, RIG)
    assert "every sensor at once" in text
    assert "sensors.pressure_a" not in text


def test_other_ends_are_told_too():
    assert tripped(_Rig(None), "stopped", None, RIG) == "the motion was stopped"
    assert "exit 3" in tripped(_Rig(None), "gone", None, RIG)
