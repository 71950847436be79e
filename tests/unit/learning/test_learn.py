"""The course of learning, on the law and its twin in one thread: judged by the table's true acceleration."""

import math
from pathlib import Path

import numpy as np
import pytest

from hilctl.demo.quake import quake
from hilctl.errors import WrongUse
from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import read_facts
from hilctl.law.motions import samples_of
from hilctl.learning import drive_file
from hilctl.learning.learn import SHARE, Asked, learn
from hilctl.learning.payload import Moved
from hilctl.learning.played import how, whole
from hilctl.learning.wanted import Wanted, wanted
from hilctl.results.proof import Learned, Repeat
from tests.system.test_valves import sold
from tests.unit.learning.table_rig import TableRig

SINE = {"frequency_hz": 5.0, "amplitude_m": 0.02}


def valve(model: str = "lugre", share: float = 1.0, **more: object) -> TableRig:
    """A valve as it is sold."""
    rig = TableRig(**{**sold(model, 0.03, 0.005), **more})
    rig.set({"law.feed.inverse": share})
    return rig


def learned(rig: TableRig, motion: Wanted, **asked: object) -> Learned:
    return learn(rig, read_facts(rig), motion, Asked("it", **asked))  # type: ignore[arg-type]


def sine(rig: TableRig, **parameters: float) -> Wanted:
    return wanted(read_facts(rig), "sine", {**SINE, **parameters})


def record(rig: TableRig, seconds: float = 20.0, peak_m: float = 0.05, seed: int = 1) -> Wanted:
    """The begin of an earthquake."""
    made = quake(seed)
    part = made.times_s < seconds
    history = samples_of(made.values[part], made.quantity, times_s=made.times_s[part])
    return wanted(read_facts(rig), "waveform", {"peak_m": peak_m}, history)


def test_a_sine_has_little_distortion_after_few_drives():
    rig = valve("karnopp")
    motion = sine(rig)
    found = learned(rig, motion, drives=6)
    assert found.reached
    assert found.why == "the distortion is below 0.5 %"
    assert found.frequency_hz == pytest.approx(5.0)
    assert rig.true_error_percent(motion, 100.0) < 0.5


def test_a_triangle_learns_its_own_harmonics():
    rig = valve(share=0.0)
    motion = wanted(read_facts(rig), "triangle", {"speed_m_s": 0.1, "amplitude_m": 0.02})
    found = learned(rig, motion, drives=6)
    assert found.repeats[found.best].error_percent < found.repeats[0].error_percent / 3


def test_a_record_is_replicated():
    rig = valve("karnopp", **{"twin.seed": 2})
    motion = record(rig, 8.0)
    found = learned(rig, motion, drives=5)
    assert found.frequency_hz is None
    assert found.repeats[found.best].error_percent < 0.8 * found.repeats[0].error_percent
    assert found.percent < 5.0


def test_each_drive_is_told_and_the_best_is_kept_in_the_file(tmp_path: Path):
    rig, file, heard = valve(), tmp_path / "sine.drive.json", []

    def tell(index: int, repeat: Repeat) -> None:
        heard.append(repeat)
        if index:
            kept = drive_file.opened(file)
            assert kept.why == ""
            assert len(kept.repeats) == index

    motion = sine(rig)
    found = learn(rig, read_facts(rig), motion, Asked("it", 3, 0.001, file, {"kind": "sine", **SINE}), tell)
    kept = drive_file.opened(file)
    assert found.repeats == heard == kept.repeats
    assert (kept.why, kept.best) == ("3 drives were played", found.best)
    assert kept.course.asked == {"kind": "sine", **SINE}
    assert kept.wanted.x == pytest.approx(motion.x)
    assert rig.uploads["it"].values[300:400] == pytest.approx(kept.best_m, abs=1e-9)


def test_a_drive_is_learned_further(tmp_path: Path):
    rig, file = valve("karnopp"), tmp_path / "sine.drive.json"
    motion = sine(rig)
    first = learned(rig, motion, drives=2, target_percent=0.01, file=file)
    found = learned(rig, motion, drives=3, target_percent=0.01, file=file, before=drive_file.opened(file))
    assert found.repeats[:2] == first.repeats
    assert len(found.repeats) == 5
    assert found.repeats[2].error_percent < 1.5 * first.repeats[first.best].error_percent
    assert found.repeats[found.best].error_percent < first.repeats[first.best].error_percent


