"""What tuning predicts is what the twin then does, under every friction; and nothing changes unless asked for."""

import json
import os

import pytest

from hilctl.cli.main import main
from hilctl.client import Client, private_service
from hilctl.design.known import from_rig_file
from hilctl.design.predict import predict
from hilctl.experiment.facts import read_facts
from hilctl.identify.frequency.open_loop import measure
from tests.system.test_identify_plant import FRICTION

SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
LAWS = list(FRICTION)[: max(1, round(len(FRICTION) * SHARE))]
# Measured against predicted: crossover, gain and phase margin, modulus, -3 dB. Friction slides back and forth in the
# measurement, and the oil's stiffness changes with position; the prediction has its viscous slope at mid-stroke.
CROSSOVER, GAIN_DB, PHASE_DEG, MODULUS, BANDWIDTH = 0.03, 1.0, 3.0, 0.06, 0.3


def agree(measured, predicted, gain_db=GAIN_DB):
    margins, nominal = measured["margins"], predicted["nominal"]
    assert measured["crossover_hz"] == pytest.approx(predicted["crossover_hz"], rel=CROSSOVER)
    assert margins["rise_db"] == pytest.approx(nominal["rise_db"], abs=gain_db)
    assert margins["phase_deg"] == pytest.approx(nominal["phase_deg"], abs=PHASE_DEG)
    assert margins["modulus"] == pytest.approx(nominal["modulus"], abs=MODULUS)
    assert measured["minus_3_db_hz"] == pytest.approx(predicted["minus_3_db_hz"], rel=BANDWIDTH)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("friction", LAWS)
def test_bandwidth_and_margins_are_measured_as_they_were_predicted(friction):
    from hilctl.design.result import plain_measured, plain_prediction

    changes = {"twin.friction.model": friction} | {f"twin.friction.{k}": v for k, v in FRICTION[friction].items()}
    with private_service("table-500", changes=changes) as service, Client(service.commands) as rig:
        rig.arm()
        before, facts = rig.get(), read_facts(rig)
        measured = measure(rig, facts)
        assert rig.get() == before
    predicted = predict(from_rig_file(facts.controller), facts.friction, facts.dt_s, "three_state")
    print(friction, measured.margins, predicted.nominal, measured.bandwidth, predicted.minus_3_db_hz)
    agree(plain_measured(measured), plain_prediction(predicted))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_gains_for_an_identified_machine_are_predicted_and_then_measured(tmp_path, capsys):
    truth = {"m": 500.0, "Qn": 4.6188e-3, "beta": 9e8, "wv": 643.0, "zv": 0.88, "Ctc": 5e-12}
    plant = {f"machine.{name}": {"value": value, "low": 0.985 * value, "high": 1.015 * value, "origin": "identified"}
             for name, value in truth.items()}  # fmt: skip
    (tmp_path / "plant.json").write_text(json.dumps({"plant": plant}))
    file = tmp_path / "gains.toml"
    words = ["table-500", "--twin", "--measure", "--from", str(tmp_path), "--save", str(file), "--json"]
    assert main(["tune", *words]) == 0
    told = json.loads(capsys.readouterr().out)
    agree(told["measured_before"], told["before"])
    agree(told["measured_after"], told["predicted"])
    assert told["predicted"]["worst"]["phase_deg"] > 44
    assert told["measured_after"]["margins"]["phase_deg"] > 42
    assert told["measured_after"]["crossover_hz"] > 1.15 * told["measured_before"]["crossover_hz"]
    assert "kd_per_m" in file.read_text()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_light_piston_on_bristles_gets_gains_that_hold_on_its_twin(capsys):
    assert main(["tune", "column-50", "--twin", "--measure", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    print(told["measured_after"]["margins"], told["measured_after"]["crossover_hz"], told["predicted"]["nominal"])
    assert told["predicted"]["worst"]["modulus"] > 0.49
    assert told["measured_after"]["margins"]["modulus"] > 0.5
    agree(told["measured_before"], told["before"], gain_db=1.5)  # a valve with overlap, hysteresis and dither
    agree(told["measured_after"], told["predicted"], gain_db=1.5)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_notch_takes_the_oil_column_out_of_a_loop_without_its_damping(capsys):
    bare = {"kd_per_m": 10, "ki_per_m_s": 30, "kv_s_per_m": 0, "ka_s2_per_m": 0, "kp_per_mpa": 0}
    words = [f"law.three_state.{key}={value}" for key, value in bare.items()]
    assert main(["tune", "table-500", "--twin", "--notches", "--json", "--set", *words]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["values"]["law.notch_1.frequency_hz"] == pytest.approx(44, rel=0.06)
    before, expected = told["notches"]["before"], told["notches"]["expected"]
    after = told["measured_after"]["margins"]
    assert after["modulus"] > 1.15 * before["modulus"] and after["rise_db"] > before["rise_db"] + 3
    assert after["modulus"] == pytest.approx(expected["modulus"], abs=0.07)
    assert after["rise_db"] == pytest.approx(expected["rise_db"], abs=2.5)


@pytest.mark.parametrize(("words", "says"), [
    (["table-500", "--twin"], "give --measure or --notches"),
    (["table-500", "--notches", "--feedback", "pid"], "leave --feedback and --from out"),
    (["table-500", "--phase-margin", "100"], "--phase-margin: 100 refused, must be 0 to 85 degrees"),
    (["table-500", "--measure", "--feedback", "pid"], "drives the active controller, three_state"),
    (["table-500", "--from", "/nowhere"], "neither study.json nor plant.json"),
    (["servo-004"], "no gains to tune"),
])  # fmt: skip
def test_wrong_use_is_named(words, says, capsys):
    assert main(["tune", *words]) == 2
    assert says in capsys.readouterr().err
