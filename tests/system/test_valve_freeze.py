"""What is learned of the valve becomes parameters by one command: one set, one epoch, in the journal, and no jump."""

import numpy as np
import pytest

from hilctl.client import private_service
from hilctl.client.client import Client
from hilctl.client.learned import freeze, learned
from hilctl.wire.errors import Refused
from tests.system.cli_parts import serving
from tests.system.service_parts import ARMS_FAST, RIG

VALVE = {"machine.dead_band": 0.02, "twin.machine.dead_band": 0.02, "law.adapt.share": 1.0, "law.adapt.time_s": 2.0,
         "law.feed.inverse": 1.0}  # fmt: skip


def test_what_is_learned_becomes_one_set_without_a_jump():
    with private_service(RIG, changes={**ARMS_FAST, **VALVE}) as service, Client(service.commands) as rig:
        rig.take()
        rig.arm()
        before = rig.get("machine.Qn", "machine.dead_band", "law.valve.null_bias")
        rig.set({"machine.Qn": 0.9 * before["machine.Qn"]})  # which is wrong
        motion = rig.track("sine", frequency_hz=1.0, amplitude_m=0.05, cycles=60)
        rig.pass_time(30.0)
        now = learned(rig)
        assert now.share == 1.0
        assert now.gain == pytest.approx(1 / 0.9 - 1, abs=0.02)
        epoch = rig.status()["epoch"]
        made = freeze(rig)
        assert made["epoch"] == epoch + 1
        assert {edit["key"] for edit in made["changed"]} == {
            "machine.Qn", "machine.dead_band", "law.valve.null_bias", "law.adapt.share",
        }  # fmt: skip
        assert list(rig.journal(newest=1))[-1]["epoch"] == made["epoch"]
        rig.pass_time(2.0)
        rows = rig.samples(motion.first, None, ("epoch", "u_cmd", "learned_gain", "learning", "valve_null"))
        step = np.abs(np.diff(rows["u_cmd"]))
        frozen = int(np.argmax(rows["epoch"] == made["epoch"]))
        assert step[frozen - 2 : frozen + 1500].max() < 1.1 * step[frozen - 4000 : frozen - 2].max()
        assert (rows["learned_gain"][-1], rows["learning"][-1]) == (0.0, 0)
        after = rig.get("machine.Qn", "law.valve.null_bias")
        assert after["machine.Qn"] == pytest.approx(before["machine.Qn"], rel=0.02)
        assert after["law.valve.null_bias"] == pytest.approx(rows["valve_null"][-1], abs=1e-4)
        with pytest.raises(Refused, match=r"law\.adapt\.share = 0"):
            freeze(rig)


def test_the_command_line_shows_it_and_keeps_it(tmp_path):
    quick = [f"{key}={value}" for key, value in ARMS_FAST.items()]
    with serving(tmp_path, *quick, "--clock", "virtual") as (shell, _, _):
        assert "hilctl set law.adapt.share=1" in shell.refused("adapt", "freeze")
        assert "switches learning on" in shell.said("adapt", "show")
        shell.run("arm", "--wait")
        shell.run("set", "law.adapt.share=1", "law.adapt.time_s=2")
        shell.run("wait", "3")
        shown = shell.json("adapt", "show")
        assert (shown["share"], shown["learning"], shown["ended"]) == (1.0, True, [])
        assert shown["null"] != 0.0
        made = shell.json("adapt", "freeze", "--origin", "warm oil")
        assert {"law.valve.null_bias", "law.adapt.share"} <= {edit["key"] for edit in made["changed"]}
        assert "warm oil" in shell.said("params", "log", "law.adapt.share")
