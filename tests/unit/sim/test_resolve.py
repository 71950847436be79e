"""[twin]: what it says, what it takes from the nominal tables, what it refuses."""

import pytest

from firmware_bridge.driver import RigFacts
from hilctl import rig
from hilctl.friction import MODELS, check_friction, linear_models
from hilctl.params import BadValues, leaves
from sim.resolve import config_of, resolve
from sim.sensors import filter_delay_s

MACHINE = {
    "m": 500.0, "A": 3e-3, "Vt": 8.5e-4, "stroke_m": 0.1, "beta": 9e8, "Ctc": 5e-12, "Ps": 21e6,
    "Qn": 4.6e-3, "wv": 643.0, "zv": 0.88,
}  # fmt: skip
FRICTION = {"model": "karnopp", "fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0, "delta": 1.5}
SENSORS = {
    "displacement": {"low": -1, "high": 1, "delay_s": 1e-3},
    "acceleration": {"low": -9, "high": 9, "delay_s": 0.8e-3},
    "spool": {"present": False},
}
FACTS = RigFacts("t", 1000.0, {"machine": MACHINE, "friction": check_friction(FRICTION), "sensors": SENSORS})


def test_an_empty_table_is_the_nominal_rig():
    config = resolve({}, FACTS)
    assert config.machine.m == 500
    assert config.friction == check_friction(FRICTION).params
    assert config.sensors.displacement.delay_s == 1e-3
    assert config.sensors.acceleration.delay_s + filter_delay_s(400.0) == pytest.approx(0.8e-3)
    assert not config.sensors.spool.present
    assert config.sensors.pressure_a.bias_pa == 25e3


def test_what_is_given_stands_beside_what_is_nominal():
    config = resolve(
        {"machine": {"m": 550.0}, "friction": {"fs": 3500.0}, "sensors": {"displacement": {"delay_s": 2e-3}}}, FACTS
    )
    assert (config.machine.m, config.machine.A) == (550, 3e-3)
    assert (config.friction.fs, config.friction.fc, config.friction.delta) == (3500, 287, 1.5)
    assert config.sensors.displacement.delay_s == 2e-3
    assert config.sensors.pressure_a.bias_pa == 25e3


@pytest.mark.parametrize(
    ("nominal", "own", "overlaps"),
    [
        ({"dead_band": 0.02}, {}, (0.02, 0.02)),
        ({"overlap_a": 0.03, "overlap_b": 0.01}, {}, (0.03, 0.01)),
        ({"overlap_a": 0.03, "overlap_b": 0.01}, {"dead_band": 0.05}, (0.05, 0.05)),
        ({"dead_band": 0.02}, {"overlap_a": 0.03}, (0.03, 0.02)),
        ({"overlap_a": 0.03, "overlap_b": 0.01}, {"overlap_b": 0.04}, (0.03, 0.04)),
    ],
)
def test_an_overlap_of_its_own_takes_the_place_of_the_nominal_one(nominal, own, overlaps):
    facts = FACTS._replace(tables={**FACTS.tables, "machine": {**MACHINE, **nominal}})
    assert resolve({"machine": own}, facts).machine.overlaps == overlaps


def test_another_friction_model_takes_the_symbols_that_both_have():
    config = resolve({"friction": {"model": "lugre", "s0": 1e8, "s1": 1e5}}, FACTS)
    assert (config.friction.model, config.friction.fs, config.friction.delta) == ("lugre", 3118, 1.5)


def test_a_filter_later_than_the_nominal_delay_leaves_no_delay():
    config = resolve({"sensors": {"acceleration": {"bandwidth_hz": 50.0}}}, FACTS)
    assert config.sensors.acceleration.delay_s == 0


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (3, "twin: 3 refused, must be a table"),
        ({"machine": 3}, "twin.machine: 3 refused, must be a table"),
        ({"friction": 3}, "twin.friction: 3 refused, must be a table"),
        ({"sensors": 3}, "twin.sensors: 3 refused, must be a table"),
        ({"sensors": {"spool": 3}}, "twin.sensors.spool: 3 refused, must be a table"),
        ({"machine": {"mm": 1}}, "twin.machine.mm: 1 refused, no such key; did you mean 'm'?"),
        ({"friction": {"s0": 1e8}}, "twin.friction.s0"),
        ({"friction": {"model": "lugre"}}, "twin.friction.s0: missing; stiffness of the bristles"),
        ({"sede": 1}, "did you mean 'seed'?"),
        ({"cylinder": {"position_m": 0.2}}, "must be within the stroke of 0.1 m"),
        ({"sensors": {"displacement": {"bandwidth_hz": "wide"}}}, "twin.sensors.displacement.bandwidth_hz"),
    ],
)
def test_what_is_wrong_is_refused_by_its_key(table, words):
    with pytest.raises(BadValues) as refused:
        resolve(table, FACTS)
    assert words in str(refused.value)


def test_a_rig_without_any_friction_is_refused():
    with pytest.raises(BadValues, match=r"twin\.friction\.model"):
        resolve({}, FACTS._replace(tables={"machine": MACHINE}))


def test_the_declaration_lists_the_friction_of_its_model():
    assert "friction.s0" in {leaf.path for leaf in leaves(config_of("lugre"))}
    assert "friction.s0" not in {leaf.path for leaf in leaves(config_of("karnopp"))}


@pytest.mark.parametrize("model", linear_models())
@pytest.mark.parametrize("nominal", [{}, {"friction.negative.fs": 2000.0}], ids=["symmetric", "two directions"])
def test_every_model_can_take_the_place_of_the_nominal_one(model, nominal):
    own = {f"twin.friction.{key}": value for key, value in MODELS[model].typical.items()}
    loaded = rig.load("table-500", twin=True, changes={**nominal, "twin.friction.model": model, **own})
    assert loaded.driver_config.friction.model == model
    for key, value in MODELS[model].typical.items():
        assert getattr(loaded.driver_config.friction, key) == value
