"""Legs on the disk: each is driven once, and a file that is no leg is one that was not driven."""

import os
from types import SimpleNamespace

import numpy as np
import pytest

from hilctl.experiment import journal
from hilctl.experiment.drive import LegFault, drive, drive_all, look, ready, stored, under
from hilctl.experiment.policy import EQUATION
from tests.unit.experiment.test_policy import GAP, TICKS, Rig, leg


def course(rig, folder):
    """Two legs of one name, the first of which has a gap when it is driven first."""
    with journal.kept(folder):
        return [drive(rig, leg(rig, EQUATION)) for _ in range(2)]


def test_a_leg_that_stands_in_the_folder_is_not_driven_again_and_is_the_same(tmp_path):
    rig = Rig(GAP, [3], [5, 6])
    first = course(rig, tmp_path / "legs")
    assert rig.driven == 3
    again = course(Rig(), tmp_path / "legs")
    for one, other in zip(first, again, strict=True):
        assert (one.name, one.facts, one.part, one.notes) == (other.name, other.facts, other.part, other.notes)
        assert all(np.array_equal(one.record[name], other.record[name], equal_nan=True) for name in one.record)
    assert [path.name for path in sorted((tmp_path / "legs").iterdir())] == ["the-leg-01.npz", "the-leg-02.npz"]


def test_legs_that_are_not_all_there_are_no_measurement(tmp_path):
    course(Rig([3], [5]), tmp_path / "legs")
    assert [one.name for one in stored(tmp_path / "legs", 1000.0, 2)] == ["the leg"] * 2
    with pytest.raises(LegFault, match=rf"^{tmp_path} holds 2 of 3 motions; go on with that measurement"):
        stored(tmp_path / "legs", 1000.0, 3)


def test_what_is_cut_off_or_missing_is_driven_again_and_nothing_else(tmp_path):
    course(Rig([3], [5]), tmp_path)
    kept = (tmp_path / "the-leg-02.npz").read_bytes()
    (tmp_path / "the-leg-01.npz").write_bytes((tmp_path / "the-leg-01.npz").read_bytes()[:777])
    rig = Rig([8])
    assert np.flatnonzero(course(rig, tmp_path)[0].rows["rejected"]).tolist() == [8]
    assert rig.driven == 1 and (tmp_path / "the-leg-02.npz").read_bytes() == kept


def test_legs_keep_their_order_in_a_copy_whose_files_are_younger(tmp_path):
    rig = Rig([1], [2], [3], [4])
    with journal.kept(tmp_path):
        for name in ("slow", "fast", "last"):
            look(rig, 0.1, ("displacement_m",), name)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["fast-01.npz", "last-01.npz", "slow-01.npz"]
    for at, path in enumerate(sorted(tmp_path.iterdir())):
        os.utime(path, (at, at))
    assert [head["name"] for head, _ in journal.held(tmp_path)] == ["slow", "fast", "last"]


def test_a_look_with_a_name_is_kept_and_one_without_is_not(tmp_path):
    rig = Rig([1], [2], [3])
    with journal.kept(tmp_path):
        look(rig, 0.1, ("displacement_m",), "rest")
        look(rig, 0.1, ("displacement_m",))
    with journal.kept(tmp_path):
        assert np.flatnonzero(look(Rig(), 0.1, ("displacement_m",), "rest")["rejected"]).tolist() == [1]
    assert len(list(tmp_path.iterdir())) == 1


def test_outside_and_where_somebody_else_keeps_them_no_leg_is_kept(tmp_path):
    with journal.kept(tmp_path), journal.kept(None):
        drive(rig := Rig([1], [2]), leg(rig, EQUATION))
    drive(rig, leg(rig, EQUATION))
    assert journal.active() is None and not list(tmp_path.iterdir())


