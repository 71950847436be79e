"""The options for the parameters of a grey box: --fix, --free, --tie, --starts.

hilctl identify dynamics … --fix Qn=4.6e-3 --free A Vt=5e-5:5e-4 --tie Ctc=0.1*Kc --starts 16
"""

import argparse
import math
import re
from typing import Any

from hilctl.cli.arguments import count
from hilctl.cli.output import pairs
from hilctl.errors import WrongUse

_TERM = re.compile(r"(?P<mark>[*/]?)\s*(?P<base>[^*/^\s]+)(\^(?P<power>[^*/^\s]+))?\s*")


def options(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("--fix", nargs="+", action="extend", default=[], metavar="NAME=VALUE",
                        help="parameters of the grey box that are known")  # fmt: skip
    parser.add_argument("--free", nargs="+", action="extend", default=[], metavar="NAME[=LOW:HIGH]",
                        help="parameters to estimate (within a factor of five of the rig file's)")  # fmt: skip
    parser.add_argument("--tie", nargs="+", action="extend", default=[], metavar="NAME=FACTOR*NAME^POWER",
                        help="parameters that follow others, like Ctc=0.1*Kc")  # fmt: skip
    parser.add_argument("--starts", type=count(0, 1000), default=0, metavar="N",
                        help="so many more random starts, to find other solutions")  # fmt: skip


def choices_of(given: argparse.Namespace) -> dict[str, Any]:
    """As `Asked` takes them; WrongUse where an option cannot be read."""
    return {
        "fixed": {name: _number(f"--fix {name}", str(value)) for name, value in pairs(given.fix).items()},
        "free": {name: _bounds(name, text) for name, text in _words("--free", given.free)},
        "tied": {name: _tie(name, text) for name, text in _words("--tie", given.tie)},
        "starts": given.starts,
    }


def _words(option: str, words: list[str]) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for word in words:
        name, _, text = word.partition("=")
        if not name or (option == "--tie" and not text):
            shape = "FACTOR*NAME^POWER" if option == "--tie" else "LOW:HIGH"
            raise WrongUse(f"{option} {word}: must be NAME={shape}")
        if name in found:
            raise WrongUse(f"{option}: {name} is given twice")
        found[name] = text
    return list(found.items())


def _bounds(name: str, text: str) -> tuple[float, float] | None:
    if not text:
        return None
    low, mark, high = text.partition(":")
    if not mark:
        raise WrongUse(f"--free {name}={text}: must be NAME=LOW:HIGH; use --fix for a known value")
    return _number(f"--free {name}", low), _number(f"--free {name}", high)


def _tie(name: str, text: str) -> tuple[float, dict[str, float]]:
    """0.1*Kc*m^-1/beta: a factor, and the others' powers."""
    where, at = f"--tie {name}", 0
    factor, powers = 1.0, dict[str, float]()
    while at < len(text):
        term = _TERM.match(text, at)
        if term is None or (at > 0) != bool(term["mark"]):
            raise WrongUse(f"{where}={text}: must be numbers and names with * and / between, like 0.1*Kc*m^-1")
        at = term.end()
        power = (-1.0 if term["mark"] == "/" else 1.0) * (_number(where, term["power"]) if term["power"] else 1.0)
        if re.match(r"[A-Za-z]", term["base"]):
            powers[term["base"]] = powers.get(term["base"], 0.0) + power
        else:
            factor *= _number(where, term["base"]) ** power
    if not powers:
        raise WrongUse(f"{where}={text}: follows no other parameter; use --fix for a known value")
    return factor, powers


def _number(where: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise WrongUse(f"{where}={text}: must be a number")
    return value
