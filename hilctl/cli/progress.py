"""How far a command is: a line on standard error, redrawn on a terminal and now and then a new one elsewhere; and, for
a job, a line of JSON to its service. Standard output belongs to the answer."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress, Task, TaskID

    from hilctl.experiment.stages import Progress as Known

_listeners: list[Callable[[dict[str, Any]], None]] = []
_LINE_S = 10.0  # between lines where there is no terminal: short work says nothing
_COUNTED = 1000  # a total up to here is a count of things; a larger one is bytes, rows or ticks


class Tell(Protocol):
    """`done` of `of`, what is being done, and the seconds left where they are known better than by the share."""

    def __call__(
        self, done: float | None = None, of: float | None = None, text: str | None = None, left_s: float | None = None
    ) -> None:
        """What is not given stays as it was."""


def listen(hear: Callable[[dict[str, Any]], None]) -> None:
    """`hear` is given `part`, `fraction` and `left_s` of this process's command, with every change."""
    _listeners.append(hear)


@contextmanager
def working(text: str) -> Iterator[Tell]:
    """For work with one line."""
    with progress() as bar:
        line = bar.add_task(text, total=None)

        def tell(
            done: float | None = None, of: float | None = None, text: str | None = None, left_s: float | None = None
        ) -> None:
            bar.update(line, completed=done, total=of, description=text, seconds_left=left_s)

        yield tell


def progress() -> "Progress":
    """What a command updates: `description`, `completed` of `total`, and `seconds_left` where that is known."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Reported(Progress):
        line_s = time.monotonic()

        def update(self, *given: Any, **named: Any) -> None:
            super().update(*given, **named)
            for task in self.tasks:
                for hear in _listeners:
                    hear({"part": task.description, "fraction": _share(task), "left_s": _left_s(task)})
            if not self.console.is_terminal and not _listeners and time.monotonic() >= self.line_s + _LINE_S:
                self.line_s = time.monotonic()
                for task in self.tasks:
                    print(in_words(task), file=sys.stderr, flush=True)

    class Said(ProgressColumn):
        def __init__(self, say: Callable[["Task"], str]) -> None:
            super().__init__()
            self._say = say

        def render(self, task: "Task") -> Text:
            return Text(self._say(task))

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=20), Said(_count),
               TimeElapsedColumn(), Said(_left))  # fmt: skip
    console = Console(stderr=True)
    return Reported(*columns, console=console, transient=True, disable=not console.is_terminal, redirect_stdout=False,
                    get_time=time.monotonic)  # fmt: skip


def show(bar: "Progress", line: "TaskID", text: str, now: "Known") -> None:
    """Work on a rig, which knows how far it is."""
    bar.update(line, description=text, total=100, completed=round(100 * now.fraction), seconds_left=now.left_s)


def in_words(task: "Task") -> str:
    """As a line of its own."""
    parts = (task.description, _count(task), f"{task.elapsed or 0.0:.0f} s elapsed", _left(task))
    return ", ".join(part for part in parts if part)


def _share(task: "Task") -> float | None:
    return min(1.0, task.completed / task.total) if task.total else None


def _count(task: "Task") -> str:
    share = _share(task)
    if share is None or not task.total:
        return ""
    return f"{task.completed:g}/{task.total:g}" if _whole(task) else f"{share:.0%}"


def _whole(task: "Task") -> bool:
    return task.total is not None and task.total <= _COUNTED and all(x % 1 == 0 for x in (task.completed, task.total))


def _left_s(task: "Task") -> float | None:
    """As the command knows it, or by the share that is done."""
    known: float | None = task.fields.get("seconds_left")
    if known is not None:
        return known
    share = _share(task)
    return task.elapsed * (1 - share) / share if share and task.elapsed else None


def _left(task: "Task") -> str:
    left_s = _left_s(task)
    if left_s is None:
        return ""
    if left_s < 100:
        return f"{left_s:.0f} s left"
    minutes, seconds = divmod(round(left_s), 60)
    return f"{minutes}:{seconds:02} min left" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min left"
