"""The directory of a campaign: what is finished stays, whatever happens to the rest."""


import msgspec
import numpy as np
import pytest

from hilctl.identify.friction import Store, StoreError, again, as_object, remarks_of, signed, table
from hilctl.identify.friction.judge_expected import expect
from hilctl.identify.friction.measure import evaluate
from hilctl.identify.friction.store import FORMAT, Header
from tests.unit.identify.friction.campaign_parts import LEG, facts, triangle

RIG = facts()
EXPECTED = expect(RIG)


def header(legs=3, **named):
    return Header(format=FORMAT, id="a-campaign", begun="2026-01-01", facts=RIG, legs=[LEG] * legs, **named)


def measured(index, **named):
    samples = triangle(seed=index + 1, offset_n=100.0, **named)
    return evaluate(index, LEG, samples, RIG, EXPECTED), samples


@pytest.fixture
def store(tmp_path):
    made = Store.begin(tmp_path / "campaign", header())
    for index in (0, 2):
        made.save(*measured(index))
    return made


def test_what_was_saved_is_read_back_by_another_process(store):
    opened = Store.open(store.folder)
    assert opened.header == store.header
    assert [m.index for m in opened.finished()] == [0, 2]
    assert opened.finished()[0].points == measured(0)[0].points
    assert opened.finished()[0].windows == measured(0)[0].windows
    assert np.array_equal(opened.samples(2)["pressure_a_pa"], measured(2)[1]["pressure_a_pa"])


@pytest.mark.parametrize("content", [b"", b'{"index": 0, "leg"', b"\x00" * 100])
def test_a_result_that_is_cut_off_is_measured_again(store, content):
    (store.folder / "speed-00.json").write_bytes(content)
    assert [m.index for m in store.finished()] == [2]


def test_samples_without_a_result_do_not_count(store):
    (store.folder / "speed-02.json").unlink()
    assert [m.index for m in store.finished()] == [0]


def test_a_file_that_was_being_written_is_not_seen(store):
    (store.folder / ".speed-01.json.part").write_bytes(b"half")
    assert [m.index for m in store.finished()] == [0, 2]


def test_a_campaign_is_not_begun_over_another(store):
    with pytest.raises(StoreError, match=r"--resume.*or name another"):
        Store.begin(store.folder, header())


def test_what_is_no_campaign_is_refused(tmp_path, store):
    with pytest.raises(StoreError, match="holds no campaign"):
        Store.open(tmp_path / "nothing")
    (store.folder / "campaign.json").write_text("{")
    with pytest.raises(StoreError, match="cannot be read"):
        Store.open(store.folder)
    newer = msgspec.structs.replace(header(), format=FORMAT + 1)
    (store.folder / "campaign.json").write_bytes(msgspec.json.encode(newer))
    with pytest.raises(StoreError, match=f"format {FORMAT + 1}"):
        Store.open(store.folder)


def test_stored_samples_are_judged_again_without_a_rig(store):
    before = store.finished()
    spoilt = msgspec.structs.replace(before[0], windows=[], points=[], pair=None)
    store.judged(spoilt)
    after = again(store.folder)
    assert [m.points for m in after] == [m.points for m in before]
    assert store.finished()[0].pair == before[0].pair


def test_points_for_a_fit_carry_signs(store):
    found = signed(store.finished())
    assert len(found.speed_m_s) == 4
    assert all(np.sign(v) == np.sign(f) for v, f in zip(found.speed_m_s, found.force_n, strict=True))
    assert all(s > 0 for s in found.std_n)


def test_the_object_says_what_is_missing_and_what_was_left_out(store):
    rejected = triangle()
    rejected["rejected"][:] = 1
    store.save(evaluate(1, LEG, rejected, RIG, EXPECTED), rejected)
    told = as_object(store)
    assert told["complete"]
    assert len(told["points"]) == 4
    assert len(told["curve"]) == 2
    assert all("were lost" in w["reason"] for w in told["windows"]["discarded"])
    assert len(told["windows"]["discarded"]) == 6
    assert "no point in both directions at 0.1" in told["remarks"][0]
    assert len(table(store).rows) == 3
    msgspec.json.encode(told)


def test_oil_that_warms_by_five_kelvin_is_told(store):
    assert not any("oil" in remark for remark in remarks_of(store))
    warm = triangle()
    warm["oil_temperature_degc"] += 5.5
    store.save(evaluate(1, LEG, warm, RIG, EXPECTED), warm)
    assert any("40.0 to 45.5 °C" in remark for remark in remarks_of(store))


def test_a_campaign_that_is_cut_off_says_so(store):
    assert remarks_of(store) == ["not complete: 1 of 3 speeds are not measured"]
