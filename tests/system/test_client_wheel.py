"""The client's own wheel, in an environment that has what it declares and nothing else: it drives a rig."""

import re
import tomllib
import zipfile

import pytest

from deploy.release.client import PROJECT, differing, stage
from deploy.release.contents import client_problems
from hilctl.client import private_service
from tests.system import wheel_parts
from tests.system.wheel_parts import run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

DRIVEN = """
import sys
from hilctl.client import Client, Refused

with Client(sys.argv[1]) as rig:
    rig.arm()
    motion, outcome = rig.run("triangle", speed_m_s=0.02, amplitude_m=0.002, cycles=1)
    shown = rig.samples(motion.first, outcome.last, ["position_m"])["position_m"]
    try:
        rig.track("triangle", speed_m_s=2.0, amplitude_m=0.002, cycles=1)
    except Refused as why:
        print(outcome.why, round(1e3 * float(shown.max() - shown.min()), 1), why.code)
    rig.off()
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("client")
    return wheel_parts.build(folder, stage(folder / "project"))


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    declared = [re.match(r"[\w-]+", one)[0] for one in tomllib.loads(PROJECT.read_text())["project"]["dependencies"]]
    return wheel_parts.environment(tmp_path_factory.mktemp("venv"), built, only=declared)


def test_it_holds_whatever_it_imports_and_declares_no_other_than_the_program():
    assert differing() == []


def test_what_a_module_of_it_imports_is_in_it(built, tmp_path):
    assert client_problems(built) == []
    less = tmp_path / built.name
    with zipfile.ZipFile(built) as source, zipfile.ZipFile(less, "w") as target:
        for name in source.namelist():
            if name != "hilctl/wire/places.py":
                target.writestr(name, source.read(name))
    assert any("imports hilctl.wire.places, which is missing" in problem for problem in client_problems(less))


def test_it_drives_a_rig_without_the_program(installed, tmp_path):
    with private_service("table-500") as service:
        done = run(installed, tmp_path, "-c", DRIVEN, service.commands)
    assert done.stdout.split() == ["done", "4.0", "bad_value"], done.stderr


def test_a_private_service_is_refused_with_what_to_install(installed, tmp_path):
    done = run(installed, tmp_path, "-c", "from hilctl.client import *\nwith private_service('table-500'): pass")
    assert "install hilctl instead of hilctl-client" in done.stderr
