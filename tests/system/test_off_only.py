"""What shifts a measured position, and what then protects less, changes in the mode off alone."""


import numpy as np
import pytest

from hilctl.client import Client, Code, private_service
from tests.system.service_parts import RIG, Raw, armed, refusal, settle

pytestmark = pytest.mark.timeout(300)
OFFSET, GAIN, DELAY = (f"sensors.displacement.{name}" for name in ("offset", "gain", "delay_s"))
SHIFTS = {OFFSET: 0.01, GAIN: 1.05, DELAY: 0.002}
SINE = {"amplitude_m": 0.005, "frequency_hz": 1.0}


@pytest.fixture(scope="module")
def running():
    with armed() as both:
        yield both


@pytest.fixture
def rig(running):
    settle(running[1])
    return running[1]


def switch_off(rig):
    rig.off()
    assert rig.status()["mode"] == "off"


@pytest.mark.parametrize("key", SHIFTS)
@pytest.mark.parametrize("mode", ["hold", "track"])
def test_what_shifts_the_measured_position_is_refused_while_the_table_is_held_and_nothing_moves(rig, mode, key):
    if mode == "track":
        rig.track("sine", **SINE)
    before, first, epoch = rig.get(), rig.status()["history"]["end"], rig.status()["epoch"]
    refused = refusal(rig.set, {key: SHIFTS[key], "law.blend_s": 0.1})
    assert (refused.code, refused.key) == (Code.WRONG_MODE, key)
    for part in (f"{SHIFTS[key]!r}", f"mode {mode}", "shifts the measured position", "hilctl off"):
        assert part in refused.message
    rig.pass_time(0.5)
    assert rig.get() == before and rig.status()["epoch"] == epoch
    seen = rig.samples(first, None, ["position_m", "xr_m"])
    assert np.max(np.abs(seen["position_m"] - seen["xr_m"])) < 1e-3


def test_zero_of_displacement_is_refused_in_hold_and_other_sensors_are_zeroed_live(rig):
    refused = refusal(rig.zero, "displacement", to=0.03)
    assert (refused.code, refused.key) == (Code.WRONG_MODE, OFFSET)
    rig.pass_time(2.0)
    rig.zero("acceleration")
    switch_off(rig)
    rig.pass_time(2.0)
    done = rig.zero("displacement", to=0.004)
    assert done["new"] != done["old"]
    rig.undo()


def test_an_undo_that_shifts_is_refused_too_until_the_rig_is_off(rig):
    switch_off(rig)
    rig.set({OFFSET: 0.002})
    rig.arm()
    refused = refusal(rig.undo)
    assert (refused.code, refused.key) == (Code.WRONG_MODE, OFFSET)
    switch_off(rig)
    rig.undo()
    assert rig.get(OFFSET)[OFFSET] == 0.0


@pytest.mark.parametrize("first", ["set", "arm"])
def test_a_shift_and_an_arming_that_come_together_exclude_each_other(running, rig, first):
    """Whatever the order: one of the two is done, and every shift is adopted while the rig is off."""
    service, _ = running
    token = rig.ask("lease", action="take")["token"]
    switch_off(rig)
    begin = rig.status()["events"]
    outcomes = set()
    with Raw(service.commands) as raw:
        for i in range(6):
            switch_off(rig)
            shift = 1e-3 * (1 + i)  # one that is active already shifts nothing
            ops = {"set": {"values": {OFFSET: shift}}, "arm": {}}
            names = [first, *(name for name in ops if name != first)]
            ids = {}
            for name in names:
                raw.send(raw.message(name, lease=token, **ops[name]))
                ids[raw.count] = name
            replies = {ids[r["id"]]: r for r in (raw.receive(), raw.receive())}
            outcomes.add(replies["set"]["ok"] + replies["arm"]["ok"])
            for reply in replies.values():
                assert reply["ok"] or reply["error"]["code"] in ("busy", "wrong_mode"), reply
            if replies["arm"]["ok"]:
                assert rig.wait_mode("hold").why == "mode"
    # The first of the two may be over before a busy host has sent the second; after a shift the rig may be armed.
    assert 1 in outcomes and outcomes <= ({1, 2} if first == "set" else {1})
    mode = "off"
    for event in rig.events(begin):
        assert event["kind"] != "epoch" or mode == "off"
        mode = event["mode"] if event["kind"] == "mode" else mode
    switch_off(rig)
    rig.set({OFFSET: 0.0})


