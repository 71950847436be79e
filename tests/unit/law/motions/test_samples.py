"""Histories are checked where they come in, and what is wrong is named by line and column."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.law.motions import read_csv, samples_of
from hilctl.law.motions.samples import FEWEST, MOST
from hilctl.params import BadValues


def table(head: str, rows: list[str], mark: str = ",") -> str:
    return "\n".join([head.replace(",", mark), *(r.replace(",", mark) for r in rows)])


ROWS = [f"{0.02 * i:.2f},{i % 3}" for i in range(12)]


@pytest.mark.parametrize(
    ("column", "quantity", "factor"),
    [
        ("acceleration_m_s2", "acceleration", 1.0),
        ("acceleration_g", "acceleration", 9.80665),
        ("acceleration_cm_s2", "acceleration", 0.01),
        ("displacement_m", "displacement", 1.0),
        ("displacement_mm", "displacement", 1e-3),
        ("displacement_cm", "displacement", 1e-2),
    ],
)
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_header_says_what_it_is_and_in_which_unit(column: str, quantity: str, factor: float, mark: str) -> None:
    samples = read_csv(table(f"time_s,{column}", ROWS, mark))
    assert samples.quantity == quantity
    assert samples.values == pytest.approx(factor * (np.arange(12) % 3))
    assert samples.times_s == pytest.approx(0.02 * np.arange(12))
    assert samples.interval_s == pytest.approx(0.02)


def test_comments_blank_lines_other_columns_and_an_offset_of_time_do_not_matter() -> None:
    rows = [f"x,{1000 + 20 * i},{i % 3}" for i in range(12)]
    text = "\ufeff# station 9\n\n" + table("note, time_ms ,acceleration_g", rows[:5])
    text += "\n\n# gap\n" + "\n".join(rows[5:])
    samples = read_csv(text)
    assert samples.times_s == pytest.approx(0.02 * np.arange(12))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must have a header"),
        ("# only\n", "must have a header"),
        (table("t,acceleration_g", ROWS), "f.csv line 1: 't, acceleration_g' refused, must have a time column"),
        (table("time_s,acceleration", ROWS), "did you mean 'acceleration_"),
        (table("time_s,acceleration_g,displacement_m", ROWS), "must have only one displacement or acceleration"),
        (table("time_s,time_ms,acceleration_g", ROWS), "must have only a time column"),
        (table("time_s,acceleration_g", ROWS[:3]), "3 samples"),
        (table("time_s,acceleration_g", [*ROWS[:4], "0.08,abc", *ROWS[5:]]),
         "f.csv line 6 column acceleration_g: 'abc' refused"),
        (table("time_s,acceleration_g", [*ROWS[:4], "0.08", *ROWS[5:]]), "f.csv line 6 column acceleration_g"),
        (table("time_s,acceleration_g", [*ROWS[:4], "0.08,nan", *ROWS[5:]]),
         "f.csv line 6 column acceleration_g: nan refused, must be finite"),
        (table("time_s,acceleration_g", [*ROWS[:4], "0.08,-inf", *ROWS[5:]]), "must be finite"),
        (table("time_s,acceleration_g", [*ROWS[:4], "nan,1", *ROWS[5:]]), "f.csv line 6 column time_s: nan"),
        (table("time_s,acceleration_g", [*ROWS[:4], "0.06,1", *ROWS[5:]]),
         "f.csv line 6 column time_s: 0.06 refused, must be later"),
        (table("time_s,acceleration_g", [*ROWS[:4], '"' + 150_000 * "x", *ROWS[5:]]),
         "f.csv line 6: '150001 characters' refused, must be at most 100000"),
        (table("# a\n\ntime_s,acceleration_g", [*ROWS[:4], "# b", "0.01,1", *ROWS[5:]]), "f.csv line 9 column time_s"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_line_and_column(text: str, said: str) -> None:
    with pytest.raises(BadValues) as refused:
        read_csv(text, "f.csv")
    assert said in str(refused.value)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(BadValues):
        read_csv(text)
    with pytest.raises(BadValues):
        read_csv("time_s,acceleration_g\n" + text)


@pytest.mark.parametrize(
    ("values", "more", "said"),
    [
        ([1.0] * (FEWEST - 1), {"interval_s": 0.1}, f"{FEWEST - 1} samples"),
        (np.zeros(MOST + 1), {"interval_s": 0.1}, f"{MOST + 1} samples"),
        ([0.0] * 10, {}, "interval_s"),
        ([0.0] * 10, {"interval_s": math.nan}, "interval_s"),
        ([0.0] * 10, {"times_s": range(9)}, "times_s"),
        ([0.0] * 10, {"times_s": [0, 1, 2, 3, 3, 4, 5, 6, 7, 8]}, r"times_s[4]"),
        ([0.0] * 4 + [math.inf] + [0.0] * 5, {"interval_s": 0.1}, "values[4]"),
        ([[0.0] * 10], {"interval_s": 0.1}, "list of numbers"),
        (["a"] * 10, {"interval_s": 0.1}, "list of numbers"),
    ],
)
def test_an_array_is_checked_likewise(values: object, more: dict[str, object], said: str) -> None:
    with pytest.raises(BadValues) as refused:
        samples_of(values, "displacement", **more)  # type: ignore[arg-type]
    assert said in str(refused.value)


def test_an_unknown_quantity_is_refused() -> None:
    with pytest.raises(BadValues, match="quantity"):
        samples_of([0.0] * 10, "velocity", interval_s=0.1)  # type: ignore[arg-type]
