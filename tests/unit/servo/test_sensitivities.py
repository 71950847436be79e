"""How the linear servo's response depends on its parameters: against complex steps in long double."""

import numpy as np
import pytest

from hilctl.servo import BOUNDS, IDENTIFIED, START, Hold, Servo, State, paper_servo, sensitivities, simulate
from tests.servo_truth import numbers, response

EVERY = Servo.__struct_fields__
ALL = list(State)
RNG = np.random.default_rng(11)
U, PUSH = RNG.standard_normal(600), 100 * RNG.standard_normal(600)
STEP = np.longdouble("1e-1000")  # far below every digit of a parameter: the derivative is the imaginary part


def truth(servo, free, dt_s, **options):
    """The derivatives of all nine states, [sample, state, parameter]."""
    out = []
    for name in free:
        p = numbers(servo, np.clongdouble)
        setattr(p, name, getattr(p, name) + np.clongdouble(1j) * STEP)
        out.append((response(p, dt_s, np.c_[U, PUSH], **options).imag / STEP).astype(float))
    return np.stack(out, axis=2)


@pytest.mark.parametrize(
    ("dt_s", "hold", "values"), [(1e-3, Hold.first, IDENTIFIED), (1e-4, Hold.zero, START)], ids=["first", "zero"]
)
def test_the_derivative_by_every_parameter_is_exact(dt_s, hold, values):
    servo, begin = paper_servo(values), np.array([0.1, -0.2, 30.0, 1e-5, 1e-3, 1e6, 2e-3, -0.1, 0.3])
    found, jacobian = sensitivities(servo, EVERY, U, dt_s, Fd=PUSH, outputs=ALL, hold=hold, initial=begin)
    exact = truth(servo, EVERY, dt_s, held=hold == Hold.zero, initial=begin)
    assert (np.abs(jacobian - exact).max(0) / np.abs(exact).max(0)).max() < 1e-10
    plain = simulate(servo, U, dt_s, Fd=PUSH, outputs=ALL, hold=hold, initial=begin)
    np.testing.assert_array_equal(found, plain)


def test_a_parameter_at_zero_has_a_derivative():
    servo = paper_servo(Kc=0.0, Ctc=0.0, B=0.0, T1=0.0)
    free = ["Kc", "Ctc", "B", "T1"]
    jacobian = sensitivities(servo, free, U, 1e-3, Fd=PUSH, outputs=ALL)[1]
    exact = truth(servo, free, 1e-3)
    assert (np.abs(jacobian - exact).max(0) / np.abs(exact).max(0)).max() < 1e-10


def test_a_derivative_is_the_same_alone_and_among_others():
    servo = paper_servo()
    together = sensitivities(servo, ["m", "T5", "beta"], U, 1e-3)[1]
    alone = sensitivities(servo, ["beta"], U, 1e-3)[1]
    np.testing.assert_allclose(together[:, :, 2], alone[:, :, 0], rtol=0, atol=1e-13 * np.abs(alone).max())


def singular_values(outputs):
    """Of the Jacobian by the paper's eight parameters, each relative to its value and each output to its range."""
    values, jacobian = sensitivities(paper_servo(), list(BOUNDS), np.tile(U, 4), 1e-3, outputs=outputs)
    relative = jacobian * [IDENTIFIED[name] for name in BOUNDS] / np.ptp(values, axis=0)[None, :, None]
    columns = relative.reshape(-1, len(BOUNDS))
    return np.linalg.svd(columns, compute_uv=False) / np.linalg.norm(columns)


@pytest.mark.parametrize(
    ("outputs", "rank"), [([State.displacement], 6), ([State.displacement, State.load_pressure], 7)], ids=["x", "x, pL"]
)
def test_the_papers_parameters_cannot_all_be_told_apart(outputs, rank):
    found = singular_values(outputs)
    assert found[rank - 1] > 1e-5
    assert found[rank:].max() < 1e-11


def test_what_displacement_cannot_tell_apart_changes_nothing():
    servo, less = paper_servo(), 0.8
    scaled = {"beta": less, "m": less, "B": less, "KL": less, "Kc": 1 / less, "Ctc": 1 / less}
    twin = paper_servo(**{name: getattr(servo, name) * factor for name, factor in scaled.items()})
    one, other = (simulate(each, U, 1e-3)[:, 0] for each in (servo, twin))
    assert np.abs(one - other).max() < 1e-12 * np.ptp(one)
    gradient = sensitivities(servo, list(scaled), U, 1e-3)[1][:, 0]
    along = gradient * [getattr(servo, name) * (1 if factor < 1 else -1) for name, factor in scaled.items()]
    assert np.abs(along.sum(1)).max() < 1e-11 * np.abs(along).max()
