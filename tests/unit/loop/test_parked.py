"""A motion that waits in the loop: for its tick, for a level; and what calls it off."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.law.requests import REQUEST, Edge, Refusal, RequestKind
from hilctl.loop import layout
from hilctl.loop.intake import IntakeKind
from hilctl.loop.layout import ANSWER_SLOTS, ANSWERS, CALLED_OFF, INTAKES, REQUEST_SLOTS, REQUESTS
from hilctl.loop.listen import rt_take_requests
from hilctl.loop.parked import rt_call_off, rt_is_parked, rt_watch_level
from hilctl.loop.ring import READ, WRITTEN
from hilctl.signals import NAMES, Mode
from tests.forms import blank, changed
from tests.unit.loop.given import Shared

pytestmark = pytest.mark.usefixtures("forms")
DUE = 1000


class Rig(Shared):
    """In hold, with a service that asks."""

    def __init__(self) -> None:
        super().__init__(Mode.HOLD)

    def ask(self, kind=RequestKind.TRACK, **fields):
        slot = int(self.words[REQUESTS + WRITTEN]) % REQUEST_SLOTS
        request = layout.requests.of(self.memory)[slot]
        request.kind, request.id = kind, 1 + self.words[REQUESTS + WRITTEN]
        request.at_tick = request.edge = request.channel = 0
        for name, value in fields.items():
            request[name] = value
        request.motion.id = request.id
        self.words[REQUESTS + WRITTEN] += 1
        return int(request.id)

    def tick(self, tick):
        rt_take_requests(self.memory, self.words, self.loop, self.state, tick)

    def answers(self):
        """Id, refusal and tick of what was answered since the last call."""
        first, end = int(self.words[ANSWERS + READ]), int(self.words[ANSWERS + WRITTEN])
        self.words[ANSWERS + READ] = end
        return [layout.answers.of(self.memory)[k % ANSWER_SLOTS].item() for k in range(first, end)]

    def intakes(self):
        """Kind and id of what the law was given."""
        noted = layout.intakes.of(self.memory)[: int(self.words[INTAKES + WRITTEN])]
        return [(int(one["kind"]), int(one["id"])) for one in noted]

    def sample(self, channel, value):
        """A sample in which this channel reads so."""
        row = self.rows()[0]
        row[channel] = value
        rt_watch_level(self.memory, self.loop, layout.rows(1).at)


def test_it_begins_at_its_tick_and_is_answered_then():
    rig = Rig()
    id = rig.ask(at_tick=DUE, bank=1)
    for tick in range(DUE - 5, DUE):
        rig.tick(tick)
        assert (rig.state.mode, rig.answers(), rig.intakes()) == (Mode.HOLD, [], [])
    assert (rig.loop.request, rig.words[REQUESTS + READ]) == (id, 1)  # the service sees that the loop has it
    rig.loop.changed = 0
    rig.tick(DUE)
    assert (rig.state.mode, rig.state.motion_id, rig.state.bank, rig.loop.changed) == (Mode.TRACK, id, 1, 1)
    assert rig.answers() == [(id, Refusal.ACCEPTED, DUE)]
    assert rig.intakes() == [(IntakeKind.REQUEST, id)]
    rig.tick(DUE + 1)
    assert (rig.answers(), len(rig.intakes())) == ([], 1)


@pytest.mark.parametrize("late", [0, 7])
def test_one_whose_tick_has_come_or_was_missed_begins_with_the_tick_that_runs(late):
    rig = Rig()
    asked = rig.ask(at_tick=DUE)
    rig.tick(DUE + late)
    assert rig.answers() == [(asked, Refusal.ACCEPTED, DUE + late)]
    rig = Rig()
    asked = rig.ask(at_tick=DUE)
    rig.tick(DUE - 1)
    rig.tick(DUE + late)  # the periods between were skipped
    assert rig.answers() == [(asked, Refusal.ACCEPTED, DUE + late)]


@pytest.mark.parametrize("kind", [kind for kind in RequestKind if kind != RequestKind.NONE])
def test_every_other_request_calls_it_off_before_it_is_taken_itself(kind):
    rig = Rig()
    parked = rig.ask(at_tick=DUE)
    rig.tick(1)
    other = rig.ask(kind, at_tick=DUE + 1 if kind == RequestKind.TRACK else 0)
    rig.tick(DUE)
    answers = rig.answers()
    assert answers[0] == (parked, Refusal.CALLED_OFF, DUE)
    assert [one[0] for one in answers[1:]] == ([] if kind == RequestKind.TRACK else [other])
    for tick in range(DUE + 1, DUE + 20):
        rig.tick(tick)
    assert rig.state.motion_id in (0, other) and parked not in [id for _, id in rig.intakes()]


def test_the_service_calls_it_off_by_a_word_and_what_comes_after_it_is_not_meant():
    rig = Rig()
    first = rig.ask(at_tick=DUE)
    rig.tick(1)
    rig.words[CALLED_OFF] = first
    rig.tick(2)
    assert rig.answers() == [(first, Refusal.CALLED_OFF, 2)] and rig.intakes() == []
    second = rig.ask(at_tick=DUE)
    rig.tick(DUE)
    assert rig.answers() == [(second, Refusal.ACCEPTED, DUE)]


def test_the_word_in_the_tick_itself_is_stronger_and_after_it_too_late():
    rig = Rig()
    asked = rig.ask(at_tick=DUE)
    rig.tick(DUE - 1)
    rig.words[CALLED_OFF] = asked
    rig.tick(DUE)
    assert rig.answers() == [(asked, Refusal.CALLED_OFF, DUE)]
    rig = Rig()
    asked = rig.ask(at_tick=DUE)
    rig.tick(DUE)
    rig.words[CALLED_OFF] = asked
    rig.tick(DUE + 1)
    assert rig.answers() == [(asked, Refusal.ACCEPTED, DUE)] and rig.state.mode == Mode.TRACK


def test_what_the_law_refuses_at_its_tick_does_not_begin():
    rig = Rig()
    asked = rig.ask(at_tick=DUE)
    rig.tick(DUE - 1)
    rig.state.guard.trip = 1  # by the law itself, without any request
    rig.tick(DUE)
    assert rig.answers() == [(asked, Refusal.TRIPPED, DUE)] and rig.state.mode == Mode.HOLD
    rig.state.guard.trip = 0
    rig.tick(DUE + 1)
    assert rig.state.mode == Mode.HOLD


def test_it_waits_while_there_is_no_place_for_its_answer():
    rig = Rig()
    rig.ask(at_tick=DUE)
    rig.tick(1)
    rig.words[ANSWERS + WRITTEN] = ANSWER_SLOTS
    rig.tick(DUE)
    assert rig.state.mode == Mode.HOLD
    rig.words[ANSWERS + READ] = 1
    rig.tick(DUE + 1)
    assert rig.state.mode == Mode.TRACK


def begun(channel, edge, level, values):
    """After which of these samples it begins; None for none."""
    rig = Rig()
    rig.ask(edge=edge, channel=NAMES.index(channel), level=level)
    rig.tick(0)
    for k, value in enumerate(values):
        rig.sample(channel, value)
        rig.tick(1 + k)
        if rig.state.mode == Mode.TRACK:
            return k
    return None


@pytest.mark.parametrize(
    ("edge", "values", "after"),
    [
        (Edge.ABOVE, [0.0, 0.9, 1.0, 0.0], 2),
        (Edge.ABOVE, [3.0], 0),
        (Edge.BELOW, [3.0, 1.1, 1.0], 2),
        (Edge.RISING, [3.0, 3.0, 0.9, 1.0], 3),
        (Edge.RISING, [1.0], None),  # what was before is not known
        (Edge.RISING, [0.0, math.nan, 3.0, 0.0, 3.0], 4),
        (Edge.FALLING, [0.0, 0.0, 1.1, 1.0], 3),
        (Edge.FALLING, [3.0, math.inf, 0.0], None),
        (Edge.ABOVE, [math.nan, math.inf], None),
    ],
)
def test_it_begins_with_the_tick_after_the_sample_that_passes_the_level(edge, values, after):
    assert begun("position_m", edge, 1.0, values) == after


def test_a_whole_channel_is_read_as_such():
    assert begun("tick", Edge.ABOVE, 2.5, [0, 1, 2, 3, 4]) == 3
    assert begun("motion", Edge.FALLING, 0.0, [5, 5, 0]) == 2


VALUES = [-1.0, 0.0, 0.5, 1.0, math.nan, math.inf]


@given(st.lists(st.sampled_from(VALUES), max_size=8), st.sampled_from(list(Edge)[1:]))
def test_the_loop_and_the_service_see_the_same_edge(values, edge):
    """Of the service it is what look.py does with the samples; here in its own words."""
    up, wide = edge in (Edge.ABOVE, Edge.RISING), np.array([math.nan, *values])
    there = (wide >= 0.5 if up else wide <= 0.5) & np.isfinite(wide)
    if edge in (Edge.RISING, Edge.FALLING):
        there[1:] &= ~there[:-1] & np.isfinite(wide[:-1])
    hits = np.flatnonzero(there[1:])
    assert begun("position_m", edge, 0.5, values) == (int(hits[0]) if len(hits) else None)


@pytest.mark.parametrize("kind", list(RequestKind))
@pytest.mark.parametrize(("at_tick", "edge", "waits"), [
    (0, Edge.NONE, False), (DUE - 1, Edge.NONE, False), (DUE, Edge.NONE, False), (DUE + 1, Edge.NONE, True),
    (0, Edge.ABOVE, True), (DUE, Edge.FALLING, True),
])  # fmt: skip
def test_only_a_motion_whose_tick_or_level_is_to_come_waits(kind, at_tick, edge, waits):
    request = blank(REQUEST)
    request.kind, request.at_tick, request.edge = kind, at_tick, edge
    assert rt_is_parked(request, DUE) == (waits and kind == RequestKind.TRACK)


@pytest.mark.parametrize("asked", [None, {"at_tick": DUE}])
def test_without_a_level_to_wait_for_no_sample_is_looked_at(asked):
    rig = Rig()
    if asked is not None:
        rig.ask(**asked)
    rig.tick(0)
    before = rig.loop.copy()
    rig.sample("tick", 3)
    assert changed(before, rig.loop) == {}


def test_what_is_called_off_is_said_once_and_only_where_there_is_a_place_for_it():
    rig = Rig()
    assert rt_call_off(rig.memory, rig.words, rig.loop, 1), "nothing waits"
    asked = rig.ask(at_tick=DUE)
    rig.tick(1)
    rig.words[ANSWERS + WRITTEN], rig.loop.changed = ANSWER_SLOTS, 0
    assert not rt_call_off(rig.memory, rig.words, rig.loop, 2)
    assert (rig.loop.parked.id, rig.loop.changed) == (asked, 0)
    rig.words[ANSWERS + READ] = ANSWER_SLOTS
    assert rt_call_off(rig.memory, rig.words, rig.loop, 3)
    assert (rig.answers(), rig.loop.parked.id, rig.loop.changed) == ([(asked, Refusal.CALLED_OFF, 3)], 0, 1)
