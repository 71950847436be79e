"""Keeps the parameter tables of docs/motions.md true: `python -m hilctl.law.motions.document docs/motions.md`.

A table stands between `<!-- parameters NAME -->` and `<!-- end -->`; what surrounds it is written by hand.
"""

import re
import sys
from pathlib import Path

from hilctl.law.motions.limits import MotionLimits
from hilctl.law.motions.requests import MOTIONS
from hilctl.params import Params, document

TABLES: dict[str, type[Params]] = {**MOTIONS, "limits": MotionLimits}
_TABLE = re.compile(r"(<!-- parameters (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def refreshed(text: str) -> str:
    """The page with every table regenerated."""
    return _TABLE.sub(lambda m: f"{m[1]}{document(TABLES[m[2]])}\n{m[3]}", text)


def named(text: str) -> list[str]:
    """The tables that a page holds, in order."""
    return [m[2] for m in _TABLE.finditer(text)]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = Path(name)
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
