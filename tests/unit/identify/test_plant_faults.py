"""Records that cannot be right are refused, with what is wrong and what to check."""

import numpy as np
import pytest

from hilctl.identify.plant.faults import PlantFault
from hilctl.identify.plant.identify import fit_plant
from tests.unit.identify.plant_parts import changed, facts, records


@pytest.fixture(scope="module")
def good() -> list:
    return records(5)


def spoilt(good, **how):
    """Each channel as a function of itself."""
    return [changed(r, **{name: make(r.samples[name]) for name, make in how.items()}) for r in good]


def refusal(broken) -> str:
    with pytest.raises(PlantFault) as error:
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
        changed(r, pressure_a_pa=r.samples["pressure_b_pa"], pressure_b_pa=r.samples["pressure_a_pa"]) for r in good
    ]
    text = refusal(swapped)
    assert "pressure pair is swapped" in text and "sensors.pressure_a" in text


def test_one_pressure_twice(good):
    assert "pressure" in refusal([changed(r, pressure_b_pa=r.samples["pressure_a_pa"]) for r in good])


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
    """More than can be put in; a few are, and told."""
    assert "ticks are missing" in refusal(spoilt(good, tick=lambda t: t + 50 * (t > 1000)))
    late = fit_plant(spoilt(good, tick=lambda t: t + (t > 1000)), facts()).notes
    assert sum("the loop missed 1 of" in note for note in late) == len(good)


def test_a_command_that_has_little_to_do_with_the_flow(good):
    text = refusal(spoilt(good, u_applied=lambda u: 0.5 * (u + np.roll(u, 400))))
    assert "do not fit" in text or "against the command" in text
