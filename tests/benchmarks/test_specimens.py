"""The pendulum against the clock."""

import pytest

pytestmark = [pytest.mark.bench]

_TRIES = 20  # a virtual machine's processor is not always as fast as it can be; it is never faster


def test_the_pendulum_is_computed_sixty_times_faster_than_it_swings():
    from sim.specimens.figures import speed

    found = []
    while len(found) < _TRIES and max(found, default=0.0) <= 60:
        found.append(speed(1e-4))
    print(found)
    assert max(found) > 60
