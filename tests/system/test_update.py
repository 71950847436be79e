"""Identified parameters go in over the wire: a model with all its numbers as one set, taken back, kept in a file."""

import os
import tomllib

import numpy as np
import pytest

from hilctl import rig as rig_file
from hilctl.client import Client, Code, private_service
from hilctl.recording.reader import open_recording
from hilctl.service.store import Set, Store
from tests.system.cli_parts import Shell, serving
from tests.system.service_parts import ARMS_FAST, Raw, armed, refusal, settle, until

pytestmark = pytest.mark.timeout(300)
LUGRE = {"friction.model": "lugre", "friction.fc": 280.0, "friction.s0": 1e8, "friction.s1": 1e5}
SINE = {"amplitude_m": 0.004, "frequency_hz": 1.0}


@pytest.fixture(scope="module")
def running():
    with armed() as both:
        yield both


@pytest.fixture
def rig(running):
    settle(running[1])
    return running[1]


def test_a_model_goes_in_as_one_set_with_author_and_origin(rig):
    before, epoch, mark = rig.get(), rig.status()["epoch"], rig.ask("events")["next"]
    with rig.record() as path:
        assert rig.set(LUGRE, origin="campaign 12, fit 3") == epoch + 1
        assert rig.get("friction.s0", "friction.model") == {"friction.s0": 1e8, "friction.model": "lugre"}
        described = {p["key"]: p for p in rig.describe()["parameters"]}
        assert described["friction.s1"]["value"] == 1e5 and "friction.negative.s0" in described
        assert "gms" in described["friction.model"]["choices"]
        rig.run("sine", **SINE, cycles=2)
        assert rig.undo() == epoch + 2
    assert rig.get() == before
    first, second = [e for e in rig.events(mark) if e["kind"] == "set"]
    assert (first["origin"], first["undoes"], second["undoes"]) == ("campaign 12, fit 3", 0, epoch + 1)
    made = rig.changes(first=epoch + 1)["sets"]
    assert [(m["epoch"], m["origin"], m["author"]) for m in made] == [
        (epoch + 1, "campaign 12, fit 3", first["author"]),
        (epoch + 2, "undo", first["author"]),
    ]
    with open_recording(path) as recording:
        told = {c["key"]: (c["old"], c["new"], c["origin"]) for c in recording.changes if c["epoch"] == epoch + 1}
        assert told["friction.model"] == (before["friction.model"], "lugre", "campaign 12, fit 3")
        assert told["friction.s1"] == (None, 1e5, "campaign 12, fit 3")
        assert told["friction.s0"] == (None, 1e8, "campaign 12, fit 3")
        assert set(np.unique(recording.columns("epoch")["epoch"])) >= {epoch + 1, epoch + 2}


def test_the_valve_does_not_feel_a_change_of_model_at_rest(rig):
    rig.run("move", position_m=0.003)
    rig.pass_time(1.0)
    first = rig.status()["history"]["end"]
    before = rig.samples(first - 500, channels=["pressure_ref_pa", "u_law"])
    for model in (LUGRE, {"friction.model": "static", "friction.fv": 3000.0, "friction.dv": 0.5}, {"machine.B": 10.0}):
        rig.set(model)
    after = rig.samples(first, channels=["pressure_ref_pa", "u_law", "epoch"])
    assert len(np.unique(after["epoch"])) >= 3
    assert np.all(after["pressure_ref_pa"] == before["pressure_ref_pa"][-1])
    assert np.ptp(after["u_law"]) < 3 * np.ptp(before["u_law"]) + 1e-4
    for _ in range(3):
        rig.undo()


def test_a_model_is_refused_as_a_whole_with_every_problem(rig):
    before, epoch = rig.get(), rig.status()["epoch_asked"]
    refused = refusal(rig.set, {**LUGRE, "friction.s0": -1.0, "friction.fcc": 1.0, "machine.m": 505.0})
    assert refused.code == Code.BAD_VALUE
    assert "friction.s0" in refused.message and "did you mean 'friction.fc'" in refused.message
    assert "friction.s1" in refusal(rig.set, {"friction.model": "lugre", "friction.s0": 1e8}).message
    assert (rig.get(), rig.status()["epoch_asked"]) == (before, epoch)


