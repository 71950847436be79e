"""What it costs that commands act late, and what a longer smoothing of friction's turn saves of it; what it costs that
some are lost. In virtual time."""

import statistics

import pytest

from hilctl.client import Client, private_service
from hilctl.commission.sines import sizes_of
from hilctl.identify.distortion import judged, measure, record

pytestmark = pytest.mark.slow  # what its cases share takes longer than any of them

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


@pytest.mark.slow
@pytest.mark.parametrize("inverse", [0.0, 1.0])
@pytest.mark.parametrize("frequency_hz", [1.0, 2.0])
def test_a_link_that_loses_one_exchange_in_400_shows_the_same_distortion_in_hardly_more_cycles(frequency_hz, inverse):
    made = {}
    for lost in (0.0, 1 / 400):
        changes = {"twin.link.lost": lost, "twin.link.lost_ticks": 1, "law.feed.inverse": inverse}
        with private_service("table-500-modbus", changes=changes) as service, Client(service.commands) as rig:
            rig.arm()
            (size,) = sizes_of(rig, (frequency_hz,))
            made[lost] = [record(rig, frequency_hz, size.amplitude_m, 2) for _ in range(2 * RECORDS)]
    whole, lossy = ([judged(one, frequency_hz, size.amplitude_m).percent for one in ones] for ones in made.values())
    for ones in (whole, lossy):
        print(f"{frequency_hz:g} Hz: {statistics.mean(ones):.2f} ± {statistics.stdev(ones):.2f} %")
    assert statistics.mean(lossy) == pytest.approx(statistics.mean(whole), rel=0.1)
    cycles = statistics.mean(one.cycles for one in made[1 / 400])
    print(f"{cycles:.1f} cycles")
    assert cycles < 3.5  # 5, where each loss counts
