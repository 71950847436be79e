"""The chain on the table: Lagrange's equations in the joints' own angles, friction coupled to the normal forces.

θ_k is a link's angle (0 hanging, counter-clockwise), β_j the relative acceleration of joint j, α_k = Σ_{j<=k} β_j. With
the constants of `geometry.py`, n = (cos θ, sin θ), e = (sin θ, -cos θ), a row for each link's turning,

    Σ_l inertia_kl [cos(θk-θl) α_l + sin(θk-θl) ω_l²] + load_1k (cos θk x'' + g sin θk) = M_k + T_k - T_k+1
    (mt + Σ m) x'' + Σ_k load_1k (cos θk α_k - sin θk ω_k²) = F                              the table

and the sum of the rows from link j on has one torque of friction, joint j's own: B β = h + T. What joint j transmits is

    λ_j = hanging_j (x'', g) + Σ_k load_jk (n_k α_k - e_k ω_k²)

and a law that is proportional to the normal force turns with T_j = -arm_j |λ_j|, arm = r mu / sqrt(1 + mu²)
(`sim/specimens/joint.py`). |λ| is all that is not linear: Newton's method, from the last solution. A joint that sticks
has β_j = 0 in place of its row, and its torque is what its row then wants.
"""

import math
from typing import Any

from hilctl.friction.model import Kind
from hilctl.friction.registry import rt_bent, rt_steady
from hilctl.machine import GRAVITY
from hilctl.rt.jit import jit
from sim.specimens.chain.record import DRIVE_WORK, LOSS, NO_LAW, SPEED, TABLE_WORK, TIME, TURN

_ROUNDS = 30  # of Newton's method; two or three are usual
_CLOSE = 1e-8  # relative: its error is squared in a round, so the next correction would be nothing
_CALM = 1000.0  # 1/s: how fast what is left of a joint's speed goes where it sticks


@jit()
def rt_poses(c: Any, y: Any) -> None:
    """Sines, cosines and angular speeds of the links."""
    angle = turning = 0.0
    for k in range(c.links):
        angle += y[TURN + k]
        turning += y[SPEED + k]
        c.sin[k], c.cos[k], c.turning[k] = math.sin(angle), math.cos(angle), turning


@jit()
def rt_law(hinge: Any, w: float) -> float:
    """The law's force, or torque, at an angular speed of the joint."""
    v = hinge.lever * w
    if hinge.kind == Kind.BRISTLES.value:
        force: float = rt_bent(hinge.law, hinge.p, hinge.z, v)
        return force
    mode = hinge.mode if hinge.kind == Kind.JUMPS.value else 0.0
    slides: float = rt_steady(hinge.law, hinge.p, mode, v)
    return slides


@jit()
def rt_arm(hinge: Any, force: float) -> float:
    """The arm of friction, of a law that is proportional to the normal force."""
    mu = force * hinge.per_load * hinge.lever / hinge.radius
    arm: float = hinge.radius * mu / math.sqrt(1.0 + mu * mu)
    return arm


@jit()
def rt_system(spec: Any, y: Any, force_on_table: float, held: bool) -> None:
    """B and h, and the joints' forces as functions of the accelerations."""
    c, n, g = spec.chain, spec.chain.links, spec.gravity
    s, k_, w = c.sin, c.cos, c.turning
    # from the last link up: sums over the links from a joint on
    for i in range(n - 1, -1, -1):
        right = c.couple[i] * math.sin(c.drive[i] * y[TIME]) - c.load[0, i] * g * s[i]
        for m in range(n):
            right -= c.inertia[i, m] * (s[i] * k_[m] - k_[i] * s[m]) * w[m] * w[m]
        below = i < n - 1
        c.right[i] = right + (c.right[i + 1] if below else 0.0)
        c.system[i, n] = c.load[0, i] * k_[i] + (c.system[i + 1, n] if below else 0.0)
        row = 0.0
        for m in range(n - 1, -1, -1):
            row += c.inertia[i, m] * (k_[i] * k_[m] + s[i] * s[m])
            c.system[i, m] = row + (c.system[i + 1, m] if below else 0.0)
    total = c.mass[0]
    c.right[n] = force_on_table
    for m in range(n):
        c.system[n, m] = c.system[m, n]
        c.right[n] += c.load[0, m] * s[m] * w[m] * w[m]
    c.system[n, n] = total + 1.0 / spec.per_table
    if held:
        for m in range(n):
            c.system[n, m] = 0.0
        c.system[n, n], c.right[n] = 1.0, 0.0
    for j in range(n):
        x, h, across, up = 0.0, c.mass[j] * g, 0.0, 0.0
        for m in range(n - 1, -1, -1):
            load = c.load[j, m]
            x -= load * s[m] * w[m] * w[m]
            h += load * k_[m] * w[m] * w[m]
            across += load * k_[m]
            up += load * s[m]
            c.lean[j, 0, m], c.lean[j, 1, m] = across, up
        c.rest[j, 0], c.rest[j, 1] = x, h
        c.lean[j, 0, n], c.lean[j, 1, n] = c.mass[j], 0.0


