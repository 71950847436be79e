"""The machine from records of a made-up one: what comes out is what went in, within what is said of it."""

import json

import numpy as np
import pytest

from hilctl.identify.plant import PlantFit, fit_plant
from tests.unit.identify.plant.plant_parts import BELIEVED, TRUE, changed, facts, records


@pytest.fixture(scope="module")
def fit() -> PlantFit:
    return fit_plant(records(3), facts())


def test_mass_flow_gain_and_oil_come_out_though_the_rig_file_is_wrong_by_a_fifth(fit):
    assert fit.quantity("machine.m").value == pytest.approx(TRUE["m"], rel=0.002)
    assert fit.quantity("machine.Qn").value == pytest.approx(TRUE["Qn"], rel=0.001)
    assert fit.quantity("machine.beta").value == pytest.approx(TRUE["beta"], rel=0.01)
    assert fit.quantity("machine.Ctc").value == pytest.approx(TRUE["Ctc"], rel=0.1)


def test_the_valve_and_the_delay_come_out_apart_and_together(fit):
    lag_s = 2 * TRUE["zv"] / TRUE["wv"]
    assert fit.quantity("machine.wv").value == pytest.approx(TRUE["wv"], rel=0.05)
    assert fit.quantity("machine.zv").value == pytest.approx(TRUE["zv"], rel=0.03)
    assert fit.quantity("valve_lag_s").value == pytest.approx(lag_s, abs=1e-4)
    assert fit.quantity("loop_delay_s").value == pytest.approx(1e-3, abs=1e-4)
    assert fit.quantity("total_lag_s").value == pytest.approx(1.5e-3 + lag_s, abs=2e-5)


def test_intervals_hold_the_truth_and_are_narrow(fit):
    for name in ("m", "Qn", "beta", "Ctc", "wv", "zv"):
        q = fit.quantity(f"machine.{name}")
        assert q.identified and q.low <= TRUE[name] <= q.high
        assert q.high - q.low < (0.2 if name == "Ctc" else 0.1) * q.value


def test_without_noise_the_machine_comes_out_as_it_went_in():
    exact = fit_plant(records(None, push=0.0, accelerometer=1.0), facts())
    for name, rel in (("m", 1e-4), ("Qn", 1e-4), ("beta", 2e-3), ("Ctc", 0.01), ("wv", 2e-3), ("zv", 2e-3)):
        assert exact.quantity(f"machine.{name}").value == pytest.approx(TRUE[name], rel=rel), name
    assert exact.quantity("sensors.acceleration.gain").value == pytest.approx(1.0, abs=2e-5)
    # What the sensors' scales may hide stays in the interval, however quiet they are.
    beta = exact.quantity("machine.beta")
    assert beta.high - beta.low > 0.005 * beta.value
    assert beta.low < TRUE["beta"] < beta.high


ACCURACY = {f"sensors.{name}.accuracy": 0.0 for name in ("displacement", "pressure_a", "pressure_b", "supply_pressure")}


def half(fit: PlantFit, name: str) -> float:
    q = fit.quantity(f"machine.{name}")
    return 0.5 * (q.high - q.low)


PLAIN = 1  # of these the search leaves no play of a millionth, which would share what a scale does


@pytest.fixture(scope="module")
def plain() -> PlantFit:
    return fit_plant(records(PLAIN), facts())


@pytest.fixture(scope="module")
def sure() -> PlantFit:
    return fit_plant(records(PLAIN), facts(**ACCURACY))


@pytest.mark.parametrize(
    ("sensor", "moved"), [("pressure_a", ("m", "beta", "Ctc")), ("supply_pressure", ("Qn", "beta", "Ctc"))]
)
def test_an_interval_grows_with_a_sensors_accuracy_as_the_value_moves_with_its_scale(plain, sure, sensor, moved):
    off = 0.05
    unsure = fit_plant(records(PLAIN), facts(**{**ACCURACY, f"sensors.{sensor}.accuracy": off}))
    channel, small = f"{sensor}_pa", 0.1 * off
    shifted = fit_plant([changed(one, **{channel: one.rows[channel] * (1 + small)}) for one in records(PLAIN)], facts())
    for name in moved:
        move = (shifted.quantity(f"machine.{name}").value - plain.quantity(f"machine.{name}").value) / small
        grown = np.sqrt(half(unsure, name) ** 2 - half(sure, name) ** 2)
        assert grown == pytest.approx(1.96 * abs(move) * off / np.sqrt(3), rel=0.3), name


@pytest.fixture(scope="module")
def off() -> PlantFit:
    """Pressure sensors that read apart, and an accelerometer with a gain error: the effects are independent."""
    return fit_plant(records(3, push=4e5, accelerometer=1.1), facts())


