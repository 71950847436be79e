"""A synthetic earthquake: noise through the resonance of the ground, under an envelope that rises and decays.

    A(w) ~ (w0² + 2j z0 w0 w)/(w0² - w² + 2j z0 w0 w) · -w²/(w1² - w² + 2j z1 w1 w)      white noise through it
    e(t) = (t/t0)² before t0 = 2 s, 1 until 9 s, exp(-(t - 9 s)/3 s) then

the spectrum of Kanai and Tajimi, with the high-pass of Clough and Penzien, for firm ground.
"""

import numpy as np

from hilctl.commission.history import History, Reals

GROUND, HIGH_PASS = (15.6, 0.6), (3.2, 0.6)  # rad/s, damping
DURATION_S, STEP_S = 20.0, 0.01
RISEN_S, FALLING_S, FALL_S = 2.0, 9.0, 3.0
PEAK_M = 0.05


def quake(seed: int) -> History:
    """Ground acceleration, to be tracked with a peak displacement of PEAK_M."""
    count = round(DURATION_S / STEP_S)
    t: Reals = np.arange(count, dtype=np.float64) * STEP_S
    w = 2 * np.pi * np.fft.rfftfreq(count, STEP_S)
    (w0, z0), (w1, z1) = GROUND, HIGH_PASS
    ground = (w0**2 + 2j * z0 * w0 * w) / (w0**2 - w**2 + 2j * z0 * w0 * w)
    shape = ground * -(w**2) / (w1**2 - w**2 + 2j * z1 * w1 * w)
    noise = np.fft.rfft(np.random.default_rng(seed).standard_normal(count))
    envelope = np.where(t < RISEN_S, (t / RISEN_S) ** 2, np.exp(-np.maximum(t - FALLING_S, 0.0) / FALL_S))
    shaken: Reals = envelope * np.fft.irfft(shape * noise, count)
    return History("made-up earthquake", t, shaken, "acceleration", PEAK_M)
