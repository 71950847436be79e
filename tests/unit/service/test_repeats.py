"""Requests that come again are done once, and a reused number is refused."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from hilctl.service.repeats import PROGRAMS, REMEMBERED, Repeats
from hilctl.wire.errors import Code, Refused

_REMEMBERED = 4


class RepeatsMachine(RuleBasedStateMachine):
    """Few numbers, few bodies, a short memory: every case comes up. The model is the whole history."""

    def __init__(self) -> None:
        super().__init__()
        self.repeats = Repeats(_REMEMBERED)
        self.order: list[tuple[str, int]] = []
        self.bodies: dict[tuple[str, int], bytes] = {}
        self.replies: dict[tuple[str, int], bytes] = {}
        self.done: dict[tuple[str, int, bytes], int] = {}

    @rule(
        client=st.sampled_from("ab"),
        id=st.integers(0, 9),
        body=st.sampled_from([b"arm", b"stop"]),
        answer=st.booleans(),
    )
    def comes(self, client: str, id: int, body: bytes, answer: bool) -> None:
        key = client, id
        own = [n for c, n in self.order if c == client]
        remembered, forgotten = id in own[-_REMEMBERED:], own[:-_REMEMBERED]
        if remembered and self.bodies[key] != body:
            self._refused(key, body)
            return
        if not remembered and forgotten and id <= max(forgotten):
            self._refused(key, body)
            return
        verdict, entry = self.repeats.meet((client, client), id, body, [b"peer"])
        if not remembered:
            assert verdict == "new"
            self.order.append(key)
            self.bodies[key] = body
            self.done[client, id, body] = self.done.get((client, id, body), 0) + 1
            assert self.done[client, id, body] == 1, "done twice"
        elif key in self.replies:
            assert verdict == "answered" and entry.reply == self.replies[key]
        else:
            assert verdict == "pending"
        if answer and key not in self.replies:
            entry.reply = self.replies[key] = f"{client}{id}".encode()

    def _refused(self, key: tuple[str, int], body: bytes) -> None:
        with pytest.raises(Refused) as refused:
            self.repeats.meet((key[0], key[0]), key[1], body, [b"peer"])
        assert refused.value.code == Code.BAD_MESSAGE


TestRepeats = RepeatsMachine.TestCase


def test_who_asks_again_while_it_is_being_done_waits_too() -> None:
    repeats = Repeats()
    repeats.meet(("a", "a"), 1, b"x", [b"old connection"])
    verdict, entry = repeats.meet(("a", "a"), 1, b"x", [b"new connection"])
    assert verdict == "pending" and entry.askers == [[b"old connection"], [b"new connection"]]


def test_what_changes_nothing_is_done_once_while_it_is_under_way_and_again_after_that() -> None:
    repeats, ask = Repeats(), ("check_motion", {"kind": "move"}, "lease")
    verdict, entry = repeats.meet_reading(("a", "a"), 1, ask, [b"old connection"])
    assert verdict == "new"
    verdict, same = repeats.meet_reading(("a", "a"), 1, ("check_motion", {"kind": "move"}, "lease"), [b"new"])
    assert verdict == "pending" and same is entry and entry.askers == [[b"old connection"], [b"new"]]
    for others in (("a", "b"), ("b", "a")):  # another program, another key
        assert repeats.meet_reading(others, 1, ask, [b"p"])[0] == "new"
    assert repeats.meet_reading(("a", "a"), 2, ask, [b"p"])[0] == "new"
    repeats.done_reading(("a", "a"), 1, entry)
    verdict, again = repeats.meet_reading(("a", "a"), 1, ask, [b"p"])
    assert verdict == "new" and again is not entry and again.reply is None
    repeats.done_reading(("a", "a"), 1, entry)  # of the first one: the second is still under way
    assert repeats.meet_reading(("a", "a"), 1, ask, [b"q"])[0] == "pending"


def test_the_same_number_for_another_question_is_another_question() -> None:
    repeats = Repeats()
    repeats.meet_reading(("a", "a"), 1, ("log", {"wait_s": 5.0}, ""), [b"p"])
    assert repeats.meet_reading(("a", "a"), 1, ("log", {"wait_s": 6.0}, ""), [b"p"])[0] == "new"


def test_a_repeat_by_another_connection_keeps_what_it_waits_for_connected() -> None:
    _, entry = Repeats().meet_reading(("a", "a"), 1, "wait", [b"p"])
    assert not entry.connected()
    entry.came_by(lambda: False)
    assert not entry.connected()
    entry.came_by(lambda: True)
    assert entry.connected()


def test_the_last_1024_are_remembered() -> None:
    repeats = Repeats()
    for id in range(1025):
        repeats.meet(("a", "a"), id, b"x", [b"p"])[1].reply = b"done"
    assert repeats.meet(("a", "a"), 1, b"x", [b"p"])[0] == "answered"
    with pytest.raises(Refused, match="older"):
        repeats.meet(("a", "a"), 0, b"x", [b"p"])


def test_others_never_make_a_program_be_forgotten() -> None:
    repeats = Repeats(spared=lambda: ("key", "holder"))
    repeats.meet(("key", "holder"), 7, b"x", [b"p"])[1].reply = b"done"
    for program in range(2 * PROGRAMS):  # of the same key, and many names
        for id in range(4):
            repeats.meet(("key", f"{program}"), id, b"x", [b"p"])[1].reply = b"done"
    for id in range(3 * REMEMBERED):  # of another
        repeats.meet(("other", "flood"), id, b"x", [b"p"])[1].reply = b"done"
    assert repeats.meet(("key", "holder"), 7, b"x", [b"p"])[0] == "answered"
    with pytest.raises(Refused, match="older"):  # one that is forgotten repeats nothing either
        repeats.meet(("key", "0"), 3, b"x", [b"p"])
    assert sum(len(memory.entries) for memory in repeats._of.values()) <= REMEMBERED + 4 * PROGRAMS + 5


def test_of_a_key_that_is_gone_nothing_is_remembered() -> None:
    repeats = Repeats()
    for program in range(PROGRAMS + 3):
        repeats.meet(("job", f"{program}"), 1, b"x", [b"peer"])
    repeats.meet(("other", "a"), 1, b"x", [b"peer"])
    repeats.drop("job")
    assert {sender[0] for memory in (repeats._of, repeats._forgotten) for sender in memory} == {"other"}
