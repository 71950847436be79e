"""Counts between fixed edges, and bars that fit a terminal."""

from hilctl.doctor.histogram import EDGES_US, bars, counted


def test_every_wake_up_is_counted_once_between_its_edges():
    counts = counted([0.0, 0.9, 1.0, 49.9, 50.0, 1500.0, 3e6])
    by_edge = dict(zip(EDGES_US, counts, strict=False))
    assert sum(counts) == 7
    assert {edge: n for edge, n in by_edge.items() if n} == {0.0: 2, 1.0: 1, 20.0: 1, 50.0: 1, 1000.0: 1, 1e6: 1}


def test_bars_are_logarithmic_mark_late_ticks_and_fit_eighty_columns():
    lines = bars({"idle": counted([15.0] * 100_000 + [30.0] * 300 + [1500.0]), "busy": counted([15.0])}, 1000.0)
    assert all(len(line) <= 80 for line in lines)
    lengths = [line.split("  ")[1:] for line in lines]
    common, some, one = lines[1].count("█"), lines[2].count("█"), lines[-1].count("█")
    assert one == 1 and 0.4 * common < some < common, lengths
    assert lines[1].startswith("10–20 µs") and lines[-1].startswith("1–2 ms late")
    assert [line for line in lines if "late" in line] == [lines[-1]]


def test_nothing_seen_has_no_bars():
    assert bars({"idle": ()}, 1000.0) == [] or bars({"idle": (0,) * (len(EDGES_US) - 1)}, 1000.0) == []
