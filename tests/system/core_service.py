"""A service with nothing but a link, to be killed: `python -m tests.system.core_service DRIVER`.

Prints the core's process id, then the mode and the reference's speed whenever they change much.
"""

import sys
import time

from hilctl.law.requests import RequestKind
from hilctl.signals import Mode
from tests.system import core_parts


def main(driver: str) -> None:
    """Arms, tracks a triangle, and beats until killed."""
    triangle = core_parts.motion("triangle", amplitude_m=0.05, speed_m_s=0.3)
    link = core_parts.begin(driver)
    core_parts.until(link, lambda: link.status.state == "running")
    core_parts.until(link, lambda: link.status.tick > 200)
    assert core_parts.ask(link, RequestKind.ARM).refusal == 0
    core_parts.until(link, lambda: link.status.mode == Mode.HOLD)
    assert core_parts.ask(link, RequestKind.TRACK, triangle).refusal == 0
    moving = time.monotonic() + 1.0
    core_parts.until(link, lambda: link.drain(10_000) is not None and time.monotonic() > moving)
    print(link._runner._process.pid, flush=True)  # type: ignore[attr-defined]
    core_parts.until(link, lambda: link.drain(10_000) is None)


if __name__ == "__main__":
    main(sys.argv[1])
