"""What a browser has, after all the frames that it was sent, is what the samples are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilctl.panel.samples import Samples
from hilctl.panel.view import COLUMNS, HEADER, Shown, View, plane, step_of


class Browser:
    """Keeps columns as the page's script does."""

    def __init__(self):
        self.columns, self.sent = {}, 0

    def take(self, frame):
        _, _, traces, count, first, step, _, begin, length = HEADER.unpack_from(frame)
        values = np.frombuffer(frame, np.float32, offset=HEADER.size).reshape(traces, count, 2)
        self.sent += count
        self.step, self.window = int(step), (begin, begin + length)
        for column in range(count):
            self.columns[int(first) + column] = values[:, column]


def fed(samples, first, count, spike=None):
    a = np.sin(np.arange(first, first + count) / 30.0)
    if spike is not None and first <= spike < first + count:
        a[spike - first] = 50.0
    samples.put({"tick": np.arange(first, first + count), "a": a, "b": 2 * a})


@given(st.lists(st.integers(1, 300), min_size=1, max_size=40), st.integers(2, 20_000), st.lists(st.booleans()))
def test_frames_put_together_are_the_samples(blocks, ticks, drawn):
    """Also where the browser was slow, and a frame is left out for a while."""
    samples, browser, view = Samples(["a", "b"], 1000.0), Browser(), View(("a", "b"), ticks, 1)
    tick, slow = 0, iter(drawn)
    for count in blocks:
        fed(samples, tick, count)
        tick += count
        if next(slow, True):
            frame = view.frame(samples)
            if frame is not None:
                browser.take(frame)
    final = view.frame(samples)
    if final is not None:
        browser.take(final)
    for column in range(max(0, tick - ticks) // browser.step, -(-tick // browser.step)):
        expected = samples.extremes([0, 1], column * browser.step, browser.step, 1)[:, 0]
        np.testing.assert_array_equal(browser.columns[column], expected)


def test_a_column_is_sent_again_only_until_it_is_whole():
    samples, browser, view = Samples(["a", "b"], 1000.0), Browser(), View(("a", "b"), 10_000, 1)
    for block in range(500):
        fed(samples, 20 * block, 20)
        browser.take(view.frame(samples))
    assert view.frame(samples) is None
    assert browser.sent <= 10_000 / browser.step + 2 * 500


@pytest.mark.parametrize("ticks", [2, 10, 999, 1000, 1001, 50_000, 3_000_000])
def test_there_are_never_more_columns_than_fit_and_at_least_half_of_them(ticks):
    columns = ticks / step_of(ticks)
    assert columns <= COLUMNS
    assert columns > COLUMNS / 2 or step_of(ticks) == 1


def test_a_window_that_stands_is_sent_once():
    samples, browser = Samples(["a", "b"], 1000.0), Browser()
    fed(samples, 0, 5000, spike=2222)
    view = View(("a",), 1, 1, Shown(2000, 2500))
    browser.take(view.frame(samples))
    fed(samples, 5000, 100)
    assert view.frame(samples) is None
    assert max(column[0, 1] for column in browser.columns.values()) == 50.0


def test_a_window_whose_end_is_to_come_is_completed():
    samples, browser = Samples(["a", "b"], 1000.0), Browser()
    fed(samples, 0, 100)
    view = View(("a",), 1, 1, Shown(50, 150))
    browser.take(view.frame(samples))
    fed(samples, 100, 100)
    browser.take(view.frame(samples))
    assert sorted(browser.columns) == list(range(50, 150))
    assert not np.isnan([browser.columns[c] for c in range(50, 150)]).any()


@pytest.mark.parametrize("at", [3, 40_000, 99_998])
def test_the_plane_keeps_what_is_extreme_in_either_channel(at):
    samples = Samples(["a", "b"], 1000.0)
    a, b = np.zeros(100_000), np.zeros(100_000)
    a[at], b[at + 1] = 7.0, -9.0
    samples.put({"tick": np.arange(100_000), "a": a, "b": b})
    frame = plane(samples, ("a", "b"), Shown(0, 100_000), 1)
    pairs = np.frombuffer(frame, np.float32, offset=HEADER.size).reshape(-1, 2)
    assert len(pairs) < 5000
    assert pairs[:, 0].max() == 7.0
    assert pairs[:, 1].min() == -9.0
