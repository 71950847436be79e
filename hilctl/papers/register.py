"""The papers, by their numbers: the module that has each as `CASE`."""

from importlib import import_module

from hilctl.errors import WrongUse
from hilctl.papers.declaration import Case
from hilctl.params import nearest

CASES: dict[str, str] = {
    "000": "hilctl.papers.table.case",
    "001": "hilctl.papers.shapes.case",
    "002": "hilctl.papers.joints.case",
    "003": "hilctl.papers.models.case",
    "004": "hilctl.papers.servo.case",
}


def case_of(name: str) -> Case:
    """The case. WrongUse if there is none of this name."""
    if name not in CASES:
        raise WrongUse(f"no paper {name!r}; {nearest(name, tuple(CASES))}; `hilctl paper` lists them")
    case = import_module(CASES[name]).CASE
    assert isinstance(case, Case)
    return case
