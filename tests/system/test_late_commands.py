"""What it costs that commands act late, and what a longer smoothing of friction's turn saves of it; in virtual time."""

import statistics

import pytest

from hilctl.client import Client, private_service
from hilctl.commission.sines import sizes_of
from hilctl.identify.distortion import measure

RECORDS = 8
LONG_S = 0.0065  # law.feed.smooth_s


def distortions(late_s, smooth_s):
    """Of a compensated sine of 1 Hz, friction exactly known, several times; in %."""
    late = {"twin.link.late": 1.0, "twin.link.late_s": late_s} if late_s else {}
    changes = {**late, "law.feed.smooth_s": smooth_s, "law.feed.inverse": 1.0}
    with private_service("table-500-modbus", changes=changes) as service, Client(service.commands) as rig:
        rig.arm()
        (size,) = sizes_of(rig, (1.0,))
        return [measure(rig, size.frequency_hz, size.amplitude_m).percent for _ in range(RECORDS)]


@pytest.fixture(scope="module")
def found():
    return {(late_s, smooth_s): distortions(late_s, smooth_s) for late_s in (0.0, 3e-4) for smooth_s in (0.0, LONG_S)}


def test_where_commands_act_on_time_the_shortest_turn_is_the_best(found):
    print({key: [round(percent, 1) for percent in values] for key, values in found.items()})
    assert max(found[0.0, 0.0]) < 0.6 * min(found[0.0, LONG_S])


def test_where_they_act_up_to_a_third_of_a_tick_late_a_longer_turn_has_half_the_distortion(found):
    short, long = found[3e-4, 0.0], found[3e-4, LONG_S]
    assert statistics.mean(short) > 5.0 * statistics.mean(found[0.0, 0.0])
    assert statistics.mean(long) < 0.5 * statistics.mean(short) and max(long) < statistics.mean(short)
