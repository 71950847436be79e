"""How far the table goes while friction turns: found at either reversal, whatever noise does on the way; and which
cycles count."""

import numpy as np
import pytest

from hilctl.experiment.record import record_of
from hilctl.identify.presliding.estimate_cycles import FORGETS, cut
from hilctl.identify.presliding.estimate_loop import FINE, Loop
from hilctl.identify.presliding.estimate_travel import compliances
from hilctl.identify.presliding.facts import Facts
from hilctl.identify.presliding.plan import Swing

FACTS = Facts(1000.0, 500.0, 3e-3, 0.0, 0.0, 0.0, 3.8e7, 5e-4, 5.1e-4, 0.0, 5e-6, 0.02, 25e3)
LEVEL_N, SPRING_N_M = 3000.0, 1e8


def turning(shift: int, chatter: float) -> Loop:
    """A spring between two levels, driven to and fro by a triangle; where friction falls through zero it chatters."""
    up = np.linspace(-1e-4, 1e-4, 124, endpoint=False)
    x = np.concatenate((up, np.linspace(1e-4, -1e-4, 125, endpoint=False)))
    force, at = np.zeros(249), 0.0
    for _ in range(2):
        for k in range(249):
            at = float(np.clip(at + SPRING_N_M * (x[k] - x[k - 1]), -LEVEL_N, LEVEL_N))
            force[k] = at
    falling = 124 + int(np.argmin(np.abs(force[124:160])))
    force[falling : falling + 3] += chatter * np.array([1.0, -1.0, 1.0]) - force[falling]
    x, force = np.roll(x, shift), np.roll(force, shift)
    return Loop(1e-4, 0.5, 8, np.repeat(x, FINE), force, np.zeros(249), 1.0, 1e-7, 0.0)


@pytest.mark.parametrize("chatter", [0.0, 60.0])
def test_the_travel_is_that_of_the_spring_wherever_the_cycle_begins(chatter):
    for shift in range(0, 249, 3):
        found = compliances(turning(shift, chatter), LEVEL_N)
        assert len(found) == 2
        assert found == pytest.approx([1 / SPRING_N_M] * 2, rel=0.15)


def test_friction_that_does_not_turn_so_far_tells_nothing():
    loop = turning(0, 0.0)
    assert compliances(loop._replace(force_n=0.3 * loop.force_n), LEVEL_N) == []


def test_the_cycles_that_remember_the_rise_do_not_count():
    swing = Swing(1e-3, 500, 10)
    asked = swing.parameters(FACTS.rate_hz, 0.0)
    assert asked["cycles"] == 10 + FORGETS
    rise, n = 1000, int(asked["cycles"]) * 500
    number = np.concatenate((np.full(rise, -1.0), np.arange(n) // 500, np.full(500, -2.0)))
    zeros = np.zeros(len(number))
    samples = {
        "tick": np.arange(len(number)), "rejected": np.zeros(len(number), int), "displacement_m": number,
        "acceleration_m_s2": zeros, "pressure_a_pa": zeros,
        "pressure_b_pa": zeros,
    }  # fmt: skip
    motion = {"full_from_s": 1.0, "full_s": n / 1000}
    found = cut(record_of(samples, FACTS.rate_hz).bridged, motion, 1e-3, 500, FACTS)
    assert found.x_m.shape == (10, 500)
    assert np.all(found.x_m == np.arange(FORGETS, 10 + FORGETS)[:, None])
    samples["displacement_m"][rise + 3 * 500 + 7] = 99.0
    samples["rejected"][rise + 3 * 500 + 7] = 1
    kept = cut(record_of(samples, FACTS.rate_hz).bridged, motion, 1e-3, 500, FACTS)
    assert kept.x_m[2, 7] == pytest.approx(np.delete(found.x_m[:, 7], 2).mean())
    samples["rejected"][rise + 5 * 500 : rise + 5 * 500 + 6] = 1
    fewer = cut(record_of(samples, FACTS.rate_hz).bridged, motion, 1e-3, 500, FACTS)
    assert set(fewer.x_m[:, 9]) == set(range(FORGETS, 10 + FORGETS)) - {5}
