"""Errors, by one root: a sentence for a person; a code, and the key, value and remedy that a program may need.

`code` decides what becomes of an error: it is the code of a reply on the wire, and `EXITS` maps it to the exit code of
a command. A subclass exists where somebody catches it by its type, or where it carries more. An exception without this
root is a defect, and keeps its traceback.
"""

from typing import Any, NamedTuple

DONE, RIG_SAID_NO, WRONG_USE = 0, 1, 2
NO_LONGER_VALID = 3  # `hilctl verify` was done, and compensation may not stay on

FAILED = "failed"  # it was tried, and did not succeed
BAD_VALUE = "bad_value"

# The codes whose exit code is not that of a refusal by the rig: the command must be written differently.
EXITS = dict.fromkeys((BAD_VALUE, "bad_message", "unknown_op", "too_large", "version"), WRONG_USE)


class HilctlError(Exception):
    """It was not done. The message says why, and what to do."""

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


class WrongUse(HilctlError, ValueError):
    """The request makes no sense. The message says what to write instead."""

    code = BAD_VALUE


# What a spoilt file makes its library raise, and a reader that takes its content for what it should be.
SPOILT = (OSError, EOFError, LookupError, ValueError, TypeError, AttributeError, RuntimeError, ArithmeticError,
          MemoryError)  # fmt: skip


class NoFigures(HilctlError):
    """Figures were asked for, and matplotlib is not installed."""

    def __init__(self) -> None:
        remedy = "`pip install hilctl[report]` installs it"
        super().__init__(f"no figures: matplotlib is not installed; {remedy}", remedy=remedy)


class Told(NamedTuple):
    """A line and an exit code."""

    text: str
    code: int


def explain(error: Exception) -> Told | None:
    """The line and the exit code of an error; None for a defect of the program."""
    if isinstance(error, HilctlError):
        return Told(error.text, error.exit_code)
    if isinstance(error, FileNotFoundError):
        return Told(f"{error.filename}: no such file; check the path", WRONG_USE)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        remedy = "; check who may read and write there" if isinstance(error, PermissionError) else ""
        return Told(f"{where}{error.strerror or error}{remedy}", RIG_SAID_NO)
    return None


def one_line(text: str) -> str:
    """Several problems, each on a line of its own below the first."""
    return "\n        ".join(line for line in text.splitlines() if line.strip())
