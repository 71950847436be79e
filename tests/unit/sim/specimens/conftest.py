"""The same pendulum written down another way: reduced coordinates (table, θ1, θ2), forces found afterwards by Newton.

Nothing here comes from the compiled code: minimal coordinates instead of absolute ones, and friction as the paper has
it, a normal force and a tangential one at the point of contact, instead of their resultant.
"""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from hilctl.machine import GRAVITY as G


class Reduced:
    """State: x, θ1, θ2, v, w1, w2, z1, z2."""

    def __init__(self, pendulum, table_kg=None, push=lambda t: 0.0):
        self.own, self.table_kg, self.push = pendulum, table_kg, push
        one, two = pendulum.link1, pendulum.link2
        self.m1, self.m2, self.j1, self.j2 = one.m, two.m, one.inertia, two.inertia
        self.a1, self.length, self.a2 = one.centre, one.length_m, two.centre

    def start(self, speed_m_s=0.0):
        one, two = self.own.link1, self.own.link2
        return np.array([0.0, one.angle_rad, two.angle_rad, speed_m_s, one.speed_rad_s, two.speed_rad_s, 0.0, 0.0])

    def accelerations(self, t, y, torque1=0.0, torque2=0.0):
        """x'', θ1'', θ2'' from Lagrange's equations of the second kind, with torques in the joints."""
        _, t1, t2, _, w1, w2 = y[:6]
        m1, m2, a1, a2, length = self.m1, self.m2, self.a1, self.a2, self.length
        c1, c2, cd, sd = math.cos(t1), math.cos(t2), math.cos(t1 - t2), math.sin(t1 - t2)
        h1, h2 = m1 * a1 + m2 * length, m2 * a2
        mass = np.array(
            [
                [(self.table_kg or 1.0) + m1 + m2, h1 * c1, h2 * c2],
                [h1 * c1, self.j1 + m1 * a1**2 + m2 * length**2, h2 * length * cd],
                [h2 * c2, h2 * length * cd, self.j2 + m2 * a2**2],
            ]
        )
        drive = [link.couple_n_m * math.sin(link.drive_rad_s * t) for link in (self.own.link1, self.own.link2)]
        right = np.array(
            [
                self.push(t) + h1 * math.sin(t1) * w1**2 + h2 * math.sin(t2) * w2**2,
                drive[0] + torque1 - torque2 - h1 * G * math.sin(t1) - h2 * length * sd * w2**2,
                drive[1] + torque2 - h2 * G * math.sin(t2) + h2 * length * sd * w1**2,
            ]
        )
        if self.table_kg is None:
            return np.concatenate([[0.0], np.linalg.solve(mass[1:, 1:], right[1:])])
        return np.linalg.solve(mass, right)

    def forces(self, y, acceleration):
        """What each joint gives to its outer link, from the motion of the centres of mass."""
        _, t1, t2, _, w1, w2 = y[:6]

        def along(t, w, turn):  # second derivative of (sin t, -cos t)
            return np.array([math.cos(t) * turn - math.sin(t) * w * w, math.sin(t) * turn + math.cos(t) * w * w])

        ax, turn1, turn2 = acceleration
        base, upper, lower = np.array([ax, G]), along(t1, w1, turn1), along(t2, w2, turn2)
        second = self.m2 * (base + self.length * upper + self.a2 * lower)
        return second + self.m1 * (base + self.a1 * upper), second

    def mu(self, joint, z, v):
        g = joint.mu_c + (joint.mu_s - joint.mu_c) * math.exp(-((abs(v) / joint.vs) ** joint.delta))
        rate = v - joint.s0 * abs(v) / g * z
        return joint.s0 * z + joint.s1 * math.exp(-((v / joint.vd) ** 2)) * rate + joint.sigma * v, rate

    def coupled(self, t, y):
        """Accelerations, normal forces and friction torques, by iterating between motion and forces."""
        joints, turning = (self.own.joint1, self.own.joint2), (y[4], y[5] - y[4])
        mu = [self.mu(j, z, j.radius_m * w)[0] for j, z, w in zip(joints, y[6:8], turning, strict=True)]
        torque = [0.0, 0.0]
        for _ in range(100):
            acceleration = self.accelerations(t, y, *torque)
            resultant = self.forces(y, acceleration)
            # normal force N and friction mu N at right angles to it, at the pin's surface
            normal = [np.hypot(*f) / math.hypot(1.0, m) for f, m in zip(resultant, mu, strict=True)]
            now = [-j.radius_m * m * n for j, m, n in zip(joints, mu, normal, strict=True)]
            if np.allclose(now, torque, rtol=1e-15, atol=1e-15):
                break
            torque = now
        return acceleration, normal, torque

    def rates(self, t, y):
        one, two = self.own.joint1, self.own.joint2
        acceleration = self.coupled(t, y)[0]
        return np.concatenate(
            [
                y[3:6],
                acceleration,
                [self.mu(one, y[6], one.radius_m * y[4])[1], self.mu(two, y[7], two.radius_m * (y[5] - y[4]))[1]],
            ]
        )

    def smooth(self, seconds, count, speed_m_s=0.0):
        """Without friction, by a high order at the tightest tolerance."""

        def rates(t, y):
            return np.concatenate([y[3:6], self.accelerations(t, y)])

        times = np.linspace(0, seconds, count)
        y = self.start(speed_m_s)[:6]
        return solve_ivp(rates, (0, seconds), y, "DOP853", times, rtol=1e-13, atol=1e-13).y

    def stiff(self, seconds, count):
        """With friction, by a stiff solver."""
        times = np.linspace(0, seconds, count)
        atol = np.array([1e-12] * 6 + [1e-15] * 2)
        return solve_ivp(self.rates, (0, seconds), self.start(), "LSODA", times, rtol=1e-10, atol=atol).y


@pytest.fixture(scope="session")
def reduced():
    """The other way."""
    return Reduced
