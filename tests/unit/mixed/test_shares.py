"""Who gives and who takes: what is refused when the rig file is loaded, by key and with a remedy."""

import pickle

import pytest

from firmware_bridge.mixed.driver import resolve
from hilctl import rig
from hilctl.params import BadValues, plain

AMPLIFIER = {"name": "serial", "port": "/dev/x"}
LINE = {"transport": "rtu", "serial": "/dev/y", "baud": 115200}
PRESSURES = {
    name: {"device": "transducers", "address": k, "function": 4, "unit": "bar", "every": 25}
    for k, name in enumerate(("pressure_a", "pressure_b"))
}
TRANSDUCERS = {"name": "modbus", "transducers": LINE, "reading": PRESSURES}


@pytest.fixture(scope="module")
def facts():
    return rig.load("table-500", twin=True).facts()


def parts(amplifier=None, transducers=None, **more):
    return {"parts": {"amplifier": {**AMPLIFIER, **(amplifier or {})},
                      "transducers": {**TRANSDUCERS, **(transducers or {})}, **more}}  # fmt: skip


def test_what_a_register_map_has_it_gives_and_the_other_part_the_rest(facts):
    made = resolve(parts(), facts).parts
    assert made.transducers.gives == ("pressure_a", "pressure_b") and made.transducers.takes == ()
    assert made.amplifier.takes == ("valve", "enable", "supply")
    assert set(made.amplifier.gives) == {"displacement", "acceleration", "supply_pressure", "spool",
                                         "oil_temperature", "emergency_stop"}  # fmt: skip


def test_the_values_travel_to_the_core_and_mean_the_same_there(facts):
    made = resolve(parts(), facts)
    again = resolve(pickle.loads(pickle.dumps(plain(made))), facts)
    assert plain(again) == plain(made)


def test_a_sensor_is_given_by_the_part_that_is_named(facts):
    said = resolve(parts(transducers={"gives": ["pressure_b"]}), facts).parts
    assert said.transducers.gives == ("pressure_b",)
    assert "pressure_a" in said.amplifier.gives


REFUSED = [
    ({"amplifier": {"gives": ["pressure_a", "displacement"]}}, "driver.parts.*.gives", "acceleration"),
    ({"amplifier": {"gives": ["presure_a"]}}, "driver.parts.amplifier.gives", "did you mean 'pressure_a'"),
    ({"transducers": {"gives": ["spool"]}}, "driver.parts.transducers.gives", "no such signal"),
    ({"transducers": {"takes": ["valve"]}}, "driver.parts.transducers.takes", "no such signal"),
    ({"amplifier": {"takes": ["enable"]}}, "driver.parts.*.takes", "exactly one part must take the valve"),
    ({"amplifier": {"name": "modbuss"}}, "driver.parts.amplifier.name", "did you mean 'modbus'"),
    ({"amplifier": {"name": "mixed"}}, "driver.parts.amplifier.name", "must not be mixed itself"),
    ({"amplifier": {"baudd": 1}}, "driver.parts.amplifier.baudd", "did you mean 'baud'"),
    ({"amplifier": {"baud": 115200}}, "loop.rate_hz", "driver.parts.amplifier.baud = 115200"),
    ({"transducers": {"gain": 1}}, "driver.parts.transducers.gain", "no such key"),
    ({"still": {"name": "null"}}, "driver.parts.still.gives", "is also omitted in driver.parts.amplifier"),
    ({"still": {"name": "null", "gives": [], "takes": []}}, "driver.parts.still", "gives nothing and takes nothing"),
    ({"still": {"name": "null", "gives": ["spool"], "takes": ["valve"]}, "amplifier": {"takes": ["valve"]}},
     "driver.parts.still.takes", "driver.parts.amplifier also takes it"),
    ({"still": {"name": "null", "gives": ["spool"], "takes": []}, "amplifier": {"gives": ["spool"]}},
     "driver.parts.still.gives", "driver.parts.amplifier also gives it"),
    ({"four": {"name": "null"}, "five": {"name": "null"}, "six": {"name": "null"}}, "driver.parts", "1 to 4 tables"),
    ({"still": 3}, "driver.parts.still", "must be a table"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "key", "said"), REFUSED)
def test_what_does_not_add_up_is_refused_by_key(facts, changes, key, said):
    with pytest.raises(BadValues) as bad:
        resolve(parts(**changes), facts)
    found = [str(p) for p in bad.value.problems if p.key == key]
    assert any(said in text for text in found), [str(p) for p in bad.value.problems]


def test_a_bus_that_cannot_carry_its_poll_groups_is_refused_below_its_part(facts):
    quick = {name: {**own, "every": 2} for name, own in PRESSURES.items()}
    with pytest.raises(BadValues, match=r"driver.parts.transducers.reading every.*times as much"):
        resolve(parts(transducers={"reading": quick}), facts)