def test_another_payload_ends_it_with_the_reason(tmp_path: Path):
    rig, file = valve(), tmp_path / "sine.drive.json"
    rig.before = lambda drive: rig.carry(1.2) if drive == 2 else None
    found = learned(rig, sine(rig), target_percent=0.001, file=file)
    assert len(found.repeats) == 3
    assert found.why.startswith("the payload has changed: load pressure and acceleration are those of 5")
    assert found.best == 1
    best = drive_file.opened(file)
    assert best.best == 1
    assert rig.uploads["it"].values[300:400] == pytest.approx(best.best_m, abs=1e-9)  # not the last one
    rig.before = lambda drive: None
    again = learned(rig, sine(rig), file=file, before=drive_file.opened(file))
    assert len(again.repeats) == 4
    assert "the payload has changed" in again.why


def test_another_rig_is_noticed_without_pressures_by_playing_the_best_drive_again(monkeypatch):
    monkeypatch.setattr("hilctl.learning.learn.moved", lambda *given: Moved(math.nan, math.nan))
    rig = valve()
    rig.before = lambda drive: rig.carry(2.0) if drive == 2 else None
    found = learned(rig, sine(rig), target_percent=0.001)
    assert len(found.repeats) == 4
    assert found.why.startswith("the rig has changed: the best drive now gives an error of")
    assert found.repeats[3].share == 0.0


def test_what_gains_nothing_more_ends_it():
    rig = valve()
    found = learned(rig, sine(rig), target_percent=0.0001, drives=40)
    assert not found.reached
    assert found.why.startswith("further drives gain nothing")
    assert len(found.repeats) < 40
    assert found.best == np.argmin([one.error_percent for one in found.repeats])


@pytest.mark.parametrize(("room", "ends"), [(1.002, True), (1.3, False)])
def test_a_drive_beyond_a_limit_is_made_smaller_or_ends_it_before_it_moves(room, ends):
    rig = valve(share=0.0)
    motion = sine(rig, amplitude_m=0.003)
    rig.upload("it", whole(motion, motion.x), "displacement", interval_s=motion.interval_s)
    most = room * rig.check_motion("waveform", **how(motion, "it"))[1]["a_m_s2"]
    rig.table.set(limits__acceleration__max_m_s2=most, limits__acceleration__action="warn")
    found = learned(rig, motion, target_percent=0.01, drives=3)
    assert all(one.extremes["a_m_s2"] <= most * (1 + 1e-6) for one in rig.tracked)
    if ends:
        assert "the next drive was refused, " in found.why
        assert "limits.acceleration.max_m_s2 is" in found.why
    else:
        assert found.repeats[1].share < SHARE
        assert found.repeats[1].error_percent < found.repeats[0].error_percent


def test_a_trip_ends_it_with_the_best_drive_on_the_disk(tmp_path: Path):
    rig, file = valve(), tmp_path / "sine.drive.json"

    def trips(drive: int) -> None:
        if drive == 2:
            rig.table.set(limits__tracking_error__max_m=2e-5, limits__tracking_error__action="stop")

    rig.before = trips
    with pytest.raises(LegFault, match=r"the rig tripped by tracking_error.*the best drive so far is kept in"):
        learned(rig, sine(rig), target_percent=0.001, file=file)
    kept = drive_file.opened(file)
    assert len(kept.repeats) == 2
    assert "could not be measured: " in kept.why


def test_a_drive_of_another_rig_or_other_gains_is_refused(tmp_path: Path):
    rig, file = valve(), tmp_path / "sine.drive.json"
    learned(rig, sine(rig), drives=1, file=file)
    kept, facts = drive_file.opened(file), read_facts(rig)
    for key in ("limits.position.max_m", "sensors.displacement.offset"):
        drive_file.refuse_other(kept, facts.but(key, 0.01), file)
    for key, value in (("law.three_state.kd_per_m", 1.0), ("machine.m", 400.0), ("law.feed.inverse", 0.0)):
        with pytest.raises(WrongUse, match=rf"for another rig or other parameters.*: {key} was .*restore these"):
            drive_file.refuse_other(kept, facts.but(key, value), file)
