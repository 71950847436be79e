"""Intervals of machine and friction over random rigs, each commissioned as far as both: they hold the truth as often as
they say. Rig file and rig differ; the sensors' scales are off, each within its accuracy.

`pytest -s -m slow tests/system/test_intervals_hold.py` prints how often, and how wide they are.
"""

import os
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from hilctl.client import Client, private_service
from hilctl.commission import Commissioning, How
from hilctl.friction import MODELS

SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
RIGS = max(2, round(40 * SHARE))
MACHINE = {"m": 500.0, "Qn": 4.6188e-3, "beta": 9e8, "wv": 643.0, "zv": 0.88, "Ctc": 5e-12}
CURVE = ("fc", "fs", "vs", "sigma")
VALVE = ("overlap_a", "hysteresis", "null", "threshold", "edge_rounding")
SCALES = {"pressure_a": 0.002, "pressure_b": 0.002, "displacement": 0.001, "acceleration": 0.005}
# Half of an interval, median, in % of the value.
WIDEST = {"fs": 1.0, "fc": 10.0, "wv": 5.0}


def a_rig(seed: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Its truth, and the changes of table-500."""
    chance = np.random.default_rng(seed)
    truth = {key: value * chance.uniform(0.85, 1.15) for key, value in MACHINE.items()}
    changes: dict[str, Any] = {f"twin.machine.{key}": value for key, value in truth.items()}
    model = ("karnopp", "lugre", "gms")[chance.integers(3)]
    friction: dict[str, Any] = dict(MODELS[model].typical)
    friction |= {key: friction[key] * chance.uniform(0.8, 1.2) for key in CURVE}
    changes |= {"twin.friction.model": model, **{f"twin.friction.{key}": value for key, value in friction.items()}}
    for name, limit in SCALES.items():
        changes[f"twin.sensors.{name}.gain_error"] = chance.uniform(-limit, limit)
    for side in "ab":
        changes[f"twin.sensors.pressure_{side}.bias_pa"] = chance.uniform(-25e3, 25e3)
    null = chance.uniform(-0.02, 0.02)
    overlap, hysteresis = (chance.uniform(0.0, most) * (chance.random() < 0.7) for most in (0.03, 0.005))
    changes |= {
        "twin.valve.null_bias": -null, "twin.seed": seed, "twin.machine.overlap_a": overlap,
        "twin.machine.overlap_b": overlap, "twin.valve.hysteresis": hysteresis,
        "machine.dead_band": overlap * chance.uniform(0.8, 1.2), "machine.hysteresis": hysteresis,
    }  # fmt: skip
    edges = np.random.default_rng([seed, 1])
    threshold, rounding = (edges.uniform(0.0, most) * (edges.random() < 0.7) for most in (0.002, 0.003))
    changes |= {"twin.valve.threshold": threshold, "twin.valve.edge_rounding": rounding}
    truth |= {key: friction[key] for key in CURVE}
    truth |= dict(zip(VALVE, (overlap, hysteresis, null, threshold, rounding), strict=True))
    return truth, changes


@pytest.mark.slow
@pytest.mark.timeout(2400)
def test_intervals_hold_the_truth_of_random_rigs_as_often_as_they_say(tmp_path):
    held: dict[str, list[bool]] = {}
    wide: dict[str, list[float]] = {}
    for seed in range(RIGS):
        truth, changes = a_rig(seed)
        with private_service("table-500", changes=changes) as service, Client(service.commands) as rig:
            work = Commissioning(rig, How(tmp_path / str(seed), warm_up_s=1.0, only=("plant", "friction")))
            found = work.run()
        assert found.fit is not None
        named = {**found.plant, **found.fit.parameters}
        for key, value in truth.items():
            low, high = named[key].bounds
            if key in VALVE and not named[key].identified:  # beside a wide hysteresis, or without overlap
                continue
            held.setdefault(key, []).append(low <= value <= high)
            wide.setdefault(key, []).append(50 * (high - low) / (1.0 if key in VALVE else value))
    for key, some in held.items():
        print(f"{key:10} {np.mean(some):4.0%} of {len(some)}, half {np.median(wide[key]):.3g} %")
    # What nine of ten hold is held by fewer in one of twenty such lists.
    assert all(sum(some) >= binom.ppf(0.05, len(some), 0.9) for some in held.values()), held
    assert np.mean([one for some in held.values() for one in some]) >= 0.9
    assert all(np.median(wide[key]) <= most for key, most in WIDEST.items())
