"""A valve that is slower than the rig file says: where compensation makes something worse, it is limited to the rest.
`pytest -s -m slow tests/system/test_commission_worse.py` prints the table.
"""

import pytest

from hilctl.client import Client, private_service
from hilctl.commission import Commissioning, How
from hilctl.commission.judging import WORSE


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_a_slow_spool_makes_worse_is_left_without_the_inverse_model(tmp_path):
    changes = {"twin.valve.slew_per_s": 15.0}  # the rig file says 250
    with private_service("table-500", changes=changes) as service, Client(service.commands) as rig:
        found = Commissioning(rig, How(tmp_path / "c")).run()
        active = rig.get("law.feed")
    for one in found.worse:
        print(f"worse: {one.name}, {one.figure}: {one.before:.3g} -> {one.after:.3g}")
    assert found.complete and found.worse
    assert all(one.after > WORSE * one.before for one in found.worse)
    assert found.warnings[0].startswith("with the inverse model everywhere, worse than without: " + found.worse[0].name)
    for key, one in found.thd.items():
        print(f"{key} Hz: {one.before:.1f} -> {one.after:.1f} %")
        assert one.after < WORSE * one.before
    for row in found.tracking:
        print(f"{row.name}: {row.before.rms_um:.1f} -> {row.after.rms_um:.1f} µm")
        assert row.after.rms_um < WORSE * row.before.rms_um
    limits = {key: value for key, value in active.items() if "inverse_" in key}
    print(limits)
    assert limits["law.feed.inverse_to_m_s"] < 0.32 and active["law.feed.inverse"] == 1.0
    assert found.sent.values["law.feed.inverse_to_m_s"] == limits["law.feed.inverse_to_m_s"]  # and so it is saved
    assert "inverse_to_m_s" in (tmp_path / "c" / "identified.toml").read_text()
