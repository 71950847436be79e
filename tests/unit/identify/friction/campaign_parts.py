"""What the tests of the campaign share: the reference rig's facts, and samples of a triangle made by hand."""

import numpy as np

from hilctl import rig as rigs
from hilctl.experiment.facts import Facts
from hilctl.identify.friction.plan import Leg

RATE_HZ = 1000.0


def facts(**changes):
    """Of table-500, as a service would tell them; `changes` with dots as double underscores."""
    dotted = {key.replace("__", "."): value for key, value in changes.items()}
    tree = rigs.as_table(rigs.load("table-500", twin=True))
    values = dict(_flat(tree))
    return Facts("table-500", RATE_HZ, 1, {**values, **dotted})


def _flat(tree, at=""):
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{at}{name}.")
        else:
            yield at + name, value


def friction(v):
    return 287 + (3118 - 287) * np.exp(-((v / 0.115) ** 2)) + 3251 * v


LEG = Leg(0.1, 0.03, 0.0, 3, 0.02, 0.2, 4.0)


def triangle(speed=0.1, straight_s=0.4, corner_s=0.02, straights=6, noise=1.0, seed=1, offset_n=0.0, late=0):
    """Samples of a table that follows its reference exactly. `late`: ticks by which the accelerometer is."""
    random = np.random.default_rng(seed)
    one = np.concatenate((np.full(int(straight_s * RATE_HZ), 1.0), np.linspace(1, -1, int(corner_s * RATE_HZ))))
    v = speed * np.concatenate([one if k % 2 == 0 else -one for k in range(straights)])
    v = np.concatenate((np.linspace(0, speed, 20), v))
    a = np.gradient(v) * RATE_HZ
    x = np.cumsum(v) / RATE_HZ
    x -= 0.5 * (x.max() + x.min())
    straight = np.isclose(np.abs(v), speed, rtol=1e-12, atol=0)
    load = (np.sign(v) * friction(np.abs(v)) + 500.0 * a + offset_n) / 3e-3
    n = len(v)
    shown = np.concatenate((np.full(late, a[0]), a[: n - late])) + 0.02 * noise * random.standard_normal(n)
    return {
        "tick": np.arange(n), "epoch": np.ones(n, int),
        "displacement_m": x + 5e-6 * noise * random.standard_normal(n), "acceleration_m_s2": shown,
        "pressure_a_pa": 10.5e6 + 0.5 * load + 25e3 * noise * random.standard_normal(n),
        "pressure_b_pa": 10.5e6 - 0.5 * load + 25e3 * noise * random.standard_normal(n),
        "supply_pressure_pa": np.full(n, 21e6), "oil_temperature_degc": np.full(n, 40.0),
        "xd_m": x, "vd_m_s": np.where(straight, v, 0.99 * v), "ad_m_s2": a, "rejected": np.zeros(n, int),
        "u_cmd": np.zeros(n), "saturated": np.zeros(n, int),
    }  # fmt: skip
