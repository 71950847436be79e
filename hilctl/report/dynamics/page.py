"""The page of a study: a head, the results in short, and the sections in the order of the work."""

from collections.abc import Callable, Mapping
from pathlib import Path

from hilctl.errors import NoFigures
from hilctl.identify.dynamics.study import Study
from hilctl.report.document import contents, document, save, section
from hilctl.report.drawing import inline, laid_out, styled
from hilctl.report.dynamics import sections
from hilctl.report.dynamics.pictures import pictures_of
from hilctl.report.markup import NOTHING, Html, absent, bullets, code, facts, html, moment, p, sentence, tag
from hilctl.report.numbers import fixed, percent

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


def write_report(study: Study, out: str | Path) -> Path:
    """Writes the page to `out`, or into that folder; returns its path."""
    path = Path(out)
    if path.suffix != ".html":
        path = path / "report.html"
    return save(page(study), path)


def page(study: Study) -> str:
    """The page as a text."""
    pictures: dict[str, str] = {}
    without = ""
    try:
        pictures = _pictures(study)
    except NoFigures as why:
        without = f"This page has {why}."
    title = f"The dynamics of {study.rig}"
    made = {key: (name, make(study, pictures)) for key, (name, make) in _SECTIONS.items()
            if key != "tuning" or study.tuning is not None}  # fmt: skip
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


def _pictures(study: Study) -> dict[str, str]:
    """Each figure that has data, as an SVG element; NoFigures if matplotlib is missing."""
    with styled():
        return inline(laid_out((name, figure) for name, figure in pictures_of(study) if figure is not None))


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
