"""Commissioning where a share of the exchanges is lost at random: with one in twenty there is a result, with one in
three a fault that names the link."""

import pytest

from hilctl.client import Client, private_service
from hilctl.commission import CommissionFailed, Commissioning, How
from tests.system.emulate_parts import BRIDGES
from tests.system.test_commission_links import SHORT

pytestmark = pytest.mark.timeout(300)
TRUE = ("friction.fc", "friction.fs", "friction.vs", "machine.m")  # as the twin has them, too


def commissioned(preset, folder, lost):
    changes = {"twin.seed": 3, "twin.link.lost": lost, "twin.link.lost_ticks": 1}
    with private_service(preset, changes=changes) as service, Client(service.commands) as rig:
        true = rig.get(*TRUE)
        told = Commissioning(rig, How(folder, **SHORT)).run()
        assert (rig.status()["mode"], rig.status()["trip"]) == ("hold", None)
    return told, {key.rpartition(".")[2]: value for key, value in true.items()}


def found(told):
    """The parameters of friction and machine that were identified."""
    machine = {key: one for key, one in (told.plant or {}).items() if one.before}
    return {key: one for key, one in (told.fit.parameters | machine).items() if one.identified}


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("bridge", BRIDGES)
def test_with_one_exchange_in_twenty_lost_there_is_a_result_with_wider_intervals_and_it_says_so(bridge, tmp_path):
    (whole, true), (lossy, _) = (commissioned(BRIDGES[bridge], tmp_path / f"{lost}", lost) for lost in (0.0, 0.05))
    assert lossy.complete and not lossy.missing
    assert len(lossy.losses) > 10 and any("% were lost, and left out" in text for text in lossy.warnings)
    wanted, got = found(whole), found(lossy)
    beside = {key: (one.low, true[key], one.high) for key, one in got.items() if key in true}
    assert len(beside) >= 3 and all(low <= value <= high for low, value, high in beside.values()), beside
    wider = {key: (got[key].high - got[key].low) / (one.high - one.low) for key, one in wanted.items() if key in got}
    factors = {key: (one.factor, whole.thd[key].factor) for key, one in lossy.thd.items()}
    print(bridge, beside, wider, factors)
    assert sorted(wider.values())[len(wider) // 2] > 1.0
    assert all(with_losses > 0.7 * without for with_losses, without in factors.values())


@pytest.mark.parametrize("preset", BRIDGES.values(), ids=BRIDGES)
def test_with_one_exchange_in_three_lost_it_ends_at_once_with_a_fault_that_names_the_link(preset, tmp_path):
    with pytest.raises(CommissionFailed) as ended:
        commissioned(preset, tmp_path, 0.3)
    for said in ("of the readings of acceleration were rejected", "% of the exchanges with the device failed meanwhile",
                 "check its cable", "driver.answer_timeout_s", "no parameter was changed"):  # fmt: skip
        assert said in str(ended.value)
