"""Long work says on the terminal how far it is, and its answer goes elsewhere unharmed."""

import json

import pytest

from hilctl.client import Client, private_service
from tests.system.cli_parts import RIG, Shell
from tests.system.service_parts import ARMS_FAST, LATE_HOST, arms, until
from tests.system.terminal_parts import Terminal

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def service():
    with private_service(RIG, clock="real", changes={**ARMS_FAST, **LATE_HOST, "service.timeout_s": 10.0}) as service:
        with Client(service.commands) as rig, rig.record("run"):
            until(lambda: arms(rig), "arming")
            rig.run("sine", amplitude_m=0.001, frequency_hz=2.0, cycles=4)
        yield service


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    return Shell(tmp_path_factory.mktemp("shell"))


def told(shell, *words):
    """What is said on the terminal, and the object on standard output."""
    with (shell.folder / "answer").open("w+b") as answer:
        with Terminal(list(words), shell.environment, shell.folder, answer=answer) as terminal:
            assert terminal.end() == 0, terminal.lines
        answer.seek(0)
        return terminal.seen.decode(), json.loads(answer.read())


def test_copying_exporting_and_replaying_a_recording(shell, service):
    file = str(shell.folder / "run.h5")
    said, found = told(shell, "recordings", "--get", "run.h5", "--json", "--connect", service.commands)
    assert "copying run.h5" in said and found == {"path": "run.h5"}
    said, found = told(shell, "export", file, "--csv", "--json")
    assert "exporting to run.csv" in said and found["rows"] > 1000
    said, found = told(shell, "replay", file, "--json")
    assert "replaying run.h5" in said and found["ticks"] > 1000


@pytest.mark.slow
def test_a_motion_that_is_waited_for_says_how_much_of_it_is_left(shell, service):
    with (shell.folder / "answer").open("wb") as answer:
        words = ["track", "sine", "--amplitude", "0.001", "--frequency", "2", "--cycles", "10", "--wait", "--json"]
        words += ["--connect", service.commands]
        with Terminal(words, shell.environment, shell.folder, answer=answer) as terminal:
            terminal.until(lambda: " s left" in terminal.seen.decode(errors="ignore"), "the time left")
            assert terminal.end() == 0
    assert json.loads((shell.folder / "answer").read_bytes())["outcome"] == "done"
