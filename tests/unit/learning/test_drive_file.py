"""A drive on the disk."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hilctl.errors import WrongUse
from hilctl.learning import drive_file
from hilctl.learning.payload import Moved
from hilctl.learning.wanted import Wanted
from hilctl.results.proof import Learned, Repeat
from tests.unit.learning.test_wanted import FACTS

finite = st.floats(-1e3, 1e3)
shares = st.floats(0, 100)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(st.integers(8, 60), st.integers(0, 2**31), st.booleans(), finite, st.none() | st.floats(1, 1e4),
       st.lists(st.builds(Repeat, shares, shares, shares), min_size=1, max_size=4))  # fmt: skip
def test_what_is_kept_is_what_is_opened(tmp_path: Path, count, seed, repeats, center_m, mass_kg, seen):
    chance, file = np.random.default_rng(seed), tmp_path / "one.drive.json"
    motion = Wanted("a motion", chance.normal(size=count), 1e-3, center_m, repeats)
    ratio = chance.normal(size=count // 2 + 1) + 1j * chance.normal(size=count // 2 + 1)
    found = Learned("one", 1.0 if repeats else None, seen, len(seen) - 1, False, "", str(file))
    drive, mass = chance.normal(size=count), Moved(mass_kg or math.nan, 1.0)
    made = drive_file.made(FACTS, {"kind": "sine"}, motion, found, drive, ratio, mass)
    drive_file.keep(file, made)
    kept = drive_file.opened(file)
    assert kept == made
    assert (kept.wanted.x == motion.x).all()
    assert (kept.best_m == drive).all()
    assert (kept.ratios == ratio).all()
    assert (kept.moved == mass) if mass_kg else math.isnan(kept.moved.kg)
    drive_file.refuse_other(kept, FACTS, file)


@pytest.mark.parametrize(("content", "said"), [
    ("", "cannot be read"), ("{}", "cannot be read"), ("[1, 2", "cannot be read"), ('{"format": 1}', "cannot be read"),
])  # fmt: skip
def test_a_damaged_file_is_refused(tmp_path: Path, content, said):
    file = tmp_path / "bad.drive.json"
    file.write_text(content)
    with pytest.raises(WrongUse, match=f"bad.drive.json {said}.*begin a new drive"):
        drive_file.opened(file)
    with pytest.raises(WrongUse, match=r"holds no drive: it has no none\.drive\.json"):
        drive_file.opened(tmp_path / "none.drive.json")


def test_a_file_whose_values_do_not_belong_together_is_refused(tmp_path: Path):
    file = tmp_path / "one.drive.json"
    motion = Wanted("a motion", np.zeros(8), 1e-3, 0.0, True)
    found = Learned("one", 1.0, [Repeat(1.0, 1.0, 0.0)], 0, False, "")
    made = drive_file.made(FACTS, {}, motion, found, np.zeros(8), np.ones(5, complex), Moved(500.0, 1.0))
    drive_file.keep(file, made)
    text = file.read_text()
    for old, new, said in (('"best":0', '"best":1', "best must be an index of 1 repeats, is 1"),
                           ('"drive_m":[0.0,', '"drive_m":[', "drive_m must have as many values as wanted_m, 8")):
        assert old in text
        file.write_text(text.replace(old, new))
        with pytest.raises(WrongUse, match=said):
            drive_file.opened(file)
