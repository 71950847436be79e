"""Nothing moves that nobody asked for: sequences against the whole controller, judged on the plant's true state.

The long form is `make soak`; tests/invariants holds the machine.
"""

from pathlib import Path

import pytest

from tests.invariants.defects import HOUSE, tried
from tests.invariants.kept import KEPT
from tests.invariants.script import lines_of, played
from tests.invariants.seeded import DEFECTS
from tests.invariants.session import on_rig_time
from tests.invariants.shrink import as_test, violations
from tests.invariants.soak import one

_SEEDS, _SEQUENCES = 4, 12
pytestmark = pytest.mark.timeout(600)  # where nothing is compiled yet


@pytest.fixture(autouse=True)
def _rig_time():
    with on_rig_time():
        yield


@pytest.mark.parametrize("name", KEPT)
def test_invariant_holds_in_a_sequence_that_once_broke_it(name: str, tmp_path: Path) -> None:
    found = violations(lines_of(KEPT[name]), tmp_path)
    assert not found, "\n".join(map(str, found))


def test_invariant_sequences_repeat_to_the_bit(tmp_path: Path) -> None:
    lines = lines_of(KEPT["stalls_in_the_corners_of_a_triangle"])

    def rows() -> bytes:
        with played(lines, tmp_path) as play:
            return b"".join(part.tobytes() for part in (*play.session.rows, *play.session.truth))

    assert rows() == rows()


@pytest.mark.parametrize("seed", range(_SEEDS))
def test_invariant_holds_in_random_sequences(seed: int, tmp_path: Path) -> None:
    for number in range(_SEQUENCES):
        lines, found, *_ = one(seed * 1000 + number, tmp_path)
        assert not found, f"`make soak` would shorten it:\n{as_test(lines, found[0])}"


@pytest.mark.parametrize("name", DEFECTS)
def test_invariant_defects_are_edits_of_lines_that_stand_there(name: str) -> None:
    for edit in DEFECTS[name]:
        assert (HOUSE / edit.file).read_text(encoding="utf-8").count(edit.good) == 1, edit


_SOON = ("protection_off_live", "emergency_stop_taken_away")  # found within seconds; the others take a minute or two


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.many(first=name in _SOON)) for name in DEFECTS])
def test_invariant_breaks_under_each_seeded_defect(name: str) -> None:
    outcome = tried(name, sequences=2000, processes=2)
    assert outcome.found, outcome.output
