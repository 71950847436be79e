"""The valve's step matrix in closed form, against the matrix exponential."""

import numpy as np
import pytest
from scipy.linalg import expm

from hilctl.params import assign
from hilctl.rig import load
from sim.settings import Valve
from sim.valve import valve_record

MACHINE = load("table-500").tables.machine


@pytest.mark.parametrize("wv", [10.0, 643.0, 20_000.0])
@pytest.mark.parametrize("zv", [0.05, 0.88, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 5.0])
@pytest.mark.parametrize("substep_s", [1e-6, 50e-6, 1e-3])
def test_the_step_matrix_is_the_matrix_exponential(wv, zv, substep_s):
    record = valve_record(assign(MACHINE, {"wv": wv, "zv": zv}), Valve(), False, substep_s)
    exact = expm(np.array([[0.0, 1.0], [-wv * wv, -2 * zv * wv]]) * substep_s / 2)
    made = np.array([[record.m11, record.m12], [record.m21, record.m22]])
    scale = np.array([[1.0, 1 / wv], [wv, 1.0]])  # so that position and speed weigh the same
    assert np.abs((made - exact) / scale).max() < 1e-12