@jit()
def rt_rubbing(c: Any, y: Any) -> bool:
    """The arms of friction and its constant torques; whether any depends on the forces."""
    coupled = False
    for j in range(c.links):
        hinge = c.hinge[j]
        c.arm[j] = c.fixed[j] = 0.0
        if hinge.law == NO_LAW or (hinge.kind == Kind.JUMPS.value and hinge.mode == 0.0):
            continue
        force = rt_law(hinge, y[SPEED + j])
        if hinge.per_load > 0.0:
            c.arm[j] = rt_arm(hinge, force)
            coupled = coupled or c.arm[j] != 0.0
        else:
            c.fixed[j] = force * hinge.lever
    return coupled


@jit()
def rt_eliminate(work: Any, n: int) -> None:
    """Solves the n equations in `work`, the last column being the right side; the answer is left there."""
    for i in range(n):
        pivot = i
        for k in range(i + 1, n):
            if abs(work[k, i]) > abs(work[pivot, i]):
                pivot = k
        if pivot != i:
            for m in range(i, n + 1):
                work[i, m], work[pivot, m] = work[pivot, m], work[i, m]
        over = 1.0 / work[i, i]
        for k in range(i + 1, n):
            share = work[k, i] * over
            if share != 0.0:
                for m in range(i, n + 1):
                    work[k, m] -= share * work[i, m]
    for i in range(n - 1, -1, -1):
        value = work[i, n]
        for m in range(i + 1, n):
            value -= work[i, m] * work[m, n]
        work[i, n] = value / work[i, i]


@jit()
def rt_forces(c: Any) -> None:
    """The joints' forces at the accelerations that are the answer."""
    n = c.links
    for j in range(n):
        x, h = c.rest[j, 0], c.rest[j, 1]
        for m in range(n + 1):
            x += c.lean[j, 0, m] * c.answer[m]
            h += c.lean[j, 1, m] * c.answer[m]
        c.force[j] = math.sqrt(x * x + h * h)


@jit()
def rt_round(c: Any, y: Any) -> float:
    """One round of Newton's method; the relative correction comes back."""
    n, work = c.links, c.work
    for i in range(n + 1):
        left = -c.right[i]
        for m in range(n + 1):
            work[i, m] = c.system[i, m]
            left += c.system[i, m] * c.answer[m]
        work[i, n + 1] = -left
    for j in range(n):
        hinge = c.hinge[j]
        if hinge.law != NO_LAW and hinge.kind == Kind.JUMPS.value and hinge.mode == 0.0:
            for m in range(n + 1):
                work[j, m] = 0.0
            work[j, j], work[j, n + 1] = 1.0, -_CALM * y[SPEED + j] - c.answer[j]
            continue
        work[j, n + 1] -= c.fixed[j]
        if c.arm[j] != 0.0:
            x, h = c.rest[j, 0], c.rest[j, 1]
            for m in range(n + 1):
                x += c.lean[j, 0, m] * c.answer[m]
                h += c.lean[j, 1, m] * c.answer[m]
            size = math.sqrt(x * x + h * h)
            work[j, n + 1] -= c.arm[j] * size
            over = c.arm[j] / size if size > 0.0 else 0.0
            for m in range(n + 1):
                work[j, m] += over * (x * c.lean[j, 0, m] + h * c.lean[j, 1, m])
    rt_eliminate(work, n + 1)
    change, size = 0.0, GRAVITY  # at rest: compared with gravity
    for i in range(n + 1):
        c.answer[i] += work[i, n + 1]
        change += abs(work[i, n + 1])
        size += abs(c.answer[i])
    return change / size


@jit()
def rt_accelerate_chain(
    spec: Any, y: Any, dy: Any, v_table: float, force_on_table: float, held: bool
) -> tuple[float, float]:
    """The table's acceleration and the chain's force on it; fills dy."""
    c, n = spec.chain, spec.chain.links
    c.push, c.held = force_on_table, held
    rt_poses(c, y)
    rt_system(spec, y, force_on_table, held)
    coupled = rt_rubbing(c, y)
    change, rounds = math.inf, 0
    while rounds < _ROUNDS and not change <= _CLOSE:
        change = rt_round(c, y)
        rounds += 1
        if not coupled and change < math.inf:
            change = 0.0  # linear
    c.solves += 1
    c.rounds += rounds
    if not change <= _CLOSE:
        c.failures += 1
        spec.failures += 1
        for i in range(n + 1):  # what is no number must not be where the next solution starts
            c.answer[i] = 0.0
    rt_forces(c)
    x = c.rest[0, 0]
    for m in range(n + 1):
        x += c.lean[0, 0, m] * c.answer[m]
    dy[TIME], dy[DRIVE_WORK], dy[LOSS], dy[TABLE_WORK] = 1.0, 0.0, 0.0, x * v_table
    for j in range(n):
        torque = -c.right[j]
        for m in range(n + 1):
            torque += c.system[j, m] * c.answer[m]
        c.torque[j] = torque if c.hinge[j].law != NO_LAW else 0.0
        dy[TURN + j], dy[SPEED + j] = y[SPEED + j], c.answer[j]
        dy[LOSS] -= c.torque[j] * y[SPEED + j]
        dy[DRIVE_WORK] += c.couple[j] * math.sin(c.drive[j] * y[TIME]) * c.turning[j]
    return c.answer[n], -x
