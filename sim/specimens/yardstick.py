"""The yardstick of a chain's motion: another formulation, by scipy's solvers at tight tolerance.

Nothing here comes from the compiled code. Each link has coordinates of its own, the joints are constraints with two
multipliers each, and one dense system gives accelerations and multipliers (Lagrange's equations of the first kind, as
the paper on frictional joints writes them):

    | M   Φqᵀ  Aᵀ | | q'' |   | Q + friction |          Φ: the joints closed; A: joints that stick do not turn
    | Φq  0    0  | | -λ  | = | -Φq' q'      |
    | A   0    0  | | -T  |   | 0            |

Friction is found by going back and forth between forces and accelerations. The state is the links' angles and angular
speeds, from which everything else follows, so that nothing drifts. Laws that jump stop the solver at each event.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.integrate import solve_ivp

from hilctl.errors import WrongUse
from hilctl.machine import GRAVITY
from sim.specimens.chain.settings import Chain, Hinge

JUMPING, BRISTLES = ("coulomb", "stribeck", "karnopp"), ("lugre",)
KNOWN = ("none", *JUMPING, *BRISTLES)
_TOLERANCE = 1e-12
_LONGEST_S = 5e-3  # step, where there are events: two of them in one step would go unseen
_PASSES = 200  # between forces and accelerations; the coupling is a contraction

Column = npt.NDArray[Any]  # of float64


class Yardstick(NamedTuple):
    """A row an instant, a column a link."""

    time_s: Column
    angles_rad: Column
    speeds_rad_s: Column
    asked: int  # how often the equations were solved


def yardstick(own: Chain, seconds: float, count: int) -> Yardstick:
    """The motion at `count` + 1 even instants; WrongUse where a joint has a law that is not among KNOWN."""
    other = [h.law for h in own.hinges if h.law not in KNOWN]
    if other:
        raise WrongUse(f"the yardstick has no law {other[0]!r}; it has {', '.join(KNOWN)}")
    return _Newton(own).integrate(seconds, count)


class _Newton:
    """State: the links' angles, their angular speeds, the joints' bristles."""

    def __init__(self, own: Chain) -> None:
        self.own, self.n, self.asked = own, own.links, 0
        n, links = self.n, own.bodies
        self.mass = np.array([link.m for link in links])
        self.whole = np.diag(np.concatenate([np.repeat(self.mass, 2), [link.inertia for link in links]]))
        self.above = np.array([link.centre for link in links])
        self.below = np.array([link.length_m - link.centre for link in links])
        self.couple = np.array([link.couple_n_m for link in links])
        self.drive = np.array([link.drive_rad_s for link in links])
        self.radius = np.array([h.radius_m for h in own.hinges])
        self.joints = np.eye(n) - np.eye(n, k=-1)  # relative speeds of the joints from those of the links
        self.mode = np.zeros(n)

    def rates(self, t: float, state: Column) -> Column:
        n = self.n
        turning, z = self.joints @ state[n : 2 * n], state[2 * n :]
        speed = self.radius * turning
        bent = np.array([_bend(h, q, v) for h, q, v in zip(self.own.hinges, z, speed, strict=True)])
        return np.concatenate([state[n : 2 * n], self.solved(t, state)[0], bent])

    def solved(self, t: float, state: Column) -> tuple[Column, Column, Column]:
        """Angular accelerations, the joints' resultants, and the torques of joints that stick."""
        self.asked += 1
        n, theta, w = self.n, state[: self.n], state[self.n : 2 * self.n]
        hinges, speed = self.own.hinges, self.radius * (self.joints @ w)
        stuck = [j for j in range(n) if hinges[j].law in JUMPING and self.mode[j] == 0]
        arm, fixed = np.zeros(n), np.zeros(n)
        for j, (hinge, v) in enumerate(zip(hinges, speed, strict=True)):
            if j not in stuck and hinge.law != "none":
                mu = _coefficient(hinge, state[2 * n + j], v, self.mode[j])
                if hinge.load_n:
                    fixed[j] = hinge.radius_m * mu * hinge.load_n
                else:
                    arm[j] = hinge.radius_m * mu / np.hypot(1.0, mu)
        inverse, right = self.system(t, theta, w, stuck)
        size, answer = np.zeros(n), np.zeros(len(right))
        for _ in range(_PASSES):
            right[2 * n : 3 * n] = self.couple * np.sin(self.drive * t) - self.joints.T @ (fixed + arm * size)
            answer = inverse @ right
            now = np.hypot(answer[3 * n : 5 * n : 2], answer[3 * n + 1 : 5 * n : 2])
            if np.abs(now - size).max() <= 1e-15 * now.max() or not arm.any():
                size = now
                break
            size = now
        torque = np.zeros(n)
        torque[stuck] = -answer[5 * n :]
        return answer[2 * n : 3 * n], size, torque

    def system(self, t: float, theta: Column, w: Column, stuck: list[int]) -> tuple[Column, Column]:
        """The matrix's inverse, and the right side without couples and friction."""
        n = self.n
        across, up = np.cos(theta), np.sin(theta)
        closed = np.zeros((2 * n, 3 * n))
        bias = np.zeros(2 * n)
        for j in range(n):  # p_j - above e_j = p_i + below e_i, i the link before
            rows = slice(2 * j, 2 * j + 2)
            closed[rows, 2 * j : 2 * j + 2] = np.eye(2)
            closed[rows, 2 * n + j] = -self.above[j] * across[j], -self.above[j] * up[j]
            bias[rows] = -self.above[j] * w[j] ** 2 * np.array([up[j], -across[j]])
            if j:
                i = j - 1
                closed[rows, 2 * i : 2 * i + 2] = -np.eye(2)
                closed[rows, 2 * n + i] = -self.below[i] * across[i], -self.below[i] * up[i]
                bias[rows] -= self.below[i] * w[i] ** 2 * np.array([up[i], -across[i]])
        held = np.hstack([np.zeros((len(stuck), 2 * n)), self.joints[stuck]])
        bound = np.vstack([closed, held])
        size = 3 * n + len(bound)
        matrix = np.zeros((size, size))
        matrix[: 3 * n, : 3 * n] = self.whole
        matrix[: 3 * n, 3 * n :], matrix[3 * n :, : 3 * n] = bound.T, bound
        right = np.zeros(size)
        right[1 : 2 * n : 2] = -self.mass * GRAVITY
        right[3 * n : 5 * n] = bias
        return np.linalg.inv(matrix), right

    def holds(self, j: int, size: Column) -> float:
        hinge = self.own.hinges[j]
        mu = hinge.mu_c if hinge.law == "coulomb" else hinge.mu_s
        if hinge.load_n:
            return hinge.radius_m * mu * hinge.load_n
        return float(hinge.radius_m * mu / np.hypot(1.0, mu) * size[j])

    def decide(self, t: float, state: Column) -> None:
        """Which joints stick, the one that is pulled hardest being let go first."""
        turning = self.joints @ state[self.n : 2 * self.n]
        for j, hinge in enumerate(self.own.hinges):
            if hinge.law in JUMPING:
                self.mode[j] = np.sign(turning[j]) if abs(turning[j]) > 1e-9 else 0.0
        for _ in range(self.n):
            _, size, torque = self.solved(t, state)
            free = [j for j, h in enumerate(self.own.hinges) if h.law in JUMPING and self.mode[j] == 0]
            share = {j: abs(torque[j]) / self.holds(j, size) for j in free}
            if not share or max(share.values()) <= 1 - 1e-9:  # an event ends where it is 1, nearly
                return
            worst = max(share, key=lambda j: share[j])
            self.mode[worst] = -np.sign(torque[worst])

    def margin(self, j: int, t: float, state: Column) -> float:
        if self.mode[j]:
            return float(self.mode[j] * (self.joints @ state[self.n : 2 * self.n])[j])
        _, size, torque = self.solved(t, state)
        return float(self.holds(j, size) - abs(torque[j]))

    def integrate(self, seconds: float, count: int) -> Yardstick:
        n, times = self.n, np.linspace(0.0, seconds, count + 1)
        links = self.own.bodies
        state = np.array([*(k.angle_rad for k in links), *(k.speed_rad_s for k in links), *[0.0] * n])
        jumping = [j for j, h in enumerate(self.own.hinges) if h.law in JUMPING]
        bristles = any(h.law in BRISTLES for h in self.own.hinges)
        tolerance = np.array([_TOLERANCE] * 2 * n + [1e-15] * n)
        rows, now = np.zeros((count + 1, 3 * n)), 0.0
        while now < seconds:
            if jumping:
                self.decide(now, state)
            events = [_Event(self, j) for j in jumping]
            done = solve_ivp(
                self.rates, (now, seconds), state, "LSODA" if bristles else "DOP853", dense_output=True,
                rtol=_TOLERANCE if not bristles else 1e-10, atol=tolerance, events=events or None,
                max_step=_LONGEST_S if jumping else np.inf,
            )  # fmt: skip
            inside = (times >= now) & (times <= done.t[-1])
            if inside.any():
                rows[inside] = done.sol(times[inside]).T
            now, state = float(done.t[-1]), done.y[:, -1].copy()
            for j, found in zip(jumping, done.t_events or (), strict=False):
                if len(found) and self.mode[j]:  # it stands still, exactly
                    self.stop(j, state)
        return Yardstick(times, rows[:, :n], rows[:, n : 2 * n], self.asked)

    def stop(self, j: int, state: Column) -> None:
        """What is left of a joint's speed is taken from all that hang on it."""
        state[self.n + j : 2 * self.n] -= (self.joints @ state[self.n : 2 * self.n])[j]


class _Event:
    """A joint turns back or breaks away; at the start of a stretch its margin may be nothing."""

    terminal, direction = True, -1

    def __init__(self, model: _Newton, joint: int) -> None:
        self.model, self.joint = model, joint

    def __call__(self, t: float, state: Column) -> float:
        return self.model.margin(self.joint, t, state)


def _level(hinge: Hinge, v: float) -> float:
    return float(hinge.mu_c + (hinge.mu_s - hinge.mu_c) * np.exp(-((abs(v) / hinge.vs) ** hinge.delta)))


def _bend(hinge: Hinge, z: float, v: float) -> float:
    return v - hinge.s0 * abs(v) / _level(hinge, v) * z if hinge.law in BRISTLES else 0.0


def _coefficient(hinge: Hinge, z: float, v: float, mode: float) -> float:
    """Friction over the normal force."""
    if hinge.law == "coulomb":
        return float(mode * hinge.mu_c)
    if hinge.law in JUMPING:
        return float(mode * _level(hinge, v) + hinge.sigma * v)
    damped = hinge.s1 * np.exp(-((v / hinge.vd) ** 2)) * _bend(hinge, z, v)
    return float(hinge.s0 * z + damped + hinge.sigma * v)
