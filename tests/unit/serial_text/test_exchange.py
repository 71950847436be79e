"""The exchange of a tick over a line whose other end the test holds: what is spoilt gives no value, and it recovers."""

import contextlib
import itertools
import random
import resource
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.described.signals import OUTPUTS
from hilctl.signals import Status
from tests.unit.serial_text.text_talk import BINARY, LINES, POLLED, Talk, table

WAIT_S = 0.6
OK, TIMEOUT, BAD_CHECKSUM, BAD_REPLY, CLOSED = (
    Status.OK, Status.TIMEOUT, Status.BAD_CHECKSUM, Status.BAD_REPLY, Status.CLOSED
)  # fmt: skip
COMMANDED = table(
    POLLED, answer_timeout_s=0.5,
    messages__set={"device": "box", "request": "V{valve:+8.5f}\\r", "answer": "V{valve:+8.5f}\\r"},
    messages__switch={"device": "box", "every": 50, "request": "E{enable:0|1}{supply:0|1|2}\\r", "answer": ">\\r"},
    messages__clear={"device": "box", "when": "reset", "request": "CF\\r", "answer": ">\\r"},
    watchdog__fixed_s=0.1,
)  # fmt: skip


def shown(talk, x, name="ask", **more):
    numbers = dict.fromkeys(talk.device.tables.described.messages[name].answer.names, 0.0)
    return talk.device.answer(name, numbers | {"displacement": x, **more})


def told(talk, reply, data):
    """The device answers so, until the driver has judged an answer, or given one up."""
    reply[:] = [data]
    bus, before = talk.bus, _judged(talk.bus)
    for _ in range(200):
        talk.tick(WAIT_S)
        if _judged(bus) != before:
            return


def _judged(bus):
    return bus.answered + bus.checksums + bus.bad_replies + bus.timeouts


def test_an_answer_becomes_values_in_si_units_with_their_age():
    with Talk(POLLED) as talk:
        assert talk.until_asked() == b"#07?\r"
        talk.say(shown(talk, 12.5, pressure_a=100.0, pressure_b=99.0, status=0x10))
        talk.tick(0.002)
        assert talk.value("displacement") == pytest.approx(0.0125)
        assert talk.value("pressure_a") == pytest.approx(1e7) and talk.value("fault") == 1.0
        assert 0 < talk.age_ns < 10**9


SPOILT = [
    ("cut", lambda made, chance: made[: chance.randrange(len(made))]),
    ("bytes before it", lambda made, chance: bytes(chance.randrange(256) for _ in range(3)) + made),
    ("bytes in it", lambda made, chance: made[:9] + bytes((chance.randrange(256),)) + made[9:]),
    ("bytes behind it", lambda made, chance: made + b"\x00\xff"),
    ("one wrong bit", lambda made, chance: _flip(made, chance, 1)),
    ("four wrong bits", lambda made, chance: _flip(made, chance, 4)),
    ("two answers in one", lambda made, chance: made[:11] + made),
    ("a byte lost", lambda made, chance: made[:7] + made[8:]),
    ("no terminator", lambda made, chance: made[:-1]),
    ("nothing", lambda made, chance: b""),
    ("noise", lambda made, chance: bytes(chance.randrange(256) for _ in range(200))),
]


