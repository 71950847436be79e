"""The linear servo's simulation, in a batch and in a loop, against long double and the equations themselves."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.params import BadValues
from hilctl.rt.jit import jit
from hilctl.servo import (
    BOUNDS,
    IDENTIFIED,
    SERVO_STATE,
    START,
    Hold,
    ServoStatus,
    State,
    discretise,
    paper_servo,
    rt_servo_begin,
    rt_servo_step,
    sensitivities,
    servo_record,
    simulate,
)
from tests.servo_truth import numbers, response

ALL = list(State)
RNG = np.random.default_rng(7)
LONG = np.c_[RNG.standard_normal(100_000), 100 * RNG.standard_normal(100_000)]  # V and N


def error(found, exact):
    """The greatest of any output, relative to that output's range."""
    return float((np.abs(found - exact).max(0) / np.ptp(exact.astype(float), axis=0)).max())


@pytest.mark.parametrize(
    ("rate_hz", "hold", "values"),
    [(1_000, Hold.first, START), (3_000, Hold.zero, IDENTIFIED), (10_000, Hold.first, IDENTIFIED)],
)
def test_a_hundred_thousand_samples_are_exact(rate_hz, hold, values):
    servo = paper_servo(values)
    found = simulate(servo, LONG[:, 0], 1 / rate_hz, Fd=LONG[:, 1], outputs=ALL, hold=hold)
    assert error(found, response(numbers(servo), 1 / rate_hz, LONG, held=hold == Hold.zero)) < 1e-12


def within(low, high):
    """Evenly over the decades between two bounds, or from a hundredth of the upper one where the lower is zero."""
    return st.floats(np.log(low or high / 100), np.log(high)).map(lambda x: float(np.exp(x)))


@settings(max_examples=20, deadline=None)
@given(
    st.fixed_dictionaries({name: within(*bounds) for name, bounds in BOUNDS.items()}),
    st.sampled_from([1e-5, 1e-4, 1e-3, 1e-2]),
)
def test_any_servo_within_the_papers_bounds_is_exact(values, dt_s):
    try:
        servo = paper_servo(values)
    except BadValues as refused:
        assert "unstable" in str(refused)  # noqa: PT017
        return
    found = simulate(servo, LONG[:500, 0], dt_s, Fd=LONG[:500, 1], outputs=ALL)
    assert error(found, response(numbers(servo), dt_s, LONG[:500])) < 1e-10


def test_stiff_and_far_apart_scales_stay_exact():
    servo = paper_servo(m=0.01, ws=15_000.0, beta=2e9, T1=0.0, T2=1e-4, KL=1e7)
    found = simulate(servo, LONG[:500, 0], 1e-4, Fd=LONG[:500, 1], outputs=ALL)
    assert error(found, response(numbers(servo), 1e-4, LONG[:500])) < 1e-9


def test_it_begins_where_it_is_told():
    servo = paper_servo()
    begin = np.array([0.1, -0.2, 30.0, 1e-5, 1e-3, 1e6, 2e-3, -0.1, 0.3])
    found = simulate(servo, LONG[:200, 0], 1e-3, Fd=LONG[:200, 1], outputs=ALL, initial=begin)
    np.testing.assert_allclose(found[0], begin, rtol=1e-12)
    assert error(found, response(numbers(servo), 1e-3, LONG[:200], initial=begin)) < 1e-12


def test_the_outputs_come_in_the_order_asked_for():
    servo = paper_servo()
    every = simulate(servo, LONG[:50, 0], 1e-3, outputs=ALL)
    two = simulate(servo, LONG[:50, 0], 1e-3, outputs=[State.load_pressure, State.displacement])
    np.testing.assert_array_equal(two, every[:, [5, 6]])
    np.testing.assert_array_equal(simulate(servo, LONG[:50, 0], 1e-3), every[:, 6:7])


def test_holding_the_input_delays_by_half_a_sample():
    servo, hz, dt_s = paper_servo(), 20.0, 1e-3
    t = np.arange(2000) * dt_s
    turning = np.exp(-2j * np.pi * hz * t[1000:])
    u = np.sin(2 * np.pi * hz * t)
    zero, first = (simulate(servo, u, dt_s, hold=hold)[1000:, 0] @ turning for hold in Hold)
    assert np.angle(first / zero) == pytest.approx(np.pi * hz * dt_s, rel=1e-3)


def loop(step, inputs, begin=None):
    """The displacement and all states as a loop sees them."""
    c, s = servo_record(step), np.zeros(1, SERVO_STATE)[0]
    if begin is not None:
        s.x[:] = begin
    seen = np.zeros((len(inputs), 9))
    run(c, s, inputs, seen)
    return seen


@jit()
def run(c, s, inputs, seen):
    rt_servo_begin(c, s, inputs[0, 0], inputs[0, 1])
    for i in range(9):
        seen[0, i] = s.x[i]
    for k in range(1, len(inputs)):
        rt_servo_step(c, s, inputs[k, 0], inputs[k, 1])
        for i in range(9):
            seen[k, i] = s.x[i]


@pytest.mark.parametrize("hold", list(Hold))
def test_the_loop_does_what_the_batch_does(hold):
    servo, begin = paper_servo(), np.array([0.1, -0.2, 30.0, 1e-5, 1e-3, 1e6, 2e-3, -0.1, 0.3])
    inputs = np.ascontiguousarray(LONG[:300])
    batch = simulate(servo, inputs[:, 0], 1e-3, Fd=inputs[:, 1], outputs=ALL, hold=hold, initial=begin)
    seen = loop(discretise(servo, 1e-3, hold), inputs, begin)
    np.testing.assert_allclose(seen, batch, rtol=1e-13, atol=1e-15 * np.abs(batch).max())


def test_an_input_that_is_no_number_moves_nothing():
    begin, step = (getattr(function, "__wrapped__", function) for function in (rt_servo_begin, rt_servo_step))
    c, s = servo_record(discretise(paper_servo(), 1e-3)), np.zeros(1, SERVO_STATE)[0]
    assert begin(c, s, 0.0, np.nan) == ServoStatus.not_finite
    assert begin(c, s, 1.0, 2.0) == ServoStatus.ok
    assert step(c, s, 1.0, 2.0) == ServoStatus.ok
    before = s.tobytes()
    for bad in ((np.nan, 0.0), (0.0, np.inf)):
        assert step(c, s, *bad) == ServoStatus.not_finite
    assert s.tobytes() == before


def short_record():
    """What both, compiled and plain, can do in a moment."""
    u = np.sin(np.arange(40.0))
    made = sensitivities(paper_servo(), ["m", "beta"], u, 1e-3, Fd=100 * u)
    return [each.tolist() for each in made]


def test_plain_python_gives_the_same():
    code = "from tests.unit.servo.test_exact import short_record; print(short_record())"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    for compiled, plain in zip(short_record(), json.loads(ran.stdout), strict=True):
        assert (np.abs(np.array(compiled) - plain) / np.abs(plain).max(0)).max() < 1e-13
