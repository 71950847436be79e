"""Friction along a reversal."""

import numpy as np
import pytest

from hilctl.friction import check_friction
from hilctl.law.smoothing import rt_turn

pytestmark = pytest.mark.usefixtures("forms")


def test_friction_has_settled_at_the_first_speed_and_then_follows_the_speeds():
    """Dahl's spring: after a way s against the old direction fc (1 - 2 exp(-s0 s / fc)), and the viscous part."""
    dahl = check_friction({"model": "dahl", "fc": 200.0, "sigma": 500.0, "s0": 1e6})
    speeds, out = np.array([-0.02, 0.0, 0.01, 0.04, 0.03]), np.full(5, np.nan)
    rt_turn(dahl.code, dahl.packed(), speeds, 1e-3, out)
    gone_m = np.cumsum(np.maximum(speeds, 0.0)) * 1e-3
    assert out == pytest.approx(200.0 * (1 - 2 * np.exp(-gone_m * 1e6 / 200.0)) + 500.0 * speeds, rel=1e-9)
