"""What the sensors' scales do to points and parameters, which no scatter shows."""

import numpy as np
import pytest

from hilctl.experiment.record import record_of
from hilctl.friction import check_friction
from hilctl.identify.friction import Evolution, check_points, fit_friction
from hilctl.identify.friction.estimate_speed import SCALES, evaluate
from hilctl.identify.friction.judge_expected import expect
from tests.unit.identify.friction.campaign_parts import LEG, facts, triangle
from tests.unit.identify.friction.conftest import PAPER_LAW, SPEEDS

SENSED = ("pressure_a_pa", "pressure_b_pa", "acceleration_m_s2")
QUICK = Evolution(runs=1, generations=1, population=8)
RIG = facts()
AREA, SUPPLY, ACCURACY = 3e-3, 21e6, 0.002
WAYS = np.repeat([1.0, -1.0], len(SPEEDS))


def evaluated(samples):
    return evaluate(0, LEG, record_of(samples, 1000.0), RIG, expect(RIG))


@pytest.mark.parametrize(("sensor", "channel"), list(zip(SCALES, SENSED, strict=True)))
def test_a_point_says_by_how_much_each_scale_would_shift_it(sensor, channel):
    samples = triangle(noise=0.0)
    samples["acceleration_m_s2"] = samples["acceleration_m_s2"] + 0.5
    before = evaluated(samples)
    off = RIG[f"sensors.{sensor}.accuracy"] / np.sqrt(3)
    after = evaluated({**samples, channel: samples[channel] * (1 + off)})
    row = SCALES.index(sensor)
    for point, shifted, scales_n in zip(before.points, after.points, before.scales_n, strict=True):
        assert abs(scales_n[row]) > 0.1
        assert shifted.force_n - point.force_n == pytest.approx(scales_n[row], rel=1e-6)


def points(seed, table=PAPER_LAW, told=True):
    """Of a rig whose pressure and displacement scales are off, each within its accuracy."""
    chance = np.random.default_rng(seed)
    off_a, off_b, off_x = chance.uniform(-ACCURACY, ACCURACY, 3)
    speed = WAYS * np.tile(SPEEDS, 2)
    force, sd = check_friction(table).curve(speed), 2.0
    pressures = 0.5 * (SUPPLY + force / AREA), 0.5 * (SUPPLY - force / AREA)
    shown = force + AREA * (off_a * pressures[0] - off_b * pressures[1]) + sd * chance.standard_normal(len(speed))
    made = check_points(speed * (1 + off_x), shown, np.full(len(speed), sd))
    one_sd = ACCURACY / np.sqrt(3)
    scales_n = one_sd * AREA * np.array([pressures[0], -pressures[1]])
    return made._replace(scales_n=scales_n, speed_scale_sd=one_sd) if told else made


def held(told, seeds=40):
    """How often each parameter's interval holds the truth."""
    fits = [fit_friction(points(seed, told=told), how=QUICK) for seed in range(seeds)]
    return {
        name: np.mean([fit.parameter(name).low <= PAPER_LAW[name] <= fit.parameter(name).high for fit in fits])
        for name in ("fc", "fs", "vs", "sigma")
    }


def test_intervals_hold_the_truth_of_rigs_whose_scales_are_off_and_would_not_without_the_accuracy():
    share = held(told=True)
    assert all(0.9 <= one <= 1.0 for one in share.values()), share
    blind = held(told=False)
    assert min(blind.values()) < 0.7, blind


def test_where_directions_differ_a_constant_force_of_the_sensors_stays_within_coulombs_interval():
    """Two pressure sensors that read apart by 0.4 % of 10.5 MPa each add 126 N, nearly half of Coulomb's 287 N."""
    apart = {**PAPER_LAW, "negative": {"fs": 2700.0, "vs": 0.09, "sigma": 3600.0}}
    for seed in range(20):
        fit = fit_friction(points(seed, table=apart), how=QUICK)
        assert fit.directions == "apart"
        fc = fit.parameter("fc")
        assert fc.low <= 287.0 <= fc.high
        assert fc.high - fc.low > 150.0


def test_covariance_and_interval_grow_by_the_same_shift():
    told, blind = (fit_friction(points(3, told=one), how=QUICK) for one in (True, False))
    names = told.knowledge[0].names
    grown = np.diag(np.array(told.knowledge[0].covariance) - np.array(blind.knowledge[0].covariance))
    for name, more in zip(names, grown, strict=True):
        if name == "offset":
            continue
        one, other = told.parameter(name), blind.parameter(name)
        wider = (0.5 * (one.high - one.low)) ** 2 - (0.5 * (other.high - other.low)) ** 2
        assert wider == pytest.approx(1.96**2 * more, rel=1e-3)
