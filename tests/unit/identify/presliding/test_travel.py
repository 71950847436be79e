"""How far the table goes while friction turns: found at either reversal, whatever noise does on the way; and which
cycles count."""

import numpy as np
import pytest

from hilctl.experiment.drive import taken
from hilctl.identify.presliding.estimate_cycles import FORGETS, cut
from hilctl.identify.presliding.estimate_loop import FINE, Loop
from hilctl.identify.presliding.estimate_travel import compliances
from hilctl.identify.presliding.plan import Swing
from tests.unit.identify.presliding.presliding_parts import FACTS

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

    def cycles():
        driven = taken("reversals", samples, FACTS.rate_hz, {"amplitude_m": 1e-3, "period": 500})
        return cut(driven._replace(facts={"full_from_s": 1.0, "full_s": n / 1000}), FACTS)

    found = cycles()
    assert found.x_m.shape == (10, 500)
    assert np.all(found.x_m == np.arange(FORGETS, 10 + FORGETS)[:, None])
    samples["displacement_m"][rise + 3 * 500 + 7] = 99.0
    samples["rejected"][rise + 3 * 500 + 7] = 1
    kept = cycles()
    assert kept.x_m[2, 7] == pytest.approx(np.delete(found.x_m[:, 7], 2).mean())
    samples["rejected"][rise + 5 * 500 : rise + 5 * 500 + 6] = 1
    fewer = cycles()
    assert set(fewer.x_m[:, 9]) == set(range(FORGETS, 10 + FORGETS)) - {5}


def test_a_pressure_that_is_held_counts_at_the_ticks_of_its_own():
    """Read every third tick, which falls on every instant of a cycle of 500 in turn."""
    swing, n = Swing(1e-3, 500, 12), 13 * 500
    at = np.arange(1000 + n + 500)
    wave = np.sin(2 * np.pi * (at - 1000) / 500)
    since = at % 3
    samples = {
        "tick": at, "rejected": np.zeros(len(at), int), "displacement_m": wave, "acceleration_m_s2": -wave,
        "pressure_a_pa": np.sin(2 * np.pi * (at - since - 1000) / 500), "pressure_b_pa": np.zeros(len(at)),
        "pressure_a_age_ns": since * 1_000_000,
    }  # fmt: skip
    facts = {"full_from_s": 1.0, "full_s": n / 1000}

    def push():
        driven = taken("reversals", samples, FACTS.rate_hz, {"amplitude_m": 1e-3, "period": 500})
        return cut(driven._replace(facts=facts), FACTS).push_n / FACTS["machine.A"]

    right = np.sin(2 * np.pi * np.arange(500) / 500)
    assert push().shape == (swing.cycles, 500)
    assert np.abs(push() - right).max() < 1e-9
    samples.pop("pressure_a_age_ns")
    assert np.abs(push().mean(0) - right).max() > 0.01, "otherwise late by a tick"
