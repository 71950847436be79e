"""A key of [twin] is a parameter of the unit where its effect on the record is known, and only there."""

import numpy as np
import pytest

from hilctl.bench.fmu import rig_under
from hilctl.fmu import parameters
from hilctl.fmu.parameters import filled, parameters_of, put
from hilctl.friction import MODELS, linear_models
from hilctl.rig import load


def _applied(start, found, values):
    """The record by the table, as C applies it."""
    words = start.copy()
    for effect in found.effects:
        x, x0 = values[effect.parameter], found.listed[effect.parameter].start
        for k in range(effect.word, effect.word + effect.words):
            words[k] = effect.a + effect.b * x if effect.rule == "SET" else words[k] * (x / x0) ** effect.b
    return words


@pytest.mark.parametrize("preset", ["table-500", "column-50", "press-1500"])
def test_at_the_ends_of_its_range_a_parameter_gives_what_the_key_gives(preset):
    rig = load(preset, twin=True)
    config, start = rig.driver_config, filled(rig.driver_config, rig.dt_s)
    found = parameters_of(config, rig.dt_s)
    for k, one in enumerate(found.listed):
        for x in (one.low, one.high):
            values = [p.start for p in found.listed]
            values[k] = x
            wanted = filled(put(config, one.name.removeprefix("twin."), x), rig.dt_s)
            shown = slice(-len(config.sensors.__struct_fields__), None)
            np.testing.assert_allclose(
                _applied(start, found, values)[: shown.start], wanted[: shown.start], rtol=1e-11, err_msg=one.name
            )


_FIRST = ("karnopp", "bliman-sorine-2", "gms")
_REST = (pytest.param(one, marks=[pytest.mark.slow, pytest.mark.many]) for one in linear_models() if one not in _FIRST)


@pytest.mark.parametrize("model", [*_FIRST, *_REST])
def test_the_numbers_of_every_friction_model_are_parameters(model):
    rig = rig_under("table-500", model)
    names = {one.name for one in parameters_of(rig.driver_config, rig.dt_s).listed}
    numbers = {f"twin.friction.{key}" for key, value in MODELS[model].typical.items() if isinstance(value, float)}
    assert numbers <= names
    assert {"twin.machine.m", "twin.machine.A", "twin.machine.beta", "twin.valve.null_bias"} <= names


def test_a_key_that_several_words_are_sums_of_is_no_parameter():
    rig = load("table-500", twin=True)
    names = {one.name for one in parameters_of(rig.driver_config, rig.dt_s).listed}
    assert names.isdisjoint({"twin.machine.wv", "twin.sensors.acceleration.bandwidth_hz", "twin.supply.rise_s"})
    assert "twin.cylinder.position_m" not in names


def test_keys_between_which_the_greater_counts_are_not_both_parameters():
    """The leakage at null is the greater of two figures; half the flow at twice the pressure lets the other count."""
    machine = load("table-500", twin=True).tables.machine
    rig = load("table-500", twin=True, changes={"twin.machine.Kc": 0.4e-3 * machine.Qn / machine.Ps})
    names = {one.name for one in parameters_of(rig.driver_config, rig.dt_s).listed}
    assert len(names & {"twin.machine.Qn", "twin.machine.Ps", "twin.valve.null_leakage"}) < 3
    assert "twin.machine.m" in names


def test_keys_that_have_an_effect_only_together_are_not_both_parameters(monkeypatch):
    """A spring acts on the initial pressures where the table does not begin in its middle."""
    monkeypatch.setattr(parameters, "_INITIAL", ())
    rig = load("table-500", twin=True)
    names = {one.name for one in parameters_of(rig.driver_config, rig.dt_s).listed}
    assert len(names & {"twin.machine.K", "twin.cylinder.position_m"}) == 1
    assert {"twin.machine.m", "twin.machine.A"} <= names


def test_a_parameter_with_a_share_in_the_initial_state_is_fixed():
    """On a vertical axis the trapped oil carries the weight from the start."""
    vertical, level = (
        {p.name: p for p in parameters_of(rig.driver_config, rig.dt_s).listed}
        for rig in (load("column-50", twin=True), load("table-500", twin=True))
    )
    assert not vertical["twin.machine.m"].tunable
    assert level["twin.machine.m"].tunable


def test_keys_that_act_on_a_word_as_a_sum_are_found_though_they_start_at_zero():
    """A spring acts on the initial pressure where the table begins off its middle."""
    rig = load("table-500", twin=True, changes={"twin.cylinder.position_m": 0.05, "twin.machine.K": 1e5})
    start = filled(rig.driver_config, rig.dt_s)
    found = parameters_of(rig.driver_config, rig.dt_s)
    values = [p.start * (1.1 if p.name == "twin.machine.K" else 1.0) for p in found.listed]
    wanted = filled(put(rig.driver_config, "machine.K", 1.1e5), rig.dt_s)
    at = [k for k in range(len(start)) if start[k] != wanted[k] and not np.isnan(start[k])]
    np.testing.assert_allclose(_applied(start, found, values)[at][:-1], wanted[at][:-1], rtol=1e-11)
