"""The firmware's core under anything that may be said to it."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_bridge.serial_frame.frames import seal
from firmware_bridge.serial_frame.messages import ONE, SCHEMA, VERSION, DeviceTrip, Fault, State, Type, command

HALF = ONE // 2
SLEW = 25 * ONE // 2000  # of the reference board's safe action, each tick
INSIDE, END, SENSES = 97_000_000, 98_000_000, 110_000_000


def faulted(answer, code):
    return answer.type == Type.FAULT and answer.values[0] == code


STEPS = st.one_of(
    st.tuples(st.just("cyclic"), st.integers(-ONE, ONE), st.integers(0, 5)),
    st.tuples(st.sampled_from(["arm", "disarm", "reset", "hello", "other", "repeat"])),
    st.tuples(st.just("tick"), st.integers(1, 40)),
    st.tuples(st.just("set"), st.sampled_from([0, INSIDE, END + 1, SENSES + 1]), st.integers(0, 1)),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=5, max_size=40))
def test_whatever_is_said_the_output_follows_only_a_fresh_command_of_an_armed_session(bench, steps):
    bench.tell("free")
    bench.tell("reboot")
    bench.session, bench.sequence = 7, 0
    boot, frame = bench.seen()["boot"], b""
    for step in steps:
        said = {
            "cyclic": (Type.CYCLIC, *step[1:]),
            "arm": (Type.ARM, boot, 5_000),
            "hello": (Type.HELLO, VERSION, SCHEMA),
            "disarm": (Type.DISARM,),
            "reset": (Type.RESET,),
        }.get(step[0])
        if said is not None:
            kind, *values = said
            bench.sequence = (bench.sequence + 1) & 0xFFFF
            frame = seal(command(kind, bench.sequence, bench.session, *values))
            assert len(bench.answers(frame)) == 1
        elif step[0] == "repeat" and frame[1:2] != b"\x01":
            bench.receive(frame)
        elif step[0] == "other":
            assert faulted(bench.say(Type.CYCLIC, HALF, 5, session=8, sequence=bench.sequence), Fault.NO_SESSION)
        elif step[0] == "set":
            bench.tell(f"set displacement {step[1]}")
            bench.tell(f"set emergency_stop {step[2]}")
        elif step[0] == "tick":
            for _ in range(step[1]):
                before = bench.seen()
                bench.tick()
                seen = bench.seen()
                check_invariants(before, seen)


def check_invariants(before, seen):
    if seen["state"] == State.RUNNING:
        assert seen["tick"] - seen["good_tick"] < seen["ttl_ticks"]
    else:
        assert abs(seen["valve"]) <= max(abs(before["valve"]) - SLEW, 0) or seen["trip"] == DeviceTrip.EMERGENCY_STOP
        assert not seen["enable"] or before["enable"]
    assert (seen["trip"] != 0) == (seen["state"] == State.TRIPPED)
    if before["trip"]:
        assert seen["trip"] == before["trip"]
