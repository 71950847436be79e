"""One line for every change and every refusal, with who asked for it: the logger `hilctl.audit`.

The same refusal of the same sender within a second is counted, and the count stands in the next line: a flood fills no
disk.
"""

import logging
from collections import OrderedDict

from hilctl.wire.errors import Refused
from hilctl.wire.ops import OPS
from hilctl.wire.roles import Who

log = logging.getLogger("hilctl.audit")

_EVERY_S = 1.0
_LONGEST = 500  # characters of what was asked, or why not
_KNOWN = 256  # senders and their refusals


def _plain(text: str) -> str:
    """On one line, whatever a client has put into it."""
    return "".join(c if c.isprintable() else " " for c in text[:_LONGEST])


class Audit:
    """Writes the lines. The caller brings the time."""

    def __init__(self) -> None:
        self._refused: OrderedDict[tuple[str, str, str], tuple[float, int]] = OrderedDict()

    def done(self, who: Who, client: str, op: str, detail: str = "") -> None:
        """Something was changed."""
        log.info("done %s who=%s role=%s client=%r %s", op, who.name, who.role.word, client, _plain(detail))

    def refused(self, sender: str, client: str, op: str, why: Refused, now_s: float) -> None:
        """Something was refused; the sender is a name, or an address where there is none."""
        op = op if op in OPS else "?"  # which is anything, and another one each time
        key = (sender, op, str(why.code))
        last_s, count = self._refused.pop(key, (-_EVERY_S, 0))
        if now_s - last_s >= _EVERY_S:
            more = f" and {count} more like it" if count else ""
            log.warning("refused %s who=%s client=%r %s%s: %s", op, sender, client, why.code, more, _plain(why.message))
            last_s, count = now_s, -1
        self._refused[key] = (last_s, count + 1)
        while len(self._refused) > _KNOWN:
            self._refused.popitem(last=False)