def test_the_model_stays_while_the_table_moves_or_the_inverse_is_in(rig):
    motion = rig.track("sine", **SINE)
    refused = refusal(rig.set, LUGRE)
    assert (refused.code, refused.key) == (Code.WRONG_MODE, "mode") and "friction.model" in refused.message
    assert rig.set({"friction.fc": 285.0})  # its numbers may change
    rig.undo()
    rig.stop()
    rig.wait(motion)
    rig.set({"law.feed.inverse": 0.5})
    assert "law.feed.inverse" in refusal(rig.set, LUGRE).message
    rig.undo()
    rig.set(LUGRE)
    rig.undo()


def test_nothing_is_left_to_undo_in_the_end(rig):
    sets = rig.changes()["sets"]
    rig.set({"friction.fc": 295.0})
    for _ in range(len(sets) + 1 - 2 * sum(1 for made in sets if made["undoes"])):
        rig.undo()
    refused = refusal(rig.undo)
    assert refused.code == Code.BAD_VALUE and "the parameters are those of the start" in refused.message
    assert rig.changes()["differs"] == []


def test_on_the_real_clock_a_motion_waits_for_the_model():
    changes = {**ARMS_FAST, "law.blend_s": 0.4}
    with private_service("table-500", clock="real", changes=changes) as service, Client(service.commands) as rig:
        rig.set({"law.feed.inverse": 1.0})
        rig.undo()
        rig.arm()
        with Raw(service.commands, rig._identity.client) as raw:
            mark = rig.ask("events")["next"]
            lease = rig._identity.token
            raw.send(raw.message("set", id=1 << 40, lease=lease, values=LUGRE))
            until(lambda: any(e["kind"] == "set" for e in rig.events(mark)), "the set")
            raw.send(raw.message("track", id=(1 << 40) + 1, lease=lease, kind="sine", parameters=SINE))
            replies = {(r := raw.receive())["id"]: r for _ in range(2)}
        assert replies[1 << 40]["ok"]
        refused = replies[(1 << 40) + 1]["error"]
        assert refused["code"] == "busy" and "friction model" in refused["message"]
        rig.run("sine", **SINE, cycles=1)


def test_what_was_set_on_a_running_twin_starts_the_next(tmp_path):
    main = tmp_path / "mine.toml"
    main.write_text(rig_file.find("table-500").read_text())
    file = tmp_path / "identified.toml"
    values = {**LUGRE, "machine.m": 512.5, "law.pid.kp_per_m": 11.0}
    with private_service(main) as service, Client(service.commands) as rig:
        assert "nothing differs" in refusal(rig.save, file).message
        rig.set(values, origin="campaign 3, fit 1")
        saved = rig.save(file)
        held = rig.get()
        assert not saved.included and saved.rig_file == str(main.resolve())
    store = Store(rig_file.load(main, twin=True))
    proposed = store.propose(values)
    main.write_text(f"{saved.line}\n{main.read_text()}")
    Shell(tmp_path).said("check", str(main))
    again = rig_file.load(main, twin=True)
    assert again.settings(9).tobytes() == store.record(Set(proposed.rig, 9, ())).tobytes()
    text = file.read_text()
    assert "campaign 3, fit 1" in text and "table-500" in text
    assert tomllib.loads(text)["machine"] == {"m": 512.5}
    with private_service(main) as service, Client(service.commands) as rig:
        assert rig.get() == held
        rig.set({"friction.s0": 9e7})
        assert rig.save(file).included
    assert rig_file.load(main).friction.params.s0 == 9e7
    assert rig_file.load(main).tables.machine.m == 512.5


def test_the_command_line_changes_a_model_shows_who_did_saves_and_undoes(tmp_path):
    with serving(tmp_path, "law.blend_s=0.1") as (shell, _, _):
        said = shell.said("set", *(f"{key}={value}" for key, value in LUGRE.items()), "--origin", "fit 4")
        assert '"karnopp" → "lugre"' in said
        shown = shell.said("get", "--changes")
        assert "fit 4" in shown and 'friction.model = "lugre", in the rig file "karnopp"' in shown
        assert "console" in shell.json("get", "--changes")["sets"][-1]["author"]
        assert "include = [" in shell.said("set", "--save", "identified.toml")
        assert tomllib.loads((tmp_path / "identified.toml").read_text())["friction"]["s0"] == 1e8
        os.truncate(tmp_path / "identified.toml", 0)
        assert "not written by" in shell.refused("set", "--save", "identified.toml", code=2)
        assert "takes epoch 2 back" in shell.said("set", "--undo")
        assert "nothing to undo" in shell.refused("set", "--undo", code=2)
        shell.refused("set", "--undo", "--save", "x.toml", code=2)
