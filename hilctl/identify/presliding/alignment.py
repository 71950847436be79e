"""The accelerometer against displacement: of a periodic motion, -w² X and A must be the same in every harmonic.

Their ratio is the accelerometer's gain, its phase w times the delay that the rig file does not know of. From the
fastest swing both are known to some 1e-4: the mean cycle mixes the two sensors, and where half a percent of 1.3 mm is
6 µm, they had better agree.
"""

import numpy as np

from hilctl.identify.presliding.cycles import Cycles
from hilctl.identify.presliding.facts import Facts
from hilctl.identify.presliding.faults import ReversalFault

LINES = 3
GAIN_LOW, GAIN_HIGH = 0.5, 2.0
CLEAR = 20.0  # times its error: an acceleration that tells its gain


def aligned(cycles: Cycles, facts: Facts) -> Facts:
    """With the accelerometer's gain and delay as these cycles show them. ReversalFault when it shows something else."""
    n, period = cycles.x_m.shape
    lines = np.arange(1, LINES + 1)
    w = 2 * np.pi * lines / cycles.period_s
    x, a = (np.fft.rfft(rows.mean(0))[lines] * 2 / period for rows in (cycles.x_m, cycles.a_m_s2))
    wanted = -w * w * x * np.exp(1j * w * (facts.late_x_s - facts.late_a_s))
    error = np.hypot(facts.noise_a_m_s2, w * w * facts.noise_x_m) * np.sqrt(2 / (n * period))
    weight = 1 / np.maximum(error, 1e-12) ** 2
    power = float(weight @ np.abs(wanted) ** 2)
    if power < CLEAR**2:
        return facts
    ratio = a @ (weight * wanted.conj()) / power
    gain = float(ratio.real)
    if not GAIN_LOW <= gain <= GAIN_HIGH:
        raise ReversalFault(f"the accelerometer {_what(gain)} (sensors.acceleration)")
    turned = weight * np.abs(wanted) ** 2 * w
    late_s = -float(turned @ np.angle(a / wanted / np.sign(gain))) / float(turned @ w)
    return facts._replace(gain_a=gain, late_a_s=facts.late_a_s + late_s)


def _what(gain: float) -> str:
    if gain <= -GAIN_LOW:
        return f"has the wrong sign: it shows {gain:.2f} of what the table does; turn it around, or swap its wires"
    if gain < GAIN_LOW:
        return (
            f"is dead, or does not show the table's motion: {gain:.2f} of it; check its supply, mounting, cable and "
            "scale"
        )
    return f"shows {gain:.1f} times what the table does; check its scale and the displacement's"