def test_legs_whose_names_look_alike_as_files_are_not_taken_for_each_other(tmp_path):
    names = ("Quake 1, before", "quake-1 before", "地震", "海啸")
    for round_ in (0, 1):
        rig = Rig([1], [2], [3], [4]) if round_ == 0 else Rig()
        with journal.kept(tmp_path):
            driven = [drive(rig, leg(rig, EQUATION)._replace(name=name)) for name in names]
        assert [np.flatnonzero(one.rows["rejected"]).tolist() for one in driven] == [[1], [2], [3], [4]]
    with journal.kept(tmp_path):
        other = Rig([9])
        drive(other, leg(other, EQUATION)._replace(name="quake-1 before"))
    assert other.driven == 1, "the file of another name"


def test_a_leg_that_cannot_be_right_is_not_kept_and_is_driven_again(tmp_path):
    rig = Rig([3], [4])
    wrong = leg(rig, EQUATION)._replace(wrong=lambda record: f"{record.ticks} ticks of a dead sensor")
    with journal.kept(tmp_path), pytest.raises(LegFault, match=f"the leg: {TICKS} ticks of a dead sensor"):
        drive(rig, wrong)
    assert not list(tmp_path.iterdir())
    with journal.kept(tmp_path):
        drive(rig, leg(rig, EQUATION))
    assert rig.driven == 2 and len(list(tmp_path.iterdir())) == 1


def test_legs_are_read_without_a_rig_in_the_order_in_which_they_were_driven(tmp_path):
    rig, said = Rig([3], GAP, [5, 6]), []
    slow = leg(rig, EQUATION)._replace(name="slow", about={"lowest_hz": 1.5})
    legs = [slow, slow._replace(name="fast", about={"lowest_hz": 5.0})]
    with journal.kept(tmp_path):
        driven = drive_all(rig, legs, lambda name, done: said.append((name, done)))
        look(rig := Rig([1]), 0.1, ("displacement_m",), "a rest")
    assert said == [("slow", 0), ("fast", 1)]
    again = stored(tmp_path, 1000.0)
    assert [(one.name, one.about, one.again) for one in again] == [(one.name, one.about, one.again) for one in driven]
    for one, other in zip(again, driven, strict=True):
        assert all(np.array_equal(one.record[name], other.record[name], equal_nan=True) for name in one.record)


def test_parameters_are_others_meanwhile_and_as_before_after_a_fault():
    rig = SimpleNamespace(values={"law.feedback": "pid", "law.feed.inverse": 0.0}, sets=[])
    rig.get = lambda *keys: {key: rig.values[key] for key in keys}
    rig.set = lambda values, origin: (rig.sets.append((values, origin)), rig.values.update(values))
    wanted = {"law.feedback": "three_state", "law.feed.inverse": 0.0}
    seen = []

    def stops():
        with under(rig, wanted, "reversals"):
            seen.append(dict(rig.values))
            raise LegFault("stopped")

    with pytest.raises(LegFault, match="stopped"):
        stops()
    assert seen == [wanted]
    assert rig.sets == [({"law.feedback": "three_state"}, "reversals"), ({"law.feedback": "pid"}, "reversals")]


@pytest.mark.parametrize(("trip", "mode", "feedback", "says"), [
    ({"name": "pressure", "text": "check the supply"}, "hold", "", "check the supply; correct the cause"),
    (None, "track", "", r"in track, not in hold.*hilctl stop"),
    (None, "hold", "three_state", r"law\.feedback is pid.*hilctl set law\.feedback=three_state"),
])  # fmt: skip
def test_a_rig_that_cannot_be_driven_says_what_to_do(trip, mode, feedback, says):
    rig = SimpleNamespace(status=lambda: {"trip": trip, "mode": mode}, get=lambda key: {key: "pid"})
    with pytest.raises(LegFault, match=says):
        ready(rig, feedback)


def test_at_the_low_level_of_the_supply_nothing_is_measured():
    with pytest.raises(LegFault, match=r"low level.*hilctl supply high"):
        ready(SimpleNamespace(status=lambda: {"trip": None, "mode": "hold", "supply": {"level": "low"}}))


def test_a_rig_in_hold_can_be_driven_under_any_feedback_where_none_is_needed():
    ready(SimpleNamespace(status=lambda: {"trip": None, "mode": "hold"}))
