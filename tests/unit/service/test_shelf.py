"""Where samples of recordings that have ended are found."""

from pathlib import Path

from hilctl.recording.recorder import State
from hilctl.service.shelf import KEPT, Shelf


def _ended(name: str, first: int, flushed: int) -> State:
    return State("off", name, first, flushed)


def test_a_sample_is_found_in_the_newest_recording_that_has_it() -> None:
    shelf = Shelf()
    for span in (("a.h5", 0, 99), ("b.h5", 200, 299), ("c.h5", 250, 400)):
        shelf.add(_ended(*span))
    found = {number: getattr(shelf.find(number), "path", None) for number in (0, 99, 100, 249, 250, 400, 401)}
    a, b, c = (Path(f"{name}.h5") for name in "abc")
    assert found == {0: a, 99: a, 100: None, 249: b, 250: c, 400: c, 401: None}


def test_what_is_told_twice_has_its_last_end_and_what_is_empty_none() -> None:
    shelf = Shelf()
    shelf.add(_ended("a.h5", 0, 10))
    shelf.add(_ended("a.h5", 0, 20))
    shelf.add(_ended("b.h5", 5, 4))
    shelf.add(State("failed", "", -1, -1))
    assert [tuple(span) for span in shelf] == [(Path("a.h5"), 0, 20)]


def test_what_was_deleted_is_found_no_longer_and_said_no_longer() -> None:
    shelf = Shelf()
    shelf.add(_ended("a.h5", 0, 10))
    assert "a.h5 samples 0 to 10" in shelf.told()
    shelf.forget(Path("a.h5"))
    assert shelf.find(3) is None and shelf.told() == "nothing was recorded"


def test_it_keeps_a_bounded_number() -> None:
    shelf = Shelf()
    for number in range(KEPT + 5):
        shelf.add(_ended(f"{number}.h5", number, number))
    assert len(list(shelf)) == KEPT and shelf.find(4) is None and shelf.find(5) is not None
