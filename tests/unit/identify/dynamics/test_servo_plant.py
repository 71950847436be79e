"""The paper's servo as a plant of a study: its motions, its record in volts, its starts and bounds."""

from dataclasses import replace

import numpy as np
import pytest

from hilctl import rig as rigs
from hilctl.experiment.facts import Facts
from hilctl.identify.dynamics.analyse import cleaned_of, plant_of
from hilctl.identify.dynamics.plant import pairs_of
from hilctl.identify.dynamics.servo_plant import SWEEP, ServoPlant, bounds_of, heard, servo_record
from hilctl.identify.frequency.estimate import measured_of
from hilctl.identify.frequency.plan import Asked, legs_of, signal_of
from hilctl.identify.frequency.record import Experiment, Pair
from hilctl.identify.frequency.response import hold_factor
from hilctl.params import BadValues
from hilctl.service.store import values_of
from hilctl.servo import BOUNDS, KNOWN, START, Hold, State, frequency_response, paper_servo, simulate


def facts_of(name):
    rig = rigs.load(name, twin=True)
    return Facts(rig.name, 1 / rig.dt_s, 1, values_of(rig))


FACTS = facts_of("servo-004")


def sweep(seconds=3.0):
    """A record as the loop leaves it: the command of a tick is the reference of the tick before."""
    t = np.arange(round(seconds * FACTS.rate_hz)) / FACTS.rate_hz
    xr = np.where((t > 0.5) & (t < 2.5), 4e-3 * np.sin(2 * np.pi * (1 + 8 * (t - 0.5)) * (t - 0.5)), 0.0)
    u = np.concatenate([[0.0], xr[:-1]]) / FACTS["law.rig.reach_m"]
    both = simulate(paper_servo(), 10 * u, 1 / FACTS.rate_hz, outputs=[State.displacement, State.load_pressure],
                    hold=Hold.zero)  # fmt: skip
    channels = {"u_applied": u, "xr_m": xr, "displacement_m": both[:, 0], "load_pressure_pa": both[:, 1]}
    return Experiment(name=SWEEP, group=SWEEP, kind="sweep", role="fit", settings={}, rate_hz=FACTS.rate_hz,
                      channels=channels, band_hz=(1.0, 30.0), begins=1000, reference="xr_m")  # fmt: skip


def test_a_rig_that_closes_its_own_loop_is_the_papers_and_others_are_not():
    assert isinstance(plant_of(FACTS), ServoPlant)
    assert not isinstance(plant_of(facts_of("table-500")), ServoPlant)


def test_the_load_pressure_is_a_second_output_where_it_is_asked_for_and_other_channels_take_the_loops_place():
    plant = plant_of(facts_of("table-500"))
    assert [str(one) for one in pairs_of(plant, Asked())] == ["xd_m → displacement_m"]
    assert [one.output for one in pairs_of(plant, Asked(load_pressure=True))] == ["displacement_m", "load_pressure_pa"]
    assert [str(one) for one in pairs_of(plant, Asked(output="velocity_m_s"))] == ["xd_m → velocity_m_s"]
    assert [str(one) for one in pairs_of(ServoPlant(), Asked())] == ["u_applied → displacement_m"]


def test_the_experiment_is_the_papers():
    leg = ServoPlant().legs(None, FACTS)[0]
    made = signal_of(leg, FACTS).made
    assert not any(step.carrier_hz for step in made.steps)
    assert not any(one.settings.get("carrier_m_s") for one in legs_of(Asked(excitations=("stepped", "sweep")), FACTS))
    assert [step.hz for step in made.steps] == list(range(1, 101))
    for step in made.steps:  # the first of three periods leads over from the frequency before
        assert step.length == pytest.approx(2 / step.hz * FACTS.rate_hz, abs=1)
    assert made.steps[-1].first + made.steps[-1].length == pytest.approx(15.56 * FACTS.rate_hz, abs=5)
    assert made.steps[0].amplitude > 5.5e-3


def test_the_record_is_in_volts_from_rest_and_as_long_as_it_is_heard():
    one = sweep()
    record = servo_record(one, FACTS, ("displacement", "load_pressure"))
    assert record.hold is Hold.zero
    assert record.inputs["ui"][0] == 0.0
    assert np.abs(record.inputs["ui"]).max() == pytest.approx(50 * 4e-3, rel=1e-3)
    part = heard(one)
    assert part.start == 1000 - 100
    assert part.stop == pytest.approx(2.75 * FACTS.rate_hz, abs=3)
    assert len(record.inputs["ui"]) == part.stop - part.start


def test_the_grey_box_begins_at_the_rig_files_numbers_and_finds_the_machine():
    plant, one = ServoPlant(), sweep()
    grey = plant.grey([one], FACTS, Asked(load_pressure=True, fixed={"machine.Kc": paper_servo().Kc}))
    assert dict(grey.before) == dict(START)
    assert grey.fit.rank == grey.fit.free == 7
    for name in ("m", "beta", "ws", "Ctc", "KL"):
        assert grey.fit.estimate(name).value == pytest.approx(getattr(paper_servo(), name), rel=1e-4)
    made = plant.modelled(grey, one, FACTS)[0]
    assert len(made.measured) == one.samples
    assert np.abs(made.measured - made.modelled).max() < 1e-8


def test_what_is_no_parameter_cannot_be_fixed():
    with pytest.raises(BadValues, match=r"fix\.mass"):
        ServoPlant().grey([sweep()], FACTS, Asked(fixed={"mass": 3.0}))


def test_bounds_are_the_papers_unless_the_start_lies_beyond():
    assert {name: bounds_of(name, start) for name, start in START.items()} == dict(BOUNDS)
    assert bounds_of("m", 400.0) == (100.0, 1600.0)


def test_the_response_is_the_servos_own_without_the_lag_of_the_hold():
    one = replace(sweep(), band_hz=(1.0, 28.0))
    pair = Pair("u_applied", "displacement_m")
    (found,), _ = measured_of([one], {one.name: cleaned_of(one, (pair,))}, (pair,))
    inside = found.response.within(4.0, 20.0)
    own = frequency_response(paper_servo(), inside.hz)[:, 0] * FACTS["law.rig.reach_m"] * KNOWN["Kd"]
    turned = np.rad2deg(np.angle(inside.gain / own))
    assert np.abs(turned).max() < 0.2 and np.abs(turned.mean()) < 0.05  # half a tick: 1.8 degrees at 20 Hz
    assert np.allclose(np.abs(inside.gain / own), 1.0, atol=3e-3)
    from_elsewhere = replace(one, source="bench.csv")
    (beside,), _ = measured_of([from_elsewhere], {one.name: cleaned_of(one, (pair,))}, (pair,))
    assert np.allclose(beside.response.gain / found.response.gain, hold_factor(found.response.hz, 2000.0, Hold.zero))
