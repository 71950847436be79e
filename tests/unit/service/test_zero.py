"""A zero is the mean of the readings that were had; where too many were not, it is refused."""

from types import SimpleNamespace

import numpy as np
import pytest

from hilctl.service.do_change import _MOST_LOST, _mean
from hilctl.signals import SAMPLE
from hilctl.wire.errors import Refused

COUNT = 1000


def service(rejected, bit=1):
    """At rest, the pressure at 2e4 Pa; where a reading was rejected, the loop's own value stands for it."""
    rows = np.zeros(COUNT, SAMPLE)
    rows["epoch"], rows["pressure_a_pa"] = 3, 2e4
    rows["rejected"][rejected] = 1 << bit
    rows["pressure_a_pa"][rejected] = 9e6
    history = SimpleNamespace(first=0, end=COUNT, rows=lambda first, end: rows[first:end].copy())
    controller = SimpleNamespace(arming=SimpleNamespace(rest_speed_m_s=1e-3))
    return SimpleNamespace(core=SimpleNamespace(history=history), rate_hz=1000.0,
                           store=SimpleNamespace(epoch=3, controller=controller))  # fmt: skip


def test_rejected_readings_do_not_enter_a_zero():
    most = round(_MOST_LOST * COUNT)
    assert _mean(service(slice(100, 100 + most), bit=2), "pressure_a", "pressure_a_pa", COUNT) == pytest.approx(2e4)


def test_more_of_them_are_refused_with_the_share_and_where_to_look():
    most = round(_MOST_LOST * COUNT)
    with pytest.raises(Refused, match=r"10 % of the readings of pressure_a were rejected.*10 % may be.*hilctl status"):
        _mean(service(slice(0, most + 1), bit=2), "pressure_a", "pressure_a_pa", COUNT)


def test_another_sensors_readings_do_not_matter():
    with pytest.raises(Refused):
        _mean(service(slice(0, COUNT), bit=2), "pressure_a", "pressure_a_pa", COUNT)
    assert _mean(service(slice(0, COUNT), bit=0), "pressure_a", "pressure_a_pa", COUNT) == pytest.approx(9e6)
