"""A flood from one connection is cut to its rate; others do not feel it."""

from hilctl.service.rate import RateLimit


def test_a_burst_passes_and_then_the_rate_holds() -> None:
    limit = RateLimit(100.0, 50)
    assert sum(limit.admit(b"a", 0, 0.0) for _ in range(200)) == 50
    assert sum(limit.admit(b"a", 0, 1.0 + i * 1e-6) for i in range(200)) == 50  # never more than the bucket holds
    assert limit.refused == 300


def test_over_time_a_flood_gets_its_rate() -> None:
    limit = RateLimit(100.0, 10)
    admitted = sum(limit.admit(b"a", 0, i * 1e-4) for i in range(100_000))  # ten seconds of 10 kHz
    assert 1000 <= admitted <= 1011


def test_one_connection_does_not_use_up_anothers() -> None:
    limit = RateLimit(10.0, 10)
    while limit.admit(b"flood", 0, 0.0):
        pass
    assert limit.admit(b"other", 0, 0.0)


def test_a_large_request_costs_more() -> None:
    limit = RateLimit(100.0, 1000)
    small = sum(limit.admit(b"a", 100, 0.0) for _ in range(2000))
    large = sum(limit.admit(b"b", 64 * 1024, 0.0) for _ in range(2000))
    assert large < small / 30


def test_one_that_costs_more_than_the_whole_bucket_passes_when_it_is_full() -> None:
    assert RateLimit(10.0, 10).admit(b"a", 60_000, 0.0)


def test_the_memory_of_connections_is_bounded() -> None:
    limit = RateLimit(10.0, 10)
    for i in range(5000):
        limit.admit(str(i).encode(), 0, 0.0)
    assert len(limit._buckets) == 1024
