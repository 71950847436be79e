"""What went wrong, as a line for a person and an exit code for a program."""

from typing import NamedTuple

from hilctl.errors import BAD_VALUE, RIG_SAID_NO, WRONG_USE, HilctlError


class Told(NamedTuple):
    """A line and an exit code."""

    text: str
    code: int


class WrongUse(HilctlError):
    """The command line asks for something that makes no sense. The message says what to write instead."""

    code = BAD_VALUE


class SaidNo(HilctlError):
    """The rig or the service did not do what was asked. The message says why."""


def explain(error: Exception) -> Told | None:
    """The line and the code of an error, or None for a defect of the program."""
    if isinstance(error, HilctlError):
        return Told(error.text, error.exit_code)
    if isinstance(error, FileNotFoundError):
        return Told(f"{error.filename}: no such file", WRONG_USE)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return Told(f"{where}{error.strerror or error}", RIG_SAID_NO)
    return None


def one_line(text: str) -> str:
    """Several problems stand one below the other, each on a line of its own."""
    return "\n        ".join(line for line in text.splitlines() if line.strip())
