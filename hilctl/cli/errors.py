"""What went wrong, as a line for a person and an exit code for a program.

The known errors are recognised by the names that they bear: importing them all would load all that raises them.
"""

from typing import NamedTuple

DONE, RIG_SAID_NO, WRONG_USE = 0, 1, 2

_HOUSES = ("hilctl", "firmware_bridge", "sim")
_WRONG_CODES = ("bad_value", "bad_message", "unknown_op", "too_large", "version")
_HINTS = {
    "no_lease": "arm first, or take it with --takeover",
    "lease_held": "--takeover takes it",
}


class Told(NamedTuple):
    """A line and an exit code."""

    text: str
    code: int


class WrongUse(Exception):
    """The command line asks for something that makes no sense. The message says what to write instead."""


class SaidNo(Exception):
    """The rig or the service did not do what was asked. The message says why."""


def explain(error: Exception) -> Told | None:
    """The line and the code of an error, or None for a defect of the program."""
    if isinstance(error, WrongUse):
        return Told(str(error), WRONG_USE)
    names = {kind.__name__ for kind in type(error).__mro__ if kind.__module__.split(".")[0] in _HOUSES}
    if "Refused" in names:
        return _refused(str(getattr(error, "code", "")), str(getattr(error, "message", error)))
    if "BadValues" in names:
        # What a motion would pass is the rig's no; all else in a rig file or among arguments is wrong use.
        return Told(str(error), RIG_SAID_NO if "MotionRefused" in names else WRONG_USE)
    if names & {"UnknownChannel", "NotARecording"}:
        return Told(str(error), WRONG_USE)
    if names:
        return Told(str(error) or type(error).__name__, RIG_SAID_NO)
    if isinstance(error, FileNotFoundError):
        return Told(f"{error.filename}: no such file", WRONG_USE)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return Told(f"{where}{error.strerror or error}", RIG_SAID_NO)
    return None


def _refused(code: str, message: str) -> Told:
    hint = _HINTS.get(code)
    text = f"{message}; {hint}" if hint else message
    return Told(text, WRONG_USE if code in _WRONG_CODES else RIG_SAID_NO)


def one_line(text: str) -> str:
    """Several problems stand one below the other, each on a line of its own."""
    return "\n        ".join(line for line in text.splitlines() if line.strip())
