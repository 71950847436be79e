"""The example of docs/fmu.md runs, and its table is what `hilctl bench fmu` gives."""

import re
from pathlib import Path

import pytest

from tests.unit.fmu.fmu_parts import archive, needs_compiler

PAGE = Path(__file__).resolve().parents[3] / "docs" / "fmu.md"


@needs_compiler
def test_the_example_for_fmpy_runs(tmp_path, monkeypatch, capsys):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "table.fmu").write_bytes(archive().read_bytes())
    monkeypatch.chdir(tmp_path)
    exec(compile(block, str(PAGE), "exec"), {})
    moved = re.search(r"the table moved (\d+) mm\n", capsys.readouterr().out)
    assert moved
    assert 50 < int(moved[1]) < 200


def test_the_names_of_its_variables_are_the_units():
    pytest.importorskip("fmpy")
    from tests.unit.fmu.fmu_parts import unit

    names = {v.name for v in unit().variables}
    told = set(re.findall(r"`((?:true|twin|valve|enable|supply|noise)\.?[\w.]*)`", PAGE.read_text(encoding="utf-8")))
    assert {name for name in told if "_config" not in name} - names <= {"twin.substep_s"}
