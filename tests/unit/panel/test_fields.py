"""What is typed into a field becomes its value, or a sentence that says what is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.panel.fields import parsed, text_of
from hilctl.panel.units import shown

SPEED = {"key": "speed_m_s", "kind": "float", "unit": "m/s", "low": 0.0, "high": 20.0, "required": True}
CYCLES = {"key": "cycles", "kind": "int", "unit": "", "low": 0, "high": 10, "required": False}
LAW = {"key": "law", "kind": "choice", "unit": "", "choices": ["linear", "log"], "required": False}
FLAG = {"key": "on", "kind": "bool", "unit": "", "required": False}


@given(st.floats(0.0, 20.0))
def test_a_number_that_is_shown_is_read_back(value):
    assert parsed(SPEED, text_of(value))[0] == pytest.approx(value, rel=1e-11, abs=0.0)


@pytest.mark.parametrize(
    ("declared", "typed", "said"),
    [
        (SPEED, "", "required: 0 to 20 m/s"), (SPEED, "fast", "'fast' is not a number"),
        (SPEED, "20.1", "20.1, must be 0 to 20 m/s"), (SPEED, "nan", "must be 0 to 20 m/s"),
        (SPEED, "inf", "must be 0 to 20 m/s"), (CYCLES, "2.5", "'2.5' is not a whole number"),
        (CYCLES, "-1", "must be 0 to 10"), (LAW, "cubic", "one of linear | log"), (FLAG, "maybe", "true or false"),
    ],
)  # fmt: skip
def test_what_is_wrong_names_key_value_and_what_is_accepted(declared, typed, said):
    _, why = parsed(declared, typed)
    assert said in why
    assert declared["key"] in why


@pytest.mark.parametrize(
    ("declared", "typed", "value"),
    [(SPEED, "0,5", 0.5), (CYCLES, " 3 ", 3), (CYCLES, "", None), (LAW, "log", "log"), (FLAG, "True", True)],
)
def test_what_is_right_is_taken(declared, typed, value):
    assert parsed(declared, typed) == (value, "")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.012345, "m", "12.35 mm"), (3.2e6, "Pa", "3.2 MPa"), (17_500.0, "ns", "17.5 µs"), (0.0, "N", "0 N"),
        (40.0, "°C", "40 °C"), (0.0004, "", "0.0004"), (float("nan"), "m", "–"), (None, "m", "–"),
        (-999.99, "N", "-1 kN"), (1e-15, "m", "1e-06 nm"),
    ],
)  # fmt: skip
def test_a_number_has_its_unit_with_a_prefix(value, unit, text):
    assert shown(value, unit) == text
