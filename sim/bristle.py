"""A substep under friction with a deflection: half of the deflection's exact step, the rest, the other half.

The deflection z is stiff and solved exactly while v is held (hilctl.friction.lugre); pressures and mass are stepped
while z is held. In this symmetric order the step is of second order, and it cannot diverge.
"""

from hilctl.friction.lugre import rt_bristle_force
from sim.step import stepper

rt_bend = stepper(rt_bristle_force)
