"""The pendulum against the clock."""

import pytest

pytestmark = [pytest.mark.bench]


def test_the_pendulum_is_computed_sixty_times_faster_than_it_swings():
    from sim.specimens.figures import speed

    ratios = {step_s: speed(step_s) for step_s in (1e-4, 5e-5)}
    print(ratios)
    assert ratios[1e-4] > 60
