"""What the compiled code makes of what arrives: whole, in pieces, wrong, late, twice, of somebody else."""


import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.described.inbox import NOTHING
from firmware_bridge.modbus.record import RTU, TCP
from hilctl.rt.libc import monotonic_ns
from hilctl.signals import Status
from tests.unit.modbus.modbus_talk import Talk

KINDS = pytest.mark.parametrize("kind", [TCP, RTU], ids=["tcp", "rtu"])
WORDS = st.lists(st.integers(0, 65535), min_size=1, max_size=20)
SOME = [1, 2, 0xFFFF]


def reading(kind, words, function=3):
    return Talk(kind, function, 5, read=(10, len(words)))


@pytest.mark.many(quick=3)
@KINDS
@pytest.mark.parametrize("function", [3, 4, 23])
@given(words=WORDS)
def test_an_answer_of_pymodbus_is_taken(kind, function, words):
    with reading(kind, words, function) as talk:
        assert talk.send() == Status.OK
        talk.hear(talk.answer(words))
        assert talk.receive() == Status.OK
        assert talk.taken() == words


@KINDS
def test_the_answer_to_a_write_must_repeat_address_and_count(kind):
    with Talk(kind, 16, 5, write=(7, [1, 2])) as talk:
        talk.send()
        good = talk.answer([])
        talk.asked.write_at = 8
        other = talk.answer([])
        talk.asked.write_at = 7
        talk.hear(other)
        assert talk.receive() == Status.BAD_REPLY
        talk.finish(Status.BAD_REPLY)
        if kind == RTU:
            talk.send()
            talk.hear(good)
            assert talk.receive() == Status.OK


@KINDS
@given(words=WORDS, data=st.data())
def test_it_does_not_matter_where_an_answer_is_split(kind, words, data):
    with reading(kind, words) as talk:
        talk.send()
        frame = talk.answer(words)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(frame)), max_size=4)))
        for first, last in zip([0, *cuts], cuts, strict=False):
            talk.hear(frame[first:last])
            assert talk.receive() == (Status.OK if last == len(frame) else NOTHING)
            if last == len(frame):
                break
        else:
            talk.hear(frame[cuts[-1] if cuts else 0 :])
            assert talk.receive() == Status.OK
        assert talk.taken() == words


@KINDS
def test_every_truncated_answer_is_none(kind):
    for length in range(len(reading(kind, SOME).answer(SOME))):
        with reading(kind, SOME) as talk:
            talk.send()
            talk.hear(talk.answer(SOME)[:length])
            assert talk.receive() == NOTHING, length


