"""The accelerometer's gain and delay, from the fastest swing: both are known to some 1e-4 there.

The mean cycle mixes the two sensors, and half a percent of 1.3 mm is 6 µm: they must agree better than the rig file
says.
"""

from hilctl.experiment import accelerometer
from hilctl.experiment.noise import LEAST
from hilctl.identify.presliding.estimate_cycles import Cycles
from hilctl.identify.presliding.facts import Facts
from hilctl.identify.presliding.faults import ReversalFault

_LOWEST = 0.5  # of the swing's frequency


def aligned(cycles: Cycles, facts: Facts) -> Facts:
    """With gain and delay as these cycles show them. ReversalFault where the accelerometer cannot be right."""
    both = accelerometer.Both(cycles.x_m.ravel(), cycles.a_m_s2.ravel(), _LOWEST / cycles.period_s)
    noise = max(facts.noise_x_m, LEAST["displacement"]), max(facts.noise_a_m_s2, LEAST["acceleration"])
    found = accelerometer.compare([both], facts.rate_hz, *noise)
    if found is None:
        return facts
    problem = accelerometer.wrong(found.gain)
    if problem:
        raise ReversalFault(problem)
    return facts._replace(gain_a=found.gain, late_a_s=facts.late_x_s + found.later_s)
