import pytest

from hilctl import rig as rigs
from hilctl.params import BadValues
from hilctl.study.keys import keys_of, seed_key
from hilctl.study.vary import parse

RIG = rigs.load("table-500", twin=True)
KNOWN = keys_of(RIG)


def one(word):
    return parse([word], KNOWN, seed_key(RIG))[0]


def refused(*words):
    with pytest.raises(BadValues) as error:
        parse(words, KNOWN, seed_key(RIG))
    return str(error.value)


@pytest.mark.parametrize(("word", "ends"), [
    ("twin.machine.m=±20%", (400.0, 600.0)),
    ("twin.machine.m=+-20%", (400.0, 600.0)),
    ("twin.machine.m=-10%:+20%", (450.0, 600.0)),
    ("twin.machine.m=±50", (450.0, 550.0)),
    ("twin.machine.m=±50kg", (450.0, 550.0)),
    ("twin.machine.m=400:600", (400.0, 600.0)),
    ("twin.machine.m=400 kg:600kg", (400.0, 600.0)),
    ("machine.m=1e2:1e3:log", (100.0, 1000.0)),
    ("law.three_state.kv_s_per_m=±10%", (-0.117601, -0.096219)),
])  # fmt: skip
def test_a_range_is_read_as_it_is_written(word, ends):
    made = one(word)
    assert (made.low, made.high) == pytest.approx(ends)
    assert made.log == word.endswith(":log")


def test_its_values_lie_between_its_ends_and_reach_both():
    made = one("machine.m=100:1000:log")
    assert made.at(0.0) == 100.0
    assert made.at(0.5) == pytest.approx(316.2278)
    assert 999.99 < made.at(1 - 1e-12) <= 1000.0
    whole = one("limits.stuck.samples=3:5") if "limits.stuck.samples" in KNOWN else one("limits.late.ticks=3:5")
    assert [whole.at(u) for u in (0.0, 0.34, 0.67, 1 - 1e-12)] == [3, 4, 5, 5]


def test_a_list_gives_each_of_its_choices_the_same_share():
    made = one("law.feedback=three_state,pid")
    assert [made.at(u) for u in (0.0, 0.49, 0.5, 0.99)] == ["three_state", "three_state", "pid", "pid"]
    assert one("twin.friction.model=karnopp,stribeck").choices == ("karnopp", "stribeck")
    assert one("twin.faults.valve_dead=true,false").choices == (True, False)
    assert one("twin.machine.m=400,500,600").at(0.99) == 600.0


@pytest.mark.parametrize(("word", "said"), [
    ("twin.machin.m=±20%", "did you mean 'twin.machine.m'?"),
    ("twin.machine.m=400", "is no range and no list"),
    ("twin.machine.m=600:400", "must begin with its lower end"),
    ("twin.machine.m=400N:600N", "its unit is kg"),
    ("twin.machine.m=0:600", "must be "),
    ("twin.valve.hysteresis=0:0.5", "must be 0 to 0.1"),
    ("twin.valve.hysteresis=0:0.01:log", "above 0"),
    ("twin.specimen.kind=mass,bird", "must be one of"),
    ("twin.faults.reversed=true,no", "must be true or false"),
    ("twin.sensors.displacement.bias_m=±10%", "the nominal value is 0"),
    ("twin.machine.m=a:b", "is not a number"),
    ("twin.machine.m=nan:inf", "is not a number"),
    ("twin.machine.m=400,400", "at least two different"),
    ("limits.late.ticks=3.5:6", "whole number"),
    ("twin.seed=1:5", "give --seed"),
    ("twin.machine.m", "is not KEY=VALUES"),
])  # fmt: skip
def test_what_cannot_be_varied_is_refused_with_its_key_and_a_remedy(word, said):
    told = refused(word)
    assert said in told
    assert word.partition("=")[0] in told


def test_all_that_is_wrong_is_said_at_once():
    told = refused("twin.machin.m=±20%", "twin.machine.A=5", "twin.machine.m=±10%", "twin.machine.m=±20%")
    assert len(told.splitlines()) == 3
    assert "given twice" in told


def test_nothing_to_vary_is_refused():
    assert "at least one" in refused()
