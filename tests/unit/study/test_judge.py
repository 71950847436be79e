import numpy as np
import pytest

from hilctl.study.judge import TRIP, influences, interval
from hilctl.study.outcomes import OF_MOTION, OF_REST
from tests.unit.study.studies import small

PLAN = small(runs=256)
MASS, HYSTERESIS, STICTION = (one.key for one in PLAN.varied)


def rows_of(error, trips):
    """Runs whose error and trips follow from the values by these functions."""
    rng, rows = np.random.default_rng(5), []
    for run in range(PLAN.runs):
        values = PLAN.values(run)
        row = {"run": run, **dict.fromkeys(OF_REST, 0.0), **{f"sine.{name}": 0.0 for name in OF_MOTION}, **values}
        tripped = trips(values)
        row |= {"outcome": "tripped" if tripped else "done",
                "sine.error_rms_m": error(values) * (1 + 0.1 * rng.standard_normal())}  # fmt: skip
        rows.append(row)
    return rows, [row["outcome"] for row in rows]


def test_what_decides_an_outcome_is_named_first_and_what_does_not_is_not_certain():
    rows, how = rows_of(lambda v: v[MASS] ** 3, lambda v: v[HYSTERESIS] > 0.04)
    found = list(influences(PLAN, rows, how))
    trip = [one for one in found if one.column == TRIP]
    error = [one for one in found if one.column == "sine.error_rms_m"]
    assert [one.key for one in trip if one.certain] == [HYSTERESIS]
    assert trip[0].correlation > 0.5
    assert [one.key for one in error if one.certain] == [MASS]
    assert error[0].share > 0.7


def test_an_effect_that_turns_round_is_seen_by_its_share():
    rows, how = rows_of(lambda v: 1 + abs(v[MASS] - 500), lambda v: False)
    first = next(one for one in influences(PLAN, rows, how) if one.column == "sine.error_rms_m")
    assert first.key == MASS
    assert first.certain
    assert abs(first.correlation) < 0.2


def test_chance_alone_decides_nothing():
    rng = np.random.default_rng(9)
    certain = 0
    for _ in range(20):
        rows, how = rows_of(lambda v: rng.uniform(1, 2), lambda v: rng.uniform() < 0.3)
        certain += sum(one.certain for one in influences(PLAN, rows, how))
    assert certain <= 3  # of 120


@pytest.mark.parametrize(("count", "of"), [(0, 50), (50, 50), (25, 50)])
def test_the_interval_of_a_share_holds_at_its_ends_too(count, of):
    low, high = interval(count, of)
    assert 0 <= low <= count / of <= high <= 1
    assert high - low > 0.05
    assert interval(0, 0) == (None, None)
