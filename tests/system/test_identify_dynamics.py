"""A study of dynamics through the service: nominal values a fifth off, friction that sticks, the truth in the twin."""

import json
import os

import numpy as np
import pytest
from msgspec.structs import replace

from hilctl.cli.main import main
from hilctl.client import Client, private_service
from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import read_facts
from hilctl.identify.dynamics import written
from hilctl.identify.dynamics.again import again, agrees
from hilctl.identify.dynamics.analyse import plant_of, study_of
from hilctl.identify.dynamics.tuned import with_tuning
from hilctl.identify.dynamics.written import plain_study
from hilctl.identify.frequency.drive import Run
from hilctl.identify.frequency.intake import read_record
from hilctl.identify.frequency.intake_record import IntakeFault
from hilctl.identify.frequency.plan import Asked, legs_of
from tests.system.service_parts import RIG
from tests.system.test_identify_plant import a_rig

SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
ASKED = ("multisine", "plant")
ENOUGH = ("slow sine", "fast sine", "chirp up")  # of the plant's own motions
LESS = ("multisine 1", "multisine 2", "check sweep", "check step")


def studied(rig, folder, excitations, *, pauses=False, only=None, **more):
    """Drives and analyses; with a pause after the first motion, from which another process would go on."""
    facts = read_facts(rig)
    plant = plant_of(facts)
    asked = Asked(excitations=excitations, **more)
    legs = [leg for leg in (*legs_of(asked, facts), *plant.legs(rig, facts)) if only is None or leg.name in only]
    run = Run.begin(rig, folder, asked, facts, legs)
    if pauses:
        next(run.drive())
        assert rig.status()["mode"] == "hold"
        run = Run.resume(rig, folder)
        assert run.progress.done == 1
    list(run.drive())
    return study_of(run.experiments(), plant, facts, asked, rig=facts.rig)


def off(study, truth):
    """Relative errors of what was identified, in %."""
    found = {name: study.grey.fit.estimate(name).value for name in ("Qn", "beta", "wv", "zv")}
    found["m"] = study.grey.mass.quantity("machine.m").value
    return {name: 100 * abs(value / truth[name] - 1) for name, value in found.items()}


def test_a_recording_of_ours_is_read_from_the_first_tracked_sample_to_the_last(tmp_path):
    with private_service(RIG, recordings=tmp_path) as service, Client(service.commands) as rig:
        with rig.record("rest") as rest:
            rig.pass_time(0.05)
        rig.arm()
        with rig.record("moves") as moves:
            motion, over = rig.run("sine", amplitude_m=0.005, frequency_hz=10.0, cycles=20)
        told = rig.samples(motion.first, over.last, ["xd_m", "displacement_m"])
        facts = read_facts(rig)
    foreign = read_record(moves)
    begin = int(np.flatnonzero(foreign.channels["tick"] == motion.first)[0])
    for name, values in told.items():
        assert (foreign.channels[name][begin : begin + len(values)] == values).all()
    assert foreign.facts is not None and (foreign.rate_hz, foreign.facts.rig) == (facts.rate_hz, facts.rig)
    assert foreign.facts.values["machine.m"] == facts.values["machine.m"]
    with pytest.raises(IntakeFault, match="nothing was tracked"):
        read_record(rest)
    with pytest.raises(IntakeFault, match="leave --map out"):
        read_record(moves, {"xd_m": "a"})


