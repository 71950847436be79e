"""What goes wrong, by one root: a sentence for a person; a code, and the key, value and remedy that a program may need.

`code` decides what becomes of an error: it is the code of a reply on the wire, and `EXITS` maps it to the exit code of
a command. An exception without this root is a defect, and keeps its traceback.
"""

from typing import Any

DONE, RIG_SAID_NO, WRONG_USE = 0, 1, 2

FAILED = "failed"  # it was tried, and did not succeed
BAD_VALUE = "bad_value"

# The exit codes of those that are not the rig's no: whoever asked must ask otherwise.
EXITS = dict.fromkeys((BAD_VALUE, "bad_message", "unknown_op", "too_large", "version"), WRONG_USE)


class HilctlError(Exception):
    """What was asked for was not done. The message says why, and what to do."""

    code: str = FAILED

    def __init__(self, *args: Any, key: str = "", value: Any = None, remedy: str = "") -> None:
        self.key, self.value, self.remedy = key, value, remedy
        super().__init__(*args)

    @property
    def text(self) -> str:
        """The sentence for a person."""
        said = str(self) or type(self).__name__
        return f"{said}; {self.remedy}" if self.remedy and self.remedy not in said else said

    @property
    def exit_code(self) -> int:
        """Of a command that it ends."""
        return EXITS.get(self.code, RIG_SAID_NO)


class NoFigures(HilctlError):
    """Figures were asked for, and matplotlib is not installed."""

    def __init__(self) -> None:
        remedy = "`pip install hilctl[report]` brings it"
        super().__init__(f"no figures: matplotlib is not installed; {remedy}", remedy=remedy)
