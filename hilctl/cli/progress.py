"""How far a command is: a line on standard error, on a terminal; and, for a job, a line of JSON to its service."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress

_listeners: list[Callable[[dict[str, Any]], None]] = []


def listen(hear: Callable[[dict[str, Any]], None]) -> None:
    """`hear` is given `part`, `fraction` and `left_s` of this process's command, with every change."""
    _listeners.append(hear)


def progress() -> "Progress":
    """What a command updates: `description`, `completed` of `total`, and `seconds_left` where that is known."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    class Reported(Progress):
        def update(self, *given: Any, **named: Any) -> None:
            super().update(*given, **named)
            for task in self.tasks:
                share = min(1.0, task.completed / task.total) if task.total else None
                for hear in _listeners:
                    hear({"part": task.description, "fraction": share, "left_s": task.fields.get("seconds_left")})

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    return Reported(*columns, console=console, transient=True, disable=not console.is_terminal)
