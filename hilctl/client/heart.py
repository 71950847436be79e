"""The heartbeat of an attended lease: a thread with a socket of its own, so that a long wait is not taken for death."""

import threading

from hilctl.client.connection import Connection, NoReply, ServiceGone
from hilctl.wire.errors import Refused


class Heart:
    """Beats until stopped, or until the lease is lost."""

    def __init__(self, connection: Connection, every_s: float) -> None:
        self.lost = ""
        self.in_vain = False  # the service itself has ended
        self._connection, self._every_s = connection, every_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        self._thread.start()

    def _beat(self) -> None:
        while not self._stop.wait(self._every_s):
            try:
                self._connection.request("lease", {"action": "beat"}, timeout_s=5.0)
            except (Refused, ServiceGone) as ended:
                self.lost, self.in_vain = str(ended), isinstance(ended, ServiceGone)
                return
            except NoReply:
                continue  # the service may only be slow; whether the lease holds is its word

    def stop(self) -> None:
        """No more beats."""
        self._stop.set()
        self._thread.join(timeout=10.0)
        self._connection.close()
