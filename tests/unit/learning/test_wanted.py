"""The motion to be learned: what the service would plan, as samples and lines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.errors import WrongUse
from hilctl.experiment.facts import Facts
from hilctl.friction import Friction
from hilctl.law.motions import samples_of
from hilctl.learning.wanted import INTERVAL_S, REST_S, Wanted, lines_of, wanted
from hilctl.params import flatten
from hilctl.rig import load


def facts_of(**changes: object) -> Facts:
    rig = load("table-500", twin=True, changes={key.replace("__", "."): value for key, value in changes.items()})
    friction: Friction = rig.friction
    values = {**flatten(rig.controller), "friction.model": friction.model, **flatten(friction.params, "friction")}
    return Facts("table-500", 1 / rig.dt_s, 1, values)


FACTS = facts_of()


def test_a_sine_is_one_period_about_its_centre():
    motion = wanted(FACTS, "sine", {"frequency_hz": 3.0, "amplitude_m": 0.01, "center_m": 0.02, "cycles": 1000.0})
    assert motion.repeats
    assert motion.seconds == pytest.approx(1 / 3)
    assert motion.interval_s <= INTERVAL_S
    assert np.abs(motion.lines[1]) == pytest.approx(0.005)
    assert np.delete(np.abs(motion.lines), 1) == pytest.approx(0.0, abs=1e-8)
    assert motion.center_m == 0.02


def test_a_triangle_has_its_own_harmonics():
    motion = wanted(FACTS, "triangle", {"frequency_hz": 1.0, "amplitude_m": 0.02})
    size = np.abs(motion.lines)
    assert motion.repeats
    assert np.ptp(motion.x) == pytest.approx(0.04, rel=1e-3)
    assert size[3] > 0.05 * size[1]
    assert size[2] < 1e-4 * size[1]


@pytest.mark.parametrize("kind", ["chirp", "waveform"])
def test_a_record_stands_between_two_rests(kind):
    asked = {"chirp": {"amplitude_m": 0.01, "start_hz": 1.0, "end_hz": 5.0, "duration_s": 4.0}, "waveform": {}}
    t = 0.01 * np.arange(400)
    history = samples_of(0.01 * np.sin(2 * np.pi * t) * np.hanning(400), "displacement", interval_s=0.01)
    motion = wanted(FACTS, kind, asked[kind], history if kind == "waveform" else None)
    rest = round(REST_S / motion.interval_s)
    assert not motion.repeats
    assert np.ptp(motion.x[:rest]) == np.ptp(motion.x[-rest:]) == 0.0
    assert np.ptp(motion.x) > 0.015
    assert motion.seconds == pytest.approx(4.0 + 2 * REST_S, abs=0.1)


def test_a_move_is_not_learned():
    with pytest.raises(WrongUse, match="a move cannot be learned; these can: sine, triangle, chirp, waveform"):
        wanted(FACTS, "move", {"position_m": 0.01})


def test_where_a_record_hardly_moves_there_is_no_correction():
    t = np.arange(4000) * INTERVAL_S
    x = 0.01 * np.sin(2 * np.pi * 2 * t) * np.where((t > 2) & (t < 4), 1.0, 0.002)
    x[:500] = x[-500:] = 0.0
    motion = Wanted("", x, INTERVAL_S, 0.0, False)
    drive = motion.corrected(lines_of(np.full(4000, 1e-3)))
    assert (drive[:300] == x[:300]).all()
    assert drive[1250:1750] == pytest.approx(x[1250:1750] + 1e-3)
    assert (drive[2400:] == x[2400:]).all()


@given(st.integers(8, 400), st.integers(0, 2**31), st.booleans())
def test_lines_and_samples_are_the_same(count, seed, repeats):
    x = np.random.default_rng(seed).normal(size=count)
    motion = Wanted("", np.zeros(count), 1e-3, 0.0, True)
    assert motion.corrected(lines_of(x)) == pytest.approx(x, abs=1e-12)
    assert len(motion.hz) == len(lines_of(x))
