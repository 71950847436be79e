"""Motions that begin at exactly their tick, on the real clock: counted in ticks, by the samples."""

import time

import numpy as np
import pytest

from hilctl.client import Client, Refused
from tests.system.service_parts import ARMS_FAST, LATE_HOST, armed, refusal, settle

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(120)]
MANY = 15
EVERY = 300  # ticks between two starts, at 1 kHz: a motion of 30 ms, and time for the service to hand on the next
AHEAD = 1500


@pytest.fixture(scope="module")
def running():
    with armed(clock="real", changes={**ARMS_FAST, **LATE_HOST, "limits.late.action": "warn"}) as both:
        yield both


@pytest.fixture
def rig(running):
    settle(running[1])
    return running[1]


def nudge(number, **start):
    there = {"position_m": 1e-4 * (number % 2), "duration_s": 0.03}
    return {"kind": "move", "parameters": there, **start}


def ticks_and_motions(rig, over):
    found = rig.samples(over[0]["first"] - EVERY, over[-1]["last"], ["tick", "motion"])
    return found["tick"], found["motion"]


def begins(rig, over):
    """The tick of each motion's first sample, and what each item says of it."""
    ticks, motions = ticks_and_motions(rig, over)
    first = [int(ticks[np.flatnonzero(motions == one["motion"])[0]]) for one in over]
    assert first == [one["tick"] for one in over]
    return ticks, first


def next_run(ticks, due):
    """The tick itself; where the host has skipped it, the next one that ran."""
    return int(ticks[np.searchsorted(ticks, due)])


def test_each_begins_at_the_tick_that_was_asked_for(rig):
    begin = rig.status()["tick"] + AHEAD
    asked = [begin + EVERY * k for k in range(MANY)]
    items = rig.queue(*[nudge(k, at_tick=tick) for k, tick in enumerate(asked)])
    over = [rig.wait_queued(item) for item in items]
    assert [one["state"] for one in over] == ["done"] * MANY
    ticks, first = begins(rig, over)
    assert first == [next_run(ticks, tick) for tick in asked]
    late = {e["item"]: e["late_ticks"] for e in rig.events() if e["kind"] == "queue_started"}
    assert [late[item] for item in items] == [tick - due for tick, due in zip(first, asked, strict=True)]


def test_each_begins_with_the_tick_after_the_sample_that_was_waited_for(rig):
    begin = rig.status()["tick"] + AHEAD
    levels = [begin + EVERY * k for k in range(MANY)]
    items = rig.queue(*[nudge(k, channel="tick", edge="rising", level=float(at)) for k, at in enumerate(levels)])
    over = [rig.wait_queued(item) for item in items]
    assert [one["state"] for one in over] == ["done"] * MANY
    ticks, first = begins(rig, over)
    assert [one["due_tick"] for one in over] == [next_run(ticks, at) for at in levels]
    assert first == [next_run(ticks, one["due_tick"] + 1) for one in over]


def test_a_wall_time_is_a_tick(rig):
    wall = rig.wall_clock()
    at_ns = time.time_ns() + 1_000_000_000
    (item,) = rig.queue(nudge(1, at_ns=at_ns))
    over = rig.wait_queued(item)
    assert over["state"] == "done"
    ticks, first = begins(rig, [over])
    due = over["due_tick"]
    assert first == [next_run(ticks, due)]
    assert wall.of_ticks(due - 1) < at_ns <= wall.of_ticks(due) + 1000  # by the clock of now, to a microsecond


@pytest.mark.parametrize("end", ["stop", "unqueue", "set", "release"])
def test_what_the_loop_has_already_is_called_off(running, rig, end):
    """Motions that the loop keeps, for a level that does not come."""
    before = rig.status()["last_motion"]
    first, second = rig.queue(nudge(1, channel="position_m", edge="above", level=9.0), nudge(0))
    rig.pass_time(0.05)
    if end == "set":  # planned again, it waits on, and is as good as before
        rig.set({"law.blend_s": 0.11})
        rig.pass_time(0.05)
        assert [one["state"] for one in rig.queued() if one["item"] in (first, second)] == ["waiting"] * 2
        rig.undo()
        assert rig.unqueue() == [first, second]
    elif end == "unqueue":
        assert rig.unqueue(first) == [first, second]
    else:
        {"stop": rig.stop, "release": rig.release}[end]()
    with Client(running[0].commands, lease="none") as other:
        over = [other.wait_queued(item) for item in (first, second)]
        assert [one["state"] for one in over] == ["cancelled"] * 2 and [one["motion"] for one in over] == [0, 0]
        assert other.status()["last_motion"] == before
    if end == "release":
        rig.take()
    rig.run("move", position_m=2e-4, duration_s=0.05)  # the next one has the next number
    assert rig.status()["last_motion"] == before + 1
    assert refusal(rig.unqueue, first).message.startswith(f"item {first} does not wait")


def test_a_cancel_at_the_very_tick_is_decided_one_way_and_told_so(rig):
    """Either it is cancelled, and no sample ever has it; or it has begun, and goes on to its end."""
    outcomes = set()
    for k, offset_ns in enumerate([-20_000_000, *np.linspace(-1_500_000, 500_000, 12)]):
        before, clock = rig.status()["last_motion"], rig.wall_clock()
        at = rig.status()["tick"] + 240
        (item,) = rig.queue(nudge(k, at_tick=at))
        while time.time_ns() < clock.of_ticks(at) + offset_ns:  # sharp: a wait would miss the moment
            pass
        try:
            gone = rig.unqueue(item)
        except Refused:  # it runs, or is over
            gone = []
        over = rig.wait_queued(item)
        outcomes.add(over["state"])
        assert over["state"] == ("cancelled" if gone else "done") and gone in ([], [item])
        assert (over["motion"] > 0, rig.status()["last_motion"]) == (not gone, before + (not gone))
        end = rig.status()["history"]["end"]
        motions = rig.samples(end - 600, end - 1, ["motion"])["motion"]
        assert bool((motions > before).any()) == (not gone)
    assert outcomes == {"cancelled", "done"}
