"""The heartbeat of an attended lease: a thread with a socket of its own, so that a long wait is not taken for death.

A lease that is held for a person beats only while that person is present. Nothing that only reads shows its secret
meanwhile, for every request that shows it keeps the lease. Who comes back within the lease's time finds it as it was.
"""

import logging
import threading
import time
from collections.abc import Callable

from hilctl.client.connection import Connection, NoReply, ServiceGone
from hilctl.wire.errors import Refused

log = logging.getLogger(__name__)

Present = Callable[[], bool]


class Heart:
    """Beats until stopped, or until the lease is lost. Without a beat the service waits for `patience_s`."""

    def __init__(
        self, connection: Connection, every_s: float, patience_s: float, while_present: Present | None = None
    ) -> None:
        self.lost = ""
        self.in_vain = False  # the service itself has ended
        self._connection, self._every_s, self._patience_s = connection, every_s, patience_s
        self._while_present = while_present
        self._absent_s = 0.0  # since when nobody is present
        self._why = ""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self.lost and not self._stop.wait(self._every_s):
            if self._present():
                self._beat()
            elif self._connection.identity.silent_s > self._patience_s + self._every_s:
                self.lost = self._absence  # the service cannot hold it any longer

    def _present(self) -> bool:
        present, why = True, "while_present says no"
        if self._while_present is not None:
            try:
                present = bool(self._while_present())
            except Exception as error:  # whatever the program raises, it does not say that somebody is there
                present, why = False, f"while_present raised {error!r}"
        if present:
            return True
        if not self._absent_s:
            self._absent_s, self._why = time.monotonic(), why
            self._connection.identity.quiet = True
            log.warning("no beats for the lease: %s; it is lost in %g s", why, self._patience_s)
        return False

    @property
    def _absence(self) -> str:
        if not self._absent_s:
            return ""
        gone_s = time.monotonic() - self._absent_s
        return (
            f"nobody was present for {gone_s:.1f} s ({self._why}), and the service waits for {self._patience_s:g} s "
            "(service.lease_timeout_s)"
        )

    def _beat(self) -> None:
        """The answer to a beat says whether the lease is still held."""
        try:
            self._connection.request("lease", {"action": "beat"}, timeout_s=5.0)
        except (Refused, ServiceGone) as ended:
            self.in_vain = isinstance(ended, ServiceGone)
            self.lost = f"{self._absence}; {ended}" if self._absent_s and not self.in_vain else str(ended)
            return
        except NoReply:
            return  # the service may only be slow; whether the lease holds is its word
        self._absent_s, self._connection.identity.quiet = 0.0, False

    def stop(self) -> None:
        """No more beats."""
        self._stop.set()
        self._thread.join(timeout=10.0)
        self._connection.identity.quiet = False
        self._connection.close()
