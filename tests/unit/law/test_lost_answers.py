"""Answers that do not come for a while, though commands arrive: what the table does meanwhile, and what trips."""

from typing import Any

import numpy as np
import pytest

from hilctl.signals import Trip

PATIENT = {f"limits.{limit}.ticks": 1000 for limit in ("driver", "sensing", "stale", "tracking_error", "read_back")}
PATIENT |= {f"limits.{limit}.share": 1.0 for limit in ("driver", "sensing")}
TIMES = 25


def farthest_m(table: Any, rate_hz: int, silent_s: float, seed: int) -> float:
    """From a sine, at instants that nobody chose; nothing trips."""
    rig = table("table-500-serial", **{**PATIENT, "loop.rate_hz": rate_hz, "twin.seed": seed})
    rig.arm()
    rig.track("sine", frequency_hz=2.0, amplitude_m=0.012, cycles=60)
    rig.run(1.0)
    chance, far = np.random.default_rng(seed), []
    for _ in range(TIMES):
        rig.run(chance.uniform(0.3, 0.6))
        for seconds, deaf in ((silent_s, True), (0.2, False)):
            rows = rig.run(seconds, deaf=deaf)
            far.append(np.abs(rows.xr_m - rig.truth[:, 0]).max())
    assert rig.trip == Trip.NONE
    return float(max(far))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("rate_hz", "silent_s", "most_m"), [(1000, 0.06, 0.7e-3), (1000, 0.1, 1e-3), (200, 0.1, 1.5e-3)]
)
def test_a_table_that_is_not_seen_is_not_driven_away_from_its_reference(
    table: Any, rate_hz: int, silent_s: float, most_m: float, seed: int
) -> None:
    """Fed forward it is about right; feedback on a speed that it does not have any more would throw it."""
    assert farthest_m(table, rate_hz, silent_s, seed) < most_m


def test_a_few_lost_exchanges_at_a_low_rate_leave_a_speed_that_the_table_has(table: Any) -> None:
    """At 200 Hz three in a row are a period of the oil: two readings of acceleration do not say what was between."""
    off_m_s = []
    for seed in range(1, 8):
        rig = table("table-500-serial", **{**PATIENT, "loop.rate_hz": 200, "twin.seed": seed, "twin.link.lost": 0.1})
        rig.arm(8.0)
        rig.track("triangle", speed_m_s=0.02, amplitude_m=0.005, cycles=12)
        rows = rig.run(15.0)
        assert rig.trip == Trip.NONE
        off_m_s.append(np.sqrt(np.mean((rows.velocity_m_s - rig.truth[:, 1]) ** 2)))
    assert np.median(off_m_s) < 4e-3
