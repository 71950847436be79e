"""What one browser's scope does: follows, stands, waits for its trigger, shows what it caught."""

import numpy as np
import pytest

from hilctl.panel.samples import Samples
from hilctl.panel.scope import Scope
from hilctl.panel.trigger import BadTrigger, Trigger
from hilctl.panel.view import HEADER, Shown


class Rig:
    """Blocks as they come."""

    def __init__(self):
        self.samples = Samples(["x", "trip"], 1000.0)
        self.scope = Scope(lambda: self.samples)
        self.scope.show(["x"])

    def run(self, *values, trip=0):
        first = self.samples.end
        columns = {
            "tick": np.arange(first, first + len(values)), "x": np.array(values, float),
            "trip": np.full(len(values), trip),
        }  # fmt: skip
        self.samples.put(columns)
        self.scope.block(columns, self.samples)


@pytest.fixture
def rig():
    return Rig()


def test_it_shows_what_is_after_the_trigger_only_when_it_is_there(rig):
    rig.run(*[0.0] * 100)
    rig.scope.arm(Trigger("rising", "x", 0.5, pre_s=0.02, post_s=0.03), again=False)
    rig.run(*[0.0] * 10, 1.0, 1.0)
    assert rig.scope.state == "armed"
    rig.run(*[1.0] * 28)
    assert rig.scope.state == "armed"
    rig.run(1.0, 1.0)
    assert rig.scope.state == "caught"
    assert rig.scope.caught == (110, 90, 140)
    assert rig.scope.at == Shown(90, 141)


def test_again_and_again_keeps_the_last_until_the_next_is_whole(rig):
    rig.scope.arm(Trigger("rising", "x", 0.5, pre_s=0.0, post_s=0.005), again=True)
    caught = []
    for _ in range(5):
        rig.run(*[0.0] * 10, *[1.0] * 10)
        caught.append(rig.scope.caught.tick)
    assert caught == [10, 30, 50, 70, 90]
    assert rig.scope.state == "armed"


def test_once_is_once(rig):
    rig.scope.arm(Trigger("rising", "x", 0.5, pre_s=0.0, post_s=0.005), again=False)
    for _ in range(3):
        rig.run(*[0.0] * 10, *[1.0] * 10)
    assert rig.scope.caught.tick == 10


def test_a_trip_is_a_trigger(rig):
    rig.run(*[0.0] * 50)
    rig.scope.arm(Trigger("trip", pre_s=0.01, post_s=0.01), again=False)
    rig.run(*[0.0] * 5)
    rig.run(*[0.0] * 50, trip=4)
    assert rig.scope.caught.tick == 55


def test_live_again_gives_the_trigger_up(rig):
    rig.run(0.0)
    rig.scope.arm(Trigger("rising", "x", 0.5), again=True)
    rig.scope.live()
    rig.run(1.0)
    assert (rig.scope.state, rig.scope.caught) == ("live", None)


def test_frozen_it_stands_while_samples_come(rig):
    rig.run(*np.arange(500.0))
    rig.scope.show(window_s=0.1)
    rig.scope.freeze()
    at = rig.scope.at
    rig.scope.frame()
    rig.run(*np.arange(500.0))
    assert (rig.scope.state, rig.scope.at, rig.scope.frame()) == ("frozen", at, None)


def test_another_window_of_what_stands_keeps_its_middle(rig):
    rig.run(*np.arange(500.0))
    rig.scope.look(100, 300)
    rig.scope.show(window_s=0.1)
    assert rig.scope.at == Shown(150, 250)


def test_what_is_seen_has_the_length_of_the_capture_and_live_again_that_which_was_chosen(rig):
    rig.scope.show(window_s=2.0)
    rig.scope.arm(Trigger("rising", "x", 0.5, pre_s=0.02, post_s=0.03), again=False)
    assert rig.scope.shown_s == 2.0
    rig.run(*[0.0] * 50, *[1.0] * 50)
    assert rig.scope.state == "caught"
    assert rig.scope.shown_s == pytest.approx(0.05)
    rig.scope.live()
    assert rig.scope.shown_s == 2.0


def test_a_block_says_whether_a_capture_is_whole_by_it(rig):
    rig.scope.arm(Trigger("rising", "x", 0.5, pre_s=0.0, post_s=0.002), again=False)
    whole = []
    for values in ([0.0], [1.0], [1.0, 1.0], [1.0]):
        columns = {"tick": np.arange(rig.samples.end, rig.samples.end + len(values)), "x": np.array(values)}
        rig.samples.put({**columns, "trip": np.zeros(len(values))})
        whole.append(rig.scope.block(columns, rig.samples))
    assert whole == [False, False, True, False]


def test_zooming_in_ends_at_what_can_be_shown(rig):
    rig.run(*np.arange(500.0))
    rig.scope.look(100, 101)
    assert rig.scope.at == Shown(100, 110)


def test_what_is_shown_changes_the_generation_so_that_no_old_frame_is_drawn(rig):
    rig.run(*np.arange(500.0))
    before = HEADER.unpack_from(rig.scope.frame())[1]
    rig.scope.show(window_s=0.2)
    frame = rig.scope.frame()
    assert HEADER.unpack_from(frame)[1] == rig.scope.about()["generation"] > before


def test_a_trigger_that_cannot_fire_changes_nothing(rig):
    rig.run(0.0)
    with pytest.raises(BadTrigger):
        rig.scope.arm(Trigger("rising", "nothing", 0.5), again=False)
    assert rig.scope.state == "live"


def test_another_run_of_the_service_begins_anew(rig):
    rig.run(*[0.0] * 50)
    rig.scope.arm(Trigger("rising", "x", 0.5, pre_s=0.0, post_s=0.002), again=False)
    rig.samples = Samples(["x", "trip"], 1000.0)
    rig.scope.renew()
    rig.run(0.0, 1.0, 1.0, 1.0, 1.0)
    assert rig.scope.caught.tick == 1


def test_no_more_traces_than_can_be_told_apart(rig):
    rig.samples = Samples([f"c{k}" for k in range(20)], 1000.0)
    rig.scope.show([f"c{k}" for k in range(12)] + ["unknown"])
    assert rig.scope.channels == tuple(f"c{k}" for k in range(8))
