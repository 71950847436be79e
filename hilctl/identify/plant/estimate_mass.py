"""The moving mass from force and acceleration, for any friction.

    A pL = m a + f(v) + K x + c

Friction is a nuisance: any function of speed, one for each direction, as a broken line. Accelerating and decelerating
through the same speed then separates the mass. Friction follows speed late, by bristles or by its memory, and where it
falls steeply that looks like mass; so only fast sliding counts, at some distance from the reversal, of motions with
much acceleration there. K and a constant c (weight, offsets) are nuisances too.

What is left of that lateness is not known, and no part of the scatter: friction late by s adds -f'(v) s a, the same at
every cycle, which is s f' of mass. So the error of the mass has four parts, each by how much the mass moves with it:

    the scatter        misses within a block belong together
    the motion's time  against the pressures', TIMING_S
    friction's travel  s = d/|v|: bristles bend over some d, TRAVEL_M
    the scales         of the two pressures, and of displacement, as far as they may be off

On the twin, as the mass less 500 kg and its half interval (2026-11, seed 3), the fastest sliding at 0.6 of the limit:

    limits.velocity.max_m_s     1 m/s                0.2 m/s
    Karnopp                     -0.6 (2.4)           2.7 (29)
    LuGre, s0 = 1e8             -0.4 (2.4)           -2.4 (29)
    GMS                         -0.5 (2.4)           23.9 (27)
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hilctl.experiment.drive import LegFault
from hilctl.experiment.scales import load_scale_sd, scale_sd
from hilctl.identify.plant.model_flow import Lines
from hilctl.identify.plant.model_signals import Reals

FAST = 0.45  # of the greatest speed: slower does not count
FAR_M, FAR_SHARE = 2e-3, 0.1  # slid since the reversal; of the whole motion, where that is less
TIMING_S = 2e-4  # standard error; 1.1 to 1.9e-4 s explain what the twins show
TRAVEL_M = 1e-4  # likewise: fs/s0 of the softest bristles thought of, see identify/friction/plan.py
_KNOTS = 6
_BLOCK_S = 0.1  # misses within belong together
FEWEST = 500


class Mass(NamedTuple):
    """The result."""

    value: float
    sd: float  # all four parts of the error
    stiffness: float  # of the load, N/m
    stiffness_sd: float


def weigh(records: Sequence[Lines], tau_s: float, facts: Mapping[str, Any]) -> Mass:
    """The mass, from fresh readings, and the motion with the delay that the flow shows. LegFault: too few of them."""
    area = facts["machine.A"]
    top = max(float(np.quantile(np.abs(lines.v), 0.995)) for lines in records)
    knots = np.linspace(FAST * top, top, _KNOTS)
    rows, forces, blocks, speeds = [], [], [], []
    for number, lines in enumerate(records):
        grid = lines.grid
        v, a = (grid.values(grid.waves(part), np.exp(1j * grid.w * tau_s)) for part in (lines.v, lines.a))
        far_m = min(FAR_M, FAR_SHARE * float(np.ptp(lines.x)))
        counts = (np.abs(v) > FAST * top) & (_slid(v, grid.dt_s) > far_m) & (grid.window == 1.0)
        counts &= lines.fresh
        hats = np.stack([np.interp(np.abs(v), knots, row) for row in np.eye(_KNOTS)], axis=1)
        forward = (v > 0)[:, None]
        rows.append(np.concatenate([a[:, None], lines.x[:, None], hats * forward, hats * ~forward], axis=1)[counts])
        speeds.append(v[counts])
        forces.append(area * lines.load[counts])
        block = np.flatnonzero(counts) // max(1, round(_BLOCK_S / grid.dt_s))
        blocks.append(block + number * 10**7)
    x, y, label = np.concatenate(rows), np.concatenate(forces), np.concatenate(blocks)
    if len(y) < FEWEST:
        raise LegFault(
            f"the mass is not identifiable: only {len(y)} samples of fast sliding, of {FEWEST}; widen limits.velocity "
            "or limits.position"
        )
    scale = np.linalg.norm(x, axis=0)
    scale[scale == 0.0] = 1.0
    inverse = np.linalg.pinv((x / scale).T @ (x / scale))
    found = inverse @ ((x / scale).T @ y)
    miss = y - x / scale @ found
    variance = np.diag(_sandwich(x / scale, miss, label, inverse))
    sd = np.sqrt(np.maximum(variance, 0.0)) / scale  # of a knot that no sample is near, 0 but for rounding
    found = found / scale
    late = _late(x[:, 0], np.concatenate(speeds), found[2:].reshape(2, -1), knots)
    late_kg = inverse[0] @ ((x / scale).T @ late.T) / scale[0]
    scales = found[0] * load_scale_sd(facts), found[0] * scale_sd(facts, "displacement")
    errors = (sd[0], *(late_kg * (TIMING_S, TRAVEL_M)), *scales)
    return Mass(float(found[0]), math.hypot(*errors), float(found[1]), float(sd[1]))


def _late(a: Reals, v: Reals, levels: Reals, knots: Reals) -> Reals:
    """What friction adds that is late by a second, and by a metre of travel; `levels`: at the knots, either way."""
    forward, backward = (np.interp(np.abs(v), knots, np.gradient(level, knots)) for level in levels)
    second = -np.where(v > 0, forward, -backward) * a
    return np.stack([second, second / np.abs(v)])


def _slid(v: Reals, dt_s: float) -> Reals:
    """Distance since the last reversal."""
    way = np.cumsum(np.abs(v)) * dt_s
    turned = np.concatenate([[True], np.sign(v[1:]) != np.sign(v[:-1])])
    return np.asarray(way - np.maximum.accumulate(np.where(turned, way, 0.0)))


def _sandwich(x: Reals, miss: Reals, label: Any, inverse: Reals) -> Reals:
    """Covariance when misses of a block belong together."""
    _, where = np.unique(label, return_inverse=True)
    score = np.zeros((where.max() + 1, x.shape[1]))
    np.add.at(score, where, x * miss[:, None])
    return np.asarray(inverse @ (score.T @ score) @ inverse)
