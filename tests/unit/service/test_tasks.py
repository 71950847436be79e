"""Requests that take a while: each gets its reply, none keeps another waiting."""

from collections.abc import Callable
from concurrent.futures import Future

from hilctl.service.tasks import MOST, MOST_OF_KEY, MOST_OF_ONE, Pace, Result, Task, Tasks, finished
from hilctl.wire.errors import Code, Refused

Replies = list[Result | Refused]


def _until(ready: Callable[[], bool], pace: Pace = Pace.SLOW) -> Task[Result]:
    while not ready():
        yield pace
    return {"done": True}


def _raising(error: Exception) -> Task[Result]:
    yield Pace.FAST
    raise error


def test_one_that_is_over_at_once_waits_for_nothing() -> None:
    tasks, replies = Tasks(), Replies()
    tasks.add(("a", "a"), "wait", _until(lambda: True), replies.append)
    assert replies == [{"done": True}] and len(tasks) == 0


def test_they_end_out_of_order() -> None:
    tasks, replies, ready = Tasks(), Replies(), set[str]()
    for name in ("first", "second"):
        task = _until(lambda name=name: name in ready)
        tasks.add(("a", "a"), name, task, lambda r, name=name: replies.append({name: r}))
    ready.add("second")
    tasks.step()
    assert list(replies[0]) == ["second"] and len(tasks) == 1  # type: ignore[arg-type]


def test_the_most_urgent_sets_the_pace() -> None:
    tasks = Tasks()
    tasks.add(("a", "a"), "x", _until(lambda: False, Pace.SLOW), lambda r: None)
    assert tasks.step() == Pace.SLOW
    tasks.add(("a", "a"), "y", _until(lambda: False, Pace.FAST), lambda r: None)
    assert tasks.step() == Pace.FAST


def test_a_refusal_becomes_the_reply_and_a_defect_says_no_more_than_that() -> None:
    tasks, replies = Tasks(), Replies()
    tasks.add(("a", "a"), "x", _raising(Refused(Code.LIMIT, "too fast")), replies.append)
    tasks.add(("a", "a"), "y", _raising(KeyError("secret")), replies.append)
    tasks.step()
    assert [r.code for r in replies if isinstance(r, Refused)] == [Code.LIMIT, Code.INTERNAL]
    assert "secret" not in str(replies[1])


def test_one_client_cannot_take_all_places() -> None:
    tasks, replies = Tasks(), Replies()
    for _ in range(MOST_OF_ONE + 1):
        tasks.add(("greedy", "greedy"), "wait", _until(lambda: False), replies.append)
    tasks.add(("other", "other"), "wait", _until(lambda: True), replies.append)
    assert [r.code if isinstance(r, Refused) else r for r in replies] == [Code.BUSY, {"done": True}]


def test_one_key_cannot_take_all_places_by_many_names_and_stop_is_always_taken() -> None:
    tasks, replies = Tasks(), Replies()
    for n in range(2 * MOST_OF_KEY):
        tasks.add(("greedy", f"{n}"), "wait", _until(lambda: False), replies.append)
    assert len(tasks) == MOST_OF_KEY and len(replies) == MOST_OF_KEY
    for n in range(MOST):
        tasks.add((f"{n}", f"{n}"), "wait", _until(lambda: False), lambda r: None)
    assert len(tasks) == MOST
    tasks.add(("greedy", "0"), "stop", _until(lambda: True), replies.append, always=True)
    assert replies[-1] == {"done": True}


def test_another_threads_work_is_waited_for() -> None:
    tasks, replies, future = Tasks(), Replies(), Future[int]()

    def asks() -> Task[Result]:
        return {"value": (yield from finished(future))}

    tasks.add(("a", "a"), "x", asks(), replies.append)
    assert not replies
    future.set_result(5)
    tasks.step()
    assert replies == [{"value": 5}]
