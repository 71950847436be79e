"""Requests from the page: off its thread, and every refusal shown; and the question before something moves."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from nicegui import ui

from hilctl.panel.seat import safely

T = TypeVar("T")


class Answer:
    """What came back. False where the request was refused."""

    def __init__(self, value: Any, why: str) -> None:
        self.value, self.why = value, why

    def __bool__(self) -> bool:
        return not self.why


async def ask(do: Callable[[], Any], done: str = "", *, quiet: bool = False) -> Answer:
    """Sends it; says that it is done, or why it was refused."""
    value, why = await asyncio.to_thread(safely, do)
    if why and not quiet:
        ui.notify(why, type="negative", multi_line=True, timeout=0, close_button="Close", position="bottom")
    elif done and not why:
        ui.notify(done, type="positive", position="bottom", timeout=2500)
    return Answer(value, why)


async def sure(question: str, yes: str) -> bool:
    """Asks; `Cancel` has the focus. Escape is for stop alone."""
    with ui.dialog().props("persistent no-esc-dismiss") as dialog, ui.card():
        ui.label(question).style("max-width:32rem;white-space:pre-line")
        with ui.row().classes("hil-row").style("align-self:end"):
            ui.button("Cancel", on_click=lambda: dialog.submit(False)).props("flat autofocus")
            ui.button(yes, on_click=lambda: dialog.submit(True)).props("color=primary")
    try:
        return bool(await dialog)
    finally:
        dialog.clear()
        dialog.delete()
