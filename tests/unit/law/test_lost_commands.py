"""A compensated sine over a link that loses exchanges, in virtual time: beside the same link with nothing repaid."""

from typing import Any

import numpy as np
import pytest

from hilctl.signals import Trip
from sim.driver import record

LINK = {"twin.link.lost": 0.04, "limits.driver.ticks": 20, "limits.sensing.ticks": 20, "limits.stale.ticks": 20,
        "limits.driver.share": 1.0, "limits.sensing.share": 1.0}  # fmt: skip
SECONDS, HZ, AMPLITUDE_M = 60.0, 1.0, 0.02
FAR_M_S = 0.1  # beside the reference


def driven(table: Any, **changes: Any) -> Any:
    rig = table(**LINK, **{"law.feed.inverse": 1.0, "limits.velocity.max_m_s": 1.0}, **changes)
    rig.arm()
    rig.track("sine", frequency_hz=HZ, amplitude_m=AMPLITUDE_M, cycles=round(HZ * SECONDS), soft_start_s=0.5)
    rows = rig.run(SECONDS + 2.0)
    return rig, rows, rig.truth[:, 1] - rows.vr_m_s


def rms(values: Any) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_table_goes_less_its_own_way_where_what_was_lost_is_repaid(table: Any, seed: int) -> None:
    """Without it, a command that is held in the middle of a reversal throws the table."""
    rig, rows, off = driven(table, **{"twin.seed": seed})
    bare_rig, bare_rows, bare = driven(table, **{"twin.seed": seed, "law.feed.repay": 0.0})
    assert (rig.trip, bare_rig.trip) == (Trip.NONE, Trip.NONE)
    far, bare_far = (np.mean(np.abs(one) > FAR_M_S) for one in (off, bare))
    assert bare_far > 1e-4
    assert far < 0.7 * bare_far
    assert rms(rows.error_m) < 0.6 * rms(bare_rows.error_m)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("lost", "in_a_row"), [(0.4, 1), (0.4, 3), (0.6, 1)])
def test_a_table_at_rest_behind_an_overlap_stays_there_however_many_are_lost(
    table: Any, lost: float, in_a_row: int, seed: int
) -> None:
    """Its command goes from edge to edge; held in between, that moves no oil, and nothing of it is owed."""
    patient = {f"limits.{limit}.ticks": 1000 for limit in ("driver", "sensing", "stale", "tracking_error", "read_back")}
    valve = {f"{side}machine.dead_band": 0.025 for side in ("", "twin.")}
    rig = table(**LINK | patient | valve | {"twin.valve.hysteresis": 0.004, "machine.hysteresis": 0.004,
                "twin.link.lost": 0.0, "twin.seed": seed, "law.feed.inverse": 1.0})  # fmt: skip
    rig.arm(8.0)
    link = record(rig.driver.state)
    link.lose_share, link.lose_ticks = lost / (lost + in_a_row * (1 - lost)), in_a_row
    rig.run(0.5)
    rows = rig.run(10.0)
    assert rig.trip == Trip.NONE
    assert np.abs(rows.u_cmd).max() < 0.06
    assert np.abs(rig.truth[:, 1]).max() < 0.05


@pytest.mark.parametrize("seed", [7, 12])
def test_however_often_commands_are_lost_the_spool_is_not_blamed(table: Any, seed: int) -> None:
    """Sharp reversals, big repayments, gaps that follow each other: the spool's guard trips on none of them."""
    rig = table(**{**LINK, "twin.seed": seed, "twin.link.lost": 0.02, "law.feed.inverse": 1.0,
                           "limits.velocity.max_m_s": 1.0})  # fmt: skip
    rig.arm()
    rig.track("sine", frequency_hz=2.0, amplitude_m=0.01, cycles=80, soft_start_s=0.5)
    rig.run(42.0)
    assert rig.trip == Trip.NONE


def test_without_a_spool_reading_it_is_as_it_was(table: Any) -> None:
    blind = {"twin.sensors.spool.present": False, "sensors.spool.present": False}
    _, rows, _ = driven(table, **blind)
    _, bare, _ = driven(table, **blind, **{"law.feed.repay": 0.0})
    np.testing.assert_array_equal(rows.u_cmd, bare.u_cmd)


def test_the_spools_guard_still_sees_a_spool_that_does_not_follow(table: Any) -> None:
    rig, _, _ = driven(table)
    rig.track("triangle", speed_m_s=0.2, amplitude_m=0.06)
    rig.run(1.0)
    rig.set(sensors__spool__gain=0.2, limits__read_back__difference=0.05)
    rig.run(2.0)
    assert rig.trip == Trip.READ_BACK
