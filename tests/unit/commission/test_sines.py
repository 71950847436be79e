"""Which sines a rig is judged by, and what is kept of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.client import Refused
from hilctl.commission.sines import LEAST_M, _plain, picture_of, sizes_of
from hilctl.identify.distortion import Sine
from hilctl.results.distortion import distortion_of

TABLE = {
    "limits.position.min_m": -0.09, "limits.position.max_m": 0.09, "machine.stroke_m": 0.1, "machine.Qn": 4.6188e-3,
    "machine.A": 3e-3, "machine.m": 500.0, "machine.Ps": 21e6, "limits.command.opening": 1.0,
    "limits.velocity.max_m_s": 1.0, "limits.acceleration.max_m_s2": 100.0,
}  # fmt: skip


class Rig:
    """Refuses what is larger than it likes."""

    def __init__(self, most_m: float = 1.0, **changes: float) -> None:
        self.most_m, self.values, self.asked = most_m, TABLE | {k.replace("__", "."): v for k, v in changes.items()}, []

    def get(self, *tables):
        return self.values

    def check_motion(self, kind, **motion):
        self.asked.append((kind, motion))
        if motion["amplitude_m"] > self.most_m:
            raise Refused("limit", "too far", "limits.position")


def amplitudes(rig) -> dict[float, float]:
    return {size.frequency_hz: size.amplitude_m for size in sizes_of(rig)}


def test_the_reference_tables_sines_are_those_of_the_literature():
    rig = Rig()
    assert amplitudes(rig) == {0.5: 0.08, 1.0: 0.08, 2.0: 0.05, 5.0: 0.02}
    assert all(kind == "sine" and motion["soft_start_s"] > 0 for kind, motion in rig.asked)


@given(
    st.floats(0.01, 0.5), st.floats(0.02, 3), st.floats(1, 300), st.floats(10, 1e5), st.floats(-0.3, 0.3)
)  # fmt: skip
def test_every_limit_keeps_its_distance(half_m, velocity, acceleration, mass, shift_m):
    rig = Rig(limits__position__min_m=shift_m - half_m, limits__position__max_m=shift_m + half_m,
              machine__stroke_m=1.0, limits__velocity__max_m_s=velocity, machine__m=mass,
              limits__acceleration__max_m_s2=acceleration)  # fmt: skip
    for size in sizes_of(rig):
        w = 2 * math.pi * size.frequency_hz
        assert size.center_m == pytest.approx(shift_m, abs=1e-12)
        assert LEAST_M <= size.amplitude_m < 0.9 * half_m
        assert size.amplitude_m * w < 0.65 * velocity and size.amplitude_m * w < 0.42 * 4.6188e-3 / 3e-3
        assert size.amplitude_m * w**2 < 0.21 * acceleration
        assert size.amplitude_m * w**2 * mass < 0.36 * 3e-3 * 21e6


def test_what_the_service_refuses_gets_smaller_and_what_is_too_small_is_left_out():
    assert amplitudes(Rig(0.03)) == {0.5: 0.025, 1.0: 0.025, 2.0: 0.025, 5.0: 0.02}
    assert amplitudes(Rig(1e-5)) == {}


@given(st.floats(1e-4, 1))
def test_amplitudes_have_two_digits_and_are_rounded_down(value):
    found = _plain(value)
    assert 0.9 * value < found <= value * (1 + 1e-9)
    assert float(f"{found:.2g}") == found


def test_the_picture_is_the_mean_cycle_with_its_harmonics():
    t = np.arange(4000) / 1000
    reference = np.sin(2 * np.pi * t)
    acceleration = reference + 0.1 * np.sin(2 * np.pi * 3 * t) + 0.3 * np.sin(2 * np.pi * 3.25 * t)
    made = Sine(4, acceleration, reference)
    shown = picture_of(made, distortion_of(acceleration, 4, 1.0))
    at = np.arange(500) / 500
    assert shown.rate_hz == 500
    assert shown.reference_m_s2 == pytest.approx(np.sin(2 * np.pi * at), abs=1e-4)
    wanted = np.sin(2 * np.pi * at) + 0.1 * np.sin(6 * np.pi * at)
    assert shown.acceleration_m_s2 == pytest.approx(wanted, abs=1e-3), "what is in no whole cycle has gone"
    assert shown.harmonics_percent[1] == pytest.approx(10, abs=1e-6)
