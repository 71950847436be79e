"""Records that cannot be right are refused, with what is wrong and what to check."""

import numpy as np
import pytest

from hilctl.experiment.drive import LegFault
from hilctl.identify.plant import fit_plant
from hilctl.identify.plant.judge import pushed
from tests.unit.identify.plant.plant_parts import changed, facts, records, with_rows


@pytest.fixture(scope="module")
def good() -> list:
    return records(5)


def spoilt(good, **how):
    """Each channel as a function of itself."""
    return [changed(r, **{name: make(r.rows[name]) for name, make in how.items()}) for r in good]


def refusal(broken) -> str:
    with pytest.raises(LegFault) as error:
        fit_plant(broken, facts())
    return str(error.value)


def test_a_dead_accelerometer(good):
    text = refusal(spoilt(good, acceleration_m_s2=lambda a: np.full_like(a, 0.02)))
    assert "accelerometer is dead" in text and "sensors.acceleration" in text


def test_an_accelerometer_that_shows_only_noise(good):
    rng = np.random.default_rng(1)
    text = refusal(spoilt(good, acceleration_m_s2=lambda a: 0.02 * rng.standard_normal(len(a))))
    assert "does not show the table's motion" in text


def test_an_accelerometer_with_the_wrong_sign(good):
    assert "wrong sign" in refusal(spoilt(good, acceleration_m_s2=np.negative))


def test_a_swapped_pressure_pair(good):
    swapped = [
        changed(r, pressure_a_pa=r.rows["pressure_b_pa"], pressure_b_pa=r.rows["pressure_a_pa"]) for r in good
    ]
    text = refusal(swapped)
    assert "pressure pair is swapped" in text and "sensors.pressure_a" in text


def test_pressures_that_follow_friction_more_than_acceleration_are_no_fault():
    """A small motion behind an overlap: 3 kN of friction, 0.4 kN of inertia."""
    t = np.arange(0.0, 4.0, 1e-3)
    v, a = 0.02 * np.cos(40.0 * t), -0.8 * np.sin(40.0 * t)
    noise = 25e3 * np.random.default_rng(2).standard_normal(len(t))
    for way, told in ((1.0, 1.0), (-1.0, -1.0)):
        load = way * (1e6 * np.sign(v) + 500.0 / 3e-3 * a) + noise
        assert np.sign(told) * pushed(load, v, a) > 0.9
    assert abs(pushed(1e6 * np.sign(v) + noise, v, a)) < 0.2


def test_one_pressure_twice(good):
    assert "pressure" in refusal([changed(r, pressure_b_pa=r.rows["pressure_a_pa"]) for r in good])


def test_a_dead_pressure_sensor(good):
    assert "pressure_b is dead" in refusal(spoilt(good, pressure_b_pa=lambda p: np.full_like(p, 1e7)))


def test_a_motion_that_runs_against_the_command(good):
    assert "against the command" in refusal(spoilt(good, u_applied=np.negative))


def test_a_stuck_table(good):
    text = refusal(spoilt(good, displacement_m=lambda x: 0.05 * x))
    assert "stuck" in text and "sensors.displacement" in text


def test_a_saturated_valve(good):
    text = refusal(spoilt(good, saturated=lambda s: (np.arange(len(s)) % 20 == 0).astype(float)))
    assert "saturated for 5.0 %" in text and "limits.command.opening" in text


def test_many_missing_ticks(good):
    """A few are bridged, the window is closed around more in a row, and with too many of them there is no result."""
    plain = fit_plant(good, facts())
    for first, count in ((2000, 3), (2000, 40)):
        fit = fit_plant([without(record, slice(first, first + count)) for record in good], facts())
        for key in ("machine.m", "machine.Qn", "machine.beta"):
            own, whole = fit.quantity(key), plain.quantity(key)
            assert abs(own.value - whole.value) < 0.5 * (whole.high - whole.low)
        assert sum(f"{count} ticks did not run" in note for note in fit.losses) == len(good)
    assert "% lost, more than 10 %" in refusal([without(record, slice(2000, 3000)) for record in good])


def without(record, rows):
    """The same, in which these ticks did not run."""
    return with_rows(record, {name: np.delete(values, rows) for name, values in record.rows.items()})


@pytest.mark.slow
def test_what_the_loop_predicted_for_lost_readings_is_not_identified_from(good):
    """A twentieth at random, as a link loses them; the predictions are far off."""
    rng, plain, poor = np.random.default_rng(3), fit_plant(good, facts()), []
    for record in good:
        samples = {name: values.copy() for name, values in record.rows.items()}
        lost = rng.random(len(samples["tick"])) < 0.05
        samples["rejected"] = np.where(lost, 0b1111, 0)
        for name in ("displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa"):
            samples[name] = np.where(lost, 0.0, samples[name])
        poor.append(with_rows(record, samples))
    fit = fit_plant(poor, facts())
    for key in ("machine.m", "machine.Qn", "machine.beta", "machine.wv"):
        own, whole = fit.quantity(key), plain.quantity(key)
        assert own.identified and own.high - own.low > whole.high - whole.low
        assert abs(own.value - whole.value) < 0.75 * (whole.high - whole.low), key


def test_a_command_that_has_little_to_do_with_the_flow(good):
    text = refusal(spoilt(good, u_applied=lambda u: 0.5 * (u + np.roll(u, 400))))
    assert "do not fit" in text or "against the command" in text
