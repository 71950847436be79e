"""The compiled exchange against every answer that a line can bring: statuses, readings, ages, what is sent.

The answer is put on the line before the exchange asks: what it will ask is known.
"""

import itertools
import math
import os

import pytest

from firmware_bridge.serial_frame.frames import seal
from firmware_bridge.serial_frame.messages import ANSWER, ANSWERS, HEAD, INPUT_BITS, ONE, SCHEMA, State, Type
from hilctl.signals import INPUTS, Status

SESSION = 0x1A2B3C4D
VALUES = (-5_000_000, 2_000_000, 30_000_000, -1, 10_500, -250, 4000)
SCALES = (1e-9, 1e-6, 0.1, 0.1, 2000.0, 1e-4, 0.01)
SENT = ("displacement_m", "acceleration_m_s2", "pressure_a_pa", "pressure_b_pa", "supply_pressure_pa", "spool",
        "oil_temperature_degc")  # fmt: skip


def test_an_answer_gives_scaled_readings_of_a_known_age(far):
    assert far.answered(flags=1, lost=3) == Status.OK
    for name, count, scale in zip(SENT, VALUES, SCALES, strict=True):
        assert far.readings[name] == pytest.approx(count * scale)
    assert (far.readings.emergency_stop, far.readings.device_tick, far.own.lost) == (1.0, 1, 3)
    assert (far.readings.age_ns >= far.own.tick_ns).all()


@pytest.mark.parametrize(("raised", "bit"), list(zip(INPUTS, INPUT_BITS, strict=True)))
def test_inputs_are_told_apart_and_one_that_the_device_has_not_got_is_nan(far, raised, bit):
    assert far.answered(flags=1 << bit) == Status.OK
    assert [name for name in INPUTS if far.readings[name] == 1.0] == [raised]
    assert [name for name in INPUTS if far.readings[name] == 0.0] == [name for name in INPUTS if name != raised]
    far.own.inputs = 0
    assert far.answered(flags=1 << bit) == Status.OK
    assert all(math.isnan(far.readings[name]) for name in INPUTS)


def test_the_flags_of_version_1_stay_where_they_are():
    assert INPUT_BITS[:3] == (0, 4, 5)
    assert INPUTS[:3] == ("emergency_stop", "oil_level", "oil_filter")
    assert SCHEMA == 0xE2736460


def test_commands_that_the_device_lost_are_counted_over_the_wrap_of_its_counter(far):
    for counted, lost in ((65_530, 65_530), (4, 65_540), (4, 65_540), (3, 131_075)):
        assert far.answered(lost=counted) == Status.OK
        assert far.readings.lost == lost


def test_a_sensor_that_the_device_has_not_got_reads_nan(far):
    far.own.scale[4] = far.own.scale[5] = 0.0
    assert far.answered() == Status.OK
    assert math.isnan(far.readings.supply_pressure_pa) and math.isnan(far.readings.spool)
    assert far.readings.oil_temperature_degc == pytest.approx(40.0)


