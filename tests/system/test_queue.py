"""The queue of motions, over the wire and in virtual time: its order, its starts, its end."""

import json

import numpy as np
import pytest

from hilctl.cli.main import main
from hilctl.client import Client, Code
from tests.system.service_parts import armed, refusal, settle, until

pytestmark = pytest.mark.timeout(300)
TRIANGLE = {"kind": "triangle", "parameters": {"amplitude_m": 0.002, "speed_m_s": 0.02, "cycles": 1}}
LONG = {"kind": "sine", "parameters": {"amplitude_m": 0.01, "frequency_hz": 1.0, "cycles": 1000}}
ENDLESS = {"kind": "sine", "parameters": {"amplitude_m": 0.001, "frequency_hz": 1.0}}


def to(position_m, **start):
    return {"kind": "move", "parameters": {"position_m": position_m, "speed_m_s": 0.05}, **start}


@pytest.fixture(scope="module")
def running():
    with armed(changes={"service.lease_timeout_s": 1.0, "service.heartbeat_s": 0.1}) as both:
        yield both


@pytest.fixture
def service(running):
    return running[0]


@pytest.fixture
def rig(running):
    rig = running[1]
    rig.take(takeover=True)
    rig.pass_time(0.1)  # virtual time stood still since the test before
    settle(rig)
    rig.unqueue()
    return rig


def states(rig, items):
    known = {one["item"]: one for one in rig.queued()}
    return [known[item]["state"] for item in items]


def tick(rig):
    return rig.status()["tick"]


def test_motions_run_one_after_another_each_from_where_the_one_before_rests(rig):
    rig.run("move", position_m=0.0)
    items = rig.queue(to(0.01), TRIANGLE, to(-0.01))
    more = rig.queue(to(0.0))  # behind those that wait and run
    over = [rig.wait_queued(item) for item in (*items, *more)]
    assert [one["state"] for one in over] == ["done"] * 4
    ids = [one["motion"] for one in over]
    assert ids == list(range(ids[0], ids[0] + 4)) and rig.status()["last_motion"] == ids[-1]
    samples = rig.samples(over[0]["first"], over[-1]["last"], ["motion", "xr_m", "vr_m_s", "ar_m_s2"])
    order = samples["motion"][np.flatnonzero(np.diff(samples["motion"], prepend=-1))]
    assert [int(id) for id in order if id] == ids
    assert np.abs(np.diff(samples["xr_m"])).max() < 1e-4  # no jump from one to the next
    ends = [rig.samples(one["last"] + 1, one["last"] + 1, ["xr_m"])["xr_m"][0] for one in (over[0], over[2], over[3])]
    assert ends == pytest.approx([0.01, -0.01, 0.0], abs=1e-9)
    told = [event["item"] for event in rig.events() if event["kind"] == "queue_started"]
    assert told[-4:] == [*items, *more]


@pytest.mark.parametrize(
    ("place", "wrong", "code", "said"),
    [
        (2, to(5.0), Code.LIMIT, "motion 2 of 3 (move)"),
        (3, {"kind": "sin"}, Code.BAD_VALUE, "motion 3 of 3 (sin)"),
        (1, ENDLESS, Code.BAD_VALUE, "motion 1 of 3 (sine) runs until it is stopped"),
        (2, {"kind": "external"}, Code.BAD_VALUE, "motions[2].kind"),
        (3, to(0.0, channel="positon_m"), Code.BAD_VALUE, "position_m"),
        (3, to(0.0, at_tick=1), Code.BAD_VALUE, "motions[3].at_tick"),
        (1, to(0.0, at_ns=1 << 60), Code.BAD_VALUE, "the virtual clock has no wall time"),
        (1, to(0.0, at_tick=1 << 40, at_ns=1), Code.BAD_VALUE, "give at most one of them"),
        (2, to(0.0, edge="sideways"), Code.BAD_VALUE, "motions[2].edge"),
        (2, to(0.0, level=float("inf")), Code.BAD_VALUE, "level"),
        (2, {"kind": "move", "parameters": 3}, Code.BAD_VALUE, "motions[2].parameters"),
        (2, to(0.0, when="soon"), Code.BAD_VALUE, "when"),
    ],
)
def test_one_wrong_motion_refuses_all_of_them_and_names_its_place(rig, place, wrong, code, said):
    before = rig.status()
    motions = [to(0.001 * n) for n in range(3)]
    motions[place - 1] = wrong
    refused = refusal(rig.queue, *motions)
    assert refused.code == code and said in refused.message
    after = rig.status()
    assert after["queue"] == {"waiting": 0, "running": 0} and after["last_motion"] == before["last_motion"]


