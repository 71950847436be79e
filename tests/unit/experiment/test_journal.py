"""Legs on the disk: each is driven once, and a file that is no leg is one that was not driven."""

import numpy as np

from hilctl.experiment import journal
from hilctl.experiment.drive import drive, look
from hilctl.experiment.policy import EQUATION
from tests.unit.experiment.test_policy import GAP, Rig, leg


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


def test_what_is_cut_off_or_missing_is_driven_again_and_nothing_else(tmp_path):
    course(Rig([3], [5]), tmp_path)
    kept = (tmp_path / "the-leg-02.npz").read_bytes()
    (tmp_path / "the-leg-01.npz").write_bytes((tmp_path / "the-leg-01.npz").read_bytes()[:777])
    rig = Rig([8])
    assert np.flatnonzero(course(rig, tmp_path)[0].rows["rejected"]).tolist() == [8]
    assert rig.driven == 1 and (tmp_path / "the-leg-02.npz").read_bytes() == kept


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
