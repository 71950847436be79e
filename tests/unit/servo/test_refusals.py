"""What the linear servo refuses, by which key, and why."""

import numpy as np
import pytest

from hilctl.params import BadValues, check, plain
from hilctl.servo import (
    KNOWN,
    START,
    Servo,
    State,
    discretise,
    frequency_response,
    matrices,
    paper_servo,
    sensitivities,
    simulate,
)

U = np.zeros(10)
NAN_AT_3 = np.r_[0.0, 0.0, 0.0, np.nan, 0.0]


def refusal(action):
    with pytest.raises(BadValues) as refused:
        action()
    return [(problem.key, str(problem)) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"m": 0.0}, "servo.m"),
        ({"beta": 1e12}, "servo.beta"),
        ({"Kc": -1e-12}, "servo.Kc"),
        ({"T4": 0.0}, "servo.T4"),
        ({"xis": float("nan")}, "servo.xis"),
        ({"wz": 1.0}, "servo.wz"),
    ],
)
def test_parameters_out_of_bounds(changes, key):
    ((refused, text),) = refusal(lambda: paper_servo(**changes))
    assert refused == key
    assert "must be" in text or "no such key" in text


def test_a_servo_that_lacks_a_parameter():
    table = plain(paper_servo())
    del table["Kd"]
    ((key, text),) = refusal(lambda: check(Servo, table, "servo"))
    assert key == "servo.Kd"
    assert text.startswith("servo.Kd: missing; gain of the displacement transducer")


def test_an_unstable_servo_is_told_its_poles_and_its_gain():
    ((key, text),) = refusal(lambda: paper_servo(START, Ki=0.02))
    assert key == "servo.Ki"
    worst = np.linalg.eigvals(matrices(Servo(**{**KNOWN, **START, "Ki": 0.02}))[0])
    worst = worst[worst.real.argmax()]
    assert f"unstable, poles at {worst.real:.4g} ± {abs(worst.imag):.4g}j 1/s" in text
    assert "= 216 1/s" in text


@pytest.mark.parametrize(
    "use", [lambda s: simulate(s, U, 1e-3), lambda s: discretise(s, 1e-3), lambda s: frequency_response(s, [1.0])]
)
def test_a_servo_made_by_hand_is_checked_where_it_is_used(use):
    ((key, _),) = refusal(lambda: use(Servo(**{**plain(paper_servo()), "m": -1.0})))
    assert key == "servo.m"


@pytest.mark.parametrize(
    ("use", "key"),
    [
        (lambda s: simulate(s, NAN_AT_3, 1e-3), "ui[3]"),
        (lambda s: simulate(s, U[:5], 1e-3, Fd=NAN_AT_3), "Fd[3]"),
        (lambda s: sensitivities(s, ["m"], [0.0, np.inf], 1e-3), "ui[1]"),
        (lambda s: simulate(s, U, 1e-3, initial=np.full(9, np.nan)), "initial[0]"),
        (lambda s: simulate(s, U, 1e-3, initial=[1.0]), "initial"),
        (lambda s: simulate(s, U, 1e-3, Fd=[0.0]), "Fd"),
        (lambda s: simulate(s, [], 1e-3), "ui"),
        (lambda s: simulate(s, np.zeros((3, 2)), 1e-3), "ui"),
        (lambda s: simulate(s, U, 0.0), "dt_s"),
        (lambda s: simulate(s, U, float("nan")), "dt_s"),
        (lambda s: simulate(s, U, 1e-3, outputs=[]), "outputs"),
        (lambda s: sensitivities(s, [], U, 1e-3), "free"),
        (lambda s: sensitivities(s, ["mass"], U, 1e-3), "free"),
        (lambda s: sensitivities(s, ["m", "m"], U, 1e-3), "free"),
        (lambda s: frequency_response(s, [-1.0]), "hz"),
        (lambda s: frequency_response(s, [np.nan]), "hz"),
        (lambda s: frequency_response(s, [1.0], source="uj"), "source"),
    ],
)
def test_inputs_that_cannot_be(use, key):
    ((refused, _),) = refusal(lambda: use(paper_servo()))
    assert refused == key


def test_an_output_that_is_no_state():
    with pytest.raises(ValueError, match="9 is not a valid State"):
        simulate(paper_servo(), U, 1e-3, outputs=[9])
    assert simulate(paper_servo(), U, 1e-3, outputs=[State.velocity]).shape == (10, 1)
