"""The page of a study: what is said where something was found, where it was not, and where nothing was looked for."""

import re
from dataclasses import replace

import pytest

from hilctl.identify.dynamics.study import Study
from hilctl.identify.dynamics.written import plain_study
from hilctl.report.dynamics.page import page, write_report


@pytest.fixture(scope="module")
def text(study):
    return page(study)


def words(text):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", re.sub(r"<(style|svg).*?</\1>", "", text, flags=re.DOTALL)))


def test_the_page_needs_nothing_else(text):
    assert not re.search(r"<script|<link|<img|https?://(?!www\.w3\.org)", text)
    assert text.count("<svg") == 6
    assert not re.search(r"\bnan\b|\binf\b", words(text))


def test_what_was_driven_found_wrong_and_cleaned_is_told(text):
    said = words(text)
    for part in ("a note &lt;of&gt; it", "a remark", "clipped", "At 9 mm; ask for less.", "0 outliers replaced"):
        assert part in said.replace("A note", "a note").replace("A remark", "a remark"), part


def test_what_the_data_do_not_fix_has_no_number(study, text):
    said = words(text)
    row = re.search(r"machine\.m (.*?) machine|machine\.m (.*?) KL", said)
    assert row
    assert "not identifiable" in row[0]
    assert "More Kc for less Ctc" in said
    for one in study.grey.fit.invariants:
        assert one.name in said


def test_orders_bandwidths_and_checks_are_tabled(study, text):
    said = words(text)
    gain = study.responses[0].bandwidth.gain
    assert f"{gain.hz:.2f} ±" in said
    best = study.transfers[0].family.best
    assert f"{best.order} (chosen)" in said
    assert "Too few lines." in said
    assert "99.50 %" in said
    assert "independent" in said
    assert "rise, 10 to 90 %" in said


def test_an_empty_study_says_so_section_by_section(tmp_path):
    bare = Study(rig="bare", rate_hz=1.0, made="", command="", experiments=())
    path = write_report(bare, tmp_path / "folder")
    assert path == tmp_path / "folder" / "report.html"
    said = words(path.read_text(encoding="utf-8"))
    for part in ("No record was prepared.", "No physical model was fitted.", "No record was reserved for validation."):
        assert part in said
    assert "Tuning" not in said
    assert [file.name for file in path.parent.iterdir()] == ["report.html"]


class Tuned:
    """As `hilctl.design` tells it."""

    def to_json(self):
        loop = {"magnitude": [10.0, 1.0, 0.1], "phase_deg": [-90.0, -120.0, -200.0]}
        margins = {"rise_db": 7.25, "phase_deg": 51.0}
        each = {"minus_3_db_hz": 31.5, "hz": [1.0, 10.0, 50.0], "loop": loop}
        return {
            "values": {"law.three_state.kd_per_m": 20.5}, "source": "a study", "decided_by": ["phase margin"],
            "before": None, "predicted": {"nominal": margins, **each}, "measured_after": {"margins": margins, **each},
            "measured_before": None, "meaning": {"rise_db": "so much gain", "minus_3_db_hz": "fallen to 71 %"},
        }  # fmt: skip


def test_tuning_is_shown_where_there_is_one():
    bare = Study(rig="bare", rate_hz=1.0, made="", command="", experiments=())
    text = page(replace(bare, tuning=Tuned()))
    said = words(text)
    for part in ("law.three_state.kd_per_m 20.5", "rise db 7.25 7.25 so much gain", "31.5 31.5 fallen to 71 %",
                 "predicted measured after", "phase margin"):  # fmt: skip
        assert part in said, part
    assert text.count("<svg") == 1


def test_the_json_has_what_programs_ask_for_first(study):
    told = plain_study(study)
    fit = study.grey.fit
    assert told["fit_percent"] == {
        "start": fit.start_percent["displacement"], "final": fit.fit_percent["displacement"],
    }  # fmt: skip
    assert (told["rank"], told["free"], told["iterations"]) == (fit.rank, fit.free, fit.iterations)
    assert len(told["singular_values"]) == fit.free
    assert told["parameters"]["m"]["value"] is None
    assert told["parameters"]["ws"]["low"] < told["parameters"]["ws"]["value"] < told["parameters"]["ws"]["high"]
    assert {one["text"] for one in told["null_directions"]} == {one.text for one in fit.directions}
    assert set(told["invariants"]) == {one.name for one in fit.invariants}
    assert told["transfer_functions"]["5"]["stable"] is True
    assert plain_study(replace(study, grey=None, transfers=()))["parameters"] is None
