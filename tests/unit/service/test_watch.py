"""What happened is read from the samples, whatever blocks they come in."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hilctl.service.do_talk import why_over
from hilctl.service.watch import Seen, Watch
from hilctl.signals import SAMPLE, Mode, Trip
from hilctl.wire.encode import words_of_rows as _words
from hilctl.wire.errors import Code, Refused


def _rows(modes: list[int], motions: list[int], trips: list[int] | None = None, warnings: int = 0) -> np.ndarray:
    rows = np.zeros(len(modes), SAMPLE)
    rows["tick"] = 100 + np.arange(len(modes))
    rows["mode"], rows["motion"], rows["trip"] = modes, motions, trips or [0] * len(modes)
    rows["epoch"], rows["warnings"] = 1, warnings
    return rows


_OFF, _HOLD, _TRACK, _STOP = Mode.OFF, Mode.HOLD, Mode.TRACK, Mode.STOP
_RUN = _rows([_OFF, _HOLD, _TRACK, _TRACK, _HOLD, _HOLD, _TRACK, _STOP, _HOLD], [0, 0, 1, 1, 0, 0, 2, 0, 0])


def _look(rows: np.ndarray, sizes: list[int]) -> tuple[Watch, list[Seen]]:
    watch, seen, at = Watch(1000.0), [], 0
    for size in [*sizes, len(rows)]:
        part = rows[at : at + size]
        if len(part):
            seen += watch.look(at, _words(part))
        at += len(part)
    return watch, seen


@pytest.mark.parametrize("sizes", [[], [1] * 9, [2, 2, 2, 2], [4, 1, 3]])
def test_changes_do_not_depend_on_how_rows_are_cut_into_blocks(sizes: list[int]) -> None:
    assert _look(_RUN, sizes)[1] == _look(_RUN, [9])[1]


def test_a_motion_knows_its_samples_and_how_it_ended() -> None:
    watch, _ = _look(_RUN, [3, 3, 3])
    first, second = watch.motions[1], watch.motions[2]
    assert (first.first, first.end, first.why) == (2, 4, "done")
    assert (second.first, second.end, second.why) == (6, 7, "stopped")


def test_a_motion_that_tripped_says_so() -> None:
    rows = _rows([_TRACK, _TRACK, _STOP], [5, 5, 0], [0, 0, Trip.VELOCITY])
    watch, seen = _look(rows, [3])
    assert watch.motions[5].why == "tripped"
    assert Seen("trip", 102, {"trip": int(Trip.VELOCITY)}) in seen


def test_a_motion_without_a_sample_is_over_as_the_loop_says_and_has_none() -> None:
    watch, _ = _look(_RUN, [9])
    assert watch.over_unseen(3, 9, 109, "stopped") == Seen(
        "motion_over", 109, {"motion": 3, "why": "stopped", "first": 9, "last": 8}
    )
    assert (watch.motions[3].first, watch.motions[3].end, watch.motions[3].why) == (9, 9, "stopped")


def test_how_a_motion_ended_that_is_long_over_is_no_longer_known_and_that_is_said() -> None:
    watch, _ = _look(_RUN, [9])
    for motion in range(3, 1100):
        watch.over_unseen(motion, 9, 109, "stopped")
    service: Any = SimpleNamespace(watch=watch, occupied="", core=SimpleNamespace(ended=None))
    assert why_over(service, 1099, 0, "") == "stopped"
    with pytest.raises(Refused, match="motion 2: how it ended is no longer known") as refused:
        why_over(service, 2, 0, "")
    assert refused.value.code == Code.GONE


@pytest.mark.parametrize("rows", [_RUN, _rows([_HOLD], [0])])
def test_a_motion_that_the_loop_refused_never_began_and_that_is_said(rows: Any) -> None:
    watch, _ = _look(rows, [len(rows)])
    service: Any = SimpleNamespace(watch=watch, occupied="", core=SimpleNamespace(ended=None))
    with pytest.raises(Refused, match="motion 3: it never began") as refused:
        why_over(service, 3, 0, "")
    assert refused.value.code == Code.GONE


def test_nothing_changed_tells_nothing() -> None:
    watch, _ = _look(_RUN, [9])
    assert watch.look(9, _words(_rows([_HOLD] * 5, [0] * 5))) == []


def test_rows_are_quiet_when_a_look_would_tell_nothing_and_looking_changes_nothing() -> None:
    watch, _ = _look(_RUN, [9])
    still, moved = _words(_rows([_HOLD] * 5, [0] * 5)), _words(_rows([_HOLD, _TRACK], [0, 3]))
    assert watch.look(9, still) == []
    assert watch.quiet(still)
    assert not watch.quiet(moved)
    assert watch.quiet(still)
    assert watch.look(14, moved)
    assert not watch.quiet(still)


def test_a_warning_that_flickers_is_told_once_a_second() -> None:
    watch, told = Watch(1000.0), 0
    for start in range(0, 3000, 2):
        rows = _rows([_OFF, _OFF], [0, 0])
        rows["tick"] = [start, start + 1]
        rows["warnings"] = [1 << Trip.VELOCITY, 0]
        told += sum(seen.kind == "warning" for seen in watch.look(start, _words(rows)))
    assert told == 3


def test_while_virtual_time_stands_the_status_tells() -> None:
    watch, _ = _look(_rows([_TRACK, _HOLD], [1, 0], [0, Trip.LEASE_LOST]), [2])

    class Status:
        mode, trip, epoch, arming, motion_id, tick = Mode.HOLD, 0, 1, 0, 0, 101

    assert [seen.kind for seen in watch.stand(2, Status)] == ["reset"]
    assert watch.stand(2, Status) == [] and watch.trip == 0


def test_pressures_that_are_too_old_are_told_with_their_ages_and_so_is_the_end_of_it() -> None:
    rows = _rows([_HOLD] * 3, [0] * 3)
    rows["warnings"] = [0, 1 << Trip.PRESSURE_AGE, 0]
    rows["pressure_a_age_ns"], rows["pressure_b_age_ns"] = 6_100_000, 12_000_000
    seen = _look(rows, [2])[1]
    ages = {"pressure_a_age_s": 0.0061, "pressure_b_age_s": 0.012}
    assert Seen("warning", 101, {"limit": "pressure_age", **ages}) in seen
    assert Seen("warning_over", 102, {"limit": "pressure_age"}) in seen
