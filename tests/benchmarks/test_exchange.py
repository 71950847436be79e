"""Our exchange beside a library's client on the same device."""

import pytest

from hilctl.bench.exchange import over, run
from hilctl.bench.host import stolen
from tests.benchmarks.disturbed import holds

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def measured():
    with stolen() as taken:
        found = run(quick=True)
    return found, taken.share


@pytest.mark.parametrize(("transport", "idle", "busy"), [("modbus-tcp", 1.2, 30.0), ("modbus-rtu", 10.0, 30.0),
                                                         ("serial", 1.0, 10.0), ("text", 5.0, 30.0)])  # fmt: skip
def test_our_exchange_is_faster_than_the_librarys_client(measured, transport, idle, busy):
    found, taken_share = measured
    assert {"p50_us", "p99_us", "busy_p50_us", "library_p50_us"} <= set(found["figures"][transport])
    enough, said = judged(found, transport, idle, busy)
    if not enough:  # eleven rounds scatter: on a pseudo-terminal an exchange takes 50 or 100 us, as the host wakes
        with stolen() as taken:
            found = over([transport], quick=False)
        enough, said = judged(found, transport, idle, busy)
        taken_share = taken.share
    holds(enough, taken_share, said)


def judged(found, transport, idle, busy):
    """Whether both ratios are as large as promised, and the figures."""
    figures, ratio = found["figures"][transport], found["ratio"][transport]
    idle_thread = figures["busy_share"] <= 0.5  # other programs kept the busy thread from being busy
    return ratio["vs_library"] >= idle and (idle_thread or ratio["vs_library_busy"] >= busy), (ratio, figures)


def test_a_message_of_six_fields_with_a_crc_takes_microseconds(measured):
    assert measured[0]["figures"]["text"]["codec_us"] <= 5.0
