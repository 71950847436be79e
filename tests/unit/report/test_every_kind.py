"""What every report has: one file, five lines, figures with claims and numbers, a twin for programs, night, paper."""

import json
import re
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import msgspec
import pytest

from hilctl.identify.dynamics.written import told as study_told
from hilctl.params.finite import finite
from hilctl.recording.reader import open_recording
from hilctl.report import write as write_commissioning
from hilctl.report.alone import page as alone
from hilctl.report.dynamics.page import write_report
from hilctl.report.recorded import page as recorded
from hilctl.report.recorded import trip
from hilctl.results.commissioned import Commissioned
from hilctl.results.identified import FittedPoints, IdentifiedFriction, IdentifiedPlant, IdentifiedReversals
from hilctl.results.recorded import Recorded, Tripped
from hilctl.results.stored import as_json
from tests.unit.report.conftest import campaign_and_fit, whole
from tests.unit.report.recording_parts import PEAK_M, black_box, two_motions

pytest.importorskip("matplotlib")

pytestmark = pytest.mark.slow  # what all cases share takes longer than any of them

KINDS = ("commissioning", "friction", "points", "plant", "presliding", "dynamics", "recording", "trip")
LINES = ["Found", "Applied", "Better", "Worse", "Next"]
EMPTY = ("br", "col", "meta", "hr", "img", "input", "link")
FETCHING = {"script", "link", "img", "iframe", "object", "embed", "video", "audio", "source", "base"}


class Made(NamedTuple):
    """A page, and what its JSON twin holds."""

    text: str
    twin: bytes
    named: str  # the twin's file, as the page names it


@pytest.fixture(scope="session")
def pages(study, tmp_path_factory) -> dict[str, Made]:
    """One of each kind, of real parts."""
    folder = tmp_path_factory.mktemp("pages")
    data, fit = finite(campaign_and_fit())
    commissioned = msgspec.convert(finite(whole()), Commissioned)
    friction = msgspec.convert({**data, "fit": fit, "sets": [{"friction.fc": 300.0}]}, IdentifiedFriction)
    points = msgspec.convert(
        {"source": "points.csv", "joint": True, "given": 16, "set_aside": 1, "fit": fit}, FittedPoints
    )
    parts = finite(whole())
    beside = {"rig": "a rig", "prepared": parts["prepared"], "folder": "out/x", "sets": [{"machine.m": 499.9}],
              "applied": None}  # fmt: skip
    plant = msgspec.convert({**parts["plant_fit"], "plant": parts["plant"], **beside}, IdentifiedPlant)
    turned = msgspec.convert({**parts["presliding"], "curve": {}, **beside}, IdentifiedReversals)
    made = {
        "commissioning": (write_commissioning(commissioned, folder / "a.html"), commissioned, "commission.json"),
        "friction": (alone.of_campaign(friction, folder / "b.html"), friction, "friction.json"),
        "points": (alone.of_points(points, folder / "c.html"), points, "fit.json"),
        "plant": (alone.of_plant(plant, folder / "e.html"), plant, "plant.json"),
        "presliding": (alone.of_reversals(turned, folder / "f.html"), turned, "presliding.json"),
        "dynamics": (write_report(study, folder / "d.html"), study_told(study), "study.json"),
    }
    out = {kind: Made(path.read_text("utf-8"), as_json(result), name) for kind, (path, result, name) in made.items()}
    for kind, file, write in (("recording", two_motions, recorded.write), ("trip", black_box, trip.write)):
        with open_recording(file(folder / f"{kind}.h5")) as recording:
            page = write(recording, folder / f"{kind}.html")
        out[kind] = Made(page.read_text("utf-8"), page.with_suffix(".json").read_bytes(), f"{kind}.json")
    return out


@pytest.fixture(params=KINDS)
def made(request, pages) -> Made:
    """Each of them in turn."""
    return pages[request.param]


