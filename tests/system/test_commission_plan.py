"""`hilctl commission --plan` prints what would be done, and moves nothing."""

import re

import pytest

from hilctl.client import Client, private_service
from tests.system.cli_parts import Shell

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def service():
    with private_service("table-500") as service:
        yield service


def test_a_plan_has_each_part_and_each_triangle_and_moves_nothing(service, tmp_path):
    shell = Shell(tmp_path)
    options = ("--connect", service.commands, "--plan", "--speeds", "0.002", "0.01", "0.1", "--sines", "1")
    told = shell.said("commission", *options)
    assert re.search(r"measuring friction +90 s", told)
    assert re.search(r"distortion before +6 s", told)
    speeds = [float(line.split()[0]) for line in re.findall(r"^ {10,}[\d.].*$", told, re.MULTILINE)]
    assert sorted(speeds) == [0.002, 0.01, 0.1]
    assert "never farther than" in told
    assert not (tmp_path / "out").exists()
    with Client(service.commands, lease="none") as rig:
        assert [event["kind"] for event in rig.events()] == ["epoch"]


def test_a_budget_that_is_too_short_is_refused_with_what_it_takes(service, tmp_path):
    refused = Shell(tmp_path).refused("commission", "--connect", service.commands, "--plan", "--budget", "10", code=2)
    assert "a budget of 10 s is too short" in refused
