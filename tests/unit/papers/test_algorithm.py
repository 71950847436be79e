"""The paper's Algorithm 1, on small bounded problems and on the paper's record."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from hilctl.identify.grey_box.model import CannotBe
from hilctl.papers.servo.algorithm import trust_region
from hilctl.papers.servo.beside import searches
from hilctl.papers.servo.setting import paper_record


def valley(q):
    """Rosenbrock's, its least at (0.8, 0.64)."""
    return np.array([10 * (q[1] - q[0] ** 2), 0.8 - q[0]]), np.array([[-20 * q[0], 10.0], [-1.0, 0.0]])


def beyond(q):
    """The least lies outside the bounds in the first parameter."""
    slope = np.array([[1.0, 0.0], [0.3, 2.0]])
    return slope @ (q - [1.4, 0.5]), slope


def stacked(function):
    def triangle(q):
        residual, jacobian = function(q)
        return np.column_stack([jacobian, residual])

    return triangle


@pytest.mark.parametrize(("function", "off"), [(valley, 1e-6), (beyond, 1e-6)])
def test_it_comes_to_the_least_between_the_bounds_and_never_rises(function, off):
    start = np.array([0.2, 0.9])
    path = trust_region(stacked(function), start, 60)
    wanted = least_squares(lambda q: function(q)[0], start, jac=lambda q: function(q)[1], bounds=(0, 1), xtol=1e-12)
    assert path.x == pytest.approx(wanted.x, abs=off)
    assert np.all(np.diff(path.costs) <= 0) and path.costs[-1] < path.costs[0]
    assert np.all((path.x >= 0) & (path.x <= 1))
    assert len(path.costs) == 61 and path.accepted <= 60


def test_where_there_is_no_machine_the_step_is_rejected_and_the_region_shrinks():
    def cut(q):
        if q[0] > 0.5:
            raise CannotBe("no machine")
        return stacked(valley)(q)

    path = trust_region(cut, np.array([0.2, 0.1]), 40)
    assert path.accepted < 40
    assert 0.45 < path.x[0] <= 0.5


def test_twenty_iterations_from_the_papers_start_end_at_the_truths_score():
    found = searches(paper_record())
    assert 96.8 < found.truth < 97.2
    assert 86 < found.paper[0] < 90 and found.paper[0] == pytest.approx(found.ours[0])
    assert len(found.paper) == 21
    assert abs(found.paper[-1] - found.truth) < 0.01
    assert found.paper[1] < found.truth - 1  # the first step alone does not do it
