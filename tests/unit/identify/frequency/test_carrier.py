"""A slow motion under a measured one: its shape, its room, and what the estimators make of it."""

import math

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from hilctl.identify.frequency.excite_carrier import carrier_for
from hilctl.identify.frequency.excite_multisine import Multisine, multisine
from hilctl.identify.frequency.excite_shape import Room, Shape, scale_into
from hilctl.identify.frequency.excite_stepped import SteppedSine, stepped_sine
from hilctl.identify.frequency.excite_sweep import Sweep, sweep
from hilctl.identify.frequency.plan import Asked, legs_of, signal_of
from hilctl.identify.frequency.response_lines import multisine_response
from hilctl.identify.frequency.response_swept import stepped_response, sweep_response
from hilctl.params import BadValues, check
from tests.unit.identify.plant.plant_parts import facts

ROOM = {
    "position_m": 0.045, "velocity_m_s": 0.6, "acceleration_m_s2": 30.0, "no_load_speed_m_s": 1.54,
    "force_per_mass_m_s2": 126.0, "opening": 0.45,
}  # fmt: skip
STICKS = {"friction.model": "karnopp", "friction.fc": 287.0, "friction.fs": 3118.0, "friction.vs": 0.115,
          "friction.sigma": 3251.0}  # fmt: skip
STEPS = {"start_hz": 10, "step_hz": 3}
MAKERS = {
    "stepped": lambda shape, v: stepped_sine(check(SteppedSine, {**STEPS, "carrier_m_s": v}), shape),
    "sweep": lambda shape, v: sweep(check(Sweep, {"carrier_m_s": v}), shape),
    "multisine": lambda shape, v: multisine(check(Multisine, {"periods": 4, "soft_s": 0.5, "carrier_m_s": v}), shape),
}


def shape(amplitude=0.045, **more):
    return Shape(amplitude, check(Room, {**ROOM, **more}))


def motion(values, rate_hz=1000.0):
    hz = np.fft.rfftfreq(2 * len(values), 1 / rate_hz)
    spectrum = np.fft.rfft(values, 2 * len(values))
    return [np.fft.irfft(spectrum * (2j * np.pi * hz) ** n) for n in range(3)]


def test_a_carrier_slides_turns_softly_and_comes_back_with_the_other_sign():
    made = carrier_for(0.3, shape())
    t = np.arange(0, 2 * made.period_s, 1e-4)
    x = made.at(t)
    speed, acceleration = np.gradient(x, t), np.gradient(np.gradient(x, t), t)
    assert np.abs(x).max() == pytest.approx(made.position_m, rel=1e-6) and made.position_m < 0.8 * 0.045
    assert np.abs(speed).max() == pytest.approx(0.3, rel=1e-6)
    assert np.abs(acceleration).max() == pytest.approx(0.4 * 30.0, rel=1e-3)
    assert np.allclose(made.at(t + made.period_s / 2), -x, atol=1e-12)
    assert np.mean(np.abs(speed) > 0.999 * 0.3) > 0.5
    assert carrier_for(0.0, shape()) is None
    assert carrier_for(20.0, shape()).speed_m_s == pytest.approx(0.3)  # half of what there is
    with pytest.raises(BadValues, match="carrier_m_s"):
        carrier_for(0.3, Shape(0.01, Room(position_m=0.05)))


