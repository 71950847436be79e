"""Descriptors that are kept free: connections may take all others, and a recording must open even then."""

import os
import resource

_MOST = 65_536  # of this process, where the host allows so many: an idle connection takes one
_KEPT = 64
_ROOM = 4 * _KEPT  # below the limit, before connections are taken again


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
        """Whether `full` has changed. Every number below that of a new descriptor is taken."""
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        limit = _MOST if limit == resource.RLIM_INFINITY else limit
        try:
            number = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            os.close(number)
        except OSError:
            number = limit
        was = self.full
        if not was and number >= limit - _KEPT:
            self.full = True
            while self._kept:
                os.close(self._kept.pop())
        elif was and number < limit - _ROOM:
            self.full = False
            self._keep()
        return self.full != was

    def _keep(self) -> None:
        self._kept = [os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) for _ in range(_KEPT)]
