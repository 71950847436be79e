"""Before and after: a sine that cannot be measured is left out, and one that is worse than before is said so."""

from types import SimpleNamespace

import pytest

from hilctl.commission import judging, sines, tracking
from hilctl.commission.notes import Notes
from hilctl.experiment import measured as reports
from hilctl.experiment.drive import LegFault
from hilctl.results.proof import Thd, Worth

SIZES = [sines.Size(hz, 0.01, 0.0) for hz in (1.0, 2.0, 5.0)]


@pytest.fixture
def notes(tmp_path):
    rig = SimpleNamespace(hello={"rig": "r", "rate_hz": 1000.0, "clock": "virtual", "twin": True, "run": "x"},
                          status=lambda: {"tick": 0})  # fmt: skip
    return Notes(rig, tmp_path, lambda text: None)


def measured(monkeypatch, **percent):
    """Each sine has this distortion; one without a number cannot be measured."""

    def measure(rig, size, cycles=0, left_out=0.0):
        if percent[f"hz{size.key}"] is None:
            raise LegFault("too much was lost")
        seen = SimpleNamespace(percent=percent[f"hz{size.key}"], resolution_percent=0.1)
        return sines.Measured(size, seen, None, ("one tick did not run",))

    monkeypatch.setattr(sines, "measure", measure)


def test_what_got_worse_is_a_warning_and_what_is_missing_is_left_out(notes, monkeypatch):
    missing = []
    measured(monkeypatch, hz1=50.0, hz2=50.0, hz5=None)
    judging.distortion(None, notes, SIZES, "before", lambda *told: missing.append(told[:2]))
    measured(monkeypatch, hz1=5.0, hz2=60.0, hz5=7.0)
    judging.distortion(None, notes, SIZES, "after", lambda *told: missing.append(told[:2]))
    assert missing == [("sines", "the distortion of 5 Hz before is missing")]
    assert {key: one.factor for key, one in notes.result.thd.items()} == {"1": 10.0, "2": 50.0 / 60.0, "5": None}
    (warning,) = notes.result.warnings
    assert warning.startswith("the sine of 2 Hz is distorted more than before, 60 % against 50 %")
    assert len(notes.result.losses) == 5


def test_distortion_and_parts_are_reported_as_they_come_and_a_part_says_whether_something_is_missing(
    notes, monkeypatch
):
    heard = []
    monkeypatch.setattr(reports, "_listeners", [heard.append])

    def left_out(part, consequence, fault):
        notes.miss(part, str(fault), consequence, "hilctl commission")

    measured(monkeypatch, hz1=50.0, hz2=40.0, hz5=None)
    judging.distortion(None, notes, SIZES, "before", left_out)
    measured(monkeypatch, hz1=5.0, hz2=4.0, hz5=3.0)
    judging.distortion(None, notes, SIZES, "after", left_out)
    with pytest.raises(LegFault), notes.stages("reversals"):
        raise LegFault("stuck")
    told = [(one["kind"], one.get("frequency_hz", one.get("part")), one.get("percent", one.get("complete")))
            for one in heard]  # fmt: skip
    assert told == [
        ("distortion", 1.0, 50.0), ("distortion", 2.0, 40.0), ("part", "distortion before", False),
        ("distortion", 1.0, 5.0), ("distortion", 2.0, 4.0), ("distortion", 5.0, 3.0),
        ("part", "distortion after", True), ("part", "reversals", False),
    ]  # fmt: skip
    assert [one["when"] for one in heard if one["kind"] == "distortion"] == ["before"] * 2 + ["after"] * 3


def test_the_sine_that_models_are_compared_by_is_measured_where_it_is_missing(notes, monkeypatch):
    measured(monkeypatch, hz1=50.0, hz2=None, hz5=None)
    notes.result.thd = {"2": Thd(0.01, 40.0)}
    assert judging.before(None, notes, SIZES[1:]) == {"2": 40.0}
    assert judging.before(None, notes, SIZES) == {"1": 50.0, "2": 40.0}
    assert notes.result.thd["1"].before == 50.0


@pytest.mark.parametrize(("after_um", "worse"), [(109.0, False), (111.0, True)])
def test_a_motion_that_is_tracked_worse_than_before_is_a_warning(notes, monkeypatch, after_um, worse):
    task, run = tracking.triangle(0.02, 0.005), SimpleNamespace(why="done", losses=())
    monkeypatch.setattr(tracking, "drive", lambda rig, task, when: run)
    for when, rms_um in (("before", 100.0), ("after", after_um)):
        monkeypatch.setattr(judging, "_worth", lambda rig, run, rms_um=rms_um: Worth(rms_um))
        judging.tracked(None, notes, [task], when, lambda *told: None)
    said = [text for text in notes.result.warnings if "is tracked worse than before, 111 µm rms against 100" in text]
    assert bool(said) == worse
