"""The page of a study: a head, the results in short, and the sections in the order of the work."""

import json
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from hilctl.errors import NoFigures
from hilctl.identify.dynamics.study import Study
from hilctl.report.document import contents, document, save, section
from hilctl.report.drawing import inline, laid_out, styled
from hilctl.report.dynamics import paper_pictures, paper_sections, sections
from hilctl.report.dynamics.pictures import pictures_of
from hilctl.report.markup import NOTHING, Html, absent, bullets, code, facts, html, moment, p, sentence, tag
from hilctl.report.numbers import fixed, percent

if TYPE_CHECKING:
    from hilctl.papers.servo_tables import Paper

_Section = Callable[[Study, Mapping[str, str]], Html]
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


def write_report(study: Study, out: str | Path, paper: "Paper | None" = None) -> Path:
    """Writes the page to `out`, or into that folder; returns its path.

    A study of the paper's experiment also gets the paper's tables, and `paper.json` beside the page.
    """
    path = Path(out)
    if path.suffix != ".html":
        path = path / "report.html"
    paper = paper or paper_in(study)
    if paper is not None:
        told = json.dumps(paper.to_json(), indent=1, ensure_ascii=False, allow_nan=False)
        save(told + "\n", path.with_name("paper.json"))
    return save(page(study, paper), path)


def paper_in(study: Study) -> "Paper | None":
    """The paper's tables, if its experiment is part of the study."""
    from hilctl.identify.dynamics.servo_plant import SWEEP
    from hilctl.papers.servo_tables import paper_of

    return paper_of(study) if any(one.name == SWEEP for one in study.experiments) else None


def page(study: Study, paper: "Paper | None" = None) -> str:
    """The page as a text."""
    pictures: dict[str, str] = {}
    without = ""
    try:
        pictures = _pictures(study, paper)
    except NoFigures as why:
        without = f"This page has {why}."
    title = f"The dynamics of {study.rig}"
    made = {key: (name, make(study, pictures)) for key, (name, make) in _SECTIONS.items()
            if key != "tuning" or study.tuning is not None}  # fmt: skip
    if paper is not None:
        made["paper"] = ("The paper's tables and figures", paper_sections.tables(paper, pictures))
    return document(title, [
        tag("header", tag("h1", title), p(_headline(study), class_="headline"), facts([
            ("Made", moment(study.made)), ("By", code(study.command)), ("Rate", f"{study.rate_hz:g} Hz"),
        ])),
        absent(without) if without else NOTHING,
        bullets((sentence(remark) for remark in study.remarks), "warnings"),
        contents({key: name for key, (name, _) in made.items()}),
        *(section(n, key, name, text) for n, (key, (name, text)) in enumerate(made.items(), 1)),
        tag("footer", html("Made by hilctl.")),
    ])  # fmt: skip


def _pictures(study: Study, paper: "Paper | None") -> dict[str, str]:
    """Each figure that has data, as an SVG element; NoFigures if matplotlib is missing."""
    with styled():
        made = chain(pictures_of(study), paper_pictures.pictures_of(paper) if paper else ())
        return inline(laid_out((name, figure) for name, figure in made if figure is not None))


def _headline(study: Study) -> str:
    """The main results, in a sentence or two."""
    said = []
    known = next((one for one in study.responses if one.bandwidth.gain is not None), None)
    if known is not None and known.bandwidth.gain is not None:
        text = f"{known.pair.output.removesuffix('_m')} falls by 3 dB at {fixed(known.bandwidth.gain.hz, 1)} Hz"
        if known.bandwidth.phase is not None:
            text += f" and lags by 90° at {fixed(known.bandwidth.phase.hz, 1)} Hz"
        said.append(text)
    chosen = next((one.family.best for one in study.transfers if one.family is not None), None)
    if chosen is not None:
        said.append(f"the best transfer function has order {chosen.order}")
    fit = study.grey.fit if study.grey else None
    if fit is not None:
        said.append(
            f"the physical model explains {percent(min(fit.fit_percent.values()))}, with {fit.rank} of its {fit.free} "
            "parameters or combinations of them identifiable"
        )
    return sentence(*said)