def test_no_answer_with_one_to_four_wrong_bits_is_taken_from_a_serial_line():
    with reading(RTU, SOME) as talk:
        frame = talk.answer(SOME)
        bits = len(frame) * 8
        flips = [(a,) for a in range(bits)] + [(a, b) for a in range(bits) for b in range(a + 1, bits)]
        flips += [(a, (a * 7 + 3) % bits, (a * 13 + 5) % bits) for a in range(bits)]
        flips += [(a, (a + 1) % bits, (a + 17) % bits, (a * 11 + 7) % bits) for a in range(bits)]
        for flip in flips:
            if len(set(flip)) != len(flip):
                continue
            wrong = bytearray(frame)
            for bit in flip:
                wrong[bit // 8] ^= 1 << (bit % 8)
            talk.bus.pending = -1
            talk.bus.quiet_until_ns = 0
            talk.send()
            talk.hear(bytes(wrong))
            found = talk.receive()
            assert found != Status.OK, flip
            talk.finish(Status.BAD_CHECKSUM)


@KINDS
def test_one_byte_too_many_is_no_answer_on_a_line_and_a_stray_over_tcp(kind):
    with reading(kind, SOME) as talk:
        talk.send()
        talk.hear(talk.answer(SOME) + b"\0")
        assert talk.receive() == (Status.BAD_REPLY if kind == RTU else Status.OK)


@KINDS
def test_the_answer_of_another_unit_is_discarded_and_counted(kind):
    with reading(kind, SOME) as talk:
        talk.send()
        talk.hear(talk.answer(SOME, unit=6))
        assert talk.receive() == NOTHING
        assert talk.bus.wrong_unit == 1
        talk.hear(talk.answer(SOME))
        assert talk.receive() == Status.OK


def test_an_answer_to_an_older_request_is_never_taken_for_the_newer_ones():
    with reading(TCP, SOME) as talk:
        talk.send()
        old = talk.answer([9, 9, 9])
        talk.finish(Status.TIMEOUT)
        talk.send()
        talk.hear(old + talk.answer(SOME))
        assert talk.receive() == Status.OK
        assert talk.taken() == SOME
        assert talk.bus.strays == 1


def test_a_late_answer_on_a_line_is_drained_before_the_next_request():
    with reading(RTU, SOME) as talk:
        talk.send()
        talk.finish(Status.TIMEOUT)
        talk.hear(talk.answer([9, 9, 9]))
        talk.bus.quiet_until_ns = 0
        talk.send()
        assert talk.bus.strays == len(talk.answer(SOME))
        talk.hear(talk.answer(SOME))
        assert talk.receive() == Status.OK
        assert talk.taken() == SOME


def test_after_a_time_out_the_line_stays_silent_until_a_late_answer_has_passed():
    with reading(RTU, SOME) as talk:
        talk.send()
        talk.finish(Status.TIMEOUT)
        assert talk.send(limit_ns=int(monotonic_ns()) + int(talk.own.answer_ns) // 2) == Status.TIMEOUT
        assert talk.bus.sent == 1


@KINDS
def test_answers_without_a_question_are_dropped(kind):
    with reading(kind, SOME) as talk:
        talk.hear(talk.answer(SOME) * 5)
        assert talk.send() == Status.OK
        talk.hear(talk.answer(SOME))
        assert talk.receive() == Status.OK
        assert talk.bus.strays > 0


@KINDS
@pytest.mark.parametrize("code", [1, 2, 3, 4, 5, 6, 8, 10, 11])
def test_an_exception_is_told_from_an_answer(kind, code):
    with reading(kind, SOME) as talk:
        talk.send()
        talk.hear(talk.answer([], exception=code))
        assert talk.receive() == Status.EXCEPTION


@KINDS
def test_an_answer_to_another_function_is_bad(kind):
    with reading(kind, SOME) as talk:
        talk.send()
        talk.asked.function = 4
        other = talk.answer(SOME)
        talk.asked.function = 3
        talk.hear(other)
        assert talk.receive() == Status.BAD_REPLY


def test_an_answer_that_counts_its_bytes_wrongly_is_bad():
    with reading(TCP, SOME) as talk:
        talk.send()
        frame = bytearray(talk.answer(SOME))
        frame[8] += 2
        talk.hear(bytes(frame))
        assert talk.receive() == Status.BAD_REPLY


@given(junk=st.binary(min_size=1, max_size=900))
def test_no_junk_is_taken_for_an_answer_and_the_next_one_is_found(junk):
    for kind in (TCP, RTU):
        with reading(kind, SOME) as talk:
            talk.send()
            talk.hear(junk)
            found = talk.receive()
            assert found in (NOTHING, Status.BAD_REPLY, Status.BAD_CHECKSUM)
            assert 0 <= talk.bus.have <= 1024


def test_a_stream_that_lost_its_frames_is_emptied_and_goes_on():
    with reading(TCP, SOME) as talk:
        talk.send()
        talk.hear(b"\xff" * 3000)
        assert talk.receive() == Status.BAD_REPLY
        talk.finish(Status.BAD_REPLY)
        talk.send()
        talk.hear(talk.answer(SOME))
        assert talk.receive() == Status.OK


@KINDS
def test_a_connection_that_ends_is_closed_for_good(kind):
    with reading(kind, SOME) as talk:
        talk.send()
        talk.far.close()
        assert talk.receive() == Status.CLOSED
        assert talk.bus.fd == -1
        assert talk.send() == Status.CLOSED


@KINDS
def test_silence_ends_the_link_after_as_many_requests_as_the_rig_file_says(kind):
    with reading(kind, SOME) as talk:
        for _ in range(3):
            assert talk.bus.fd >= 0
            talk.bus.quiet_until_ns = 0
            assert talk.send() == Status.OK
            talk.finish(Status.TIMEOUT)
        assert talk.send() == Status.CLOSED


def test_the_transaction_id_wraps():
    with reading(TCP, SOME) as talk:
        talk.bus.transaction = 65534
        for wanted in (65535, 0, 1):
            talk.send()
            assert talk.bus.transaction == wanted
            talk.hear(talk.answer(SOME))
            assert talk.receive() == Status.OK
            talk.finish(Status.OK)
