"""Gate, bounds and step of a correction; the response that it is made by."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.learning.correct import STEP, bounded, gate, step, strength
from hilctl.learning.response import Response, around, predicted
from tests.unit.learning.test_wanted import FACTS, facts_of

HZ = np.arange(1001) / 10.0
BAND_HZ = 50.0
seeds = st.integers(0, 2**31)


def lines(seed: int, size: float = 1.0) -> np.ndarray:
    chance = np.random.default_rng(seed)
    made = size * (chance.normal(size=len(HZ)) + 1j * chance.normal(size=len(HZ)))
    made[0] = 0.0
    return made


@given(seeds, st.floats(0, 10), st.floats(0, 1))
def test_the_gate_is_a_share_and_nothing_above_the_band_or_at_rest(seed, noise, coherence):
    b = gate(HZ, lines(seed), np.full(len(HZ), noise), np.full(len(HZ), coherence), BAND_HZ)
    assert (b >= 0).all()
    assert (b <= coherence).all()
    assert b[0] == 0.0
    assert not b[HZ > 1.2 * BAND_HZ].any()


@given(seeds)
def test_what_is_noise_is_not_corrected_and_what_is_far_above_it_is(seed):
    noise, all_of_it = np.full(len(HZ), 2.0), np.ones(len(HZ))
    inside = (HZ > 20) & (HZ < BAND_HZ)
    assert np.mean(gate(HZ, lines(seed), noise, all_of_it, BAND_HZ)[inside]) < 0.25
    assert np.min(gate(HZ, lines(seed, 30.0), noise, all_of_it, BAND_HZ)[inside]) > 0.99


@given(seeds, seeds, st.floats(0.01, 2), st.floats(1e-6, 1e6))
def test_no_correction_has_more_energy_than_its_share(seed, other, share, size):
    wanted, asked = lines(other), lines(seed, size)
    made = bounded(HZ, asked, wanted, share)
    assert strength(HZ, made) <= share * strength(HZ, wanted) * (1 + 1e-9)
    assert strength(HZ, made) == pytest.approx(min(strength(HZ, asked), share * strength(HZ, wanted)))


@settings(deadline=None)
@given(seeds, st.floats(0.7, 1.4), st.floats(-0.5, 0.5))
def test_steps_lead_to_what_is_wanted_though_the_response_is_not_as_predicted(seed, size, turned):
    """A linear rig, and a disturbance that repeats."""
    truth = size * np.exp(1j * turned * HZ / HZ[-1])
    wanted, disturbed = lines(seed), lines(seed + 1, 0.2)
    drive, last, response = wanted.copy(), None, Response(HZ, np.ones(len(HZ), complex))
    noise, inside, errors = np.full(len(HZ), 1e-9), (HZ > 0) & (HZ <= BAND_HZ), []
    for _ in range(6):
        answer = truth * drive + disturbed
        errors.append(strength(HZ, np.where(inside, wanted - answer, 0)))
        if last is not None:
            response.saw(drive - last[0], answer - last[1], noise)
        last = (drive, answer)
        drive = drive + 0.8 * step(wanted - answer, noise, response, wanted, BAND_HZ)
    assert errors[-1] < 0.02 * errors[0]


def test_a_step_is_bounded():
    wanted = lines(1)
    response = Response(HZ, np.full(len(HZ), 0.01 + 0j))
    made = step(100 * wanted, np.zeros(len(HZ)), response, wanted, BAND_HZ)
    assert strength(HZ, made) == pytest.approx(STEP * strength(HZ, wanted))
    assert np.max(np.abs(response.inverse)) <= 3.0 + 1e-9


@settings(deadline=None)
@given(seeds)
def test_effects_that_do_not_follow_the_drive_are_no_response(seed):
    response, changed = Response(HZ, np.ones(len(HZ), complex)), lines(seed)
    response.saw(changed, lines(seed + 1), np.full(len(HZ), 1e-3))
    inside = (HZ > 20) & (HZ < 80)
    assert np.mean(response.coherence[inside]) < 0.2
    assert np.mean(np.abs(response.ratio - 1)[inside]) < 0.35
    followed = Response(HZ, np.ones(len(HZ), complex))
    followed.saw(changed, 1.5j**0.5 * changed, np.full(len(HZ), 1e-3))
    assert followed.coherence[inside] == pytest.approx(1.0)
    assert followed.ratio[inside] == pytest.approx(1.5j**0.5)


def test_what_was_not_tried_is_believed():
    response = Response(HZ, np.ones(len(HZ), complex))
    response.saw(np.zeros(len(HZ), complex), lines(1), np.ones(len(HZ)))
    assert (response.ratio == 1).all()
    assert (response.coherence == 1).all()


@given(seeds)
def test_a_mean_over_the_lines_around_keeps_what_is_even(seed):
    assert around(HZ, np.full(len(HZ), 3.0)) == pytest.approx(3.0)
    values = np.random.default_rng(seed).random(len(HZ))
    assert (around(HZ, values) <= np.max(values) + 1e-12).all()
    harmonics = 5.0 * np.arange(21)
    assert around(harmonics, np.arange(21.0))[10] == pytest.approx(10.0)


def test_the_first_response_is_that_of_the_active_controller():
    found = predicted(FACTS, HZ)
    assert np.abs(found.gain[(HZ > 0.5) & (HZ < 20)]) == pytest.approx(1.0, abs=0.1)
    assert (found.shaken_m2 > 0).all()
    pid = predicted(facts_of(law__feedback="pid"), HZ)
    assert np.abs(pid.gain[HZ == 10.0])[0] < 0.8
    own = predicted(FACTS.but("law.feedback", "rig"), HZ)
    assert (own.gain == 1).all()
