"""How strongly friction acts back on the forces that cause it, at worst over every pose.

The joints' forces obey K λ + Σ B_j |λ_j| = k (`pendulum.py`), where B_j, the arm of friction times a vector of the
pose, is what friction in joint j adds. As a fixed point, λ = K⁻¹ (k - Σ B_j |λ_j|): a contraction, so with one
solution, where

    coupling = max over joints i of Σ_j |(K⁻¹ B_j)_i|  <  1

Otherwise friction may jam the mechanism, and the model of rigid bodies has no unique acceleration (Painlevé). One link
on a fixed pivot gives w m a / (J + m a²): the arm against the distance to its centre of oscillation.
"""

import numpy as np

from sim.specimens.links import Joint, Link

_POSES = 48  # of the second link to the first; the coupling varies as cosines do


def coupling(first: Link, second: Link, joint1: Joint, joint2: Joint) -> float:
    """The greatest coupling on a table that stands still, at the greatest friction there is."""
    arms = [joint.radius_m * joint.mu_s / np.hypot(1.0, joint.mu_s) for joint in (joint1, joint2)]
    if not any(arms):
        return 0.0
    a1, b1, a2 = first.centre, first.length_m - first.centre, second.centre
    angles = np.linspace(0.0, 2 * np.pi, _POSES, endpoint=False)
    turns = np.zeros((_POSES, 2, 4))  # what the two angular accelerations take from λ, times J; the first link at 0
    turns[:, 0, 0], turns[:, 0, 2] = a1, b1
    turns[:, 1, 2], turns[:, 1, 3] = a2 * np.cos(angles), a2 * np.sin(angles)
    accelerations = turns.transpose(0, 2, 1) / [first.inertia, second.inertia]
    shift = np.array([[1.0, -1.0], [-1.0, 1.0]]) / first.m + np.diag([0.0, 1.0]) / second.m
    matrix = np.kron(shift, np.eye(2)) + accelerations @ turns
    # joint 1 turns link 1 by -w1 |λ1|, joint 2 by +w2 |λ2|, and link 2 by -w2 |λ2|
    friction = accelerations @ np.array([[arms[0], -arms[1]], [0.0, arms[1]]])
    answer = np.linalg.solve(matrix, friction).reshape(_POSES, 2, 2, 2)  # joint i, component, joint j
    return float(np.linalg.norm(answer, axis=2).sum(axis=2).max())