def test_what_fits_alone_may_not_fit_behind_another(rig):
    """A relative check: the second motion's lead-in begins where the first one rests."""
    rig.run("move", position_m=0.0)
    near = {"kind": "move", "parameters": {"position_m": 0.01, "duration_s": 0.15}}
    rig.check_motion("move", position_m=0.01, duration_s=0.15)
    refused = refusal(rig.queue, to(-0.06), near)
    assert refused.code == Code.LIMIT and "motion 2 of 2" in refused.message


def test_a_motion_begins_at_its_tick_and_not_before(rig):
    at = tick(rig) + 1500
    (item,) = rig.queue(to(0.005, at_tick=at))
    done = rig.wait_queued(item)
    assert done["state"] == "done" and done["tick"] == done["due_tick"] == at
    started = next(e for e in rig.events() if e["kind"] == "queue_started" and e["item"] == item)
    assert started["late_ticks"] == 0


@pytest.mark.parametrize("edge", ["above", "rising"])
def test_a_motion_begins_when_a_channel_passes_its_level(rig, edge):
    """The tick is a channel as any other, and passes its level once."""
    level = tick(rig) + 777
    (item,) = rig.queue(to(-0.005, channel="tick", edge=edge, level=float(level)))
    done = rig.wait_queued(item)
    assert done["state"] == "done" and done["due_tick"] == level and done["tick"] > level
    assert done["start"]["channel"] == "tick"


def test_a_level_that_is_there_already_is_no_edge(rig):
    passed = {"channel": "tick", "level": float(tick(rig) - 5)}
    (above,) = rig.queue(to(0.0, edge="above", **passed))
    assert rig.wait_queued(above)["state"] == "done"
    (rising,) = rig.queue(to(0.001, edge="rising", within_s=0.5, **passed))
    (behind,) = rig.queue(to(0.002))
    over = rig.wait_queued(rising)
    assert over["state"] == "cancelled" and "was not rising" in over["why"] and "0.5 s" in over["why"]
    assert states(rig, [behind]) == ["cancelled"]


def waits(rig):
    """Two motions that wait for a level that never comes."""
    return rig.queue(to(0.001, channel="position_m", edge="above", level=9.0), to(0.0))


@pytest.mark.parametrize("end", ["stop", "hold", "off", "unqueue"])
def test_who_stops_the_rig_cancels_what_waits(service, rig, end):
    items = waits(rig)
    with Client(service.commands, lease="none", name="passer-by") as other:
        if end == "stop":
            other.stop()  # which needs no lease
        else:
            {"hold": rig.hold, "off": rig.off, "unqueue": rig.unqueue}[end]()
        over = [other.wait_queued(item) for item in items]
    assert [one["state"] for one in over] == ["cancelled"] * 2 and over[0]["motion"] == 0
    by = {"stop": "stop by passer-by", "hold": "stop by", "off": "off by", "unqueue": "cancelled by"}
    assert by[end] in over[0]["why"]


def test_a_stop_in_the_middle_of_a_motion_ends_it_and_what_waits(rig):
    first, second = rig.queue(LONG, to(0.0))
    until(lambda: rig.status()["queue"]["running"] == first, "the first motion")
    rig.ask("stop")
    over = [rig.wait_queued(item) for item in (first, second)]
    assert [one["state"] for one in over] == ["stopped", "cancelled"], (over, rig.events())


@pytest.mark.parametrize("how", ["takeover", "release", "abandon", "loss"])
def test_a_lease_that_ends_cancels_what_waits(service, rig, how):
    items = waits(rig)
    with Client(service.commands, lease="none") as other:
        if how == "takeover":
            other.take(takeover=True)
        elif how == "loss":
            rig._stop_beating()
        else:
            {"release": rig.release, "abandon": rig.abandon}[how]()
        over = [other.wait_queued(item, 30.0) for item in items]
        assert [one["state"] for one in over] == ["cancelled"] * 2
        assert "lease" in over[0]["why"] or "tripped" in over[0]["why"]
        if how == "takeover":
            other.queue(to(0.002))  # an empty queue for the next holder
            assert [one["state"] for one in other.queued()][-2:].count("cancelled") == 1


def test_a_trip_cancels_what_waits_and_nothing_begins_after_its_reset(rig):
    rig.run("move", position_m=0.0)
    first, second = rig.queue(LONG, to(0.0))
    until(lambda: rig.status()["queue"]["running"] == first, "the first motion")
    rig.set({"limits.velocity.max_m_s": 0.01})
    assert rig.wait_queued(first)["state"] == "tripped" and rig.wait_queued(second)["state"] == "cancelled"
    rig.off()
    rig.undo()
    before = rig.status()["last_motion"]
    settle(rig)
    rig.pass_time(1.0)
    assert rig.status()["last_motion"] == before


