"""The linear servo beside scipy's lsim: the same figures, many times faster."""

import pytest

from hilctl.bench import servo
from hilctl.rt.jit import PLAIN

pytestmark = [pytest.mark.bench, pytest.mark.skipif(PLAIN, reason="nothing is compiled"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def result():
    return servo.run(quick=False)


def test_it_compares_like_with_like(result):
    assert result["bench"] == "servo"
    assert result["figures"]["samples"] == 100_000
    assert max(result["figures"]["difference_from_lsim"].values()) < 1e-9


def test_a_response_is_sixty_times_faster_than_lsim(result):
    assert result["ratio"]["lsim"] >= 60


def test_a_jacobian_is_thirty_times_faster_than_a_run_of_lsim_for_each_parameter(result):
    assert result["ratio"]["jacobian"] >= 30


def test_another_result_than_lsims_is_found_out(monkeypatch):
    exact = servo.simulate
    monkeypatch.setattr(servo, "simulate", lambda *given: exact(*given) * (1 + 1e-6))
    with pytest.raises(servo.HilctlError, match="differs from ours"):
        servo.run(quick=True)
