"""A stored result is read back as it was, or refused with the place in the file."""

import json
import math

import msgspec
import numpy as np
import pytest

from hilctl import __version__
from hilctl.errors import WrongUse
from hilctl.results.commissioned import FORMAT, PARTS, Commissioned, Missing, has
from hilctl.results.document import rows, schema
from hilctl.results.proof import Learned, Repeat, Thd
from hilctl.results.quantity import Flag, Quantity, quantity, unsure
from hilctl.results.stored import as_json, decoded, read


def test_what_is_written_is_read_as_it_was_and_numbers_that_are_not_finite_are_null():
    told = Commissioned(rig="r", thd={"0.5": Thd(0.08, np.float64(18.0))}, plant={"m": Quantity(1.0, unit="kg")},
                        missing={"sines": Missing("late", "hilctl")})  # fmt: skip
    assert decoded(as_json(told), "x") == told
    told.thd["0.5"].after = math.nan
    assert json.loads(as_json(told))["thd"]["0.5"]["after"] is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"thd": {"1": {"amplitude_m": 1.0}, "2.5": {"amplitude_m": "x"}}}, "thd.2.5.amplitude_m: Expected `float`"),
        ({"plant": {"m": {"value": 1.0, "origin": "guessed"}}}, "plant.m.origin: Invalid enum value 'guessed'"),
        ({"tracking": [{"kind": "sine"}]}, "tracking.0: Object missing required field `name`"),
        ({"thd": {"one": {"amplitude_m": 1.0}}}, "`key` in `$.thd`"),
        ({"rig": 3}, "rig: Expected `str`, got `int`"),
        ({"format": 1}, f"is of format 1, this version reads {FORMAT}"),
        ({"format": None}, "is a result without a format"),
    ],
)  # fmt: skip
def test_what_is_not_as_declared_is_refused_with_its_path(change, says, tmp_path):
    file = tmp_path / "commission.json"
    file.write_bytes(msgspec.json.encode({**json.loads(as_json(Commissioned())), **change}))
    with pytest.raises(WrongUse) as refused:
        read(file)
    assert str(refused.value).startswith(str(file)) and says in str(refused.value)


def test_a_result_from_before_formats_is_refused_as_that():
    early = msgspec.json.encode({"rig": "table-500", "versions": {"hilctl": "0.1.0"}, "stages": []})
    with pytest.raises(WrongUse, match=rf"^f is a result without a format, as early .*, this version reads {FORMAT}; "):
        decoded(early, "f")
    with pytest.raises(WrongUse, match="holds no result of a commissioning"):
        decoded(b'{"rig": "table-500"}', "f")


def test_a_result_that_another_version_wrote_is_refused_with_both():
    other = msgspec.json.encode({"format": FORMAT, "rig": 3, "versions": {"hilctl": "0.0.9"}})
    with pytest.raises(WrongUse, match=rf"^f, written by hilctl 0\.0\.9, read by {__version__}: rig: Expected `str`"):
        decoded(other, "f")


def test_a_file_that_is_cut_off_or_absent_is_refused(tmp_path):
    file = tmp_path / "commission.json"
    with pytest.raises(WrongUse, match=r"commission.json cannot be read: No such file"):
        read(file)
    file.write_bytes(as_json(Commissioned())[:50])
    with pytest.raises(WrongUse, match=r"is no JSON file, or damaged: Input data was truncated"):
        read(file)


def test_rows_that_belong_together_have_one_length():
    learned = {"name": "n", "frequency_hz": 1.0, "repeats": [], "best": 0, "reached": True, "why": ""}
    with pytest.raises(WrongUse, match=r"learning.1: best must be an index of 0 repeats, is 0"):
        decoded(msgspec.json.encode({"format": FORMAT, "learning": {"1": learned}}), "f")
    assert Learned("n", 1.0, [Repeat(0.4, 1.0, 0.0)], 0, True, "").percent == 0.4


def test_an_open_end_is_none_and_a_wider_interval_keeps_it():
    q = quantity(2.0, 1.0, math.inf, "N", "a motion", before=3)
    assert (q.low, q.high, q.bounds, q.identified, q.before) == (1.0, None, (1.0, math.inf), True, 3.0)
    assert (q.wider(2.0).low, q.wider(2.0).high) == (0.0, None)
    assert Quantity(1.0, high=2.0).bounds == (-math.inf, 2.0)
    assert not unsure({"q": q})["q"].identified and q.withheld().value is None
    assert str(Flag("c", "k", "what", "do")) == "what; do" and str(Flag("c", "k", "what")) == "what"


def test_every_part_can_be_had_and_none_is_had_of_nothing():
    assert not any(has(Commissioned(), part) for part in PARTS)
    assert has(Commissioned(plant={"m": Quantity(1.0)}), "plant")


def test_the_schema_names_what_programs_read():
    made = json.loads(schema())["$defs"]
    assert {"friction", "plant", "thd", "tracking", "rig_seconds", "wall_seconds", "warnings"} <= set(
        made["Commissioned"]["properties"]
    )
    assert {"value", "low", "high"} <= set(made["Quantity"]["properties"])
    assert {"before", "after", "factor"} <= set(made["Thd"]["properties"])
    assert "[Quantity](#quantity) by name" in rows()
