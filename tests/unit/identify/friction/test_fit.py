"""The result: a table for the rig file, and everything a report tells, as JSON."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from hilctl.friction import check_friction
from hilctl.identify.friction import Evolution, fit_friction
from hilctl.identify.friction.fit import REACHED

QUICK = Evolution(runs=2, generations=12)
NEGATIVE = {"fc": 350, "fs": 2800, "vs": 0.1, "sigma": 3600}


@pytest.fixture(scope="module")
def alike(measured):
    return fit_friction(measured(0)[0])


@pytest.fixture(scope="module")
def apart(measured):
    table = {"model": "stribeck", "fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251, "negative": NEGATIVE}
    return fit_friction(measured(0, table=table, gross=3)[0])


def test_the_table_is_one_that_the_rig_file_takes(alike, apart):
    for fit in (alike, apart):
        again = check_friction(fit.friction.table())
        assert again == fit.friction
    names = list(apart.parameters)
    assert names == ["fc", "fs", "vs", "sigma", "negative.fc", "negative.fs", "negative.vs", "negative.sigma"]
    for key, p in apart.parameters.items():
        table, _, name = key.rpartition(".")
        values = apart.friction.table()
        assert (values[table] if table else values)[name] == p.value
    assert [p.unit for p in alike.parameters.values()] == ["N", "N", "m/s", "N·s/m"]


def test_the_curve_is_that_of_the_table(alike, apart):
    for fit in (alike, apart):
        offset = fit.offset.value if fit.offset else 0.0
        assert fit.curve_n == pytest.approx(fit.friction.curve(fit.points.speed_m_s) + offset, rel=1e-9)
        assert fit.residual_n == pytest.approx(fit.points.force_n - fit.curve_n)


def test_how_much_is_explained(alike):
    folded = alike.points.direction * alike.points.force_n
    w = alike.points.sd_n**-2.0
    mean = np.average(folded, weights=w)
    left = np.sum(w * alike.residual_n**2) / np.sum(w * (folded - mean) ** 2)
    assert alike.r2 == pytest.approx(1 - left)
    assert alike.fit_percent == pytest.approx(100 * (1 - np.sqrt(left)))
    assert 90 < alike.fit_percent < 99


def test_the_genetic_search_stands_beside_the_yardstick(alike, apart):
    assert [search.key for search in apart.searches] == ["", "negative."]
    for fit in (alike, apart):
        for search in fit.searches:
            assert search.reached == 1.0
            assert search.gap < REACHED
            assert max(search.spread) < 1e-6
            assert np.shape(search.history) == (10, 21, 4)
            for name, value in zip(search.names, search.mean, strict=True):
                assert fit.parameter(name).value == pytest.approx(value, rel=1e-6)
    assert np.array(alike.searches[0].history)[:, -1].mean(axis=0) == pytest.approx(alike.searches[0].mean)


def test_runs_that_miss_are_told(measured):
    fit = fit_friction(measured(0)[0], how=Evolution(runs=4, generations=1, population=8, steps=1))
    (missed,) = fit.flagged("search_missed")
    assert "0 % of the genetic runs reach" in missed.text
    assert fit.parameter("fs").value == pytest.approx(3118, rel=0.03)  # the law does not rest on them


def test_json_holds_all_of_it(alike, apart):
    for fit in (alike, apart):
        told = json.loads(json.dumps(fit.to_json(), allow_nan=False))
        assert told["table"]["model"] == "stribeck"
        assert told["parameters"].keys() == fit.parameters.keys()
        for name, p in fit.parameters.items():
            assert told["parameters"][name]["value"] == p.value
            assert told["parameters"][name]["low"] < p.value < told["parameters"][name]["high"]
        assert len(told["points"]["residual_n"]) == fit.points.size
        assert [r["point"] for r in told["rejected"]] == [r.point for r in fit.rejected]
        assert len(told["searches"][0]["history"]) == 10
        assert len(told["knowledge"][0]["covariance"]) == 4
        assert {flag["code"] for flag in told["flags"]} == {flag.code for flag in fit.flags}


def test_what_is_no_number_is_null(alike):
    told = alike._replace(scatter_n=float("nan"), r2=float("-inf")).to_json()
    assert told["scatter_n"] is None
    assert told["r2"] is None


def test_the_order_of_the_points_changes_nothing(measured):
    points, _, _ = measured(4, gross=3)
    order = np.random.default_rng(0).permutation(points.size)
    mixed = points._replace(**{name: getattr(points, name)[order] for name in ("speed_m_s", "force_n", "sd_n")})
    one, other = fit_friction(points, how=QUICK), fit_friction(mixed, how=QUICK)
    for name, p in one.parameters.items():
        q = other.parameters[name]
        assert (q.value, q.low, q.high) == pytest.approx((p.value, p.low, p.high), rel=1e-8)
    assert {order[r.point] for r in other.rejected} == {r.point for r in one.rejected}


def test_the_units_of_force_change_nothing(measured):
    points, _, _ = measured(4)
    ten = points._replace(force_n=10 * points.force_n, sd_n=10 * points.sd_n)
    one, other = fit_friction(points, how=QUICK), fit_friction(ten, how=QUICK)
    for name, p in one.parameters.items():
        q = other.parameters[name]
        scale = 1.0 if name == "vs" else 10.0
        assert (q.value, q.low, q.high) == pytest.approx((scale * p.value, scale * p.low, scale * p.high), rel=1e-6)


PLAIN = """
import numpy as np
from hilctl.identify.friction import Evolution, check_points, fit_friction
s = np.geomspace(0.001, 0.8, 10)
s = np.concatenate((s, -s))
f = np.sign(s) * (287 + 2831 * np.exp(-((np.abs(s) / 0.115) ** 2)) + 3251 * np.abs(s))
f *= 1 + 0.01 * np.random.default_rng(0).standard_normal(20)
fit = fit_friction(check_points(s, f), how=Evolution(runs=1, generations=3, population=8), forms=FORMS)
print([p.value for p in fit.parameters.values()], [p.high for p in fit.parameters.values()], fit.searches[0].mean)
"""


def test_it_also_runs_as_plain_python():
    script = PLAIN.replace("FORMS", "(laws.COULOMB, laws.GAUSSIAN), robust=False").replace(
        "import numpy as np", "import numpy as np\nfrom hilctl.identify.friction import model_laws as laws", 1
    )
    told = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", script], env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True, text=True, check=True,
        ).stdout
        for off in ("0", "1")
    ]  # fmt: skip
    compiled, plain = (np.array(out.translate(str.maketrans("[](),", "     ")).split(), float) for out in told)
    assert len(plain) == 12
    assert plain == pytest.approx(compiled, rel=1e-7)