def test_limits_that_change_meanwhile_are_those_that_count(rig):
    rig.run("move", position_m=0.0)
    first, second = rig.queue(to(0.01, at_tick=tick(rig) + 40_000), to(0.0))
    rig.set({"limits.velocity.max_m_s": 0.04})
    over = rig.wait_queued(first)
    assert over["state"] == "cancelled" and over["motion"] == 0 and "limits.velocity" in over["why"]
    assert states(rig, [second]) == ["cancelled"]
    rig.off()
    rig.undo()


def test_another_set_that_leaves_it_possible_does_not_hinder_it(rig):
    rig.run("move", position_m=0.0)
    (item,) = rig.queue(to(0.01, at_tick=tick(rig) + 40_000))
    epoch = rig.set({"law.blend_s": 0.11})
    over = rig.wait_queued(item)
    assert over["state"] == "done" and over["tick"] == over["due_tick"]
    assert rig.samples(over["first"], over["first"], ["epoch"])["epoch"][0] == epoch


def test_while_motions_wait_no_other_begins_and_the_queue_is_bounded(rig):
    waits(rig)
    refused = refusal(rig.ask, "track", **TRIANGLE)
    assert refused.code == Code.WRONG_MODE and "2 motions wait in the queue" in refused.message
    assert refusal(rig.ask, "queue", motions=[to(0.0)] * 31, timeout_s=0.5).code == Code.BUSY
    rig.unqueue()
    assert refusal(rig.unqueue, 1 << 40).code == Code.BAD_VALUE


def test_the_other_kind_of_ones_own_lease_cancels_nothing(rig):
    items = waits(rig)
    rig.take("console")
    assert states(rig, items) == ["waiting"] * 2
    rig.take()
    rig.status()
    assert states(rig, items) == ["waiting"] * 2


def test_who_has_no_lease_queues_nothing(service, rig):
    with Client(service.commands, lease="none") as other:
        assert refusal(other.queue, to(0.0)).code == Code.LEASE_HELD
        assert refusal(other.unqueue).code == Code.LEASE_HELD
        assert isinstance(other.queued(), list)


def test_behind_a_motion_without_a_known_end_nothing_waits(rig):
    rig.track(**{"kind": "sine", **ENDLESS["parameters"]})
    assert "where it ends is not known" in refusal(rig.queue, to(0.0)).message
    rig.stop()
    rig.wait_mode("hold")  # until then it is not known
    (item,) = rig.queue(ENDLESS)
    until(lambda: rig.status()["queue"]["running"] == item, "the motion")
    assert "nothing can follow it" in refusal(rig.queue, to(0.0)).message
    rig.stop()
    assert rig.wait_queued(item)["state"] == "stopped"


def test_from_the_command_line(service, rig, tmp_path, capsys):
    def typed(*words, code=0):
        assert main([*words, "--connect", service.commands]) == code
        said = capsys.readouterr()
        return said.out if code == 0 else said.err

    rig.release()
    try:
        done = json.loads(typed("move", "0.004", "--queue", "--wait", "--json"))
        assert [one["state"] for one in done] == ["done"]
        file = tmp_path / "motions.json"
        file.write_text(json.dumps([to(0.001), TRIANGLE, to(0.0)]))
        assert typed("queue", str(file), "--wait").count(" done, motion ") == 3
        typed("track", "sine", "--amplitude", "0.001", "--frequency", "1", "--cycles", "1", "--queue",
              "--trigger", "position_m", "above", "9")  # fmt: skip
        assert "waiting, when position_m is above 9" in typed("queue")
        assert "2 motions wait" not in typed("move", "0", code=1)
        assert "cancelled: " in typed("queue", "--clear") and "none waited" in typed("queue", "--clear")
        file.write_text(json.dumps([to(0.001), to(5.0)]))
        assert "motion 2 of 2" in typed("queue", str(file), code=1)
        for words in (["move", "0", "--at", "10s"], ["move", "0", "--queue", "--at", "soon"],
                      ["move", "0", "--queue", "--trigger", "position_m", "near", "1"],
                      ["queue", str(tmp_path / "no")], ["queue", str(file), "--clear"]):  # fmt: skip
            typed(*words, code=2)
        file.write_text("{}")
        assert "must be a list" in typed("queue", str(file), code=2)
    finally:
        typed("off")
