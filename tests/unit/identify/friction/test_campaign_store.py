"""The directory of a campaign: what is finished stays, whatever happens to the rest."""

import msgspec
import numpy as np
import pytest

from hilctl.experiment import store
from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import OFFSETS
from hilctl.experiment.store import StoreError
from hilctl.identify.friction import Campaign, campaign_of, signed, table
from hilctl.identify.friction.campaign import FORMAT, LEGS, PLAN, Header
from hilctl.identify.friction.plan import Leg
from hilctl.results.identified import IdentifiedFriction, answer
from hilctl.results.stored import as_json
from tests.unit.identify.friction.campaign_parts import LEG, facts, triangle

RIG = facts()
AS_BEGUN = {"offsets": {key: RIG[key] for key in OFFSETS}, "again": []}


def begun(folder, legs=(LEG,) * 3):
    header = Header(FORMAT, "a-campaign", "2026-01-01", RIG, list(legs))
    store.begin(folder / PLAN, header, "campaign")
    return Campaign(None, folder, header)


@pytest.fixture
def campaign(tmp_path):
    made = begun(tmp_path / "campaign")
    for index in (0, 2):
        made.keep(index, AS_BEGUN, triangle(seed=index + 1, offset_n=100.0))
    return made


def opened(campaign):
    return Campaign.resume(None, campaign.folder)


def file_of(campaign, index):
    (found,) = (campaign.folder / LEGS).glob(f"speed-{index:02d}-*.npz")
    return found


def test_what_was_kept_is_read_back_by_another_process(campaign):
    again = opened(campaign)
    assert again.header == campaign.header
    assert [m.index for m in again.finished] == [0, 2]
    assert again.finished == campaign.finished
    assert [index for index, _ in again.left] == [1]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_triangle_whose_file_is_cut_off_is_measured_again_and_no_other(campaign, share):
    path = file_of(campaign, 0)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert [m.index for m in opened(campaign).finished] == [2]


def test_a_file_that_was_being_written_is_not_seen(campaign):
    (campaign.folder / LEGS / ".speed-01-0.1-m-s-01.npz.part").write_bytes(b"half")
    assert [m.index for m in opened(campaign).finished] == [0, 2]


def test_a_triangle_that_shows_a_fault_is_not_finished(campaign):
    turned = triangle()
    turned["acceleration_m_s2"] = -turned["acceleration_m_s2"]
    before = sorted((campaign.folder / LEGS).iterdir())
    with pytest.raises(LegFault, match=r"at 0\.1 m/s: the accelerometer has the wrong sign"):
        campaign.keep(1, AS_BEGUN, turned)
    assert [m.index for m in campaign.finished] == [0, 2]
    assert sorted((campaign.folder / LEGS).iterdir()) == before


def test_zeroing_between_two_speeds_shifts_no_point(campaign):
    rows, moved = triangle(seed=1, offset_n=100.0), {**AS_BEGUN["offsets"]}
    moved["sensors.pressure_a.offset"] += 2e5
    rows["pressure_a_pa"] = rows["pressure_a_pa"] - 2e5 * RIG["sensors.pressure_a.gain"]
    made = campaign.keep(1, {**AS_BEGUN, "offsets": moved}, rows)
    assert made.pair.force_n == pytest.approx(campaign.finished[0].pair.force_n)
    assert opened(campaign).finished[1] == made


def test_a_campaign_is_not_begun_over_another(campaign):
    with pytest.raises(StoreError, match=r"--resume.*or name another"):
        begun(campaign.folder)


def test_what_is_no_campaign_is_refused(tmp_path, campaign):
    with pytest.raises(StoreError, match="holds no campaign"):
        Campaign.resume(None, tmp_path / "nothing")
    (campaign.folder / PLAN).write_text("{")
    with pytest.raises(StoreError, match="cannot be read"):
        opened(campaign)
    newer = msgspec.structs.replace(campaign.header, format=FORMAT + 1)
    (campaign.folder / PLAN).write_bytes(msgspec.json.encode(newer))
    with pytest.raises(StoreError, match=f"format {FORMAT + 1}"):
        opened(campaign)


def test_a_complete_campaign_is_weighed_by_its_corners_and_so_again_when_it_is_opened(tmp_path):
    leg = Leg(0.5, 0.09, 0.0, 3, 0.1, 0.2, 4.0)
    rows = triangle(speed=0.5, corner_s=0.1)
    made = begun(tmp_path / "heavy", [leg])
    made.keep(0, AS_BEGUN, {**rows, "acceleration_m_s2": 0.8 * rows["acceleration_m_s2"]})
    assert [m.mass_kg for m in made.finished] == [500.0]
    weighed = opened(made)
    assert [m.mass_kg for m in weighed.finished] == [pytest.approx(625.0, rel=0.02)]
    assert "moving mass of 62" in campaign_of(weighed).remarks[0]


def test_points_for_a_fit_carry_signs(campaign):
    found = signed(campaign.finished)
    assert len(found.speed_m_s) == 4
    assert all(np.sign(v) == np.sign(f) for v, f in zip(found.speed_m_s, found.force_n, strict=True))
    assert all(s > 0 for s in found.std_n)


def test_the_result_says_what_is_missing_and_what_was_left_out(campaign):
    rejected = triangle()
    rejected["rejected"][::5] = 1
    campaign.keep(1, AS_BEGUN, rejected)
    told = campaign_of(campaign)
    assert told.complete
    assert len(told.points) == 4
    assert len(told.curve) == 2
    assert all("were lost" in w.reason for w in told.windows.discarded)
    assert len(told.windows.discarded) == 6
    assert "no point in both directions at 0.1" in told.remarks[0]
    assert len(table(campaign).rows) == 3
    held = msgspec.json.decode(as_json(answer(IdentifiedFriction, told, fit_refused="too few points")))
    assert held["campaign"] == "a-campaign" and held["fit"] is None and held["fit_refused"] == "too few points"


def test_oil_that_warms_by_five_kelvin_is_told(campaign):
    assert not any("oil" in remark for remark in campaign_of(campaign).remarks)
    warm = triangle()
    warm["oil_temperature_degc"] += 5.5
    campaign.keep(1, AS_BEGUN, warm)
    assert any("40.0 to 45.5 °C" in remark for remark in campaign_of(campaign).remarks)


def test_a_campaign_that_is_cut_off_says_so(campaign):
    assert campaign_of(campaign).remarks == ["not complete: 1 of 3 speeds are not measured"]
