"""Constants of a chain's geometry, and how strongly friction acts back on the forces that cause it.

With A_ik the lever of link k's turning at the centre of mass of link i (its length above it, its centre's distance
for itself, nothing below),

    load_jk = Σ_{i>=j} m_i A_ik        inertia_kl = Σ_i m_i A_ik A_il,  and J_k on its diagonal

A joint's force λ depends on the accelerations β, those on friction's torque arm |λ|: the fixed point is a contraction,
so with one solution, where `coupling` = max over joints i of Σ_j |∂λ_i/∂β B⁻¹ arm_j| < 1 in every pose.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sim.specimens.links import Link

MOST_COUPLING = 0.5  # at 1 there may be no acceleration; a free table adds about a sixth
_POSES = 12  # of a joint; the coupling varies as cosines do

Matrix = npt.NDArray[np.float64]


def constants(links: Sequence[Link]) -> tuple[Matrix, Matrix, Matrix]:
    """Masses that hang on each joint, load and inertia."""
    lever = np.array([[*[one.length_m for one in links[:i]], link.centre, *[0.0] * (len(links) - i - 1)]
                      for i, link in enumerate(links)])  # fmt: skip
    mass = np.array([link.m for link in links])
    each = mass[:, None] * lever
    hanging = np.cumsum(mass[::-1])[::-1]
    load = np.cumsum(each[::-1], axis=0)[::-1]
    return hanging, load, lever.T @ each + np.diag([link.inertia for link in links])


def coupling(links: Sequence[Link], hinges: Sequence[Any]) -> float:
    """The greatest coupling on a table that stands still; of a constant load there is none."""
    arms = np.array([0.0 if h.law == "none" or h.load_n else h.radius_m * h.mu_s / np.hypot(1, h.mu_s) for h in hinges])
    if not arms.any():
        return 0.0
    _, load, inertia = constants(links)
    n, turns = len(links), np.linspace(0.0, 2 * np.pi, _POSES, endpoint=False)
    bent = np.array(list(itertools.product([0.0], *[turns] * (n - 1))))
    angles = np.cumsum(bent, axis=1)
    sums = np.triu(np.ones((n, n)))  # over the links from a joint on
    system = sums @ (inertia * np.cos(angles[:, :, None] - angles[:, None, :])) @ sums.T
    along = np.stack([load * np.cos(angles)[:, None, :], load * np.sin(angles)[:, None, :]], axis=2) @ sums.T
    answer = along @ np.linalg.inv(system)[:, None] * arms  # pose, joint i, component, joint j
    return float(np.linalg.norm(answer, axis=2).sum(axis=2).max())
