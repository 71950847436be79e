"""By how much a table is faster than asked behind its corners."""

import numpy as np
import pytest

from hilctl.identify.friction.estimate_windows import faster_m_s
from hilctl.identify.friction.judge_expected import expect
from tests.unit.identify.friction.campaign_parts import LEG, RATE_HZ, facts

V, STRAIGHT, CORNER, REST = LEG.speed_m_s, 400, 20, 300  # ticks


def faster(samples):
    return faster_m_s(samples, LEG, facts(), expect(facts()))


def triangle(by_m_s=0.0, ways=(1, -1), straights=6):
    """From rest to rest; behind its corners the table is that much faster, for 100 ms."""
    asked, over, way = [np.zeros(REST)], [np.zeros(REST)], 1
    for _ in range(straights):
        asked += [np.linspace(-way * V if len(asked) > 1 else 0.0, way * V, CORNER), np.full(STRAIGHT, way * V)]
        bump = np.zeros(STRAIGHT)
        if way in ways:
            bump[:100] = way * by_m_s * np.sin(np.pi * np.arange(100) / 100)
        over += [np.zeros(CORNER), bump]
        way = -way
    asked += [np.linspace(-way * V, 0.0, CORNER), np.zeros(REST)]
    over += [np.zeros(CORNER + REST)]
    vd = np.concatenate(asked)
    v = vd + np.concatenate(over)
    return {
        "displacement_m": np.cumsum(v) / RATE_HZ, "acceleration_m_s2": np.gradient(v) * RATE_HZ, "vd_m_s": vd,
    }  # fmt: skip


def test_one_that_follows_is_hardly_faster():
    assert faster(triangle()) < 0.003


@pytest.mark.parametrize("ways", [(1, -1), (1,), (-1,)])
def test_behind_its_corners_it_is_found_in_either_direction(ways):
    assert faster(triangle(0.03, ways)) == pytest.approx(0.03, abs=0.003)


def test_a_spike_of_a_sensor_in_one_straight_is_no_speed():
    samples = triangle()
    samples["displacement_m"][500:503] += 5e-3
    samples["acceleration_m_s2"][500:520] += 50.0
    assert faster(samples) < 0.003


def test_without_a_straight_nothing_is_said():
    assert faster({name: values[:10] for name, values in triangle().items()}) == 0.0
