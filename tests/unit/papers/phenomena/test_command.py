"""`hilctl models`."""

import json
import sys

import pytest

from hilctl.cli.main import main


def test_it_writes_the_table_its_reasons_and_every_picture(tmp_path, capsys):
    from hilctl.papers.phenomena.figures import PICTURES

    assert main(["models", "--laws", "gms, karnopp", "--out", str(tmp_path / "out"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads((tmp_path / "out" / "phenomena.json").read_text(encoding="utf-8"))
    assert list(told["laws"]) == ["gms", "karnopp"]
    assert told["laws"]["gms"]["table"]["model"] == "gms"
    cell = told["laws"]["gms"]["cells"]["memory"]
    assert cell["verdict"] == "yes"
    assert abs(cell["figure"]) < told["phenomena"]["memory"]["most"]
    page = (tmp_path / "out" / "phenomena.md").read_text(encoding="utf-8")
    assert "| `gms` | yes" in page
    assert {path.stem for path in (tmp_path / "out").glob("*.png")} == set(PICTURES)


def test_without_matplotlib_it_says_so_and_writes_the_rest(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["models", "--laws", "coulomb", "--out", str(tmp_path)]) == 0
    assert "hilctl[report]" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["phenomena.json", "phenomena.md"]


@pytest.mark.parametrize(("laws", "hint"), [("gsm", "did you mean 'gms'"), ("lugre,xyz", "known:")])
def test_a_law_that_there_is_not_is_wrong_use(laws, hint, tmp_path, capsys):
    assert main(["models", "--laws", laws, "--out", str(tmp_path / "out")]) == 2
    assert hint in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
