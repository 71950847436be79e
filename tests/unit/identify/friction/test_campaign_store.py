"""The directory of a campaign: what is finished stays, whatever happens to the rest."""

import msgspec
import numpy as np
import pytest

from hilctl.client import Motion, NoReply, Outcome
from hilctl.experiment import store
from hilctl.experiment.drive import LegFault
from hilctl.experiment.store import StoreError
from hilctl.identify.friction import Campaign, campaign_of, signed, table
from hilctl.identify.friction.campaign import FORMAT, PLAN, Header
from hilctl.identify.friction.campaign import LEGS as FOLDER
from hilctl.identify.friction.plan import Leg
from hilctl.results.identified import IdentifiedFriction, answer
from hilctl.results.stored import as_json
from tests.unit.identify.friction.campaign_parts import LEG, facts, triangle

RIG = facts()
SPEEDS = (0.1, 0.1001, 0.1002)  # of triangles that are alike
LEGS = [msgspec.structs.replace(LEG, speed_m_s=speed) for speed in SPEEDS]


class Played:
    """A rig that shows these triangles, one after the other, and then is gone."""

    def __init__(self, *triangles):
        self.hello = {"rig": RIG.rig, "rate_hz": RIG.rate_hz, "clock": "virtual"}
        self.values, self.triangles = dict(RIG.values), list(triangles)

    def get(self, *keys):
        return self.values

    def status(self):
        return {"epoch": 1, "link": {"errors": {}, "exchanges": 0}, "core": {"missed": 0}, "mode": "hold", "trip": None}

    def track(self, kind, **parameters):
        if not self.triangles:
            raise NoReply("no reply")
        return Motion(1, 0, 1.0, kind, {}, {})

    def wait(self, motion):
        return Outcome("done", 0, len(self.triangles[0]["tick"]) - 1, 0, "", "hold")

    def samples(self, *given, **named):
        return self.triangles.pop(0)


def begun(folder, legs=LEGS):
    header = Header(FORMAT, "a-campaign", "2026-01-01", RIG, list(legs))
    store.begin(folder / PLAN, header, "campaign")
    return Campaign(None, folder, header)


def shown(index, **named):
    return triangle(speed=SPEEDS[index], seed=index + 1, offset_n=100.0, **named)


def measured(campaign, *triangles, says="stopped replying", **values):
    """The campaign as it is when the rig has shown these."""
    campaign.rig = Played(*triangles)
    campaign.rig.values.update({key.replace("__", "."): value for key, value in values.items()})
    with pytest.raises(LegFault, match=says):
        list(campaign.run())
    return campaign


@pytest.fixture
def campaign(tmp_path):
    return measured(begun(tmp_path / "campaign"), shown(0), shown(1))


def opened(campaign):
    return Campaign.resume(None, campaign.folder)


def file_of(campaign, index):
    return campaign.folder / FOLDER / f"at-{SPEEDS[index]:g}-m-s-01.npz"


def test_what_was_measured_is_read_back_by_another_process(campaign):
    again = opened(campaign)
    assert again.header == campaign.header
    assert [m.index for m in again.finished] == [0, 1]
    assert again.finished == campaign.finished
    assert [index for index, _ in again.left] == [2]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_triangle_whose_file_is_cut_off_is_measured_again_and_no_other(campaign, share):
    path, other = file_of(campaign, 0), file_of(campaign, 1).read_bytes()
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    again = opened(campaign)
    assert [m.index for m in again.finished] == [1]
    measured(again, shown(0))
    assert again.finished == campaign.finished
    assert path.read_bytes() == content and file_of(campaign, 1).read_bytes() == other


def test_a_file_that_was_being_written_is_not_seen(campaign):
    (campaign.folder / FOLDER / ".at-0.1002-m-s-01.npz.part").write_bytes(b"half")
    assert [m.index for m in opened(campaign).finished] == [0, 1]


def test_a_triangle_that_shows_a_fault_is_not_finished(campaign):
    turned = shown(2)
    turned["acceleration_m_s2"] = -turned["acceleration_m_s2"]
    before = sorted((campaign.folder / FOLDER).iterdir())
    measured(campaign, turned, says=r"at 0\.1002 m/s: the accelerometer has the wrong sign")
    assert [m.index for m in campaign.finished] == [0, 1]
    assert sorted((campaign.folder / FOLDER).iterdir()) == before


def test_zeroing_between_two_speeds_shifts_no_point_and_zeroing_meanwhile_is_refused(campaign):
    rows, key = shown(2), "sensors.pressure_a.offset"
    rows["pressure_a_pa"] = rows["pressure_a_pa"] - 2e5 * RIG["sensors.pressure_a.gain"]
    campaign.rig = Played(rows)
    samples = campaign.rig.samples

    def zeroed_meanwhile(*given, **named):
        campaign.rig.values[key] += 2e5
        return samples(*given, **named)

    campaign.rig.samples = zeroed_meanwhile
    with pytest.raises(LegFault, match=r"pressure_a\.offset changed meanwhile.*resume"):
        list(campaign.run())
    assert len(campaign.finished) == 2
    campaign.rig = Played(rows)
    campaign.rig.values[key] += 2e5
    (made,) = campaign.run()
    for name in ("force_n", "offset_n"):
        assert getattr(made.pair, name) == pytest.approx(getattr(campaign.finished[0].pair, name), abs=20.0)
    assert opened(campaign).finished[2] == made


def test_parameters_of_the_force_that_changed_are_refused(campaign):
    measured(campaign, shown(2), says=r"machine\.m was 500\.0, is 450\.0.*resume", machine__m=450.0)


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
    made.rig = Played({**rows, "acceleration_m_s2": 0.8 * rows["acceleration_m_s2"]})
    list(made.run())
    assert [m.mass_kg for m in made.finished] == [pytest.approx(625.0, rel=0.02)]
    weighed = opened(made)
    assert weighed.finished == made.finished
    assert "moving mass of 62" in campaign_of(weighed).remarks[0]


def test_points_for_a_fit_carry_signs(campaign):
    found = signed(campaign.finished)
    assert len(found.speed_m_s) == 4
    assert all(np.sign(v) == np.sign(f) for v, f in zip(found.speed_m_s, found.force_n, strict=True))
    assert all(s > 0 for s in found.std_n)


def test_the_result_says_what_is_missing_and_what_was_left_out(campaign):
    limited = shown(2)
    limited["saturated"][:] = 1
    campaign.rig = Played(limited)
    next(campaign.run())
    told = campaign_of(campaign)
    assert told.complete
    assert len(told.points) == 4
    assert len(told.curve) == 2
    assert all("was limited" in w.reason for w in told.windows.discarded)
    assert len(told.windows.discarded) == 6
    assert "no point in both directions at 0.1002" in told.remarks[0]
    assert len(table(campaign).rows) == 3
    held = msgspec.json.decode(as_json(answer(IdentifiedFriction, told, fit_refused="too few points")))
    assert held["campaign"] == "a-campaign" and held["fit"] is None and held["fit_refused"] == "too few points"


def test_oil_that_warms_by_five_kelvin_is_told(campaign):
    assert not any("oil" in remark for remark in campaign_of(campaign).remarks)
    warm = shown(2)
    warm["oil_temperature_degc"] += 5.5
    campaign.rig = Played(warm)
    list(campaign.run())
    assert any("40.0 to 45.5 °C" in remark for remark in campaign_of(campaign).remarks)


def test_a_campaign_that_is_cut_off_says_so(campaign):
    assert campaign_of(campaign).remarks == ["not complete: 1 of 3 speeds are not measured"]
