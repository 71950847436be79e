"""What all views share."""

from typing import ClassVar

from hilctl.panel.desk import Desk


class View:
    """A tab. It is built when it is first opened, and refreshed while it is in sight."""

    name: ClassVar[str]
    lively: ClassVar[bool] = False  # whether it is refreshed also while neither status nor events come

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def build(self) -> None:
        """Draws it."""
        raise NotImplementedError

    def shown(self) -> None:
        """Its tab was opened."""
        self.refresh()

    def refresh(self) -> None:
        """As things are."""

    @property
    def may_command(self) -> bool:
        """Whether this page holds the lease."""
        return self.desk.seat is not None and self.desk.seat.holds

    @property
    def role(self) -> str:
        """What the panel's key may."""
        return str(self.desk.feed.run.hello["role"]) if self.desk.feed.run is not None else "observer"
