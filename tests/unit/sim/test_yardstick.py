"""The C twin that the benchmark measures against computes what ours computes."""

from hilctl.bench.twin import compare


def test_the_benchmark_compares_like_with_like():
    result = compare(quick=True)
    assert result["bench"] == "twin"
    assert result["figures"]["difference_from_c"] < 1e-9
    assert set(result["ratio"]) == {"vs_c"}
