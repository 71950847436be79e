"""What is fuzzed: something that takes bytes of others, seeds to begin with, and what counts as a refusal."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple

Take = Callable[[bytes], bool]  # whether the input was taken; what is neither taken nor refused raises


class Target(NamedTuple):
    """One reader of bytes."""

    name: str
    what: str
    seeds: Callable[[], list[bytes]]
    open: Callable[[], AbstractContextManager[Take]]
    runs: int  # of the command, unless it is told otherwise
    apart: bool = False  # read in processes of their own, of whose branches nobody learns


def came_through(kinds: type[Exception] | tuple[type[Exception], ...], call: Callable[[], object]) -> bool:
    """Whether the call came through; these errors are how it says no, and each must say something."""
    try:
        call()
    except kinds as error:
        if not str(error).strip():
            raise AssertionError(f"{type(error).__name__} without a word") from error
        return False
    return True
