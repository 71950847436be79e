import re
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hilctl.report.numbers import percent, plain, quantity, with_unit

PREFIXES = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9}


def read(text, shown_unit="", unit=""):
    """The number that a text stands for."""
    text = text.replace("\u202f", "").replace("−", "-")
    factor = 1.0
    raised = re.search(r"× 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text + shown_unit)
    if raised:
        factor = 10.0 ** int(raised[1].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    elif shown_unit != unit:
        factor = PREFIXES[shown_unit[0]]
    return float(text.split(" ×")[0]) * factor


@pytest.mark.parametrize(
    ("value", "low", "high", "unit", "shown"),
    [
        (285.774, 282.481, 289.067, "N", ("285.8", "[282.5, 289.1]", "N")),
        (3119.37, 3117.79, 3120.94, "N", ("3119.4", "[3117.8, 3120.9]", "N")),
        (9.02e8, 8.95e8, 9.08e8, "Pa", ("902.0", "[895.0, 908.0]", "MPa")),
        (9.98571e7, 9.73831e7, None, "N/m", ("99.9", "[97.4, open]", "MN/m")),
        (4.95e-12, 4.69e-12, 5.2e-12, "m³/(s·Pa)", ("4.95", "[4.69, 5.20]", "× 10⁻¹² m³/(s·Pa)")),
        (-4.5e-7, -1.134e-4, 1.125e-4, "s", ("0", "[−113, 112]", "µs")),
        (0.0, 0.0, 3.8e-5, "", ("0", "[0, 38]", "× 10⁻⁶")),
        (0.88, None, None, "", ("0.88", "", "")),
        (None, None, None, "kg", ("–", "", "kg")),
    ],
)
def test_digits_follow_the_interval_and_the_unit_the_size(value, low, high, unit, shown):
    assert quantity(value, low, high, unit) == shown


@given(value=st.floats(1e-12, 1e12), spread=st.floats(1e-5, 0.5), unit=st.sampled_from(["", "N", "Pa", "s", "m³/s"]))
def test_a_quantity_is_told_within_a_tenth_of_its_interval(value, spread, unit):
    low, high = value * (1 - spread), value * (1 + spread)
    shown, interval, scale = quantity(value, low, high, unit)
    ends = interval.strip("[]").split(", ")
    for text, number in ((shown, value), (ends[0], low), (ends[1], high)):
        assert abs(read(text, scale, unit) - number) <= 0.06 * spread * value


@given(st.floats(-1e15, 1e15).filter(lambda x: x == 0 or abs(x) > 1e-15))
def test_a_number_is_told_to_its_digits(x):
    assert abs(read(plain(x, 6)) - x) <= 0.5001e-5 * abs(x)


@given(st.floats(0, 1000))
@example(0.00075)
def test_percent_are_told_to_two_digits(x):
    shown = Decimal(percent(x).removesuffix("%").replace("\u202f", ""))
    assert abs(shown - Decimal(x)) <= max(Decimal("0.051") * Decimal(x), Decimal("5e-5"))  # exact: x may be halfway


@pytest.mark.parametrize(("x", "shown"), [(123.4, "123"), (17.03, "17.0"), (4.0, "4.0"), (0.0712, "0.071"), (0, "0.0")])
def test_percent_have_as_many_digits_as_one_reads(x, shown):
    assert percent(x) == f"{shown}\u202f%"


def test_what_was_not_told_is_a_dash():
    assert plain(None) == percent(None) == with_unit(None, "s") == "–"
