"""How much of the valve is made up for: as much as leaves no more distortion than there was."""

from types import SimpleNamespace

import pytest

from hilctl.commission import sines, valve
from hilctl.commission.valve import DITHER, SHARE, lessened
from hilctl.experiment.drive import LegFault
from hilctl.results.plant import PlantEvidence
from hilctl.results.proof import Thd

OVERLAP = {"machine.m": 480.0, "machine.overlap_a": 0.02, "machine.overlap_b": 0.02}
BEFORE = 100.0


class Rig:
    def __init__(self, share, dither):
        self.values = {SHARE: share, DITHER: dither}

    def get(self, *keys):
        return {key: self.values[key] for key in keys}

    def set(self, values, origin=""):
        self.values |= values
        return 3

    def status(self):
        return {"trip": None}


@pytest.fixture
def driven(monkeypatch):
    """What is measured at each share, without a dither and with one; in the order in which they were driven."""
    made = SimpleNamespace(percent={1.0: 90.0}, dithered={1.0: 90.0}, seen=[])

    def measure(rig, size, cycles):
        share, dither = rig.values[SHARE], rig.values[DITHER]
        made.seen.append((size.key, share, dither))
        percent = (made.percent if dither == 0.0 else made.dithered).get(share)
        if percent is None:
            raise LegFault("too much is lost")
        return SimpleNamespace(distortion=SimpleNamespace(percent=percent))

    monkeypatch.setattr(valve, "measure", measure)
    return made


def work(changes, share=1.0, before=BEFORE, dither=0.0):
    fit = PlantEvidence([], [], {}, None, [], "", changes, 30.0, 1000)
    told = SimpleNamespace(plant_fit=fit, thd={key: Thd(0.02, before) for key in ("2", "0.5")}, warned=[])
    made = SimpleNamespace(
        rig=Rig(share, dither), result=told, sizes=[sines.Size(hz, 0.02, 0.0) for hz in (2.0, 0.5, 1.0)], origin="c",
        notes=SimpleNamespace(say=lambda text, share: None, warn=told.warned.append),
    )  # fmt: skip
    made.changes = lambda: made.result.plant_fit.changes
    return made


def test_what_leaves_no_more_distortion_than_before_stays(driven):
    made = work(OVERLAP)
    lessened(made)
    assert driven.seen == [("0.5", 1.0, 0.0)] and not made.result.warned
    assert made.rig.values[SHARE] == 1.0 and SHARE not in made.changes()


@pytest.mark.parametrize(
    ("percent", "share"), [({1.0: 111.0, 0.5: 109.0}, 0.5), ({1.0: 300.0, 0.5: 180.0, 0.0: 101.0}, 0.0)]
)
def test_less_is_made_up_for_until_it_is_no_worse_and_that_is_said(driven, percent, share):
    driven.percent = percent
    made = work(OVERLAP)
    lessened(made)
    assert driven.seen == [("0.5", one, 0.0) for one in percent]
    assert made.rig.values[SHARE] == made.changes()[SHARE] == share
    (said,) = made.result.warned
    assert f"{percent[1.0]:.3g} % against 100 %" in said and f"{SHARE} is now {share:g}" in said


@pytest.mark.parametrize("dither", [None, 0.01])
def test_a_valve_is_dithered_no_longer_before_less_of_it_is_made_up_for(driven, dither):
    driven.dithered = {1.0: 314.0}
    made = work(OVERLAP, dither=dither)
    lessened(made)
    assert driven.seen == [("0.5", 1.0, dither), ("0.5", 1.0, 0.0)]
    assert made.changes() == {**OVERLAP, DITHER: 0.0} and made.rig.values == {SHARE: 1.0, DITHER: 0.0}
    (said,) = made.result.warned
    assert said.endswith("314 % against 100 %; law.valve.dither is now 0.")


def test_where_neither_helps_there_is_neither(driven):
    driven.dithered, driven.percent = {1.0: 314.0}, {1.0: 200.0, 0.5: 150.0, 0.0: 100.0}
    made = work(OVERLAP, dither=None)
    lessened(made)
    assert made.rig.values == {SHARE: 0.0, DITHER: 0.0}
    assert "law.valve.dither is now 0 and law.valve.inverse is now 0. A higher" in made.result.warned[0]


@pytest.mark.parametrize("dither", [None, 0.0])
def test_where_less_is_worse_still_all_of_it_stays_as_it_was_and_that_is_said(driven, dither):
    """Before, the rig file made up for most of it already."""
    driven.dithered, driven.percent = {1.0: 118.0}, {1.0: 118.0 if dither == 0.0 else 130.0, 0.5: 200.0, 0.0: 400.0}
    made = work(OVERLAP, dither=dither)
    lessened(made)
    assert made.rig.values == {SHARE: 1.0, DITHER: dither} and made.changes() == OVERLAP
    assert "118 % against 100 %; making up for less is no better. A higher" in made.result.warned[0]


def test_where_none_leaves_as_little_as_before_what_leaves_least_is_kept(driven):
    driven.dithered, driven.percent = {1.0: 314.0}, {1.0: 200.0, 0.5: 150.0, 0.0: 180.0}
    made = work(OVERLAP, dither=None)
    lessened(made)
    assert made.rig.values == {SHARE: 0.5, DITHER: 0.0} and made.changes() == {**OVERLAP, SHARE: 0.5, DITHER: 0.0}
    assert "314 % against 100 %; law.valve.dither is now 0 and" in made.result.warned[0]
    assert ", which leaves 150 %. A higher" in made.result.warned[0]


def test_it_is_a_part_of_the_share_that_is_active(driven):
    driven.percent = {0.8: 200.0, 0.4: 90.0}
    made = work(OVERLAP, share=0.8)
    lessened(made)
    assert made.rig.values[SHARE] == 0.4


def test_nothing_is_driven_without_an_overlap_or_a_distortion_to_compare_with(driven):
    lessened(work({"machine.m": 480.0, "machine.overlap_a": 0.0, "machine.hysteresis": 0.0}))
    lessened(work(OVERLAP, share=0.0))
    lessened(work(OVERLAP, before=None))
    assert driven.seen == []


@pytest.mark.parametrize("dithered", [{}, {1.0: 300.0}])
def test_where_it_cannot_be_measured_all_stays_as_it_was_and_that_is_said(driven, dithered):
    """From the first sine on, or from the second."""
    driven.percent, driven.dithered = {}, dithered
    made = work(OVERLAP, dither=None)
    lessened(made)
    assert made.rig.values == {SHARE: 1.0, DITHER: None} and made.changes() == OVERLAP
    assert "is not known" in made.result.warned[0]