@pytest.mark.slow
def test_a_study_finds_the_machine_and_goes_on_after_a_pause(tmp_path):
    truth, changes = a_rig("karnopp", 3)
    with private_service(RIG, changes=changes) as service, Client(service.commands) as rig:
        with pytest.raises(LegFault, match="hilctl arm"):
            studied(rig, tmp_path / "off", ("multisine",))
        rig.arm()
        before = rig.get()
        study = studied(rig, tmp_path / "on", ASKED, pauses=True, only=(*LESS, *ENOUGH))
        assert rig.get() == before
    error = off(study, truth)
    assert error["m"] < 2 and error["Qn"] < 2 and error["beta"] < 5 and error["wv"] < 10 and error["zv"] < 10
    response = next(one.response for one in study.responses if one.experiment == "multisine")
    assert len(response.hz) == 100 and np.median(response.coherence) > 0.9
    assert not study.findings
    checked = {(one.experiment, one.model): one.fit_percent for one in study.checks}
    assert checked["check sweep", "grey"] > 95 and checked["check step", "grey"] > 90
    told = json.loads(json.dumps(plain_study(study)))
    assert told["grey"]["fit"]["rank"] == told["grey"]["fit"]["free"]
    assert [one["name"] for one in told["experiments"]][-3:] == list(ENOUGH)
    stored = written.told(study)
    drawn = again(tmp_path / "on", stored)
    assert agrees(drawn, stored) and drawn.made == study.made
    assert not agrees(drawn, replace(stored, responses=stored.responses[:-1]))


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.timeout(600)
@pytest.mark.parametrize("friction", ["karnopp", pytest.param("lugre", marks=pytest.mark.many(first=True)), "gms"])
def test_every_excitation_on_every_friction(friction, tmp_path):
    for seed in range(max(1, round(3 * SHARE))):
        truth, changes = a_rig(friction, 400 + seed)
        with private_service(RIG, changes=changes) as service, Client(service.commands) as rig:
            rig.arm()
            study = studied(rig, tmp_path / str(seed), ("multisine", "sweep", "stepped", "plant"), load_pressure=True)
            proposed = with_tuning(study, read_facts(rig)).tuning
        error = off(study, truth)
        print(friction, seed, {name: f"{value:.2f} %" for name, value in error.items()})
        assert error["m"] < 2 and error["Qn"] < 2 and error["beta"] < 5 and error["wv"] < 10 and error["zv"] < 10
        assert {one.experiment for one in study.responses} >= {"multisine", "sweep", "stepped", "check sweep"}
        assert all(fit.transfer.stable for one in study.transfers if one.family for fit in one.family.fits)
        assert proposed.design.predicted.worst.modulus > 0.49
        assert proposed.design.predicted.position_gain_per_s > proposed.design.before.position_gain_per_s


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"twin.faults.emergency_stop_after_s": 8.0}, "emergency stop is open"),
        ({"twin.faults.sensor": "acceleration", "twin.faults.sensor_stuck_after_s": 8.0}, "sensor_stuck"),
    ],
)
def test_what_stops_a_study_is_told_with_its_remedy(changes, says, tmp_path):
    with private_service(RIG, changes=changes) as service, Client(service.commands) as rig:
        rig.arm()
        with pytest.raises(LegFault, match=says) as fault:
            studied(rig, tmp_path, ("multisine",))
    assert "--resume" in str(fault.value)


def test_a_recording_from_elsewhere_is_studied_by_the_command(tmp_path, capsys):
    t = np.arange(8000) / 400
    u = 5e-3 * np.random.default_rng(3).standard_normal(len(t))
    kernel = np.exp(-np.arange(60) / 8.0) / 8.0
    y = np.convolve(u, kernel)[: len(t)]
    head = "t [s];Soll [mm];Weg [mm]"
    np.savetxt(tmp_path / "r.csv", np.column_stack([t, 1e3 * u, 1e3 * y]), delimiter=";", header=head, comments="")
    named = ["displacement=Weg [mm]", "reference=Soll [mm]"]
    out = ["--out", str(tmp_path / "o"), "--no-report", "--json"]
    words = ["--record", str(tmp_path / "r.csv"), "--map", *named, *out]
    assert main(["identify", "dynamics", *words]) == 0
    told = json.loads(capsys.readouterr().out)
    hz = np.array(told["responses"][0]["hz"])
    truth = np.abs(np.exp(-2j * np.pi * np.outer(hz, np.arange(60)) / 400) @ kernel)
    assert told["responses"][0]["magnitude"] == pytest.approx(truth, rel=0.05)
    assert told["grey"] is None and (tmp_path / "o/study.json").exists()


@pytest.mark.parametrize(
    ("words", "says", "code"),
    [
        (("--record", "r.csv", "--twin"), "--record evaluates recordings", 2),
        (("--record", "none.csv"), "none.csv: no such file", 2),
        (("--record", "r.csv"), "none of its columns is known", 1),
        ((RIG, "--twin", "--excitation", "multisin"), "did you mean", 2),
        ((RIG, "--twin", "--carrier", "-1"), "--carrier: -1 refused, must be 0 to 20 m/s", 2),
        ((RIG, "--twin", "--fix", "m=much"), "must be a number", 2),
        ((RIG, "--twin", "--fix", "mas=3"), "fix.mas", 2),
        ((RIG, "--record", "r.csv", "--tie", "Ctc=0.1*Kb"), "tie.Ctc", 2),
        (("--resume", "elsewhere"), "holds no study of dynamics", 1),
    ],
)
def test_a_command_that_makes_no_sense_is_refused_by_name(words, says, code, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_text("a,b\n1,2\n")
    assert main(["identify", "dynamics", *words]) == code
    assert says in capsys.readouterr().err
