"""What `hilctl replay` says of a recording in which nothing could be compared."""

from types import SimpleNamespace

from hilctl.cli.replay import _lines
from hilctl.replay.run import Gap

GAP = Gap(120, None, "the file holds no state of the controller before it")


def told(ticks, gaps):
    found = SimpleNamespace(ticks=ticks, gaps=gaps, differ=0, first=None, tolerance=0.0, real_time=80.0,
                            build=SimpleNamespace(others=()))  # fmt: skip
    return _lines(found, {}, "complete")


def test_nothing_that_was_compared_is_not_nothing_that_differs():
    assert told(0, [GAP]) == [f"nothing was compared: {GAP.why}"]
    assert told(0, []) == ["nothing was compared: the file holds no samples"]
    assert told(500, [GAP])[1:] == ["none differs", f"from tick 120: {GAP.why}; not compared again"]
