"""A verification on the real clock, over an emulated device; the commissioning is that of the rig's twin.

Its compensation is not judged: the emulated device has a period of its own, and the twin has none
(docs/experiments.md), so it is worth less here than when it was commissioned.
"""

import pytest

from hilctl.verify import VerifyFailed, verify
from tests.system.emulate_parts import BRIDGES, driven
from tests.system.verify_parts import asked, changed, commissioned

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(900)]
TRANSPORT = "modbus-tcp"
SPEEDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.14, 0.17)


@pytest.mark.slow
@pytest.mark.long
def test_over_modbus_a_rig_is_found_as_its_twin_was_and_a_link_that_fails_ends_it(tmp_path):
    file = commissioned(tmp_path / "c", {}, BRIDGES[TRANSPORT], warm_up_s=1.0, speeds_m_s=SPEEDS, campaign_s=45.0,
                        sines_hz=(1.0, 2.0))  # fmt: skip
    with driven(TRANSPORT) as (device, _, rig):
        told = verify(rig, asked(file, tmp_path / "v"))
        print(told.verdict, told.rig_seconds, told.compensation.text, told.notes)
        for key, one in told.compared.items():
            print(f"{key:28} {one.verdict:12} {one.change} ± {one.interval}, matters from {one.relevant}")
        assert changed(told) == set()
        undecided = [key for key, one in told.compared.items() if one.verdict != "unchanged"]
        assert set(undecided) <= {"m"}, "at 0.2 m/s its interval is wider than what matters"
        assert told.rig_seconds < 130.0

        def fail(text, now):
            if text.startswith("friction"):
                device.tell("timeout 2")

        with pytest.raises(VerifyFailed, match="restored"):
            verify(rig, asked(file, tmp_path / "w"), fail)
        assert rig.status()["mode"] in ("null", "off") and rig.status()["trip"]
