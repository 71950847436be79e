"""`hilctl report` knows what it is given by what it holds, and says what it takes where that is nothing."""

import json

import msgspec
import pytest

from hilctl.cli.main import main
from hilctl.cli.report_of import recognised
from hilctl.errors import WrongUse
from hilctl.identify.dynamics.again import again
from hilctl.identify.dynamics.study import Study
from hilctl.identify.dynamics.written import told
from hilctl.params.finite import finite
from hilctl.results.commissioned import Commissioned
from hilctl.results.identified import FittedPoints, IdentifiedFriction, IdentifiedPlant, IdentifiedReversals
from hilctl.results.stored import as_json
from tests.unit.report.conftest import campaign_and_fit, whole
from tests.unit.report.recording_parts import black_box, two_motions

DATA, FIT = finite(campaign_and_fit())
WHOLE = finite(whole())
BESIDE = {"rig": "a rig", "prepared": None, "folder": "x", "sets": [{"machine.m": 499.9}], "applied": None}
RESULTS = {
    "commission.json": ("commissioning", as_json(msgspec.convert(WHOLE, Commissioned))),
    "friction.json": ("friction", as_json(msgspec.convert({**DATA, "fit": FIT}, IdentifiedFriction))),
    "fit.json": ("points", as_json(msgspec.convert(
        {"source": "p.csv", "joint": False, "given": 16, "set_aside": 1, "fit": FIT}, FittedPoints))),
    "plant.json": ("plant", as_json(msgspec.convert(
        {**WHOLE["plant_fit"], "plant": WHOLE["plant"], **BESIDE}, IdentifiedPlant))),
    "presliding.json": ("presliding", as_json(msgspec.convert(
        {**WHOLE["presliding"], "curve": {}, **BESIDE}, IdentifiedReversals))),
    "study.json": ("dynamics", b'{"transfer_functions": {}}'),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_known_by_its_folder_and_by_what_its_file_holds(name, tmp_path):
    kind, content = RESULTS[name]
    (tmp_path / name).write_bytes(content)
    assert recognised(tmp_path) == (kind, tmp_path / name)
    other = tmp_path / "renamed.json"
    other.write_bytes(content)
    assert recognised(other) == (kind, other)


def test_a_commissioning_is_the_whole_of_a_folder_that_holds_its_parts_too(tmp_path):
    for name, (_, content) in RESULTS.items():
        (tmp_path / name).write_bytes(content)
    assert recognised(tmp_path)[0] == "commissioning"


@pytest.mark.parametrize(("name", "content", "why"), [
    ("", b"", "holds no result"), ("campaign.json", b"{}", "hilctl identify friction --resume"),
    ("dynamics.json", b"{}", "hilctl identify dynamics --resume"),
    ("course.json", b'{"work": "reversal experiment"}', "hilctl identify presliding --resume"),
    ("course.json", b'{"work": "identification of the plant"}', "hilctl identify plant --resume"),
    ("course.json", b'{"work": "commissioning"}', "holds no result"),
    ("course.json", b'{"work": [1]}', "holds no result"), ("course.json", b'{"work', "no JSON file that can be read"),
])  # fmt: skip
def test_a_folder_without_a_result_is_refused_with_what_to_do(name, content, why, tmp_path):
    if name:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(WrongUse, match=why):
        recognised(tmp_path)


@pytest.mark.parametrize(("content", "why"), [
    (b"no json", "no JSON file"), (b"[1]", "neither a result nor a recording"), (b"{}", "neither a result"),
])  # fmt: skip
def test_a_file_of_another_kind_is_refused_with_what_it_takes(content, why, tmp_path):
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(WrongUse, match=why) as refused:
        recognised(tmp_path / "a.json")
    assert "give the folder of a commissioning" in str(refused.value)
    with pytest.raises(WrongUse, match="no such file"):
        recognised(tmp_path / "b.json")


def test_a_study_whose_samples_are_elsewhere_is_refused_with_the_command_that_made_it(tmp_path):
    study = Study(rig="a rig", rate_hz=1.0, made="", command="hilctl identify dynamics", experiments=())
    with pytest.raises(WrongUse, match="run it again: `hilctl identify dynamics`"):
        again(tmp_path, told(study))


@pytest.mark.parametrize("name", ["friction.json", "fit.json", "plant.json", "presliding.json"])
def test_a_part_becomes_a_page_beside_it(name, tmp_path, capsys):
    (tmp_path / name).write_bytes(RESULTS[name][1])
    assert main(["report", str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "report.html")
    assert 'class="brief"' in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize(("write", "title"), [(two_motions, "Recording of table"), (black_box, "Trip of table")])
def test_a_recording_and_a_black_box_each_become_their_page_where_one_asks_for_it(write, title, tmp_path, capsys):
    file = write(tmp_path / "a.h5")
    assert main(["report", str(file), "--out", str(tmp_path / "pages")]) == 0
    assert title in (tmp_path / "pages" / "a.html").read_text("utf-8")
    assert json.loads((tmp_path / "pages" / "a.json").read_bytes())["rig"] == "table"


def test_a_damaged_result_names_the_place(tmp_path, capsys):
    (tmp_path / "friction.json").write_bytes(RESULTS["friction.json"][1].replace(b'"speeds"', b'"sp"'))
    assert main(["report", str(tmp_path)]) != 0
    said = capsys.readouterr().err
    assert "friction.json" in said and "speeds" in said