@pytest.mark.parametrize(
    ("valve", "wanted"),
    [(0.5, ONE // 2), (-1.0, -ONE), (7.0, ONE), (-math.inf, 0), (math.nan, 0), (1e-9, 1), (-1e300, -ONE)],
)
def test_the_command_is_fixed_point_within_full_opening_and_never_nonsense(far, valve, wanted):
    far.put(far.readings_frame())
    far.exchange(valve, 1, 2)
    assert far.said(1) == [(Type.CYCLIC, 65_534, (wanted, 5))]


@pytest.mark.parametrize(("enable", "supply", "outputs"), [(7, 1, 2), (-1, 0, 0), (1, 9, 1), (1, -3, 1)])
def test_outputs_out_of_their_range_are_off(far, enable, supply, outputs):
    far.put(far.readings_frame())
    far.exchange(0.0, enable, supply)
    assert far.said(1)[0][2] == (0, outputs)


def test_the_sequence_goes_on_and_wraps(far):
    for _ in range(5):
        assert far.answered() == Status.OK
    assert [sequence for _, sequence, _ in far.said(5)] == [65_534, 65_535, 0, 1, 2]


def test_reply_time_out_each_tick_without_an_answer_fails_at_once_and_the_next_answer_is_taken(far):
    assert far.answered() == Status.OK
    before = far.readings.copy()
    ages = [int(before.age_ns[0])]
    for _ in range(5):
        assert far.exchange(enable=1) == Status.TIMEOUT
        assert far.readings.displacement_m == before.displacement_m
        ages.append(int(far.readings.age_ns[0]))
    assert all(later - sooner >= 20_000_000 for sooner, later in itertools.pairwise(ages))
    assert far.asked(far.readings_frame()) == Status.OK
    assert far.own.timeouts == 5
    assert [sequence for _, sequence, _ in far.heard] == [(65_534 + k) & 0xFFFF for k in range(7)]  # never twice


def test_without_any_reading_yet_a_silent_device_is_a_time_out_at_once(far):
    assert far.exchange() == Status.TIMEOUT


def test_it_returns_by_the_deadline_of_the_tick_though_the_command_is_late(far):
    far.answered()
    far.own.timeout_ns = 10**12
    assert far.exchange(deadline_ns=0) == Status.TIMEOUT
    assert len(far.said(2)) == 2


def test_an_answer_that_comes_too_late_is_thrown_away_and_the_next_is_not_off_by_one(far):
    far.answered()
    assert far.exchange(enable=1) == Status.TIMEOUT
    far.put(far.readings_frame(sequence=int(far.own.sequence), tick=50))
    assert far.asked(far.readings_frame(tick=99)) == Status.OK
    assert (far.readings.device_tick, far.own.answered) == (99, 2)


def test_answers_of_another_sequence_or_session_are_discarded_and_the_right_one_among_them_is_taken(far):
    far.put(
        far.readings_frame(sequence=far.next(0), tick=7)
        + far.readings_frame(sequence=far.next(2), tick=8)
        + far.readings_frame(session=SESSION + 1, tick=9)
        + far.readings_frame(tick=10)
        + far.readings_frame(sequence=far.next(5), tick=11)
    )
    assert far.exchange() == Status.OK
    assert (far.readings.device_tick, far.own.discarded) == (10, 4)


def test_a_duplicate_of_the_answer_does_no_harm(far):
    far.answered()
    frame = far.readings_frame()
    far.put(frame * 2)
    assert far.exchange(enable=1) == Status.OK
    assert far.answered() == Status.OK
    assert far.own.answered in (3, 4)


def test_checksum_every_single_wrong_bit_fails_the_exchange(far):
    far.own.timeout_ns = 100_000
    frame = far.readings_frame(sequence=0)
    for bit in range(8 * len(frame)):
        bent = bytearray(frame)
        bent[bit // 8] ^= 1 << bit % 8
        far.own.sequence, far.own.known = 65_535, 0
        far.put(bytes(bent) + b"\0")
        assert far.exchange() in (Status.BAD_CHECKSUM, Status.TIMEOUT)
    assert far.own.answered == 0


@pytest.mark.parametrize("length", [1, 5, 20, 41])
def test_truncated_answers_fail_and_the_next_one_comes_through(far, length):
    assert far.answered() == Status.OK
    far.put(far.readings_frame()[:length])
    assert far.exchange(enable=1) == Status.TIMEOUT
    assert far.asked(far.readings_frame()) == Status.OK


def test_an_answer_in_pieces_of_a_byte_with_noise_before_it_is_taken(far):
    far.put(b"\x01\x02noise\0" + far.readings_frame())
    assert far.exchange() == Status.OK
    assert far.own.bad_frames == 1


def test_babble_without_end_does_not_keep_the_exchange_beyond_its_time(far):
    far.answered()
    far.put(b"\x55" * 3000)
    for _ in range(3):
        assert far.exchange(enable=1) == Status.TIMEOUT
        far.put(b"\x55" * 500)
    assert far.own.length <= 97


@pytest.mark.parametrize(("kind", "size"), [(Type.CYCLIC, 28), (Type.CYCLIC, 30), (Type.RESET, 0), (Type.FAULT, 3)])
def test_a_whole_answer_of_the_wrong_kind_or_length_is_none(far, kind, size):
    far.put(seal(HEAD.pack(kind + ANSWER, 3, far.next(), SESSION) + bytes(size)))
    assert far.exchange() == Status.BAD_REPLY
    assert far.own.bad_replies == 1


def test_oversize_a_frame_that_is_too_long_is_dropped(far):
    far.put(b"\x05" * 300 + b"\0" + far.readings_frame())
    assert far.exchange() == Status.OK
    assert far.own.bad_frames == 1


def test_an_echo_of_the_command_is_no_answer(far):
    far.put(seal(HEAD.pack(Type.CYCLIC, 0, far.next(), SESSION) + ANSWERS[Type.CYCLIC].pack(*VALUES, 0, 0, 1)))
    assert far.exchange() == Status.BAD_REPLY


def test_a_refusal_of_the_device_is_an_exception_with_its_code(far):
    far.put(seal(HEAD.pack(Type.FAULT + ANSWER, 0, far.next(), SESSION) + ANSWERS[Type.FAULT].pack(5, Type.CYCLIC)))
    assert far.exchange() == Status.EXCEPTION
    assert (far.own.fault, far.own.faults) == (5, 1)


def test_a_device_that_does_not_know_the_session_is_gone_until_a_new_one_begins(far):
    far.put(seal(HEAD.pack(Type.FAULT + ANSWER, 0, far.next(), SESSION) + ANSWERS[Type.FAULT].pack(1, Type.CYCLIC)))
    assert far.exchange() == Status.CLOSED
    assert far.exchange() == Status.CLOSED
    assert (far.own.fault, far.own.faults) == (1, 1)


def test_a_trip_is_an_exception_at_the_next_exchange_while_enabled_and_none_when_off(far):
    assert far.answered(enable=1) == Status.OK
    assert far.answered(enable=1, state=State.TRIPPED, trip=1) == Status.EXCEPTION
    assert (far.own.device_state, far.own.device_trip) == (State.TRIPPED, 1)
    assert far.answered(enable=0, state=State.TRIPPED, trip=1) == Status.OK


@pytest.mark.parametrize(("seen", "outcome"), [(1, Status.OK), (0, Status.EXCEPTION)])
def test_a_trip_by_the_emergency_stop_is_told_by_its_reading_where_the_rig_has_one(far, seen, outcome):
    far.own.sees_emergency = seen
    assert far.answered(state=State.TRIPPED, trip=3, flags=1) == outcome
    assert far.readings.emergency_stop == 1.0
    assert far.answered(state=State.TRIPPED, trip=3, flags=0) == Status.EXCEPTION


def test_a_tripped_device_is_reset_and_armed_only_with_the_first_command_that_asks_for_an_output(far):
    far.answered(enable=0, state=State.TRIPPED, trip=1)
    far.answered(enable=0, state=State.TRIPPED, trip=1)
    assert [kind for kind, _, _ in far.said(2)] == [Type.CYCLIC] * 2
    far.put(far.readings_frame(sequence=far.next(3)))
    assert far.exchange(supply=1) == Status.OK  # the supply comes before enable
    assert [(kind, values) for kind, _, values in far.said(3)] == [
        (Type.RESET, ()), (Type.ARM, (77, 10_000)), (Type.CYCLIC, (0, 2))]  # fmt: skip
    far.answered(state=State.TRIPPED, trip=1)
    far.answered(state=State.TRIPPED, trip=1)
    assert [kind for kind, _, _ in far.said(2)] == [Type.CYCLIC] * 2


def test_a_repeated_device_tick_is_a_stale_sample(far):
    assert far.answered(tick=5) == Status.OK
    far.own.ticked_ns -= 3 * far.own.tick_ns
    assert far.answered(tick=5) == Status.STALE
    assert far.answered(tick=6) == Status.OK
    assert far.own.stale == 1


def test_the_device_tick_goes_on_where_it_wraps(far):
    far.answered(tick=2**32 - 2)
    far.answered(tick=3)
    assert far.readings.device_tick == 2**32 + 3


def test_unplugged_the_port_is_closed_at_the_next_exchange_and_stays_so(far):
    assert far.answered() == Status.OK
    os.close(far.master)
    for _ in range(3):
        assert far.exchange(enable=1) == Status.CLOSED


def test_a_descriptor_that_is_not_one_is_closed(far):
    far.own.fd = 10_000
    assert far.exchange() == Status.CLOSED


def test_a_line_that_takes_nothing_is_a_time_out_and_does_not_block(far):
    far.answered()
    os.set_blocking(far.near, False)
    try:
        while True:
            os.write(far.near, b"\x01" * 1000)
    except BlockingIOError:
        pass
    assert far.exchange(enable=1) == Status.TIMEOUT
    assert far.own.timeouts == 1