def test_a_motion_that_only_the_shift_hides_is_refused_by_the_unshifted_stroke(rig):
    high = rig.get("limits.position.max_m")["limits.position.max_m"]
    switch_off(rig)
    rig.set({OFFSET: 0.02})  # reads 20 mm less from now on
    rig.arm()
    goal = high - 0.01
    refused = refusal(rig.move, goal, duration_s=10.0)
    assert (refused.code, refused.key) == (Code.LIMIT, "limits.position.max_m")
    for part in ("unshifted reading", OFFSET.rpartition(".")[0], "0.02 m", f"the limit is {high:g} m"):
        assert part in refused.message
    shown = rig.check_motion("move", 2, position_m=goal, duration_s=10.0)
    assert shown["refused"]["message"] == refused.message
    assert shown["limits"]["position_m"]["high"] == pytest.approx(high - 0.02)
    rig.wait(rig.move(high - 0.03, duration_s=10.0))
    assert rig.status()["trip"] is None
    rig.wait(rig.move(0.0))
    switch_off(rig)
    rig.set({OFFSET: 0.0})


@pytest.mark.parametrize(
    "values",
    [{"limits.tracking_error.action": "warn"}, {"limits.pressure.max_pa": 3.2e7}, {"limits.position.ticks": 3},
     {"sensors.pressure_a.high": 5e7}, {"limits.escalation.hold_s": 100.0}],
    ids=lambda values: next(iter(values)),
)  # fmt: skip
def test_a_limit_is_loosened_in_off_only_and_can_be_tightened_while_the_table_is_held(rig, values):
    (key, value), before = next(iter(values.items())), rig.get()
    refused = refusal(rig.set, values)
    assert (refused.code, refused.key) == (Code.WRONG_MODE, key)
    for part in (f"{value!r}", "mode hold", "protects less", f"{before[key]!r}", "hilctl off"):
        assert part in refused.message
    switch_off(rig)
    rig.set(values)
    rig.arm()
    rig.set({key: before[key]})  # back is tighter
    assert refusal(rig.undo).key == key
    switch_off(rig)
    rig.undo()
    rig.undo()
    assert rig.get() == before


INPUT = "emergency_stop"
PRESENT = f"sensors.{INPUT}.present"
WITH_INPUT = {PRESENT: True, f"sensors.{INPUT}.low": -0.5, f"sensors.{INPUT}.high": 1.5}


def test_with_the_emergency_stop_pressed_no_set_ever_lets_it_arm():
    changes = {**WITH_INPUT, f"twin.faults.{INPUT}_after_s": 0.0}
    with private_service(RIG, changes=changes) as service, Client(service.commands) as rig:
        rig.pass_time(0.1)
        assert refusal(rig.arm).code == Code.TRIPPED
        refused = refusal(rig.set, {PRESENT: False})
        assert (refused.code, refused.key) == (Code.TRIPPED, PRESENT)
        assert "says fault" in refused.message and "False" in refused.message
        rig.reset()
        assert refusal(rig.arm).code == Code.TRIPPED
        assert rig.status()["mode"] == "off" and rig.get(PRESENT)[PRESENT] is True


def test_an_input_is_not_taken_away_while_the_table_is_held_nor_while_its_trip_is_latched():
    changes = {**WITH_INPUT, f"twin.faults.{INPUT}_after_s": 20.0}
    with private_service(RIG, changes=changes) as service, Client(service.commands) as rig:
        rig.arm()
        refused = refusal(rig.set, {PRESENT: False})
        assert (refused.code, refused.key) == (Code.WRONG_MODE, PRESENT)
        rig.pass_time(25.0)
        assert rig.status()["trip"]["name"] == INPUT
        refused = refusal(rig.set, {PRESENT: False})
        assert refused.code == Code.TRIPPED and "latched" in refused.message
        assert refusal(rig.arm).code == Code.TRIPPED


def test_an_input_that_cannot_be_read_is_not_taken_away_and_one_that_is_good_is():
    unwired = {**WITH_INPUT, f"twin.sensors.{INPUT}.present": False}
    with private_service(RIG, changes=unwired) as service, Client(service.commands) as rig:
        rig.pass_time(0.1)
        assert "cannot be read" in refusal(rig.set, {PRESENT: False}).message
    with private_service(RIG, changes=WITH_INPUT) as service, Client(service.commands) as rig:
        rig.pass_time(0.1)
        rig.set({PRESENT: False})
        rig.arm()
        assert refusal(rig.set, {PRESENT: True}).code == Code.WRONG_MODE
