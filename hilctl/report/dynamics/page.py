"""The page of a study: the answer in five lines, and the sections in the order of the work."""

from collections.abc import Callable, Sequence
from pathlib import Path

from hilctl.identify.dynamics.study import Study
from hilctl.report.document import report, save
from hilctl.report.drawing import inlined
from hilctl.report.dynamics import sections
from hilctl.report.dynamics.first import first
from hilctl.report.dynamics.pictures import pictures_of
from hilctl.report.figure import Pictures
from hilctl.report.markup import Html, absent, bullets, code, moment, sentence

_Section = Callable[[Study, Pictures], Html]
_SECTIONS: dict[str, tuple[str, _Section]] = {
    "driven": ("Experiments", sections.driven),
    "wrong": ("Faults of the records", sections.wrong),
    "cleaned": ("Preparation", sections.cleaned),
    "response": ("Frequency response", sections.responses),
    "transfer": ("Transfer functions", sections.transfers),
    "grey": ("The physical model", sections.grey),
    "validation": ("Validation", sections.validation),
    "tuning": ("Tuning", sections.tuning),
}


def write_report(study: Study, out: str | Path, epochs: Sequence[int] = ()) -> Path:
    """Writes the page to `out`, or into that folder; returns its path. `epochs`: of what was applied of it."""
    path = Path(out)
    if path.suffix != ".html":
        path = path / "report.html"
    return save(page(study, epochs), path)


def page(study: Study, epochs: Sequence[int] = ()) -> str:
    """The page as a text."""
    pictures, without = inlined(lambda: pictures_of(study))
    made = {key: (name, make(study, pictures)) for key, (name, make) in _SECTIONS.items()
            if key != "tuning" or study.tuning is not None}  # fmt: skip
    return report(
        f"The dynamics of {study.rig}", first(study, epochs),
        [("Made", moment(study.made)), ("By", code(study.command)), ("Rate", f"{study.rate_hz:g} Hz"),
         ("For a program", code("study.json"))],
        made, before=[absent(without), bullets((sentence(remark) for remark in study.remarks), "warnings")],
    )  # fmt: skip