def test_pressure_sensors_that_read_apart_do_not_count_as_leakage_or_flow(off):
    assert off.quantity("machine.Qn").value == pytest.approx(TRUE["Qn"], rel=0.002)
    assert off.quantity("machine.Ctc").value == pytest.approx(TRUE["Ctc"], rel=0.1)
    assert off.quantity("law.feed.extra_preview_s").value == pytest.approx(0.0, abs=1e-4)


def test_a_later_command_shows_as_delay_and_nothing_else(fit):
    late = fit_plant(records(3, delay=0.8e-3), facts())
    assert late.quantity("law.feed.extra_preview_s").value == pytest.approx(0.8e-3, abs=1e-4)
    assert late.quantity("valve_lag_s").value == pytest.approx(fit.quantity("valve_lag_s").value, abs=5e-5)
    assert late.quantity("machine.beta").value == pytest.approx(fit.quantity("machine.beta").value, rel=0.005)


def test_motion_sensors_later_than_declared_are_found_out_and_do_not_hurt():
    late = fit_plant(records(3, late_s=0.4e-3), facts())
    assert late.quantity("sensors.displacement.delay_s").value == pytest.approx(0.9e-3, abs=5e-5)
    assert late.quantity("machine.beta").value == pytest.approx(TRUE["beta"], rel=0.01)
    assert late.quantity("machine.m").value == pytest.approx(TRUE["m"], rel=0.003)


def test_an_accelerometer_with_another_filter_than_declared_is_found_out_set_and_does_not_hurt(fit):
    slow, key = fit_plant(records(3, filter_s=1.3e-3), facts()), "sensors.acceleration.delay_s"
    found = slow.quantity(key)
    assert found.identified and found.value == pytest.approx(1.3e-3, abs=3e-5)
    assert slow.changes()[key] == found.value
    assert key not in fit.changes()  # it is as the rig file says
    for name, rel in (("m", 0.003), ("beta", 0.01), ("wv", 0.02), ("zv", 0.02)):
        q = slow.quantity(f"machine.{name}")
        assert q.value == pytest.approx(TRUE[name], rel=rel) and q.low < TRUE[name] < q.high, name


def test_what_its_key_does_not_take_is_flagged_and_not_set(fit):
    stiff = fit_plant(records(3, beta=3.6e9), facts(**{"machine.beta": 2.8e9}))
    (flag,) = [one for one in stiff.flags if one.key == "machine.beta"]
    assert flag.code == "bound" and "3e+09" in flag.text and "[machine]" in flag.remedy
    assert stiff.quantity("machine.beta").value == pytest.approx(3.6e9, rel=0.05)
    assert "machine.beta" not in stiff.changes() and "machine.beta" in fit.changes()


def test_the_accelerometers_gain_error_is_separated_from_the_mass(off):
    assert off.quantity("sensors.acceleration.gain").value == pytest.approx(1 / 1.1, rel=1e-3)
    assert off.quantity("machine.m").value == pytest.approx(TRUE["m"], rel=0.003)


def test_only_what_the_inverse_model_needs_is_proposed(fit):
    keys = {"machine.m", "machine.Qn", "machine.beta", "machine.Ctc", "machine.wv", "machine.zv"}
    assert set(fit.changes()) == keys | {"law.feed.extra_preview_s", "law.valve.null_bias"}
    assert all(key in BELIEVED for key in fit.changes())


def test_the_result_is_plain_json_and_says_what_it_rests_on(fit):
    told = json.loads(json.dumps(fit.to_json()))
    m = told["plant"]["machine.m"]
    assert m["low"] < m["value"] < m["high"] and m["unit"] == "kg" and m["before"] == 500.0
    assert any("displacement ±0.2 %, load pressure ±0.14 %" in note for note in told["notes"])
    assert any("these motions ask the valve for at most" in note for note in told["notes"])
    assert min(told["explained_percent"].values()) > 98.0
    assert told["rig_seconds"] < 60.0


def test_what_a_single_slow_sine_does_not_tell_is_not_printed_as_a_number():
    poor = fit_plant(records(3)[:1], facts())
    assert {"machine.m", "machine.wv"} & {flag.key for flag in poor.flags if flag.code == "imprecise"}
    unknown = [key for key, q in poor.quantities.items() if not q.identified]
    assert all(poor.to_json()["plant"][key]["value"] is None for key in unknown)
    assert not set(unknown) & set(poor.changes())


def test_a_supply_that_is_not_the_declared_one_is_said():
    less = [changed(r, supply_pressure_pa=np.full(len(r.rows["tick"]), 19e6)) for r in records(3)]
    assert "supply" in {flag.code for flag in fit_plant(less, facts()).flags}
