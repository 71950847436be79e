"""The scales of sensors: what a limit of error is as a standard deviation."""

import math

import pytest

from hilctl.experiment.scales import load_scale_sd, scale_sd, with_scale


def test_a_limit_of_error_counts_as_a_rectangle():
    assert scale_sd({"sensors.displacement.accuracy": 0.003}, "displacement") == pytest.approx(0.003 / math.sqrt(3))


def test_what_was_stored_before_the_rig_file_said_it_has_the_default():
    assert scale_sd({}, "pressure_a") == pytest.approx(0.002 / math.sqrt(3))


def test_either_pressure_contributes_one_half_to_the_load_pressure():
    values = {"sensors.pressure_a.accuracy": 0.004, "sensors.pressure_b.accuracy": 0.003}
    assert load_scale_sd(values) == pytest.approx(0.0025 / math.sqrt(3))


def test_a_scale_adds_to_an_interval_as_independent_errors_do():
    low, high = with_scale(90.0, 100.0, 104.0, 0.03)
    assert (100.0 - low) ** 2 == pytest.approx(10.0**2 + (1.96 * 3.0) ** 2)
    assert (high - 100.0) ** 2 == pytest.approx(4.0**2 + (1.96 * 3.0) ** 2)