class Page(HTMLParser):
    """The elements of a page, every one closed where it has to be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (self.getpos(), tag, self.open[-3:])
        self.open.pop()


def figures(text: str) -> list[str]:
    return re.findall(r"<figure>.*?</figure>", text, re.DOTALL)


def files(text: str) -> dict[str, list[str]]:
    """The lines of each file of numbers that the page holds, by its name."""
    links = re.findall(r'href="data:text/csv;charset=utf-8,([^"]*)" download="([^"]*)"', text)
    return {name: unquote(unescape(held)).splitlines() for held, name in links}


def test_it_is_one_valid_file_that_fetches_nothing(made):
    page = Page(made.text)
    assert made.text.startswith("<!DOCTYPE html>") and not FETCHING & {tag for tag, _ in page.elements}
    ids = [given["id"] for _, given in page.elements if "id" in given]
    assert len(ids) == len(set(ids))
    for _, given in page.elements:
        for name in ("href", "xlink:href", "src"):
            place = given.get(name)
            assert place is None or place.startswith("data:") or (place[0] == "#" and place[1:] in ids), place
    assert not re.search(r"@import|url\((?!#)|https?://", made.text)
    assert len(made.text) < 4e6


def test_the_first_screen_says_the_answer_in_five_lines(made):
    above_all = made.text.partition("<h2>")[0].partition("<nav>")[0].partition('class="brief"')[2].partition("</dl>")[0]
    lines = re.findall(r"<dt>([^<]*)</dt><dd>(.*?)</dd>", above_all)
    assert [name for name, _ in lines] == LINES
    for name, said in lines:
        assert len(said) > 10 and said.endswith("."), (name, said)
        assert not re.search(r"\b(None|nan|inf)\b", said), said


def test_each_figure_claims_something_and_holds_its_numbers(made):
    found = figures(made.text)
    assert found
    names = set()
    for figure in found:
        assert re.search(r"<figcaption><strong>[^<]{10,}\.</strong> \S", figure), figure[-3000:]
        held = files(figure)
        assert held
        names |= set(held)
        for name, lines in held.items():
            assert len(lines) > 1, name
            columns = lines[0].count(",")
            assert columns >= 1 and any(re.search(r"\d", line) for line in lines[1:]), name
    assert len(names) == sum(len(files(figure)) for figure in found), "no two files of one name"


def test_the_axes_have_names_in_the_numbers(made):
    for name, lines in files(made.text).items():
        assert not re.search(r"(^|,)(x|y|)(,|$)", lines[0]), (name, lines[0])


def test_at_night_every_colour_of_a_figure_has_another_and_paper_stays_white(made):
    style = made.text.partition("<style>")[2].partition("</style>")[0]
    night = style.partition("@media screen and (prefers-color-scheme: dark)")[2]
    used = set(re.findall(r"var\(--c([0-9a-f]{6}), #\1\)", made.text))
    assert used and used == set(re.findall(r"--c([0-9a-f]{6}):", night))
    assert not re.search(r'(?:fill|stroke): ?#', "".join(figures(made.text))), "a colour that night does not change"
    assert re.search(r"figure \{[^}]*break-inside: avoid", style)


def test_the_page_names_its_twin_and_the_twin_can_be_read(made):
    assert f"For a program</dt><dd><code>{made.named}</code>" in made.text
    assert json.loads(made.twin)


def test_no_peak_of_a_recording_is_lost_in_its_figure(pages):
    error = next(lines for lines in files(pages["recording"].text).values() if "error" in lines[0])
    assert f"{1e3 * PEAK_M:.7g}" in {line.split(",")[1] for line in error[1:]}
    assert len(error) < 8000


def test_a_recording_compares_a_motion_that_ran_twice(pages):
    twin = msgspec.json.decode(pages["recording"].twin, type=Recorded)
    first, second = twin.motions
    assert (first.epoch, second.epoch) == (3, 4) and first.error_peak_m == PEAK_M
    assert second.error_rms_m == pytest.approx(1e-4 / 2**0.5, rel=1e-3)
    assert (twin.lost, twin.samples, twin.warnings) == (5, 15995, {"read_back": 1})
    better = pages["recording"].text.partition("<dt>Better</dt>")[2].partition("</dd>")[0]
    assert "after <code>law.feed.inverse</code> changed" in better and "70.7 µm" in better
    worse = pages["recording"].text.partition("<dt>Worse</dt>")[2].partition("</dd>")[0]
    assert "5 samples are missing" in worse


def test_a_trip_says_what_decided_what_was_set_before_and_when_it_was_off(pages):
    twin = msgspec.json.decode(pages["trip"].twin, type=Tripped)
    assert (twin.value, twin.limit, twin.off_after_s) == (-0.02, 0.01, 0.04)
    assert twin.changed == ["limits.tracking_error.max_m"] and twin.link["errors"] == [0, 2]
    assert twin.travel_m == pytest.approx(0.02, rel=0.01)
    text = pages["trip"].text
    assert "switched off 40 ms after the trip" in text and "a line &lt;of&gt; it" in text


def test_a_friction_campaign_says_what_applies_it(pages):
    text = pages["friction"].text
    assert "<code>hilctl set friction.fc=300.0 --origin &#x27;identify friction&#x27;</code>" in text
    assert "These points are of a joint" in pages["points"].text and "of a joint" not in text


def test_without_matplotlib_each_page_says_what_brings_the_figures(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with open_recording(two_motions(tmp_path / "a.h5")) as recording:
        text = recorded.write(recording, Path(tmp_path / "a.html")).read_text("utf-8")
    assert "<svg" not in text and "hilctl[report]" in text and "15995" in text
