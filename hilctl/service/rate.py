"""How much one connection, or one key, may ask: a bucket of tokens each; a request costs one, a large one more."""

from collections import OrderedDict

_KNOWN = 1024  # connections; the one silent longest is forgotten
_BYTES_A_TOKEN = 1024  # decoding a kilobyte of small values costs about what handling a small request does


class RateLimit:
    """One bucket a connection. The caller brings the time."""

    def __init__(self, rate_per_s: float, burst: int) -> None:
        self._rate_per_s, self._burst = rate_per_s, float(burst)
        self._buckets: OrderedDict[bytes, tuple[float, float]] = OrderedDict()
        self.refused = 0

    def admit(self, connection: bytes, size: int, now_s: float) -> bool:
        """Whether this connection may have a request of this size handled now."""
        tokens, before_s = self._buckets.pop(connection, (self._burst, now_s))
        tokens = min(self._burst, tokens + (now_s - before_s) * self._rate_per_s)
        cost = 1.0 + size / _BYTES_A_TOKEN
        admitted = tokens >= min(cost, self._burst)
        if admitted:
            tokens -= cost
        else:
            self.refused += 1
        self._buckets[connection] = (tokens, now_s)
        while len(self._buckets) > _KNOWN:
            self._buckets.popitem(last=False)
        return admitted
