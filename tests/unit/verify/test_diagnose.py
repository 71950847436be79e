"""Causes: only what the changes allow, and each change explained once."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.results.quantity import Quantity
from hilctl.results.verified import Compared
from hilctl.verify.compare import RULES
from hilctl.verify.diagnose import OFFSETS, SUPPLY, Seen, causes_of
from hilctl.verify.friction import CONSTANT_FORCE, NAMES, Shift

VALUES = dict.fromkeys((*RULES, *NAMES, *OFFSETS, SUPPLY, CONSTANT_FORCE), 1000.0)


def again(*parts):
    return f"hilctl commission --only {','.join(parts)} --out x"


def one(key, share):
    value = VALUES[key]
    verdict = "changed" if share else "unchanged"
    then, now = (Quantity(v, v - 1, v + 1, "kg") for v in (value, value * (1 + share)))
    return Compared(RULES[key].name if key in RULES else key, verdict, then, now, share * value, 1.4, 20.0)


def seen(changes, shifts=(), oil_k=None, supply=True, vertical=False):
    """Shares by which quantities and parameters of the friction model have changed."""
    keys = [key for key in VALUES if supply or key != SUPPLY]
    compared = {key: one(key, changes.get(key, 0.0)) for key in keys}
    found = {name: Shift(1000 * dict(shifts).get(name, 0.0), 1.0, 20.0) for name in ("fs", "fc", "sigma")}
    return Seen(compared, found, again, oil_k, vertical)


def codes(*given, **more):
    return [cause.code for cause in causes_of(seen(*given, **more))]


@pytest.mark.parametrize(
    ("changes", "vertical", "wanted"),
    [
        ({CONSTANT_FORCE: 0.1}, False, ["pressure_scale"]),
        ({CONSTANT_FORCE: 0.1, "m": 0.1}, False, ["pressure_scale", "payload"]),
        ({CONSTANT_FORCE: 0.1, "m": 0.1}, True, ["payload"]),
        ({CONSTANT_FORCE: -0.1, "m": 0.1}, True, ["payload", "constant_force"]),
        ({CONSTANT_FORCE: 0.1}, True, ["constant_force"]),
    ],
)
def test_a_force_that_does_not_turn_is_a_sensors_or_on_a_vertical_axis_the_weight_s(changes, vertical, wanted):
    assert codes(changes, vertical=vertical) == wanted


def test_one_sensor_or_both():
    one, both = ({**ALL, "m": 0.1, CONSTANT_FORCE: share} for share in (0.1, 0.0))
    assert "the scale of one of the pressure sensors" in causes_of(seen(one))[0].text
    assert "the scale of both pressure sensors" in causes_of(seen(both))[0].text


ALL = dict.fromkeys(NAMES, 0.1)
THINNER = {"friction_middle": -0.1, "friction_fast": -0.2}


@pytest.mark.parametrize(
    ("changes", "shifts", "oil_k", "wanted"),
    [
        ({}, {}, None, []),
        ({"m": 0.2}, {}, None, ["payload"]),
        ({"m": 0.2, **ALL}, {"fc": 0.1}, None, ["payload"]),  # its weight also loads the guides
        ({"m": -0.2, **ALL}, {"fc": 0.1}, None, ["payload", "wear"]),
        ({"m": 0.1, **ALL}, {"fc": 0.1, "fs": 0.1, "sigma": 0.1}, None, ["pressure_scale"]),
        ({"m": 0.1, **ALL, "beta": 0.1}, {"fc": 0.1, "sigma": 0.1}, None, ["pressure_scale"]),
        ({"m": 0.3, **ALL}, {"fc": 0.1, "sigma": 0.1}, None, ["payload", "friction"]),
        ({**THINNER, "Ctc": 0.3}, {"sigma": -0.2}, None, ["oil_temperature"]),
        ({**THINNER, "Ctc": 0.3}, {"sigma": -0.2}, 9.0, ["oil_temperature"]),
        ({**THINNER, "Ctc": 0.3}, {"sigma": -0.2}, 0.0, ["oil_viscosity"]),
        ({**THINNER, "Ctc": 0.3}, {"sigma": -0.2}, -9.0, ["oil_viscosity"]),
        (THINNER, {"sigma": -0.2}, 9.0, ["oil_temperature"]),
        (THINNER, {"sigma": -0.2}, None, ["viscous"]),
        (THINNER, {"sigma": -0.2}, 1.0, ["viscous"]),
        ({**THINNER, "Ctc": -0.3}, {"sigma": -0.2}, 0.0, ["viscous", "leakage"]),
        ({**THINNER, "Ctc": 0.3, "m": 0.2}, {"sigma": -0.2}, 9.0, ["oil_temperature", "payload"]),
        ({"friction_slow": 0.1}, {"fs": 0.1}, None, ["wear"]),
        ({"friction_middle": 0.1}, {"fc": 0.1}, None, ["wear"]),
        ({"friction_middle": 0.1}, {}, None, ["friction"]),
        (ALL, {"fc": 0.1, "sigma": 0.1}, None, ["friction"]),
        ({"null": 1e-5}, {}, None, ["valve_null"]),
        ({OFFSETS[0]: 0.1}, {}, None, ["sensor_drift"]),
        ({OFFSETS[0]: 0.1, "null": 1e-5}, {}, None, ["sensor_drift", "valve_null"]),
        ({"Qn": -0.1}, {}, None, ["valve_gain"]),
        ({SUPPLY: -0.1}, {}, None, ["supply"]),
        ({"overlap_a": 1e-5}, {}, None, ["valve_edges"]),
        ({"overlap_a": 1e-5, "overlap_b": 1e-5}, {}, None, ["valve_edges"]),
        ({"hysteresis": 1e-5}, {}, None, ["valve_hysteresis"]),
        ({"wv": -0.3, "zv": 0.2}, {}, None, ["valve_dynamics"]),
        ({"law.feed.extra_preview_s": 1e-6}, {}, None, ["delay"]),
        ({"beta": -0.2}, {}, None, ["oil_stiffness"]),
        ({"Ctc": 0.3}, {}, None, ["leakage"]),
        ({"sensors.acceleration.gain": 0.02}, {}, None, ["accelerometer"]),
    ],
)  # fmt: skip
def test_what_changes_allow(changes, shifts, oil_k, wanted):
    assert codes(changes, shifts.items(), oil_k) == wanted


def any_of(names):
    return st.fixed_dictionaries(dict.fromkeys(names, st.sampled_from([-0.1, 0.0, 0.1])))


@given(any_of(VALUES), any_of(("fs", "fc", "sigma")), st.sampled_from([None, -9.0, 0.0, 9.0]), st.booleans())
def test_every_change_is_explained_once_and_nothing_else_is(changes, shifts, oil_k, vertical):
    found = causes_of(seen(changes, shifts.items(), oil_k, vertical=vertical))
    explained = list(itertools.chain.from_iterable(cause.because for cause in found))
    assert sorted(explained) == sorted(key for key, share in changes.items() if share)
    for cause in found:
        assert cause.text and cause.remedy
        assert all(seen(changes).compared[key].name in cause.text for key in cause.because
                   if cause.code not in ("pressure_scale",))  # fmt: skip


def test_a_supply_that_is_not_measured_is_among_the_causes_of_a_gain():
    def text(supply):
        return causes_of(seen({"Qn": -0.1}, supply=supply))[0].text

    assert "the supply pressure, which is not measured" in text(supply=False)
    assert "the measured supply pressure is taken into account" in text(supply=True)


def test_a_null_is_not_the_valves_alone_where_a_pressure_sensor_has_drifted():
    _, beside = causes_of(seen({"null": 1e-5, OFFSETS[1]: 0.1}))
    (alone,) = causes_of(seen({"null": 1e-5}))
    assert "or the pressure sensor that has drifted" in beside.text
    assert "the pressure sensors have not drifted" in alone.text


def test_a_remedy_names_the_parts_to_commission_again():
    (payload,) = causes_of(seen({"m": 0.2}))
    assert "`hilctl commission --only plant,compensation --out x`" in payload.remedy
    (loaded,) = causes_of(seen({"m": 0.2, **ALL}, {"fc": 0.1}.items()))
    assert "--only plant,friction,reversals,compensation" in loaded.remedy and "loads the guides" in loaded.text
    (worn,) = causes_of(seen({"friction_slow": 0.1}, {"fs": 0.1}.items()))
    assert "--only friction,reversals,compensation" in worn.remedy and "static friction rose" in worn.text
