"""Requests about the link to the device."""

import time

from hilctl.service.service import Asked, Service
from hilctl.service.status import link_of
from hilctl.service.tasks import Pace, Result, Task
from hilctl.signals import Mode
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import Arguments

_LONGEST_S = 30.0  # of one attempt: a port that does not open, a device that does not answer


def reconnect(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Opens the link again, now. Answers when it is open, or when that attempt has failed; others then follow."""
    s.core.need()
    if s.watch.mode != Mode.OFF:
        told = f"the link is opened again in the mode off only, it is {s.watch.mode.name.lower()}; `hilctl off` first"
        raise Refused(Code.WRONG_MODE, told, "mode")
    if s.occupied:
        raise Refused(Code.BUSY, f"{s.occupied}; ask again in a moment", "reconnect")
    s.occupied, until_s = "the link to the device is being opened again", time.monotonic() + _LONGEST_S
    before = s.core.link.status.device
    tries = before.attempts if before.state != "open" else 0
    try:
        s.core.link.relink()
        while True:
            now = s.core.link.status
            if now.device.reconnects > before.reconnects and now.device.state == "open":
                break
            if now.device.state != "open" and now.device.attempts > tries:
                raise Refused(Code.GONE, f"the link to the device could not be opened: {now.device.reason}", "link")
            if time.monotonic() > until_s:
                told = f"the device did not answer within {_LONGEST_S:g} s; `hilctl status` shows the link"
                raise Refused(Code.GONE, told, "link")
            s.core.need()
            if s.virtual and now.standing:
                s.core.link.run_until(now.tick + 1)
            yield Pace.FAST
    finally:
        s.core.link.relink(wanted=False)
        s.occupied = ""
    link = link_of(s, now)
    return {key: link[key] for key in ("driver", "state", "reconnects", "detail")}
