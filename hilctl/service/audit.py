"""One line for every change and every refusal, with who asked for it: the logger `hilctl.audit`.

The same refusal of the same sender within a second is counted, and the count stands in the next line: a flood fills no
disk.
"""

import logging
from collections import OrderedDict

from hilctl.wire.errors import Refused
from hilctl.wire.roles import Who

log = logging.getLogger("hilctl.audit")

_EVERY_S = 1.0
_KNOWN = 256  # senders and their refusals


class Audit:
    """Writes the lines. The caller brings the time."""

    def __init__(self) -> None:
        self._refused: OrderedDict[tuple[str, str, str], tuple[float, int]] = OrderedDict()

    def done(self, who: Who, client: str, op: str, detail: str = "") -> None:
        """Something was changed."""
        log.info("done %s who=%s role=%s client=%s %s", op, who.name, who.role.word, client, detail)

    def refused(self, sender: str, client: str, op: str, why: Refused, now_s: float) -> None:
        """Something was refused; the sender is a name, or an address where there is none."""
        key = (sender, op, str(why.code))
        last_s, count = self._refused.pop(key, (-_EVERY_S, 0))
        if now_s - last_s >= _EVERY_S:
            more = f" and {count} more like it" if count else ""
            log.warning("refused %s who=%s client=%s %s%s: %s", op, sender, client, why.code, more, why.message)
            last_s, count = now_s, -1
        self._refused[key] = (last_s, count + 1)
        while len(self._refused) > _KNOWN:
            self._refused.popitem(last=False)
