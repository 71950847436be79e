"""A valve that swallows the plant's fast motions, unknown to the rig file: the slow sine shows it, then all do."""

import json

import pytest

from hilctl.client import Client, private_service
from hilctl.identify.plant import identify_plant
from tests.system.cli_parts import Shell
from tests.system.test_valves_links import FOUND, a_valve

VALVE = a_valve(0.05, 0.005)
TRUTH = {"machine.overlap_a": 0.05, "machine.overlap_b": 0.05, "machine.hysteresis": 0.005, "null": 0.01}


def found(fit):
    return {key: fit.quantity(key).value for key in TRUTH}


def right():
    return {key: pytest.approx(value, abs=FOUND[key.removeprefix("machine.")]) for key, value in TRUTH.items()}


def test_the_valve_is_found_from_the_slow_sine_and_once_it_is_set_mass_and_oil_as_well():
    with private_service("table-500-modbus", changes=VALVE) as service, Client(service.commands) as rig:
        rig.arm()
        before = rig.get()
        valve = identify_plant(rig)
        assert rig.get() == before
        assert "swallows" in valve.fast_left_out and "chirp up" in valve.fast_left_out
        assert found(valve) == right() and "machine.m" not in valve.quantities
        assert any("Set these, and identify again" in note for note in valve.notes)
        rig.set(valve.changes(), origin="test")
        whole = identify_plant(rig)
    assert not whole.fast_left_out and found(whole) == right()
    assert whole.quantity("machine.m").value == pytest.approx(500.0, rel=0.02)
    assert whole.quantity("machine.overlap_a").before == valve.changes()["machine.overlap_a"]
    assert whole.since(valve).quantity("machine.overlap_a").before == 0.0


def test_the_command_says_so_and_the_stored_motions_say_the_same(tmp_path):
    shell = Shell(tmp_path)
    settings = [f"{key}={value}" for key, value in VALVE.items()]
    said = shell.said("identify", "plant", "table-500-modbus", "--twin", "--set", *settings, "--out", "one")
    assert "The valve swallows" in said and "Set these, and identify again" in said
    shell.said("identify", "plant", "--again", "one", "--workers", "1", "--out", "again")
    first = json.loads((tmp_path / "one" / "plant.json").read_text())
    (again,) = json.loads((tmp_path / "again" / "fits.json").read_text())
    assert again["result"]["plant"] == first["plant"] and "machine.m" not in first["plant"]
    assert any("The valve swallows" in note for note in again["result"]["notes"])
    assert first["sets"][0]["machine.overlap_a"] == pytest.approx(0.05, abs=0.002)
