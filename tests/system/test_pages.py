"""The pages are typed as they stand: the tutorial from its first command to its last, then what the others show of its
results, and of a trip. Each on the simulated rig, on the virtual clock."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from hilctl.client import Client
from tests import blocks
from tests.system.cli_parts import FREE_PORTS, Shell
from tests.system.service_parts import until

# Its services run on the real clock, and before everything else where the host grants it.
pytestmark = [pytest.mark.slow, pytest.mark.realtime, pytest.mark.timeout(600)]
HOUSE = Path(__file__).resolve().parents[2]
REFUSED = {"hilctl move 0.2": "limits.position.max_m"}
SINE = "hilctl track sine --frequency 0.5 --amplitude 0.03"


class Typist:
    """Who types what a page shows, with a folder and services of his own."""

    def __init__(self, folder):
        self.shell, self.folder = Shell(folder), folder
        self.services = []
        shutil.copytree(HOUSE / "deploy" / "rigs", folder / "deploy" / "rigs")

    def type(self, line):
        """What it prints."""
        program, *words = shlex.split(line.removesuffix("&"))
        if program != "hilctl":
            subprocess.run([program, *words], cwd=self.folder, check=True)
            return ""
        if words[0] == "run":
            return self.serve(*words[1:])
        if line in REFUSED:
            said = self.shell.refused(*words)
            assert REFUSED[line] in said
            return said
        said = self.shell.said(*words, *(["--once"] if words[0] == "watch" else []))
        if words[0] == "shutdown":
            assert self.services.pop().wait(60) == 0
        return said

    def serve(self, *words):
        """The service, in the background, until it listens."""
        log = self.folder / f"run-{len(list(self.folder.glob('run-*.log')))}.log"
        with log.open("w") as output:
            more = () if "--set" in words else ("--set",)
            process = self.shell.start(
                "run", "--clock", "virtual", *words, *more, *FREE_PORTS, stdout=output, stderr=output
            )
        self.services.append(process)
        until(lambda: "commands at" in log.read_text() or process.poll() is not None, "the service")
        assert process.poll() is None, log.read_text()
        return ""

    def end(self):
        for process in self.services:
            process.terminate()
        for process in self.services:
            process.wait(60)


def played(name):
    """The commands of a page that are typed here."""
    return [one.text for one in blocks.commands() if one.page == name and one.by == blocks.PLAYED]


def block(name, line):
    """The Python block of a page with this line."""
    (code,) = (one.text for one in blocks.blocks() if one.page == name and line in one.text)
    return code


@pytest.fixture(scope="module")
def typist(tmp_path_factory):
    """Behind the tutorial: with a commissioning, two recordings, and the page of each."""
    folder = tmp_path_factory.mktemp("pages")
    typist = Typist(folder)
    try:
        for line in played("tutorial"):
            typist.type(line)
        (folder / "out" / "commission-DATE").symlink_to(folder / "out" / "first")
        shutil.copy(folder / "first.h5", folder / "run-7.h5")
        yield typist
    finally:
        typist.end()


@pytest.fixture(scope="module")
def running(typist):
    """The same with a service that is armed."""
    typist.serve("table-500", "--twin")
    typist.type("hilctl arm --wait")
    return typist


def test_the_tutorial_ends_with_a_table_that_follows_better(typist):
    def error_um(name):
        found = json.loads((typist.folder / f"{name}.json").read_text())
        return max(abs(motion["error_rms_m"]) for motion in found["motions"])

    assert (typist.folder / "first.html").exists()
    assert error_um("first") > 4 * error_um("second")
    assert not typist.services, "the tutorial ends what it starts"


@pytest.mark.parametrize("name", ["commissioning", "recordings", "replay", "reports"])
def test_what_a_page_shows_of_results_and_recordings_runs(typist, name):
    lines = [line for line in played(name) if "trip-" not in line]
    assert lines
    for line in lines:
        here = re.sub(r"out/commission-…|\bDIR\b", "out/first", line)
        typist.type(here.replace("--from 12.5 --to 30", "--from 0 --to 1000"))


def test_a_first_run_as_the_front_page_shows_it(typist):
    for line in played("README"):
        typist.type(line)


def test_the_page_on_a_trip_is_followed(typist):
    """A pressure transducer fails while the table moves, so that there is a trip to find out about."""
    typist.serve("table-500", "--twin", "--set", "twin.faults.sensor=pressure_a", "twin.faults.sensor_nan_after_s=5")
    lines = played("why-it-tripped")
    typist.type("hilctl arm --wait")
    typist.shell.run(*shlex.split(SINE)[1:], "--cycles", "20", "--wait", code=1)
    status = typist.type("hilctl status")
    assert "TRIPPED" in status
    box = until(lambda: re.search(r"trip-\d+-\d+\.h5", typist.type("hilctl recordings")), "the black box")[0]
    said = [typist.type(line.replace("trip-20261126-093000.h5", box)) for line in lines]
    assert len(said) > 5
    page = (typist.folder / box).with_suffix(".json")
    assert json.loads(page.read_text())["trip"]
    for name in ("reports", "replay"):
        for line in played(name):
            if "trip-" in line:
                typist.type(line.replace("trip-20261126-093000.h5", box))
    typist.type("hilctl shutdown")


@pytest.mark.parametrize("name", ["looking", "other-programs"])
def test_what_a_page_shows_of_a_running_rig_runs(running, name):
    lines = played(name)
    assert lines
    assert all(running.type(line) for line in lines)


@pytest.mark.parametrize(("name", "line"), [
    ("other-programs", "Client()"), ("motions", "External"), ("remote", "rig.queue("),
    ("recordings", "open_recording"), ("results", "read("),
])  # fmt: skip
def test_a_block_of_python_runs(running, monkeypatch, name, line):
    code = block(name, line)
    for variable in ("XDG_RUNTIME_DIR", "HILCTL_TOKEN"):
        monkeypatch.setenv(variable, running.shell.environment[variable])
    monkeypatch.chdir(running.folder)
    running.type("hilctl off")
    given = {"model": lambda: [0.0] * 60}
    if code.startswith("from"):
        exec(compile(code.replace("out/mine", "out/first"), f"{name}.md", "exec"), given)
    else:  # it goes on with a rig that the page has taken before
        with Client() as rig:
            rig.arm()
            exec(compile(code, f"{name}.md", "exec"), given | {"rig": rig})
            rig.off()
