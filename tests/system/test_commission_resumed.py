"""A commissioning that is cut off goes on where it was: what was measured is not measured again, nor changed."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

from hilctl.client import Client, private_service
from hilctl.commission import CommissionFailed, Commissioning, How
from hilctl.experiment.store import StoreError
from tests.system.cli_parts import serving
from tests.system.service_parts import until

pytestmark = pytest.mark.timeout(900)
RIG = "table-500"
SHORT = {"warm_up_s": 1.0, "speeds_m_s": (0.005, 0.02, 0.1, 0.3, 0.6), "campaign_s": 20.0, "sines_hz": (1.0,)}
CUTS = 50
PATIENT = {"service.timeout_s": 10, "service.lease_timeout_s": 1, "service.heartbeat_s": 0.2}


class CutOff(Client):
    """A client whose user presses Ctrl-C in a motion."""

    left = 10**6
    driven = 0

    def wait(self, motion, timeout_s=0.0):
        self.driven += 1
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return super().wait(motion, timeout_s)


def commissioned(folder, cut=0, resume=False):
    """Its results and how many motions it took; None where it was cut off in the middle of that motion."""
    with private_service(RIG, changes={"twin.seed": 3}) as service, CutOff(service.commands) as rig:
        rig.left = cut or rig.left
        before = rig.get()
        try:
            told = Commissioning(rig, How(folder, resume=resume, **SHORT)).run()
        except KeyboardInterrupt:
            told = None
            assert rig.get() == before and rig.status()["mode"] in ("hold", "off", "stop")
        return told, rig.driven


def held(folder):
    """Every file that a leg was stored in."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*.npz")}


def cuts():
    """The parts of the whole at which it is cut off, a share of them in CI."""
    count = max(2, round(CUTS * float(os.environ.get("HILCTL_SLOW_SHARE", "1"))))
    return [float(part) for part in np.random.default_rng(5).random(count)]


def goes_on(folder, part, told, motions):
    """Its results, where it was cut off in that part of the motions, and went on with that motion."""
    cut = 2 + int(part * (motions - 2))
    assert commissioned(folder, cut)[0] is None
    before = held(folder)
    resumed, driven = commissioned(folder, resume=True)
    after = held(folder)
    assert resumed.complete
    assert all(after[name] == content for name, content in before.items()), "earlier legs, byte for byte"
    driven_before = sum("legs/rest-" not in name for name in before)
    assert driven <= motions - driven_before + 3, "warmed up and centred again, and nothing else twice"
    assert resumed.thd["1"].factor > 0.7 * told.thd["1"].factor
    return resumed


def identified(told):
    """The parameters of friction and machine that were."""
    machine = {key: one for key, one in told.plant.items() if one.before}
    return {key: one for key, one in (told.fit.parameters | machine).items() if one.identified}


def beyond(one, other):
    """How far two measurements of the same are apart, by what their intervals allow."""
    return abs(one.value - other.value) / (0.5 * math.hypot(one.high - one.low, other.high - other.low))


@pytest.mark.slow
def test_cut_off_in_any_motion_it_goes_on_with_that_motion(tmp_path):
    """95 % of what went on lies in the interval of what was not cut off, or nearly: of two measurements alike with
    intervals of 95 %, one lies in the other's 83 times in 100 where these are of scatter alone."""
    told, motions = commissioned(tmp_path / "whole")
    wanted = identified(told)
    apart = {key: [] for key in wanted}
    outside = []
    for part in cuts():
        found = identified(goes_on(tmp_path / f"{part:.9f}", part, told, motions))
        for key in wanted.keys() & found.keys():
            apart[key].append(beyond(wanted[key], found[key]))
            outside += [key] * (not wanted[key].low <= found[key].value <= wanted[key].high)
    compared = sum(map(len, apart.values()))
    print({key: max(all, default=0.0) for key, all in apart.items()}, outside, "of", compared)
    assert compared >= 0.9 * len(wanted) * len(cuts())
    assert len(outside) <= 0.05 * compared
    assert all(np.mean(np.array(all) > 1.0) <= 0.1 for all in apart.values()), apart


def legs(folder):
    """How many are stored; the folder itself may come and go meanwhile."""
    return sum(name.endswith(".npz") for _, _, names in os.walk(folder) for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("killed", ["client", "service"])
def test_killed_at_any_instant_it_goes_on_and_the_parameters_are_as_before(killed, tmp_path):
    words = [*(f"{key}={value}" for key, value in PATIENT.items()), "--clock", "virtual"]
    asked = ["commission", "--out", "c", "--warm-up", "1", "--budget", "20", "--sines", "1", "--speeds",
             *(str(v) for v in SHORT["speeds_m_s"])]  # fmt: skip
    with serving(tmp_path, *words) as (shell, service, _):
        before = shell.json("get")
        work = shell.start(*asked)
        until(lambda: legs(tmp_path / "c") >= 5, "five legs")
        (work if killed == "client" else service).kill()
        work.communicate()
        kept = held(tmp_path)
        if killed == "client":
            until(lambda: shell.json("status")["lease"] is None, "the lease's end")
            until(lambda: shell.json("get") == before, "the parameters as before")
            if shell.json("status")["trip"]:
                shell.said("reset")
            shell.said(*asked, "--resume")
    if killed == "service":
        with serving(tmp_path, *words) as (shell, _, _):
            shell.said(*asked, "--resume")
    after = held(tmp_path)
    assert len(kept) >= 5 and all(after[name] == content for name, content in kept.items())
    assert json.loads((tmp_path / "c" / "commission.json").read_text())["complete"]


def test_a_service_that_ends_in_the_middle_ends_the_work_in_order(tmp_path):
    with private_service(RIG) as service, CutOff(service.commands) as rig:
        rig.timeout_s = 0.5

        def die(text):
            if legs(tmp_path) >= 3:
                service.process.kill()

        with pytest.raises(CommissionFailed, match="the service has ended, and the changed parameters with it"):
            Commissioning(rig, How(tmp_path, **SHORT), die).run()
    assert legs(tmp_path) >= 3


def test_a_folder_goes_on_only_with_the_same_rig_parameters_and_choices(tmp_path):
    with private_service(RIG) as service, Client(service.commands) as rig:
        Commissioning(rig, How(tmp_path, **SHORT))
        with pytest.raises(StoreError, match=r"already holds a commissioning; continue it \(--resume\)"):
            Commissioning(rig, How(tmp_path, **SHORT))
        Commissioning(rig, How(tmp_path, resume=True, **SHORT))
        with pytest.raises(StoreError, match=r"begun otherwise: campaign_s was 20.0, is 30.0"):
            Commissioning(rig, How(tmp_path, resume=True, **{**SHORT, "campaign_s": 30.0}))
        rig.set({"machine.m": 510.0})
        with pytest.raises(StoreError, match=r"begun otherwise: machine.m was 500.0, is 510.0; restore that"):
            Commissioning(rig, How(tmp_path, resume=True, **SHORT))
        with pytest.raises(StoreError, match="holds no commissioning"):
            Commissioning(rig, How(tmp_path / "other", resume=True, **SHORT))
        assert rig.status()["last_motion"] == 0
