"""Our exchange beside a library's client on the same device."""

import pytest

from hilctl.bench.exchange import run

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def measured():
    return run(quick=True)


@pytest.mark.parametrize(("transport", "idle", "busy"), [("modbus-tcp", 1.2, 30.0), ("modbus-rtu", 10.0, 30.0),
                                                         ("serial", 1.0, 10.0), ("text", 5.0, 30.0)])  # fmt: skip
def test_our_exchange_is_faster_than_the_librarys_client(measured, transport, idle, busy):
    assert measured["ratio"][transport]["vs_library"] >= idle
    if measured["figures"][transport]["busy_share"] > 0.5:  # else other programs kept the busy thread from being busy
        assert measured["ratio"][transport]["vs_library_busy"] >= busy
    assert {"p50_us", "p99_us", "busy_p50_us", "library_p50_us"} <= set(measured["figures"][transport])


def test_a_message_of_six_fields_with_a_crc_takes_microseconds(measured):
    assert measured["figures"]["text"]["codec_us"] <= 5.0
