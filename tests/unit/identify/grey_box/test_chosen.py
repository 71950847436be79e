"""What is asked of a model's parameters: laid over a rig's choices, and refused by name where it is none of them."""

import argparse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.cli.identify_choices import choices_of, options
from hilctl.errors import WrongUse
from hilctl.identify.grey_box.parameters import Fixed, Free, Tied, chosen
from hilctl.params import BadValues

BASE = {"m": Free(10.0, 1.0, 100.0), "Kc": Free(2e-12, 1e-13, 1e-11), "A": Fixed(4.0), "Ctc": Fixed(0.0)}
KEYS = {"m": "machine.m", "Kc": "machine.Kc", "A": "machine.A", "Ctc": "machine.leak"}


def asked(fixed=None, free=None, tied=None):
    return chosen(BASE, fixed=fixed or {}, free=free or {}, tied=tied or {}, keys=KEYS)


def words(*line):
    parser = argparse.ArgumentParser()
    options(parser)
    return choices_of(parser.parse_args(line))


def test_nothing_asked_for_leaves_the_rigs_choices():
    assert asked() == BASE


def test_any_parameter_is_fixed_freed_or_tied_by_its_name_or_its_key():
    made = asked(fixed={"machine.m": 12.0}, free={"A": None}, tied={"machine.leak": (0.1, {"machine.Kc": 1.0})})
    assert made == {
        "m": Fixed(12.0), "Kc": BASE["Kc"], "A": Free(4.0, 0.8, 20.0), "Ctc": Tied(0.1, {"Kc": 1.0}),
    }  # fmt: skip
    assert asked(free={"m": (5.0, 20.0)})["m"] == Free(10.0, 5.0, 20.0)
    assert asked(free={"m": (40.0, 90.0)})["m"] == Free(60.0, 40.0, 90.0), "the rig file's value lies outside"


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ({"fixed": {"mass": 3.0}}, r"fix\.mass.*no such parameter; there are m, Kc, A, Ctc"),
        ({"free": {"Kd": None}}, r"free\.Kd.*no such parameter.*Kc"),
        ({"tied": {"Ctc": (1.0, {"Kd": 1.0})}}, r"tie\.Ctc.*Kd.*no such parameter"),
        ({"fixed": {"m": 3.0}, "free": {"machine.m": None}}, r"free\.machine\.m.*is asked for by fix\.m as well"),
        ({"free": {"Ctc": None}}, r"free\.Ctc.*give its bounds"),
        ({"free": {"m": (5.0, 2.0)}}, r"free\.m.*5:2.*LOW:HIGH"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_by_name(what, says):
    with pytest.raises(BadValues, match=says):
        asked(**what)


def test_the_command_line_says_all_three():
    told = words("--fix", "m=12", "--free", "A", "Vt=5e-5:5e-4", "--tie", "Ctc=0.1*Kc", "--starts", "16")
    assert told == {
        "fixed": {"m": 12.0}, "free": {"A": None, "Vt": (5e-5, 5e-4)}, "tied": {"Ctc": (0.1, {"Kc": 1.0})},
        "starts": 16,
    }  # fmt: skip
    assert words("--tie", "B=m*beta^-1/Kc*2")["tied"] == {"B": (2.0, {"m": 1.0, "beta": -1.0, "Kc": -1.0})}


@given(st.floats(1e-9, 1e9), st.dictionaries(st.sampled_from(["m", "beta", "Kc"]), st.integers(-3, 3), min_size=1))
def test_a_tie_is_read_as_it_is_written(factor, powers):
    text = "*".join([repr(factor), *(f"{name}^{power}" for name, power in powers.items())])
    ((found, read),) = words("--tie", f"B={text}")["tied"].values()
    assert found == pytest.approx(factor, rel=1e-12)
    assert read == {name: float(power) for name, power in powers.items()}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (("--fix", "m=much"), "--fix m=much: must be a number"),
        (("--fix", "m=nan"), "must be a number"),
        (("--free", "m=3"), "must be NAME=LOW:HIGH; use --fix for a known value"),
        (("--free", "m=1:x"), "--free m=x: must be a number"),
        (("--free", "m", "m=1:2"), "m is given twice"),
        (("--tie", "m"), "must be NAME=FACTOR"),
        (("--tie", "m=3"), "follows no other parameter"),
        (("--tie", "m=3**Kc"), "numbers and names"),
        (("--tie", "m=*Kc"), "numbers and names"),
        (("--tie", "m=Kc^x"), "must be a number"),
    ],
)
def test_words_that_are_none_are_refused(line, says):
    with pytest.raises(WrongUse, match=says.replace("*", r"\*")):
        words(*line)
