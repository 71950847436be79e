"""A notch takes out what it is designed to, nothing while it is off, and never jumps."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl import rig as rigs
from hilctl.design.loop import Plant, gains_of, is_stable, margins, open_loop
from hilctl.design.notch_linear import matrices, response
from hilctl.law.notch import NOTCHES, Notch, rt_notches
from hilctl.law.settings import SETTINGS, Controller, Law
from hilctl.params import BadValues, assign, check, pack
from hilctl.rt.jit import jit

RIG = rigs.load("table-500")
DT_S = 1e-3


@jit()
def _rt_pass(laws: Any, which: Any, openings: Any, periods: int, s: Any, out: Any) -> None:
    for k in range(len(openings)):
        out[k] = rt_notches(laws[which[k]].law, openings[k], 1e-3, periods, s)


def passed(openings: Any, *laws: Law, which: Any = None, periods: int = 1) -> Any:
    """What is left of a series of openings; `which` of the laws holds at each."""
    packed = np.zeros(len(laws), SETTINGS)
    for record, law in zip(packed, laws, strict=True):
        pack(law, record["law"])
    out, state = np.zeros(len(openings)), np.zeros(1, NOTCHES)[0]
    which = np.zeros(len(openings), np.int64) if which is None else which
    _rt_pass(packed.view(np.recarray), which, np.asarray(openings, float), periods, state, out)
    return out


def law_of(*notches: tuple[float, float, float]) -> Law:
    """A law with these notches: frequency, depth, width."""
    made = [Notch(frequency_hz=f, depth_db=d, width=w) for f, d, w in notches]
    return Law(**{f"notch_{k + 1}": each for k, each in enumerate(made)})


NOTCH = st.tuples(st.floats(2.0, 400.0), st.floats(0.5, 60.0), st.floats(0.05, 2.0))


@settings(max_examples=40, deadline=None)
@given(st.lists(NOTCH, min_size=1, max_size=3))
def test_the_response_is_as_designed_and_as_the_matrices_say(notches: list[tuple[float, float, float]]) -> None:
    law = law_of(*notches)
    impulse = np.zeros(1 << 15)
    impulse[0] = 1.0
    out = passed(impulse, law)
    hz = np.fft.rfftfreq(len(out), DT_S)
    expected = response(law, hz, DT_S)
    assert np.allclose(np.fft.rfft(out), expected, atol=2e-3)
    a, b, c, d = matrices(law, DT_S)
    z = np.exp(2j * np.pi * 37.0 * DT_S)
    by_matrices = d + c @ np.linalg.solve(z * np.eye(len(a)) - a, b)
    assert by_matrices == pytest.approx(response(law, 37.0, DT_S), abs=1e-9)


def test_it_is_as_deep_as_declared_where_declared_and_nothing_far_away() -> None:
    law = law_of((50.0, 30.0, 0.4))
    assert 20 * np.log10(abs(response(law, 50.0, DT_S))) == pytest.approx(-30.0, abs=1e-9)
    assert abs(response(law, np.array([0.0, 0.5, 499.0]), DT_S)) == pytest.approx([1.0, 1.0, 1.0], abs=1e-3)
    deep = law_of((50.0, 60.0, 0.4))
    sides = np.abs(response(deep, np.linspace(30.0, 75.0, 4501), DT_S)) < np.sqrt(0.5)
    assert np.count_nonzero(sides) * 0.01 == pytest.approx(0.4 * 50.0, rel=0.02)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.floats(1.0, 400.0), st.floats(0.05, 2.0))
def test_off_takes_nothing_to_the_last_bit(seed: int, hz: float, width: float) -> None:
    openings = np.random.default_rng(seed).standard_normal(200)
    openings[::7] = -0.0
    assert passed(openings, law_of((hz, 0.0, width))).tobytes() == openings.tobytes()


def test_in_a_whole_course_off_changes_no_bit_and_on_it_acts_on_the_command(table: Any) -> None:
    rig = table()
    rig.arm()
    rig.track("sine", amplitude_m=0.01, frequency_hz=2.0, cycles=4)
    rows = rig.run(1.1)  # with reversals, at which the opening moves fastest by itself
    assert rows.u_notched.tobytes() == rows.u_law.tobytes()
    assert np.ptp(rows.u_law) > 0.01
    before = np.abs(np.diff(rows.u_cmd)).max()
    rig.set(law__notch_1__depth_db=40.0, law__notch_1__frequency_hz=20.0, law__notch_1__width=1.0)
    on = rig.run(0.6)
    assert np.abs(np.diff(on.u_cmd)).max() < 1.15 * before
    assert np.abs(on.u_notched - on.u_law)[-100:].max() > 1e-3
    rig.set(law__notch_1__depth_db=0.0)
    off = rig.run(1.5)
    assert np.abs(np.diff(off.u_cmd)).max() < 1.15 * before
    assert off.u_notched[-100:].tobytes() == off.u_law[-100:].tobytes()


@settings(max_examples=30, deadline=None)
@given(st.floats(10.0, 200.0), st.floats(0.3, 2.0), st.booleans())
def test_switched_at_once_it_neither_jumps_nor_stays(hz: float, width: float, on_first: bool) -> None:
    """Without any blend. A constant opening goes through undisturbed; a slow one is disturbed by what is slow."""
    laws = (law_of((hz, 40.0, width)), law_of((hz, 0.0, width)))
    which = (np.arange(6000) >= 3000).astype(np.int64)
    if not on_first:
        which = 1 - which
    still = passed(np.full(6000, 0.3), *laws, which=which)
    assert np.abs(still[2900:] - 0.3).max() < 1e-6
    ramp = passed(1e-4 * np.arange(6000.0), *laws, which=which)
    step = np.diff(ramp)[2900:]
    assert np.abs(step - 1e-4).max() < 2.2e-4
    if on_first:
        assert ramp[-1] == 1e-4 * 5999


def test_over_skipped_ticks_the_last_opening_was_held() -> None:
    law = law_of((30.0, 20.0, 0.7), (80.0, 10.0, 0.3))
    openings = np.random.default_rng(3).standard_normal(100)
    held = np.concatenate([np.repeat(np.concatenate([[0.0], openings[:-1]])[:, None], 2, 1), openings[:, None]], 1)
    assert passed(openings, law, periods=3) == pytest.approx(passed(held.ravel(), law)[2::3], abs=1e-12)


def test_the_linear_loop_contains_them() -> None:
    trial = assign(RIG.controller, {"law.notch_1.depth_db": 20.0, "law.notch_1.frequency_hz": 44.0})
    plant = Plant(RIG.tables.machine, 3251.0, 0.0)
    bare, with_it = (open_loop(plant, c, RIG.dt_s, "three_state") for c in (RIG.controller, trial))
    factor = response(trial.law, bare.w / (2 * np.pi), RIG.dt_s)
    assert np.allclose(with_it.features, bare.features * factor[:, None], rtol=1e-6, atol=1e-12)
    deep = assign(trial, {"law.notch_1.width": 2.0, "law.notch_1.depth_db": 60.0, "law.notch_1.frequency_hz": 10.0})
    assert margins(RIG.controller, RIG.friction, RIG.dt_s, nominal_only=True).stable
    assert not is_stable(open_loop(plant, deep, RIG.dt_s, "three_state"), gains_of(deep, "three_state"))


def test_a_notch_without_room_is_refused_with_its_key() -> None:
    with pytest.raises(BadValues, match=r"law\.notch_2\.frequency_hz: 480.0 refused, .*450 Hz"):
        rigs.load("table-500", changes={"law.notch_2.frequency_hz": 480.0, "law.notch_2.depth_db": 6.0})
    rigs.load("table-500", changes={"law.notch_2.frequency_hz": 480.0})
    with pytest.raises(BadValues, match=r"notch_3\.depth_db: -3.0 refused"):
        check(Controller, {"law": {"notch_3": {"depth_db": -3.0}}})
