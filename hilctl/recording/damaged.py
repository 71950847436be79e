"""One error for a file that is no recording, or one that was cut off or spoilt: whatever h5py makes of it."""

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from hilctl.errors import SPOILT, WrongUse

T = TypeVar("T")


class Damaged(WrongUse):
    """The file is no recording that this program can read. The message says why, and what to do."""

    def __init__(self, path: Path, why: str, remedy: str) -> None:
        super().__init__(f"{path}: {why}; {remedy}", remedy=remedy)
        self.why = why


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Files that are not there, and disks that fail, stay what they are."""
    try:
        yield
    except WrongUse:
        raise
    except SPOILT as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        if "truncated file" in str(error):
            why = f"was cut off: of it there are {path.stat().st_size} bytes ({error})"
            raise Damaged(path, why, "copy it again from where it was recorded") from None
        why = f"is no recording, or damaged ({str(error).strip() or type(error).__name__})"
        raise Damaged(path, why, "recordings are made by `hilctl record`") from None


def guarded(kind: type[T]) -> type[T]:
    """Everything that an object of this class is asked for reads in `path`."""
    for name, member in list(vars(kind).items()):
        if name.startswith("_") and name != "__len__":
            continue
        if isinstance(member, property) and member.fget is not None:
            setattr(kind, name, property(_within(member.fget), doc=member.__doc__))
        elif inspect.isfunction(member):
            setattr(kind, name, _within(member))
    return kind


def _within(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, *given: Any, **named: Any) -> Any:
        with reading(self.path):
            return method(self, *given, **named)

    return call
