"""Frames as bytes, in Python and in C: what is whole comes through, what is not never does."""

import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import firmware_bridge.serial_frame
from firmware_bridge.serial_frame.frames import CHECK, MOST_BODY, FrameError, Splitter, seal, stuff, unseal, unstuff
from firmware_bridge.serial_frame.messages import ANSWERS, Type, command, read_answer

BODIES = st.binary(min_size=1, max_size=MOST_BODY) | st.lists(
    st.sampled_from([0, 1, 255]), min_size=1, max_size=MOST_BODY
).map(bytes)
VECTORS = [
    line.split()
    for line in Path(firmware_bridge.serial_frame.__file__).with_name("vectors.txt").read_text().splitlines()
    if not line.startswith("#")
]
COMMAND = seal(command(Type.CYCLIC, 7, 0x01020304, -5, 3))
shared = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def accepted(line: bytes) -> list[bytes]:
    """What a line that carries these bytes yields, ended by a delimiter whatever has become of the frame's own."""
    return list(Splitter().feed(line + b"\0"))


@given(BODIES)
def test_a_body_comes_back_and_its_frame_holds_one_zero_at_the_end(body):
    frame = seal(body)
    assert frame.index(0) == len(frame) - 1 == len(body) + 1 + CHECK
    assert unseal(frame[:-1]) == body
    assert unstuff(stuff(body)) == body


@given(st.binary(max_size=120))
def test_bytes_that_are_no_frame_are_refused_by_the_one_error(line):
    try:
        assert seal(unseal(line)) == line + b"\0"
    except FrameError:
        pass


def test_a_body_that_is_empty_or_too_long_is_refused():
    for size in (0, MOST_BODY + 1):
        with pytest.raises(FrameError, match="must be 1 to 91"):
            seal(bytes(size))


@given(st.lists(BODIES, max_size=5), st.data())
def test_frames_come_through_however_the_line_cuts_them(bodies, data):
    line, splitter, got = b"".join(seal(body) for body in bodies), Splitter(), []
    cuts = sorted(data.draw(st.lists(st.integers(0, len(line)), max_size=8)))
    for first, last in itertools.pairwise([0, *cuts, len(line)]):
        got += splitter.feed(line[first:last])
    assert (got, splitter.dropped, splitter.bytes) == (bodies, 0, len(line))


@given(BODIES)
def test_truncated_every_prefix_of_a_frame_is_dropped_and_the_next_frame_comes_through(body):
    frame = seal(body)
    for length in range(1, len(frame) - 1):
        assert accepted(frame[:length]) == []
        assert accepted(frame[:length] + b"\0" + frame) == [body]


def test_without_a_delimiter_nothing_is_accepted_nothing_grows_and_the_next_frame_comes_through():
    splitter = Splitter()
    assert list(splitter.feed(b"\x55" * 100_000)) == []
    assert len(splitter._part) <= 97
    assert list(splitter.feed(b"\0" + COMMAND)) == [unseal(COMMAND[:-1])]
    assert splitter.dropped == 1


@given(st.binary(max_size=60))
def test_whatever_comes_as_an_answer_is_read_or_refused_by_the_one_error(body):
    try:
        assert read_answer(body).type in ANSWERS
    except FrameError:
        pass


@pytest.mark.parametrize(("name", "body", "frame"), VECTORS, ids=[row[0] for row in VECTORS])
def test_the_vectors_hold_in_python_and_in_c(bench, name, body, frame):
    if body == "-":
        with pytest.raises(FrameError):
            unseal(bytes.fromhex(frame)[:-1])
        assert bench.ask(f"unseal {frame[:-2]}") == "-"
    else:
        assert seal(bytes.fromhex(body)).hex() == frame
        assert unseal(bytes.fromhex(frame)[:-1]).hex() == body
        assert bench.ask(f"seal {body}") == frame
        assert bench.ask(f"unseal {frame[:-2]}") == body


@shared
@given(body=BODIES)
def test_c_seals_as_python_does(bench, body):
    assert bench.ask(f"seal {body.hex()}") == seal(body).hex()
    assert bench.ask(f"unseal {seal(body)[:-1].hex()}") == body.hex()


@shared
@given(line=st.binary(max_size=120) | BODIES.map(stuff))
def test_c_refuses_what_python_refuses(bench, line):
    try:
        wanted = unseal(line).hex()
    except FrameError:
        wanted = "-"
    assert bench.ask(f"unseal {line.hex()}") == wanted
