"""Forty rigs, each commissioned and later verified; half of them have changed meanwhile, by more than their intervals.

Every rig is another: machine, friction and sensors differ from the rig file; a third have a valve as it is sold. A
change is drawn from those below, and is 1.25 to 5 times the least that is to be found: the interval of the difference,
or what matters. Rightly judged is a rig that has not changed and is found unchanged, and one that has and is found
changed, with its cause and no other.
`pytest -s -m slow tests/system/test_verify_many.py` prints the table.
"""

import os
from collections import Counter

import numpy as np
import pytest

from tests.system.test_commission import CURVE, NOMINAL, below
from tests.system.verify_parts import changed, commissioned, verified

SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
RIGS = 2 * max(1, round(20 * SHARE))
SHORT = {"warm_up_s": 1.0, "campaign_s": 60.0, "only": ("plant", "friction")}
RIGHT = 0.95


def rig(chance, as_sold=False):
    """What differs from the rig file, and stays; a valve as it is sold has overlap and hysteresis."""
    made = {f"twin.machine.{key}": value * chance.uniform(0.88, 1.12) for key, value in NOMINAL.items()}
    model = ("karnopp", "lugre", "gms")[chance.integers(3)]
    more = {"lugre": {"s0": 1e8, "s1": 1e5, "vd": 0.1}, "gms": {"elements": 4, "s0": 1e8}}.get(model, {})
    curve = {key: value * chance.uniform(0.85, 1.15) for key, value in CURVE.items()}
    made |= below({"model": model, **curve, **more})
    for side in "ab":
        made[f"twin.sensors.pressure_{side}.gain_error"] = chance.uniform(-0.002, 0.002)
        made[f"twin.sensors.pressure_{side}.bias_pa"] = chance.uniform(-25e3, 25e3)
    made |= {"twin.valve.null_bias": chance.uniform(-0.02, 0.02)}
    if as_sold:
        overlap, hysteresis = chance.uniform(0.01, 0.03), chance.uniform(0.0, 0.005)
        made |= {"machine.dead_band": overlap, "machine.hysteresis": hysteresis, "twin.valve.hysteresis": hysteresis,
                 "twin.machine.dead_band": overlap * chance.uniform(0.95, 1.05)}  # fmt: skip
    return made


def scaled(made, key, factor):
    return {key: made[key] * factor}


def more_or_less(chance, least, most):
    """A factor that far from 1, on either side."""
    return 1 + chance.choice([-1, 1]) * chance.uniform(least, most)


def payload(made, chance):
    return scaled(made, "twin.machine.m", more_or_less(chance, 0.025, 0.1))


def oil(made, chance):
    warmer = chance.choice([-1, 1]) * chance.uniform(7, 14)
    thinner = np.exp(-0.04 * warmer)
    return {**scaled(made, "twin.friction.sigma", thinner), **scaled(made, "twin.machine.Ctc", 1 / thinner),
            "twin.sensors.oil_temperature.value_degc": 40.0 + warmer}  # fmt: skip


def coulomb(made, chance):
    return scaled(made, "twin.friction.fc", 1 + chance.uniform(0.2, 0.6))


def static(made, chance):
    return scaled(made, "twin.friction.fs", more_or_less(chance, 0.04, 0.2))


def null(made, chance):
    return {"twin.valve.null_bias": made["twin.valve.null_bias"] + chance.choice([-1, 1]) * chance.uniform(2e-3, 75e-4)}


def gain(made, chance):
    return scaled(made, "twin.machine.Qn", more_or_less(chance, 0.02, 0.09))


def air(made, chance):
    return scaled(made, "twin.machine.beta", 1 - chance.uniform(0.065, 0.25))


def edges(made, chance):
    return {"twin.machine.dead_band": made.get("twin.machine.dead_band", 0.0) + chance.uniform(2e-3, 75e-4)}


def drift(made, chance):
    key = "twin.sensors.pressure_a.bias_pa"
    return {key: made[key] + chance.choice([-1, 1]) * chance.uniform(130e3, 500e3)}


def scale(made, chance):
    off = chance.choice([-1, 1]) * chance.uniform(0.045, 0.15)
    keys = [f"twin.sensors.pressure_{side}.gain_error" for side in "ab"]
    return {key: made[key] + off for key in keys}


KINDS = {
    payload: "payload", oil: "oil_temperature", coulomb: "wear", static: "wear", null: "valve_null", gain: "valve_gain",
    air: "oil_stiffness", edges: "valve_edges", drift: "sensor_drift", scale: "pressure_scale",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_of_forty_rigs_of_which_half_have_changed_nearly_all_are_judged_rightly(tmp_path):
    table, wrong = Counter(), []
    order = list(KINDS)
    for number in range(RIGS):
        chance = np.random.default_rng(number)
        kind = order[number // 2 % len(order)] if number % 2 else None
        made = rig(chance, as_sold=number % 3 == 2)
        file = commissioned(tmp_path / f"{number}", made | {"twin.seed": number}, **SHORT)
        meanwhile = kind(made, chance) if kind else {}
        told = verified(file, tmp_path / f"{number}v", made | meanwhile | {"twin.seed": 1000 + number})
        codes = [cause.code for cause in told.causes]
        table["changed" if kind else "unchanged", told.verdict] += 1
        right = codes == [KINDS[kind]] if kind else told.verdict == "unchanged"
        name = kind.__name__ if kind else "as it was"
        print(f"{number:2} {name:10} {told.verdict:10} {'' if right else 'WRONG'} {codes} {sorted(changed(told))} "
              f"{meanwhile}")  # fmt: skip
        if not right:
            other = {key: one for key, one in told.compared.items() if one.verdict != "unchanged"}
            wrong.append((name, told.verdict, codes, other))
    print("\n                 found unchanged  undecided  changed")
    for truth in ("unchanged", "changed"):
        print(f"{truth:>15} " + "".join(f"{table[truth, found]:13}" for found in ("unchanged", "undecided", "changed")))
    print(f"rightly judged, with the cause: {RIGS - len(wrong)} of {RIGS}")
    assert len(wrong) <= (1 - RIGHT) * RIGS, wrong