def _flip(made, chance, count):
    spoilt = bytearray(made)
    for at in chance.sample(range(8 * len(made)), count):
        spoilt[at // 8] ^= 1 << at % 8
    return bytes(spoilt)


@pytest.mark.parametrize(("what", "spoil"), SPOILT, ids=[what for what, _ in SPOILT])
def test_what_is_spoilt_gives_no_value_and_the_second_answer_after_it_does(what, spoil):
    chance, reply = random.Random(1), [b""]
    with Talk(table(POLLED, answer_timeout_s=0.02)) as talk, talk.served(lambda _: reply[0]):
        for k in range(6):
            while talk.value("displacement") != 1e-3:
                told(talk, reply, shown(talk, 1.0))
            told(talk, reply, spoil(shown(talk, 5.0), chance))
            may = (1e-3, 5e-3) if what in ("bytes behind it", "two answers in one") or "bit" in what else (1e-3,)
            assert any(talk.value("displacement") == pytest.approx(x) for x in may), what
            told(talk, reply, shown(talk, 10.0 + k))
            told(talk, reply, shown(talk, 10.0 + k))
            assert talk.value("displacement") == pytest.approx((10.0 + k) * 1e-3), what


@given(cuts=st.lists(st.integers(1, 47), max_size=5))
@settings(max_examples=25)
def test_an_answer_may_come_in_any_pieces(cuts):
    with Talk(table(POLLED, answer_timeout_s=0.2)) as talk:
        talk.until_asked()
        made = shown(talk, 7.0)
        places = sorted({0, *(cut % len(made) for cut in cuts), len(made)})
        for begin, end in itertools.pairwise(places):
            talk.say(made[begin:end])
            talk.tick()
        assert talk.value("displacement") == pytest.approx(7e-3)


def test_a_late_answer_is_never_taken_for_that_to_the_next_question():
    with Talk(table(POLLED, answer_timeout_s=0.2)) as talk:
        talk.until_asked()
        while talk.bus.timeouts == 0:
            talk.tick()
        assert talk.bus.quiet_until_ns > time.monotonic_ns() + 50_000_000
        talk.say(shown(talk, 3.0))  # of the question that was given up
        while not (asked := talk.asked()):
            talk.tick()
        assert asked == b"#07?\r" and talk.bus.strays > 0
        talk.say(shown(talk, 4.0))
        talk.tick(WAIT_S)
        assert talk.bus.answered == 1 and talk.value("displacement") == pytest.approx(4e-3)


def test_an_answer_of_another_address_is_counted_and_not_taken():
    other = Talk(table(POLLED, devices__box__address=8))
    with Talk(table(POLLED, answer_timeout_s=0.05)) as talk:
        talk.until_asked()
        talk.say(other.device.answer("ask", {"displacement": 9.0, "pressure_a": 0.0, "pressure_b": 0.0, "status": 0.0}))
        talk.tick()
        assert talk.bus.wrong_address == 1 and talk.bus.answered == 0
        talk.say(shown(talk, 2.0))
        talk.tick(0.002)
        assert talk.value("displacement") == pytest.approx(2e-3)


def test_a_line_that_returns_what_is_sent_is_read_behind_it():
    for echo in (True, False):
        with Talk(table(POLLED, devices__box__echo=echo, answer_timeout_s=0.5)) as talk:
            with talk.served(lambda asked, talk=talk: asked + b"\r" + shown(talk, 2.0)):
                status = talk.tick(WAIT_S)
            assert (status == OK) == echo and (talk.bus.answered > 0) == echo
            assert (talk.bus.bad_replies > 0) != echo  # where nobody says so, it is no answer


def test_an_unplugged_line_is_closed_and_a_silent_one_given_up():
    with Talk(POLLED) as talk:
        talk.until_asked()
        talk.far.close()
        assert talk.tick(0.002) == CLOSED and talk.bus.errno > 0
    with Talk(table(POLLED, lost_after=2)) as talk:
        while talk.bus.fd >= 0:
            talk.tick(0.001)
        assert talk.bus.timeouts == 2 and talk.tick() == CLOSED


# -- commands


def as_it_should(talk, request, status=0):
    if request.startswith(b"V"):
        return request + b"\r"
    return b">\r" if request[:1] in (b"E", b"C") else shown(talk, 1.0, status=status)


def test_what_has_changed_is_sent_at_once_and_else_in_its_turn():
    with Talk(COMMANDED) as talk, talk.served(lambda request: as_it_should(talk, request)) as heard:

        def ran(ticks, **command):
            heard.clear()
            for _ in range(ticks):
                assert talk.tick(WAIT_S, **command) == OK
            return heard

        assert 1 <= ran(60).count(b"E00") <= 3
        assert ran(6, enable=1, supply=2, valve=0.25).count(b"E12") == 1 and heard.count(b"V+0.25000") == 6
        assert b"V+1.00000" in ran(6, valve=7.0) and b"E12" not in heard
        assert b"V+0.00000" in ran(6, valve=float("nan"), enable=5, supply=-1) and b"E00" in heard


def test_a_switch_that_was_not_answered_is_sent_again():
    with (
        Talk(table(COMMANDED, answer_timeout_s=1e-3)) as talk,
        talk.served(lambda request: b"" if request == b"E12" else as_it_should(talk, request)) as heard,
    ):
        for _ in range(40):
            talk.tick(WAIT_S, enable=1, supply=2)
        assert heard.count(b"E12") >= 2


def test_a_reset_is_sent_once_when_somebody_asks_again_after_a_fault():
    with Talk(COMMANDED) as talk, talk.served(lambda request: as_it_should(talk, request, 0x10)) as heard:
        for on in (1, 0):
            for _ in range(6):
                talk.tick(WAIT_S, enable=on, supply=2 * on)
        assert b"CF" not in heard
        for _ in range(10):
            talk.tick(WAIT_S, enable=1, supply=2)
        assert heard.count(b"CF") == 1


def test_an_output_that_the_answer_repeats_otherwise_is_another_masters():
    other = []
    with Talk(COMMANDED) as talk, talk.served(
        lambda request: b"V-0.10000\r" if other and request.startswith(b"V") else as_it_should(talk, request)
    ):
        statuses = [talk.tick(WAIT_S, valve=0.5) for _ in range(6)]
        assert talk.bus.overwritten == 0 and set(statuses) == {OK}
        other.append(True)
        assert Status.OVERWRITTEN in [talk.tick(WAIT_S, valve=0.5) for _ in range(6)]
        assert OUTPUTS[talk.own.foreign] == "valve" and talk.own.foreign_value == pytest.approx(-0.1)


# -- what a device sends by itself


def streamed(talk, *data):
    for one in data:
        talk.say(one)
        talk.tick()
    return talk.value("displacement")


def test_a_stream_is_read_from_its_second_message_on_and_its_age_counts():
    with Talk(BINARY) as talk:
        made = [shown(talk, 1000.0 * k, "sample", device_tick=k) for k in range(1, 5)]
        assert streamed(talk, made[0][3:]) != pytest.approx(1e-6)  # the end of one
        streamed(talk, made[1])
        assert talk.bus.answered == 0  # nobody knows yet that this is no accident
        assert streamed(talk, made[2]) == pytest.approx(3e-6)
        assert streamed(talk, made[3]) == pytest.approx(4e-6)
        assert 0 < talk.age_ns < 10**9 and talk.bus.answered >= 2


@pytest.mark.parametrize("kind", ["binary", "lines"])
@pytest.mark.parametrize(("what", "spoil"), SPOILT, ids=[what for what, _ in SPOILT])
def test_a_stream_that_is_spoilt_gives_no_value_and_is_found_again_within_two_messages(kind, what, spoil):
    chance, given_ = random.Random(1), {"binary": BINARY, "lines": LINES}[kind]
    tick = iter(range(1, 10_000))

    def made(talk, x):
        more = {"device_tick": next(tick)} if kind == "binary" else {}
        return shown(talk, x, "sample", **more)

    scale = 1e-9 if kind == "binary" else 1e-3
    with Talk(given_) as talk:
        for k in range(10):
            streamed(talk, made(talk, 1), made(talk, 1), made(talk, 1))
            assert talk.value("displacement") == pytest.approx(scale)
            seen = {streamed(talk, spoil(made(talk, 5), chance))}
            for _ in range(2):
                seen.add(streamed(talk, made(talk, 10 + k)))
            last = streamed(talk, made(talk, 10 + k))
            known = {scale, 5 * scale, (10 + k) * scale}
            assert all(any(x == pytest.approx(y) for y in known) for x in seen | {last}), (what, seen)
            if what != "noise":
                assert talk.value("displacement") == pytest.approx((10 + k) * scale), (what, seen)


def test_the_newest_of_many_messages_counts():
    with Talk(LINES) as talk:
        streamed(talk, b"\r\n", b"".join(shown(talk, float(k), "sample") for k in range(40)))
        assert talk.value("displacement") == pytest.approx(39e-3) and talk.bus.answered == 40


def test_a_stream_that_falls_silent_is_lost():
    with Talk(LINES) as talk:
        talk.bus.silence_ns = 2_000_000
        give_up_s = time.monotonic() + 10
        while talk.tick(0.001) != CLOSED and time.monotonic() < give_up_s:
            pass
        assert talk.bus.fd < 0 and talk.bus.errno == 0


def test_a_counter_that_starts_over_ends_the_link():
    with Talk(BINARY) as talk:
        begun_ns = time.monotonic_ns()
        k = 0
        while time.monotonic_ns() - begun_ns < 400_000_000:  # until its pace is known
            k += 1
            streamed(talk, shown(talk, 1.0, "sample", device_tick=20_000 + k))
        assert talk.bus.fd >= 0
        streamed(talk, shown(talk, 1.0, "sample", device_tick=1))
        assert talk.bus.fd < 0 and talk.desk.tables and talk.bus.errno == -1


@pytest.mark.parametrize("given_", [POLLED, BINARY, LINES], ids=["polled", "binary", "lines"])
def test_a_million_random_bytes_give_no_reading_and_take_no_memory(given_):
    chance = random.Random(1)
    pool = [chance.randbytes(1000) for _ in range(1000)]
    with Talk(given_) as talk:
        talk.tick()  # compiled before what it takes is measured
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for data in pool:
            with contextlib.suppress(BlockingIOError):  # after a request that expired the line is not read for a while
                talk.say(data)
            assert talk.tick() in (OK, TIMEOUT, BAD_CHECKSUM, BAD_REPLY, Status.STALE)
            talk.asked()
        assert talk.bus.answered == 0 and talk.bus.fd >= 0
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096
        for _ in range(3):
            if given_ is not POLLED:
                streamed(talk, shown(talk, 2.0, "sample"))
        if given_ is POLLED:
            with talk.served(lambda _: shown(talk, 2.0)):
                while talk.bus.answered == 0:
                    talk.tick(WAIT_S)
        assert talk.value("displacement") == pytest.approx(2e-9 if given_ is BINARY else 2e-3)
