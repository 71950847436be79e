"""A capture at 10 kHz around a trip: what the benchmark measures, every sample counted."""

import pytest

from hilctl.bench.page_capture import RATE_HZ, captured

pytestmark = [pytest.mark.slow, pytest.mark.realtime, pytest.mark.timeout(240)]


def test_every_sample_of_eight_channels_around_a_trip_is_there(chromium):
    found = captured(chromium, 4.0)
    print(f"{found['capture_samples']:.0f} samples, ready {found['capture_ready_s']:.2f} s after the last")
    assert found["capture_lost"] == 0
    assert found["capture_channels"] == 8
    assert 0.5 * 4 * RATE_HZ < found["capture_samples"] <= 4 * RATE_HZ + 1