@settings(max_examples=25, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(
    kind=st.sampled_from(sorted(MAKERS)), position=st.floats(2e-3, 0.2), speed=st.floats(0.05, 2.0),
    acceleration=st.floats(3.0, 200.0), flow=st.floats(0.1, 3.0), push=st.floats(20.0, 1e4),
    amplitude=st.floats(1e-3, 0.3), wanted=st.floats(0.01, 20.0),
)  # fmt: skip
@example("multisine", 0.2, 2.0, 200.0, 0.3, 20.0, 0.3, 20.0)
def test_carrier_and_sine_never_pass_a_limit(kind, position, speed, acceleration, flow, push, amplitude, wanted):
    room = {"position_m": position, "velocity_m_s": speed, "acceleration_m_s2": acceleration,
            "no_load_speed_m_s": flow, "force_per_mass_m_s2": push}  # fmt: skip
    values = MAKERS[kind](shape(amplitude, **room), wanted).values
    assert scale_into(check(Room, {**ROOM, **room}), *motion(values)) > 0.999
    assert np.abs(values).max() <= 1.001 * amplitude
    assert np.abs(values).max() > 0 and abs(values[0]) < 1e-9 and abs(values[-1]) < 1e-9


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_the_speed_turns_where_the_carrier_turns_and_nowhere_else(kind):
    made = MAKERS[kind](shape(), 0.3)
    speed = np.gradient(made.values) * 1000
    if kind == "stepped":
        windows = [(one.first, one.first + one.length, one.carrier_hz, one.first) for one in made.steps]
        assert [one.carrier_hz > 0 for one in made.steps] == [one.hz > 15.9 for one in made.steps]
    elif kind == "sweep":
        first = round(15_000 * np.log(made.carried_from_hz) / np.log(100))
        windows = [(first, round(15_000 - 1000 / made.carrier_hz), made.carrier_hz, first)]
        assert 15.9 < made.carried_from_hz < 25
    else:
        windows = [(made.first, made.first + made.periods * made.period, made.carrier_hz, 0)]
    for first, last, carrier_hz, middle in windows:
        if not carrier_hz:
            continue
        carrier = carrier_for(0.3, shape())._replace(period_s=1 / carrier_hz)
        under = np.gradient(carrier.at((np.arange(first, last) - middle) / 1000)) * 1000
        sliding = np.abs(under) > 0.999 * 0.3
        product = (speed[first:last] * under)[sliding] / 0.09
        assert sliding.mean() > 0.3
        assert product.min() > 0.4 or product.max() < -0.4


def dragged(values, force):
    """The displacement of a second-order rig, whose friction reverses with its speed; with a little noise."""
    dt, wn, zeta, x, v, out = 1 / 4000, 2 * np.pi * 40, 0.3, 0.0, 0.0, []
    for u in np.interp(np.arange(4 * len(values)) / 4, np.arange(len(values)), values).tolist():
        v += dt * (wn**2 * (u - x) - 2 * zeta * wn * v - force * math.tanh(v / 0.003))
        x += dt * v
        out.append(x)
    return np.array(out[::4]) + 1e-6 * np.random.default_rng(1).standard_normal(len(values))


def gain_of(kind, carrier, force):
    """Above 20 Hz, where a sine alone is slow."""
    made = MAKERS[kind](shape(), carrier)
    y = dragged(made.values, force)
    if kind == "stepped":
        return stepped_response(made.values, y, 1000.0, made.steps).within(20.0, 90.0)
    if kind == "sweep":
        return sweep_response(made.values, y, 1000.0, np.geomspace(20.0, 90.0, 30), carrier_hz=made.carrier_hz)
    return multisine_response(made.values, y, 1000.0, made).within(20.0, 90.0)


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_a_rig_that_drags_shows_its_sliding_response_on_a_carrier(kind):
    free = gain_of(kind, 0.0, 0.0)
    carried, alone, nothing = (gain_of(kind, *each) for each in ((0.3, 4.0), (0.0, 4.0), (0.3, 0.0)))
    errors = [np.sqrt(np.mean(np.abs(each.gain / free.gain - 1) ** 2)) for each in (carried, alone, nothing)]
    assert errors[0] < 0.15 and errors[1] > 3 * errors[0] and errors[2] < 0.03


def test_a_carrier_stands_between_the_lines_and_takes_nothing_from_the_noise():
    made = MAKERS["multisine"](shape(), 0.3)
    part = made.values[made.first : made.first + made.periods * made.period]
    spectrum = np.abs(np.fft.rfft(part)) * 2 / len(part)
    driven = np.flatnonzero(spectrum > 1e-12)
    own = driven[driven % made.periods == made.periods // 2]
    assert set(driven) == set(own) | set(made.periods * made.lines)
    assert own[0] / made.periods * 1000 / made.period == made.carrier_hz and own[1] == 3 * own[0]
    noise = 1e-6 * np.random.default_rng(2).standard_normal(len(made.values))
    turns = 1e-4 * np.sign(np.cos(2 * np.pi * made.carrier_hz * (np.arange(len(noise)) + 0.5) / 1000))
    response = multisine_response(made.values, made.values + turns + noise, 1000.0, made)
    wanted = 1e-6 * np.sqrt(4 / len(part)) / spectrum[made.periods * made.lines]
    assert np.median(np.sqrt(response.variance) / wanted) == pytest.approx(1.0, abs=0.2)
    assert np.mean(np.abs(response.gain - 1) < response.radius()) > 0.75


@pytest.mark.parametrize(
    ("table", "values"),
    [
        (Multisine, {"soft_s": 0.0, "periods": 4}),
        (Multisine, {"soft_s": 0.5, "periods": 2}), (Multisine, {"soft_s": 0.5, "periods": 5}),
    ],
)  # fmt: skip
def test_what_cannot_ride_is_refused_by_key(table, values):
    with pytest.raises(BadValues, match="carrier"):
        check(table, {**values, "carrier_m_s": 0.3}, "asked")


def speeds(rig, **asked):
    legs = legs_of(Asked(excitations=("stepped", "sweep", "multisine"), **asked), rig)
    return {leg.settings["carrier_m_s"] for leg in legs if leg.kind != "step"}, legs


def test_a_study_rides_where_friction_sticks_and_as_asked():
    (speed,), legs = speeds(facts(**STICKS))
    assert speed == pytest.approx(0.3)
    assert max(leg.seconds for leg in legs) < 20
    assert max(len(signal_of(leg, facts(**STICKS)).values) for leg in legs) < 20_000
    assert speeds(facts(**STICKS), carrier_m_s=0.0)[0] == {0.0}
    assert speeds(facts(**STICKS), carrier_m_s=0.2)[0] == {0.2}
    assert speeds(facts(**{**STICKS, "friction.fs": 0.0, "friction.fc": 0.0}))[0] == {0.0} == speeds(facts())[0]
    assert max(speeds(facts(**{**STICKS, "friction.vs": 0.05}))[0]) == pytest.approx(0.15)
    assert speeds(facts(**STICKS), amplitude_m=1e-3)[0] == {0.0}  # too slow to help


def test_what_is_kept_for_checks_rides_as_fast():
    rig = facts(**STICKS)
    fit, kept = (next(leg for leg in speeds(rig)[1] if leg.name == name) for name in ("sweep", "check sweep"))
    rides = [signal_of(leg, rig).made.ride for leg in (fit, kept)]
    assert np.abs(rides[1]).max() == pytest.approx(np.abs(rides[0]).max(), rel=0.05)
    above = [np.abs(signal_of(leg, rig).values - ride).max() for leg, ride in zip((fit, kept), rides, strict=True)]
    assert above[1] < 0.7 * above[0]


def test_what_the_turns_of_a_sweeps_carrier_make_is_left_out():
    made = MAKERS["sweep"](shape(), 0.3)
    turns = 2e-5 * np.sign(np.gradient(made.ride))
    hz = np.geomspace(22.0, 90.0, 60)
    errors, radii = [], []
    for carrier_hz in (made.carrier_hz, 0.0):
        found = sweep_response(made.values, made.values + turns, 1000.0, hz, carrier_hz=carrier_hz)
        errors.append(np.sqrt(np.mean(np.abs(found.gain - 1) ** 2)))
        radii.append(np.median(found.radius()))
    assert errors[0] < 0.6 * errors[1] and radii[0] < 0.6 * radii[1]
