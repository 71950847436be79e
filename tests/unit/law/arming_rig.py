"""A table that answers arming as a test says."""

import math

import numpy as np

from hilctl.law.arming import ARMING, rt_arming, rt_arming_opening, rt_arming_start, rt_arming_unknown
from hilctl.law.bumps import GOING
from hilctl.law.sensors import ACCELERATION, COUNT, DISPLACEMENT, PRESSURE_A, PRESSURE_B
from hilctl.signals import Arming as Step
from hilctl.signals import Trip
from tests.forms import filled
from tests.unit.law.given import machine, settings

DT = 2e-3
C = settings(arming__rest_s=0.02, arming__low_pressure_s=0.01, arming__high_pressure_s=0.015, arming__timeout_s=0.5,
             arming__bump_s=0.12).arming  # fmt: skip
M = machine(wv=2000.0)
FULL = M.Qn / M.A * math.sqrt(M.Ps_low / M.Ps)  # m/s of a full opening at the low supply


class Rig:
    """A table whose speed follows the command from the valve's own null, and pressures that go with it."""

    def __init__(self, c=C, null=0.0, gain=1.0, supply_pa=math.nan, own_m=0.0, m=M, overlap=0.0):
        self.c, self.m, self.null, self.gain, self.own_m = c.copy(), m, null, gain * FULL, own_m
        self.overlap, self.supply_pa, self.a = overlap, supply_pa, filled(ARMING)
        self.a.corrections = self.a.proved = 0
        self.value = np.zeros(COUNT)
        self.v, self.command, self.bias, self.steps, self.outcome = 0.0, 0.0, 0.0, [], GOING
        self.wiggle, self.see = 1.0, np.ones(4)
        self.rest_v = 0.0
        rt_arming_unknown(0.0, self.a)
        rt_arming_start(0.0, self.a)

    def tick(self, clean=True, dt_s=DT):
        enabled = Step.ENABLE <= self.a.step <= Step.BUMP_DOWN
        place = self.command - self.null
        opens = math.copysign(max(abs(place) - self.overlap, 0.0), place)
        aim = self.gain * opens if enabled else self.rest_v
        before = self.v
        self.v += dt_s / (dt_s + 2e-3) * (aim - self.v)
        a = (self.v - before) / dt_s
        self.value[DISPLACEMENT] += self.see[0] * dt_s * 0.5 * (self.v + before)
        self.value[ACCELERATION] = self.see[1] * a + self.bias
        push = 1e4 * a + 3e5 * np.sign(self.v) * min(1.0, abs(self.v) / 1e-4)
        self.value[PRESSURE_A], self.value[PRESSURE_B] = 2e6 + self.see[2] * push, 2e6 - self.see[3] * push
        self.outcome = rt_arming(self.c, self.m, self.own_m, self.value, self.v, self.supply_pa, dt_s, clean, self.a)
        self.command = self.a.null + rt_arming_opening(self.a)
        if not self.steps or self.steps[-1] != self.a.step:
            self.steps.append(int(self.a.step))
        return self.outcome

    def run(self, most=4000):
        for _ in range(most):
            if self.tick() != GOING:
                return self
        raise AssertionError(Step(self.a.step))

    def to(self, step):
        for _ in range(4000):
            if self.a.step == step:
                return self
            assert self.tick() == GOING
        raise AssertionError(Step(self.a.step))

    @property
    def ended(self):
        return Trip(self.outcome), self.a.value, self.a.limit, self.a.sensor
