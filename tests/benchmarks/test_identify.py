"""Identification beside what can be installed for it: the same data, the same quality, many times sooner."""

import importlib.util

import pytest

from hilctl.bench import identify, identify_friction, identify_grey
from hilctl.errors import HilctlError
from hilctl.rt.jit import PLAIN

pytestmark = [pytest.mark.bench, pytest.mark.skipif(PLAIN, reason="nothing is compiled"), pytest.mark.timeout(300)]
GREY = [name for name, (_, needs) in identify_grey.SOLVERS.items() if importlib.util.find_spec(needs)]
INSTALLED = [name for name, (_, needs) in identify_friction.SOLVERS.items() if importlib.util.find_spec(needs)]


@pytest.fixture(scope="module")
def told():
    return identify.run(quick=True)


def test_whoever_is_installed_is_compared(told):
    assert told["bench"] == "identify"
    assert set(told["ratio"]) == {*INSTALLED, *GREY} >= {"scipy_de", "lsim"}
    figures = told["figures"]
    assert figures["success"] == figures["success_varpro"] == figures["success_wide_varpro"] == 1
    assert figures["success_wide"] >= 0.95


def test_scipy_gets_there_and_no_other_finds_less(told):
    gaps = told["figures"]["others_gap"]
    assert gaps["scipy_de"] <= identify_friction.ENOUGH
    assert min(gaps.values()) > -1e-9


@pytest.mark.skipif("pymoo" not in INSTALLED or "pygad" not in INSTALLED, reason="the extra `bench` is not installed")
def test_a_hundred_times_faster_than_other_genetic_algorithms(told):
    assert told["ratio"]["pymoo"] >= 100
    assert told["ratio"]["pygad"] >= 100


def test_thirty_times_faster_than_differential_evolution(told):
    assert told["ratio"]["scipy_de"] >= 30


def test_variable_projection_takes_a_fraction_of_a_genetic_run(told):
    assert told["figures"]["varpro_ms"] < 0.2 * told["figures"]["hybrid_ms"]


def test_without_the_optional_ones_it_still_tells(monkeypatch):
    monkeypatch.setattr(identify_friction, "SOLVERS", {"nobody": (identify_friction._scipy_de, "no_such_package")})
    monkeypatch.setattr(identify_grey, "SOLVERS", {"nobody": (identify_grey._lsim, "no_such_package")})
    told = identify.run(quick=True)
    assert told["ratio"] == {}
    assert told["figures"]["hybrid_ms"] > 0 and told["figures"]["greybox_s"] > 0


def test_a_trial_of_the_grey_box_is_thirty_times_faster_than_lsims_in_the_same_trust_region(told):
    assert told["figures"]["greybox_samples"] / 2000 > 15.5
    assert told["ratio"]["lsim"] >= 30


@pytest.mark.skipif("casadi" not in GREY, reason="the extra `bench` is not installed")
def test_a_trial_of_the_grey_box_is_ten_times_faster_than_casadis(told):
    assert told["ratio"]["casadi"] >= 10


def test_another_minimum_than_ours_is_found_out(monkeypatch):
    monkeypatch.setattr(identify_grey, "SOLVERS", {"lsim": (lambda one: (1.0, 1.001 * squares, 2), "scipy")})
    squares = identify_grey.search(identify_grey.case(quick=True).problem).squares
    with pytest.raises(HilctlError, match=r"lsim ended at 1\.001\d* times our sum of squares"):
        identify_grey.run(quick=True)


@pytest.fixture(scope="module")
def grey():
    """To the end: everyone must arrive at the same sum of squares from the paper's start."""
    return identify_grey.run(quick=False)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_grey_box_is_thirty_times_faster_than_lsim_in_the_same_trust_region(grey):
    assert grey["figures"]["greybox_samples"] / 2000 > 15.5
    assert grey["ratio"]["lsim"] >= 30


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.skipif("casadi" not in GREY, reason="the extra `bench` is not installed")
def test_the_grey_box_is_ten_times_faster_than_casadi(grey):
    assert grey["ratio"]["casadi"] >= 10
