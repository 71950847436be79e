"""Uploads come whole or not at all."""

import math

import numpy as np
import pytest

from hilctl.params import BadValues
from hilctl.service.waveforms import Waveforms
from hilctl.wire.errors import Refused
from hilctl.wire.ops_motion import Waveform


def _begin(waveforms: Waveforms, name: str = "quake", count: int = 100, interval_s: float = 0.01) -> None:
    waveforms.handle(
        Waveform(name=name, action="begin", quantity="acceleration", interval_s=interval_s, count=count), b""
    )


def _chunk(waveforms: Waveforms, values: list[float], offset: int = 0, name: str = "quake") -> None:
    waveforms.handle(Waveform(name=name, action="chunk", offset=offset), np.array(values, "<f8").tobytes())


def _end(waveforms: Waveforms, name: str = "quake") -> dict[str, object]:
    return waveforms.handle(Waveform(name=name, action="end"), b"")


def test_chunks_in_order_make_a_history() -> None:
    waveforms = Waveforms()
    _begin(waveforms)
    _chunk(waveforms, list(range(60)))
    _chunk(waveforms, list(range(60, 100)), 60)
    assert _end(waveforms)["seconds"] == pytest.approx(0.99)
    samples = waveforms.get("quake")
    assert samples is not None and samples.values.tolist() == list(range(100))


def test_pairs_carry_their_own_times() -> None:
    waveforms = Waveforms()
    times = np.cumsum(np.linspace(0.01, 0.02, 20))
    _begin(waveforms, count=40, interval_s=0.0)
    _chunk(waveforms, np.column_stack((times, np.arange(20.0))).ravel().tolist())
    _end(waveforms)
    samples = waveforms.get("quake")
    assert samples is not None and np.allclose(samples.times_s, times - times[0])


def test_a_chunk_out_of_order_is_refused_and_the_upload_goes_on() -> None:
    waveforms = Waveforms()
    _begin(waveforms)
    with pytest.raises(Refused, match="expected 0"):
        _chunk(waveforms, [1.0], 5)
    _chunk(waveforms, [0.0] * 100)
    _end(waveforms)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_number_that_is_not_finite_is_refused(bad: float) -> None:
    waveforms = Waveforms()
    _begin(waveforms)
    with pytest.raises(Refused, match="number 2"):
        _chunk(waveforms, [0.0, 1.0, bad])


def test_more_than_announced_is_refused() -> None:
    waveforms = Waveforms()
    _begin(waveforms, count=10)
    with pytest.raises(Refused, match="more than the 10"):
        _chunk(waveforms, [0.0] * 11)


def test_an_upload_that_is_not_whole_cannot_be_ended() -> None:
    waveforms = Waveforms()
    _begin(waveforms)
    _chunk(waveforms, [0.0] * 50)
    with pytest.raises(Refused, match="50 of 100"):
        _end(waveforms)
    assert waveforms.get("quake") is None


def test_a_failed_upload_leaves_the_one_before() -> None:
    waveforms = Waveforms()
    _begin(waveforms)
    _chunk(waveforms, [1.0] * 100)
    _end(waveforms)
    _begin(waveforms)
    assert waveforms.get("quake") is not None


@pytest.mark.parametrize(("count", "interval_s"), [(0, 0.01), (11, 0.0)])
def test_a_count_that_cannot_be_is_refused(count: int, interval_s: float) -> None:
    with pytest.raises(BadValues):
        _begin(Waveforms(), count=count, interval_s=interval_s)


def test_unfinished_uploads_do_not_pile_up() -> None:
    waveforms = Waveforms()
    for i in range(50):
        _begin(waveforms, name=str(i))
    assert len(waveforms._uploads) == 8
