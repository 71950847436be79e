"""The policy: its numbers stand in docs/experiments.md as they are, and each kind of loss has its consequence."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hilctl.client import Motion, Outcome
from hilctl.experiment import policy
from hilctl.experiment.drive import Leg, LegEnded, LegFault, drive, over, slight, usable
from hilctl.experiment.policy import BRIDGED, EQUATION, MEANS, PURPOSES, SPECTRUM, TIMES, soft_s
from hilctl.experiment.record import Losses
from hilctl.law.reference.smooth import rt_step

PAGE = (Path(__file__).parents[3] / "docs" / "experiments.md").read_text(encoding="utf-8")
TICKS = 1000


@pytest.mark.parametrize("purpose", PURPOSES)
def test_the_page_says_what_the_table_holds(purpose):
    (row,) = re.findall(rf"^\| {purpose} \|.*$", PAGE, re.MULTILINE)
    _, _, share, gap, longer = (cell.strip() for cell in row.strip("|").split("|"))
    own = PURPOSES[purpose]
    assert share == f"{100 * own.share:g} %"
    assert gap == ("" if own.gap_ticks is None else str(own.gap_ticks))
    assert (longer == "a fault") == (not own.leaves_out)


@pytest.mark.parametrize("frequency_hz", [0.1, 0.34, 0.5, 1.0, 5.0])
def test_a_sine_is_nowhere_faster_than_at_full_amplitude(frequency_hz):
    w, soft = 2 * np.pi * frequency_hz, soft_s(frequency_hz, 0.5)
    for rise_s, faster in ((soft, False), (0.5 * 0.5 / frequency_hz, True)):
        t = np.linspace(0.0, rise_s, 500)
        size, grows = np.array([rt_step(one, rise_s)[:2] for one in t]).T
        speed = np.abs(grows * np.sin(w * t) + w * size * np.cos(w * t)).max() / w
        assert (speed > 1.001) == faster


def lost(count=0, gaps=()):
    return Losses(TICKS, 0, {"displacement_m": count} if count else {}, tuple(gaps))


def test_a_share_up_to_what_is_allowed_is_no_problem_and_one_more_is():
    most = int(MEANS.share * TICKS)
    assert over(lost(most), MEANS) == "" and usable(lost(most), MEANS)
    assert "lost, more than 10 %" in over(lost(most + 1), MEANS)
    assert not usable(lost(most + 1), MEANS)


@pytest.mark.parametrize(("allowance", "told"), [(MEANS, False), (EQUATION, True), (SPECTRUM, True)])
def test_a_gap_counts_where_a_value_is_needed_at_every_tick(allowance, told):
    assert over(lost(gaps=(BRIDGED,)), allowance) == ""
    assert bool(over(lost(gaps=(BRIDGED + 1,)), allowance)) == told
    assert usable(lost(gaps=(BRIDGED + 1,)), allowance) == allowance.leaves_out


def test_gaps_that_are_left_out_and_hardly_count_are_no_reason_to_drive_again():
    most = int(policy.SLIGHT * 10 * TICKS)
    for gaps, few in (((most,), True), ((most - 10, 10, BRIDGED), True), ((most + 1,), False), ((most, 10), False)):
        losses = Losses(10 * TICKS, 0, {}, gaps)
        assert slight(losses, EQUATION) == few and not slight(losses, SPECTRUM)


def test_such_a_leg_is_taken_at_once_and_says_so():
    rig = Rig(list(range(100, 100 + BRIDGED + 1)), ticks=2 * TICKS)
    driven = drive(rig, leg(rig, EQUATION))
    assert rig.driven == 1 and "6 ticks in a row" in driven.left_out
    assert any("taken with a gap" in note for note in driven.notes)


def test_intervals_grow_with_what_is_lost():
    assert policy.wider(0.0) == 1.0
    assert policy.wider(0.1) == pytest.approx(1 / 0.9)


class Rig:
    """A service that gives each time the rows of the next of these runs."""

    def __init__(self, *runs: Any, why: str = "done", ticks: int = TICKS) -> None:
        self.hello = {"rig": "made-up", "rate_hz": 1000.0, "clock": "virtual"}
        self.runs, self.why, self.ticks, self.driven = list(runs), why, ticks, 0

    def track(self) -> Motion:
        self.driven += 1
        return Motion(self.driven, 0, 1.0, "", {}, {})

    def wait(self, motion: Motion) -> Outcome:
        return Outcome(self.why, 0, self.ticks - 1, self.ticks, "", "hold")

    def pass_time(self, seconds: float) -> None:
        pass

    def samples(self, first: int, last: int | None, channels: Any, keep: bool = False) -> dict[str, Any]:
        gone = self.runs.pop(0)
        ticks = np.arange(self.ticks)
        rows = {name: np.sin(ticks / 50) for name in channels}
        rows |= {"tick": ticks, "rejected": np.isin(ticks, gone).astype(int)}
        return rows

    def get(self, *keys: str) -> dict[str, Any]:
        return {}

    def status(self) -> dict[str, Any]:
        link = {"errors": {"timeout": 7 * self.driven}, "exchanges": 1000 * self.driven}
        return {"history": {"end": 0}, "link": link, "core": {"missed": 0}, "trip": None, "epoch": 1}


def leg(rig: Any, allowance: Any) -> Leg:
    return Leg("the leg", rig.track, ("displacement_m",), allowance, ("displacement_m",))


GAP, MORE = list(range(100, 110)), [k for begin in (100, 300, 500) for k in range(begin, begin + 10)]


def test_a_leg_is_driven_again_until_it_has_no_long_gap_and_says_how_often():
    rig = Rig(GAP, GAP, [5, 6])
    driven = drive(rig, leg(rig, SPECTRUM))
    assert rig.driven == 3 and len(driven.again) == 2
    assert [note for note in driven.notes if note.startswith("driven again")] != []
    assert "2 readings of displacement_m were rejected" in driven.notes[-1]


def test_the_last_try_is_taken_without_its_gap_or_is_a_fault_that_names_the_link():
    rig = Rig(*[GAP] * TIMES)
    driven = drive(rig, leg(rig, EQUATION))
    assert rig.driven == TIMES and "10 ticks in a row" in driven.left_out
    rig = Rig(*[GAP] * TIMES)
    with pytest.raises(LegFault, match=r"driven 3 times.*10 ticks in a row.*7 timeout.*answer_timeout_s"):
        drive(rig, leg(rig, SPECTRUM))
    assert rig.driven == TIMES


def test_what_driving_again_cannot_make_better_is_not_driven_again():
    rig = Rig(MORE)
    assert drive(rig, leg(rig, EQUATION)).left_out and rig.driven == 1
    rig = Rig(list(range(0, TICKS, 3)))
    with pytest.raises(LegFault, match=r"driven once: 33 % lost, more than 10 %.*7 timeout"):
        drive(rig, leg(rig, MEANS))
    assert rig.driven == 1


def test_only_channels_that_the_purpose_weighs_count():
    rig = Rig(list(range(0, TICKS, 3)))
    asked = leg(rig, MEANS)._replace(weighed=("acceleration_m_s2",))
    assert drive(rig, asked).again == ()


def test_a_motion_that_is_not_finished_says_why():
    rig = Rig([], why="stopped")
    with pytest.raises(LegEnded, match="the leg: the motion was stopped"):
        drive(rig, leg(rig, MEANS))


