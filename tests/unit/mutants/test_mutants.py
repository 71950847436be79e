"""The tool that breaks functions, on a function of its own: what it makes, and how it tells the fates apart."""

import importlib.util
from pathlib import Path

import pytest

from tests.mutants.accepted import FILE, accepted
from tests.mutants.covering import Cover
from tests.mutants.forked import Fate, Trial, try_all
from tests.mutants.operators import mutants_of

TOY = '''
def rt_sum(upto: int, least: int) -> int:
    """Of whole numbers."""
    out = 0
    while upto > 0 and upto >= least:
        out += upto
        upto -= 1
    return out
'''


@pytest.fixture
def toy(tmp_path: Path):
    path = tmp_path / "toy.py"
    path.write_text(TOY)
    spec = importlib.util.spec_from_file_location("toy", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return path, module, list(mutants_of(path, Path("toy.py"), lambda name: name == "rt_sum"))


def test_every_kind_of_slip_is_made_once(toy):
    changes = [f"{m.old} -> {m.new}" for m in toy[2]]
    assert len(changes) == len(set(changes))
    for change in (
        "while upto > 0 and upto >= least -> while upto >= 0 and upto >= least",
        "while upto > 0 and upto >= least -> while upto <= 0 and upto >= least",
        "while upto > 0 and upto >= least -> while upto > 0 or upto >= least",
        "while upto > 0 and upto >= least -> while upto > 0",
        "out = 0 -> out = 1", "out += upto -> out -= upto", "out += upto -> pass", "return out -> return out + 1",
    ):  # fmt: skip
        assert change in changes


def test_killed_survived_and_endless_are_told_apart_and_this_process_stays_whole(toy):
    _, module, mutants = toy
    trials = [Trial(m.new, module.rt_sum, m.code, lambda: module.rt_sum(3, 1) == 6, 0.2) for m in mutants]
    fates = dict(try_all(trials, 2))
    assert fates["out -= upto"] is Fate.KILLED
    assert fates["while upto >= 0 and upto >= least"] is Fate.SURVIVED, "least = 1 hides it"
    assert fates["upto += 1"] is Fate.TIMED_OUT
    assert module.rt_sum(3, 1) == 6


def test_a_mutant_meets_the_tests_that_run_its_line_and_none_that_fail(toy):
    path, module, _ = toy
    cover = Cover({str(path)}, 5.0)
    assert cover.measure("enters", lambda: module.rt_sum(3, 1) == 6)
    assert cover.measure("stays out", lambda: module.rt_sum(0, 1) == 0)
    assert not cover.measure("fails", lambda: module.rt_sum(3, 1) == 7)
    inside = TOY.splitlines().index("        out += upto") + 1
    assert cover.covering(str(path), inside, inside, 1.0) == ["enters"]
    assert set(cover.covering(str(path), inside - 1, inside - 1, 1.0)) == {"enters", "stays out"}


def test_a_mutant_is_accepted_with_a_reason_only():
    assert accepted("# note\na.py f: x -> y\n  never\n  seen\n") == {"a.py f: x -> y": "never seen"}
    with pytest.raises(ValueError, match="no reason"):
        accepted("a.py f: x -> y\n")
    accepted(FILE.read_text())
