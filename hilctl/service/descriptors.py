"""Descriptors that are kept free: connections may take all others, and a recording must open even then."""

import os
import resource

_MOST = 65_536  # of this process, where the host allows so many: an idle connection takes one
_KEPT = 256  # more than all doors have in their queues: what is left of it is for recordings
_SHARE = 0.25  # of the limit, where that is low


class Descriptors:
    """Raises this process's limit, and keeps some for what must go on when connections have taken the rest."""

    def __init__(self) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _MOST if hard == resource.RLIM_INFINITY else min(_MOST, hard)
        if soft != resource.RLIM_INFINITY:
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
        self.full = False
        self._kept: list[int] = []
        self._keep()

    def look(self) -> bool:
        """Whether `full` has changed."""
        limit = _limit()
        was, margin = self.full, _margin(limit)
        if not was and self._next(limit) >= limit - margin // 2:
            self.full = True
            while self._kept:
                os.close(self._kept.pop())
        elif was and len(os.listdir("/proc/self/fd")) < limit - 2 * margin:
            self.full = not self._keep()
        return self.full != was

    def _keep(self) -> bool:
        """Takes them, or none."""
        try:
            while len(self._kept) < _margin(_limit()):
                self._kept.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
        except OSError:
            while self._kept:
                os.close(self._kept.pop())
        return bool(self._kept)

    def _next(self, limit: int) -> int:
        """The number of a new descriptor: while we keep ours, all below it are taken."""
        if not self._kept:
            return limit
        try:
            number = os.dup(self._kept[0])
        except OSError:
            return limit
        os.close(number)
        return number


def _limit() -> int:
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if limit == resource.RLIM_INFINITY else limit


def _margin(limit: int) -> int:
    return min(_KEPT, int(_SHARE * limit))
