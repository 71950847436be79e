"""What a study proposes to set: numbers that are known, not those that are as good as guessed."""

from types import SimpleNamespace

import pytest

from hilctl import rig as rigs
from hilctl.design.known import from_study
from hilctl.identify.dynamics.judge import doubt, proposed
from hilctl.params import BadValues

KEYS = {"wv": "machine.wv"}


def grey_of(*estimates, flags=()):
    fit = SimpleNamespace(
        estimates=[SimpleNamespace(**one) for one in estimates],
        flags=[SimpleNamespace(code=code, key=key) for code, key in flags],
    )
    return SimpleNamespace(fit=fit, keys=KEYS, mass=None)


@pytest.mark.parametrize(
    ("more", "sets"),
    [
        ({}, {"machine.wv": 600.0}), ({"low": 200.0, "high": 1000.0}, {}), ({"high": None}, {}), ({"at_bound": 1}, {}),
        ({"by": "fixed"}, {}), ({"value": None}, {}), ({"name": "delay"}, {}),
    ],
)  # fmt: skip
def test_only_what_is_known_is_set(more, sets):
    one = {"name": "wv", "value": 600.0, "low": 590.0, "high": 610.0, "by": "linear", "at_bound": 0, **more}
    assert proposed(grey_of(one)) == sets
    assert proposed(grey_of(one, {**one, "name": "droop", "at_bound": 1})) == {}
    # what follows the input has made the intervals as wide as they are
    assert proposed(grey_of(one, flags=[("coloured", "load_pressure"), ("follows", "load_pressure")])) == sets
    none = {**one, "name": "play", "value": 0.0, "at_bound": -1}
    assert proposed(grey_of(one, none, flags=[("none", "play")])) == sets


def test_a_model_in_which_something_had_to_be_hidden_is_doubted_by_name_and_its_numbers_tune_nothing():
    one = {"name": "wv", "value": 600.0, "low": 590.0, "high": 610.0, "by": "linear", "at_bound": 0}
    assert doubt(grey_of(one)) == ""
    assert "droop ended at a bound" in doubt(grey_of(one, {**one, "name": "droop", "at_bound": -1}))
    controller = rigs.load("table-500").controller
    grey = {"keys": KEYS, "fit": {"parameters": {"wv": one}}, "mass": None}
    assert from_study(controller, {"grey": grey}, "a study").controller.machine.wv == 600.0
    with pytest.raises(BadValues, match="holds no identified parameter"):
        from_study(controller, {"grey": {**grey, "doubt": "it is hidden"}}, "a study")
