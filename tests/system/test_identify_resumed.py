"""Plant and reversals that were cut off go on where they were: what was measured is not measured again, nor changed."""

import json

import pytest

from hilctl.client import Client, private_service
from hilctl.experiment import journal
from hilctl.identify.plant import identify_plant
from hilctl.identify.presliding import identify_presliding
from tests.system.cli_parts import Shell, serving
from tests.system.service_parts import RIG, until

pytestmark = pytest.mark.timeout(300)

CURVE = {"fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}
BRISTLES = {"twin.friction.model": "lugre", "twin.friction.s0": 1e8, "twin.friction.s1": 1e5}
MOTIONS = 4  # of either
WORKS = {"plant": identify_plant, "presliding": lambda rig: identify_presliding(rig, CURVE)}
PATIENT = ("service.timeout_s=10", "service.lease_timeout_s=1", "service.heartbeat_s=0.2")


class CutOff(Client):
    """A client whose user presses Ctrl-C in a motion that is measured."""

    def __init__(self, *more, left=10**6):
        super().__init__(*more)
        self.left, self.driven = left, 0

    def track(self, *args, **parameters):
        self.driven += 1
        return super().track(*args, **parameters)

    def wait(self, motion, timeout_s=0.0):
        if self.driven == self.left:
            raise KeyboardInterrupt
        return super().wait(motion, timeout_s)


def held(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.npz")}


@pytest.mark.slow
@pytest.mark.parametrize("what", list(WORKS))
@pytest.mark.parametrize("cut", [1, 3])
def test_cut_off_in_a_motion_it_goes_on_with_that_motion(what, cut, tmp_path):
    with private_service(RIG, changes=BRISTLES) as service:
        with CutOff(service.commands, left=cut) as rig, journal.kept(tmp_path):
            rig.arm()
            before = rig.get()
            with pytest.raises(KeyboardInterrupt):
                WORKS[what](rig)
            assert rig.get() == before, "what was changed meanwhile is as it was"
            rig.left = 10**6
        earlier = held(tmp_path)
        assert len(earlier) == cut - 1
        with CutOff(service.commands) as rig, journal.kept(tmp_path):
            until(lambda: rig.status()["mode"] == "hold", "rest")
            found = WORKS[what](rig)
            assert rig.driven == MOTIONS - (cut - 1)
        after = held(tmp_path)
        assert len(after) == MOTIONS and all(after[name] == content for name, content in earlier.items())
        with CutOff(service.commands) as rig, journal.kept(tmp_path):
            again = WORKS[what](rig)
            assert rig.driven == 0 and again.to_json() == found.to_json()
    if what == "plant":
        assert found.quantity("machine.m").low < 500 < found.quantity("machine.m").high
    else:
        assert found.parameter("s0").value == pytest.approx(1e8, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("what", list(WORKS))
def test_a_command_that_was_killed_goes_on_in_its_folder(what, tmp_path):
    words = [*PATIENT, *(f"{key}={value}" for key, value in BRISTLES.items()), "--clock", "virtual"]
    with serving(tmp_path, *words) as (shell, _, _):
        (tmp_path / "curve.json").write_text(json.dumps(CURVE))
        curve = ("--curve", "curve.json") if what == "presliding" else ()
        work = shell.start("identify", what, *curve, "--out", "cut")
        until(lambda: len(held(tmp_path / "cut/legs")) >= 2, "two legs")
        work.kill()
        work.communicate()
        earlier = held(tmp_path / "cut/legs")
        zeros = {one["key"]: one["new"] for one in json.loads((tmp_path / "cut/prepared.json").read_text())["zeroed"]}
        until(lambda: shell.json("status")["lease"] is None, "the lease's end")
        if shell.json("status")["trip"]:
            shell.said("reset")
        assert "leave --out out" in shell.refused("identify", what, "--resume", "cut", "--out", "other", code=2)
        other = {"plant": "presliding", "presliding": "plant"}[what]
        assert "name another folder" in shell.refused("identify", other, "--resume", "cut", code=1)
        told = shell.json("identify", what, "--resume", "cut")
        after = held(tmp_path / "cut/legs")
        assert len(after) == MOTIONS and all(after[name] == content for name, content in earlier.items())
        assert told["prepared"]["zeroed"] and shell.json("get", *zeros) == zeros
        assert json.loads((tmp_path / f"cut/{what}.json").read_text()) == told
        shell.said("set", "machine.m=510")
        assert "machine.m was 500.0, is 510.0" in shell.refused("identify", what, "--resume", "cut", code=1)


def test_a_folder_that_holds_nothing_is_not_continued(tmp_path):
    said = Shell(tmp_path).refused("identify", "plant", RIG, "--twin", "--resume", "none", code=1)
    assert "holds no identification of the plant" in said
